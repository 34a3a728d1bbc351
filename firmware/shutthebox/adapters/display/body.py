"""The middle of the picture: the dice and their total, a word as large as it gets, or a list."""

from PIL import Image

from shutthebox.adapters.display.animation import AnimationClock, scrolled
from shutthebox.adapters.display.fonts import Size, enlarged, fitting, heavy, ink, line, shortened, squeezed
from shutthebox.adapters.display.shapes import TURNS, die, is_number, numeral_within, tumbling_die
from shutthebox.game.screen import Screen

TUMBLE_NS = 100_000_000  # between two pictures of tumbling dice
_PAGE_NS = 3_000_000_000  # a long table turns its page
_ROW_PITCH = 12
_SMALLEST_WORD = 14  # pixels that a big word keeps above a list
_LEAST_HEIGHT = 7  # below, there is no room to say anything


def draw_stage(
    picture: Image.Image, screen: Screen, clock: AnimationClock, box: tuple[int, int, int, int]
) -> None:
    """Draws dice, else a big word, a list, or both one above the other; never outside the box.

    Args:
        picture: of mode "1", to draw on.
        screen: what to say.
        clock: the time.
        box: left, top, right, bottom in pixels, the last two exclusive. Letters may use the
            line below it too, if there are tiles: it is dark, and what "É" needs to be large.
    """
    left, top, right, bottom = box
    if bottom - top < _LEAST_HEIGHT:
        return
    only_word = bool(screen.big) and not screen.rows and not is_number(screen.big)
    letters = only_word and not (screen.dice or screen.tumbling) and bool(screen.tiles)
    stage = Image.new("1", (right - left, bottom - top + int(letters)))
    if screen.dice or screen.tumbling:
        _dice(stage, screen, clock)
    elif screen.big and screen.rows:
        _word_and_list(stage, screen, clock)
    elif screen.big:
        _word(stage, screen.big)
    elif screen.rows:
        _list(stage, screen.rows, screen.cursor, clock)
    elif screen.total is not None:
        _word(stage, str(screen.total))
    picture.paste(stage, (left, top))


def _word_and_list(stage: Image.Image, screen: Screen, clock: AnimationClock) -> None:
    lines = min(len(screen.rows), (stage.height - _SMALLEST_WORD) // _ROW_PITCH)
    if lines < 1:  # no room for both: the word heads the list
        cursor = None if screen.cursor is None else screen.cursor + 1
        _list(stage, (screen.big, *screen.rows), cursor, clock)
        return
    middle = stage.height - lines * _ROW_PITCH
    word = Image.new("1", (stage.width, middle - 1))
    _word(word, screen.big)
    rows = Image.new("1", (stage.width, stage.height - middle))
    _list(rows, screen.rows, screen.cursor, clock)
    stage.paste(word, (0, 0))
    stage.paste(rows, (0, middle))


def _dice(stage: Image.Image, screen: Screen, clock: AnimationClock) -> None:
    """The dice, and beside them what they come to."""
    width, height = stage.size
    beside: Image.Image | None = None
    if not screen.tumbling:
        if screen.total is not None:
            beside = numeral_within(str(screen.total), width // 2, height)
        elif screen.big:
            beside = _largest(screen.big, width // 2, height)
    gap = 3 if len(screen.dice) < 7 else 2
    room = width - (beside.width + 4 * gap if beside is not None else 0)
    faces = screen.dice or (1, 1)
    side, columns = _dice_grid(len(faces), room, height, gap)
    rows = -(-len(faces) // columns)
    used = columns * (side + gap) - gap
    spare = width - used - (beside.width if beside is not None else 0)
    x0 = spare // (3 if beside is not None else 2)
    y0 = (height - rows * (side + gap) + gap) // 2
    for index, face in enumerate(faces):
        row, column = divmod(index, columns)
        x, y = x0 + column * (side + gap), y0 + row * (side + gap)
        if screen.tumbling:
            step = clock.count(TUMBLE_NS) + 5 * index
            # Any fixed rule that looks like none: no two neighbours alike, no face twice in a row.
            shown = (step * 5 + step // 4 * 3 + index * 3) % 6 + 1
            hop = (0, -1, -2, -1, 0, 1)[step % 6] if side > 12 else 0
            tumbling = tumbling_die(shown, (step * 2 + index) % TURNS, side)
            stage.paste(tumbling, (x, max(0, min(y + hop, height - side))))
        else:
            stage.paste(die(face, side), (x, y))
    if beside is not None:
        x = width - beside.width - spare // 3
        stage.paste(beside, (x, (height - beside.height) // 2))


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


def _word(stage: Image.Image, text: str) -> None:
    word = _largest(text, *stage.size)
    stage.paste(word, ((stage.width - word.width) // 2, (stage.height - word.height) // 2))


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


def _list(stage: Image.Image, rows: tuple[str, ...], cursor: int | None, clock: AnimationClock) -> None:
    """Rows of a list: those around the cursor, or page after page if nothing is chosen.

    A tab in a row sets the rest of it against the right edge.
    """
    count = len(rows)
    width = stage.width
    size, pitch = _row_size(rows, *stage.size)
    shown = min(count, max(1, stage.height // pitch))
    first = 0
    if count > shown:
        if cursor is not None:
            first = max(0, min(cursor - shown // 2, count - shown))
        else:
            first = clock.count(_PAGE_NS) % -(-count // shown) * shown
        _scroll_bar(stage, first, min(shown, count - first), count)
        width -= 5
    y = (stage.height - pitch * shown) // 2
    for index, row in enumerate(rows[first : first + shown], first):
        chosen = index == cursor
        strip = Image.new("1", (width, pitch), int(chosen))
        _row(strip, row, size, clock if chosen else None)
        stage.paste(strip, (0, y))
        y += pitch


def _row_size(rows: tuple[str, ...], width: int, height: int) -> tuple[Size, int]:
    """The font for a list and the pixels from row to row: large if all of it fits so."""
    size = Size.MEDIUM
    if len(rows) * size.height <= height and all(line(row, size).width <= width - 4 for row in rows):
        return size, size.height
    return Size.SMALL, _ROW_PITCH


def _row(strip: Image.Image, row: str, size: Size, clock: AnimationClock | None) -> None:
    """One row of a list; the chosen one, which has a clock, is dark on light and scrolls if too long."""
    lit = int(clock is None)
    text, _, value = row.partition("\t")
    room = strip.width - 4
    if value:
        end = shortened(value, size, room // 2)
        strip.paste(lit, (2 + room - end.width, 0), end)
        room -= end.width + size.width
    words = fitting(text, size, room)
    if words is None and clock is not None:
        whole = line(text, size)
        moved = scrolled(clock, whole.width - room)
        words = whole.crop((moved, 0, moved + room, whole.height))
    strip.paste(lit, (2, 0), words if words is not None else shortened(text, size, room))


def _scroll_bar(stage: Image.Image, first: int, shown: int, count: int) -> None:
    """How much of the list is seen, and which part, at the right edge."""
    right, height = stage.size
    for y in range(0, height, 3):
        stage.putpixel((right - 2, y), 1)
    start, end = height * first // count, -(-height * (first + shown) // count)
    stage.paste(1, (right - 2, start, right, end))
