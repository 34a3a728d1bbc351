"""From a one-bit picture to the bytes of a controller's memory, and which of them to send.

A byte of the memory holds eight pixels one above the other, the uppermost in its lowest
bit; the bytes of a page stand side by side, and eight pages make a picture of 64 lines.
"""

from dataclasses import dataclass

from PIL import Image

PAGE_LINES = 8


@dataclass(frozen=True, slots=True)
class Window:
    """A rectangle of the controller's memory; columns and pages from 0, the ends exclusive."""

    first_column: int
    end_column: int
    first_page: int
    end_page: int

    @property
    def size(self) -> int:
        """How many bytes it holds."""
        return (self.end_column - self.first_column) * (self.end_page - self.first_page)


def pack(image: Image.Image) -> list[bytes]:
    """The pages of a picture, top to bottom, a byte a column.

    Args:
        image: mode "1", its height a multiple of eight.

    Raises:
        ValueError: another mode or height.
    """
    if image.mode != "1" or image.height % PAGE_LINES:
        raise ValueError(f"cannot pack a picture of mode {image.mode} and {image.height} lines")
    # A quarter turn puts each column into a row of whole bytes; Pillow does all of it in C.
    turned = image.transpose(Image.Transpose.ROTATE_270).tobytes()
    pages = image.height // PAGE_LINES
    return [turned[pages - 1 - page :: pages] for page in range(pages)]


def changed_runs(old: bytes, new: bytes, overhead: int) -> list[tuple[int, int]]:
    """Where two versions of a page differ, as (first, end) columns.

    Args:
        old: what the controller holds.
        new: what it is to hold, as long as `old`.
        overhead: bytes that a further run costs; shorter gaps between runs are closed.
    """
    if old == new:
        return []
    runs: list[tuple[int, int]] = []
    for column, (before, after) in enumerate(zip(old, new, strict=True)):
        if before == after:
            continue
        if runs and column - runs[-1][1] <= overhead:
            runs[-1] = (runs[-1][0], column + 1)
        else:
            runs.append((column, column + 1))
    return runs


def whole(pages: list[bytes], tall: bool) -> list[Window]:
    """Windows that hold everything: one, or one a page where none may span several."""
    width = len(pages[0])
    if tall:
        return [Window(0, width, 0, len(pages))]
    return [Window(0, width, page, page + 1) for page in range(len(pages))]


def changed_windows(old: list[bytes], new: list[bytes], overhead: int, tall: bool) -> list[Window]:
    """Windows with every changed byte, cheap to send: never dearer than the whole picture.

    Args:
        old: pages that the controller holds.
        new: pages that it is to hold, as many and as long.
        overhead: bytes on the wire that one window costs beside its contents.
        tall: whether one window may span several pages.
    """
    done: list[Window] = []
    growing: list[Window] = []  # those that end at the page above
    for page, (before, after) in enumerate(zip(old, new, strict=True)):
        grown: list[Window] = []
        for first, end in changed_runs(before, after, overhead):
            window = Window(first, end, page, page + 1)
            for above in growing if tall else ():
                joined = Window(min(first, above.first_column), max(end, above.end_column),
                                above.first_page, page + 1)  # fmt: skip
                if joined.size <= above.size + window.size + overhead:
                    growing.remove(above)
                    window = joined
                    break
            grown.append(window)
        done += growing
        growing = grown
    found, everything = done + growing, whole(new, tall)

    def cost(windows: list[Window]) -> int:
        return sum(window.size + overhead for window in windows)

    # There may be many small changes, no two of which are worth joining.
    return found if cost(found) <= cost(everything) else everything
