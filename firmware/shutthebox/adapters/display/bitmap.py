"""A one-bit picture as one integer per line, so pasting is a shift and an OR.

A `Bitmap` is immutable; methods that draw return a new one. Coordinates are pixels from the upper left
corner; boxes are left, top, right, bottom, with the last two exclusive. Drawing is clipped to the picture.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Box = tuple[int, int, int, int]

SIZE = (128, 64)
"""Width and height of every panel, in pixels."""

_MIRRORED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


@dataclass(frozen=True, slots=True)
class Bitmap:
    """A picture of lit and dark pixels.

    Attributes:
        width: pixels per line.
        rows: one integer per line, top to bottom; the lowest bit is the leftmost pixel, and 1 is lit.
    """

    width: int
    rows: tuple[int, ...]

    @classmethod
    def of(cls, width: int, height: int, *, lit: bool = False) -> "Bitmap":
        """An all-dark picture, or an all-lit one."""
        return cls(width, ((1 << width) - 1 if lit else 0,) * height)

    @classmethod
    def plot(cls, width: int, height: int, lit: Callable[[int, int], bool]) -> "Bitmap":
        """A picture whose pixel (x, y) is lit if `lit(x, y)` is true."""
        return cls(width, tuple(sum(lit(x, y) << x for x in range(width)) for y in range(height)))

    @classmethod
    def frombytes(cls, width: int, data: bytes) -> "Bitmap":
        """The inverse of `tobytes`."""
        stride = -(-width // 8)
        mirrored = data.translate(_MIRRORED)
        lines = (mirrored[start : start + stride] for start in range(0, len(data), stride))
        whole = (1 << width) - 1
        return cls(width, tuple(int.from_bytes(line, "little") & whole for line in lines))

    @classmethod
    def side_by_side(cls, pictures: Sequence["Bitmap"], gap: int, height: int) -> "Bitmap":
        """Pictures of the same height in a row; a dark column if there are none."""
        rows, x = [0] * height, 0
        for picture in pictures:
            for y, row in enumerate(picture.rows):
                rows[y] |= row << x
            x += picture.width + gap
        return cls(max(1, x - gap), tuple(rows))

    def tobytes(self) -> bytes:
        """Line by line, eight pixels per byte, leftmost in the highest bit, like Pillow's mode "1"."""
        stride = -(-self.width // 8)
        return b"".join(row.to_bytes(stride, "little") for row in self.rows).translate(_MIRRORED)

    @property
    def height(self) -> int:
        """Height in pixels."""
        return len(self.rows)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.width, len(self.rows)

    def lit(self, x: int, y: int) -> bool:
        """Whether this pixel, which must be inside the picture, is lit."""
        return bool(self.rows[y] >> x & 1)

    def ink(self) -> Box | None:
        """The smallest box around all lit pixels; None if there are none."""
        used = 0
        for row in self.rows:
            used |= row
        if not used:
            return None
        top, bottom = 0, len(self.rows)
        while not self.rows[top]:
            top += 1
        while not self.rows[bottom - 1]:
            bottom -= 1
        return (used & -used).bit_length() - 1, top, used.bit_length(), bottom

    def crop(self, box: Box) -> "Bitmap":
        """The part inside the box, which must lie within the picture."""
        left, top, right, bottom = box
        whole = (1 << right - left) - 1
        return Bitmap(right - left, tuple(row >> left & whole for row in self.rows[top:bottom]))

    def enlarge(self, times: int) -> "Bitmap":
        """The picture with every pixel `times` as wide and high."""
        dot = (1 << times) - 1
        rows: list[int] = []
        for row in self.rows:
            wide = sum(dot << x * times for x in range(self.width) if row >> x & 1)
            rows += [wide] * times
        return Bitmap(self.width * times, tuple(rows))

    def invert(self) -> "Bitmap":
        """The picture with lit and dark swapped."""
        whole = (1 << self.width) - 1
        return Bitmap(self.width, tuple(row ^ whole for row in self.rows))

    def mirror(self) -> "Bitmap":
        """The picture with left and right swapped."""
        return Bitmap(self.width, tuple(int(f"{row:0{self.width}b}"[::-1], 2) for row in self.rows))

    def turn_left(self) -> "Bitmap":
        """The picture turned 90 degrees counterclockwise."""
        digits = [f"{row:0{self.width}b}" for row in reversed(self.rows)]
        return Bitmap(self.height, tuple(int("".join(column), 2) for column in zip(*digits, strict=True)))

    def flip(self) -> "Bitmap":
        """The picture with top and bottom swapped."""
        return Bitmap(self.width, self.rows[::-1])

    def paste(self, picture: "Bitmap", x: int, y: int) -> "Bitmap":
        """A copy with the other picture pasted here, dark pixels included."""
        whole = (1 << self.width) - 1
        keep = whole & ~_shift((1 << picture.width) - 1, x)
        top, under, over = self._covered(picture, y)
        if x < 0:
            mixed = [a & keep | b >> -x & whole for a, b in zip(under, over, strict=True)]
        else:
            mixed = [a & keep | b << x & whole for a, b in zip(under, over, strict=True)]
        return self._with(mixed, top)

    def stamp(self, picture: "Bitmap", x: int, y: int, *, lit: bool = True) -> "Bitmap":
        """A copy with the other picture drawn here, lit or dark; its dark pixels are transparent."""
        whole = (1 << self.width) - 1
        top, under, over = self._covered(picture, y)
        if lit:
            mixed = [a | _shift(b, x) & whole for a, b in zip(under, over, strict=True)]
        else:
            mixed = [a & ~_shift(b, x) for a, b in zip(under, over, strict=True)]
        return self._with(mixed, top)

    def exchange(self, picture: "Bitmap") -> "Bitmap":
        """A copy inverted where the other picture, of the same size, is lit."""
        return Bitmap(self.width, tuple(a ^ b for a, b in zip(self.rows, picture.rows, strict=True)))

    def fill(self, box: Box, *, lit: bool = True) -> "Bitmap":
        """A copy with the box filled, lit or dark."""
        left, top, right, bottom = box
        left, right = max(0, left), min(self.width, right)
        if left >= right:
            return self
        top = max(0, top)
        block = Bitmap.of(right - left, max(0, bottom - top), lit=True)
        return self.stamp(block, left, top, lit=lit)

    def outline(self, box: Box) -> "Bitmap":
        """A copy with the edge of the box lit."""
        left, top, right, bottom = box
        sides = self.fill((left, top, right, top + 1)).fill((left, bottom - 1, right, bottom))
        return sides.fill((left, top, left + 1, bottom)).fill((right - 1, top, right, bottom))

    def line(self, start: tuple[int, int], end: tuple[int, int], *, lit: bool = True) -> "Bitmap":
        """A copy with a line one pixel wide from start to end inclusive; both must be inside."""
        (x, y), (to_x, to_y) = start, end
        wide, high = abs(to_x - x), abs(to_y - y)
        right, down = (1 if to_x >= x else -1), (1 if to_y >= y else -1)
        long, short = max(wide, high), min(wide, high)
        rows = list(self.rows)
        error = 2 * short - long  # Bresenham's, doubled so that it stays a whole number
        for _ in range(long + 1):
            rows[y] = rows[y] | 1 << x if lit else rows[y] & ~(1 << x)
            aside = error >= 0
            error += 2 * short - (2 * long if aside else 0)
            x += right if aside or wide > high else 0
            y += down if aside or wide <= high else 0
        return Bitmap(self.width, tuple(rows))

    def _covered(self, picture: "Bitmap", y: int) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
        """The first line covered by a picture placed at line `y`, the lines beneath it, and its own."""
        top, bottom = max(0, y), max(0, y, min(len(self.rows), y + len(picture.rows)))
        return top, self.rows[top:bottom], picture.rows[top - y : bottom - y]

    def _with(self, lines: list[int], top: int) -> "Bitmap":
        return Bitmap(self.width, (*self.rows[:top], *lines, *self.rows[top + len(lines) :]))


def _shift(row: int, x: int) -> int:
    return row << x if x >= 0 else row >> -x
