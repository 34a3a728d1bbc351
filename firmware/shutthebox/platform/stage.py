"""The middle of the picture: the dice and their total, a word as large as it gets, or a list."""

from PIL import Image

from shutthebox.game.screen import Screen
from shutthebox.platform.beat import Beat, scrolled
from shutthebox.platform.glyphs import Size, enlarged, fitting, heavy, ink, line, shortened, squeezed
from shutthebox.platform.shapes import TURNS, die, is_number, numeral_within, tumbling_die

TUMBLE_NS = 100_000_000  # between two pictures of tumbling dice
_PAGE_NS = 3_000_000_000  # a long table turns its page
_ROW_PITCH = 12
_SMALLEST_WORD = 14  # pixels that a big word keeps above a list
_LEAST_HEIGHT = 7  # below, there is no room to say anything


def draw_stage(picture: Image.Image, screen: Screen, beat: Beat, box: tuple[int, int, int, int]) -> None:
    """Draws dice, else a big word, a list, or both one above the other.

    Args:
        picture: of mode "1", to draw on.
        screen: what to say.
        beat: the time.
        box: left, top, right, bottom in pixels, the last two exclusive.
    """
    left, top, right, bottom = box
    if bottom - top < _LEAST_HEIGHT:
        return
    if screen.dice or screen.tumbling:
        _dice(picture, screen, beat, box)
    elif screen.big and screen.rows:
        lines = max(1, min(len(screen.rows), (bottom - top - _SMALLEST_WORD) // _ROW_PITCH))
        middle = bottom - lines * _ROW_PITCH
        _word(picture, screen.big, (left, top, right, middle - 1))
        _list(picture, screen, beat, (left, middle, right, bottom))
    elif screen.big:
        # Letters may use the dark line above the tiles: it is what "É" needs to be large.
        spare = int(bool(screen.tiles) and not is_number(screen.big))
        _word(picture, screen.big, (left, top, right, bottom + spare))
    elif screen.rows:
        _list(picture, screen, beat, box)
    elif screen.total is not None:
        _word(picture, str(screen.total), box)


def _dice(picture: Image.Image, screen: Screen, beat: Beat, box: tuple[int, int, int, int]) -> None:
    """The dice, and beside them what they come to."""
    left, top, right, bottom = box
    height = bottom - top
    beside: Image.Image | None = None
    if not screen.tumbling:
        if screen.total is not None:
            beside = numeral_within(str(screen.total), (right - left) // 2, height)
        elif screen.big:
            beside = _largest(screen.big, (right - left) // 2, height)
    gap = 3
    room = right - left - (beside.width + 4 * gap if beside is not None else 0)
    faces = screen.dice or (1, 1)
    side, columns = _dice_grid(len(faces), room, height, gap)
    rows = -(-len(faces) // columns)
    used = columns * (side + gap) - gap
    spare = right - left - used - (beside.width if beside is not None else 0)
    x0 = left + spare // (3 if beside is not None else 2)
    y0 = top + (height - rows * (side + gap) + gap) // 2
    for index, face in enumerate(faces):
        row, column = divmod(index, columns)
        x, y = x0 + column * (side + gap), y0 + row * (side + gap)
        if screen.tumbling:
            step = beat.count(TUMBLE_NS) + 5 * index
            # Any fixed rule that looks like none: no two neighbours alike, no face twice in a row.
            shown = (step * 5 + index * 3 + step // 4) % 6 + 1
            hop = (0, -1, -2, -1, 0, 1)[step % 6] if side > 12 else 0
            tumbling = tumbling_die(shown, (step * 2 + index) % TURNS, side)
            picture.paste(tumbling, (x, max(top, min(y + hop, bottom - side))))
        else:
            picture.paste(die(face, side), (x, y))
    if beside is not None:
        x = right - beside.width - spare // 3
        picture.paste(beside, (x, top + (height - beside.height) // 2))


def _dice_grid(count: int, width: int, height: int, gap: int) -> tuple[int, int]:
    """The side of the dice and the columns of the grid that let them be largest."""
    best = (0, 1)
    for rows in range(1, count + 1):
        columns = -(-count // rows)
        side = min((height + gap) // rows - gap, (width + gap) // columns - gap)
        if side > best[0]:
            best = (side, columns)
    side, columns = best
    # An odd side has a middle pixel for the middle pip.
    return (max(7, side - 1 + side % 2), columns)


def _word(picture: Image.Image, text: str, box: tuple[int, int, int, int]) -> None:
    left, top, right, bottom = box
    word = _largest(text, right - left, bottom - top)
    place = (left + (right - left - word.width) // 2, top + (bottom - top - word.height) // 2)
    picture.paste(word, place)


def _largest(text: str, width: int, height: int) -> Image.Image:
    """A word or a few as large as they get in the box, on several lines if that is larger."""
    if is_number(text):
        return numeral_within(text, width, height)
    for times in (4, 3):
        word = enlarged(text, Size.MEDIUM, times)
        if word.width <= width and word.height <= height:
            return word
    for size in (Size.LARGE, Size.MEDIUM, Size.SMALL):
        set_line = heavy if size is Size.LARGE else _inked
        lines = [set_line(part, size) for part in _wrapped(text, width // size.width)]
        if len(lines) == 1:
            lines = [squeezed(lines[0], height)]
        gap = size.height // 8
        block_height = sum(part.height + gap for part in lines) - gap
        if block_height <= height and all(part.width <= width for part in lines):
            block = Image.new("1", (max(part.width for part in lines), block_height))
            y = 0
            for part in lines:
                block.paste(part, ((block.width - part.width) // 2, y))
                y += part.height + gap
            return block
    return ink(shortened(text, Size.SMALL, width))


def _inked(text: str, size: Size) -> Image.Image:
    return ink(line(text, size))


def _wrapped(text: str, columns: int) -> list[str]:
    """The text in lines of at most so many characters, broken between words only."""
    lines: list[str] = []
    for word in text.split() or [" "]:
        if lines and len(lines[-1]) + 1 + len(word) <= columns:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


def _list(picture: Image.Image, screen: Screen, beat: Beat, box: tuple[int, int, int, int]) -> None:
    """Rows of a list: those around the cursor, or page after page if nothing is chosen.

    A tab in a row sets the rest of it against the right edge.
    """
    left, top, right, bottom = box
    count = len(screen.rows)
    size, pitch = _row_size(screen.rows, right - left, bottom - top)
    shown = min(count, max(1, (bottom - top) // pitch))
    first = 0
    if count > shown:
        if screen.cursor is not None:
            first = max(0, min(screen.cursor - shown // 2, count - shown))
        else:
            first = beat.count(_PAGE_NS) % -(-count // shown) * shown
        _scroll_bar(picture, (right - 2, top, right, bottom), first, min(shown, count - first), count)
        right -= 5
    y = top + (bottom - top - pitch * shown) // 2
    for index, row in enumerate(screen.rows[first : first + shown], first):
        chosen = index == screen.cursor
        strip = Image.new("1", (right - left, pitch), int(chosen))
        _row(strip, row, size, beat if chosen else None)
        picture.paste(strip, (left, y))
        y += pitch


def _row_size(rows: tuple[str, ...], width: int, height: int) -> tuple[Size, int]:
    """The font for a list and the pixels from row to row: large if all of it fits so."""
    size = Size.MEDIUM
    if len(rows) * size.height <= height and all(line(row, size).width <= width - 4 for row in rows):
        return size, size.height
    return Size.SMALL, _ROW_PITCH


def _row(strip: Image.Image, row: str, size: Size, beat: Beat | None) -> None:
    """One row of a list; the chosen one, which has a beat, is dark on light and scrolls if too long."""
    lit = int(beat is None)
    text, _, value = row.partition("\t")
    room = strip.width - 4
    if value:
        end = shortened(value, size, room // 2)
        strip.paste(lit, (2 + room - end.width, 0), end)
        room -= end.width + size.width
    words = fitting(text, size, room)
    if words is None and beat is not None:
        whole = line(text, size)
        moved = scrolled(beat, whole.width - room)
        words = whole.crop((moved, 0, moved + room, whole.height))
    strip.paste(lit, (2, 0), words if words is not None else shortened(text, size, room))


def _scroll_bar(
    picture: Image.Image, box: tuple[int, int, int, int], first: int, shown: int, count: int
) -> None:
    """How much of the list is seen, and which part."""
    left, top, right, bottom = box
    height = bottom - top
    for y in range(top, bottom, 3):
        picture.putpixel((left, y), 1)
    picture.paste(
        1, (left, top + height * first // count, right, top + -(-height * (first + shown) // count))
    )
