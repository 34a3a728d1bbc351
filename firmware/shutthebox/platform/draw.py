"""Draws a `Screen` as one-bit pixels: a pure function of the screen and the time it has stood.

From top to bottom: title and aside, then the stage (dice and total, a big word, or a list),
the tiles, the prompt. What a screen leaves empty, the stage gets. Two things never happen:
texts that overlap, and a moving picture that reports itself still, because whatever moves
takes its time from one `Beat`, which notes when it will next look different.
"""

from dataclasses import dataclass, field

from PIL import Image, ImageDraw

from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.platform import tilerow
from shutthebox.platform.glyphs import Size, enlarged, fitting, heavy, ink, line, shortened, squeezed, tight
from shutthebox.platform.shapes import TURNS, die, is_number, numeral_within, tumbling_die

_MS = 1_000_000
BLINK_NS = 200 * _MS  # half a period: 2.5 blinks a second
TUMBLE_NS = 100 * _MS
_PAGE_NS = 3_000 * _MS  # a long table turns its page
_SCROLL_NS = 100 * _MS  # a long line moves on by _SCROLL_PX
_SCROLL_PX = 3
_SCROLL_REST = 12  # steps that a long line rests at either end
_DRIFT_NS = 2_000 * _MS  # the attract picture moves by a pixel
_DRIFT_X, _DRIFT_Y = 8, 4  # how far, in pixels

_TITLE_HEIGHT = 12
_PROMPT_HEIGHT = 14
_ROW_PITCH = 12
_SMALLEST_WORD = 14  # pixels that a big word keeps above a list


@dataclass(slots=True)
class Beat:
    """The time within one picture; remembers when the picture next changes.

    Attributes:
        elapsed_ns: since the screen was first shown.
        next_ns: the earliest later time at which something moves; None while nothing does.
    """

    elapsed_ns: int
    next_ns: int | None = field(default=None, init=False)

    def count(self, period_ns: int) -> int:
        """How many whole periods have passed."""
        passed = max(0, self.elapsed_ns) // period_ns
        due = (passed + 1) * period_ns
        self.next_ns = due if self.next_ns is None else min(self.next_ns, due)
        return passed


@dataclass(frozen=True, slots=True)
class Frame:
    """A drawn picture and how long it is good for.

    Attributes:
        image: mode "1".
        next_ns: the elapsed time at which to draw again; None if this picture stays.
    """

    image: Image.Image
    next_ns: int | None


def draw(screen: Screen, elapsed_ns: int, size: tuple[int, int] = (128, 64)) -> Image.Image:
    """The picture of a screen, mode "1", the same for the same arguments.

    Args:
        screen: what to say.
        elapsed_ns: since the screen was first shown; moves what moves.
        size: of the panel in pixels, at least 96 by 48.

    Raises:
        ValueError: the size is too small to say anything.
    """
    return render(screen, elapsed_ns, size).image


def animated(screen: Screen) -> bool:
    """Whether the picture of a screen changes by itself."""
    return render(screen, 0).next_ns is not None


def render(screen: Screen, elapsed_ns: int, size: tuple[int, int] = (128, 64)) -> Frame:
    """Like `draw`, and says when to draw again."""
    width, height = size
    if width < 96 or height < 48:
        raise ValueError(f"a panel of {width} x {height} pixels is too small: 96 x 48 at least")
    beat = Beat(elapsed_ns)
    if screen.mode is not Mode.ATTRACT:
        return Frame(_compose(screen, beat, size), beat.next_ns)
    # Nothing stands still on an OLED that shows the same few words for months.
    picture = _compose(screen, beat, (width - _DRIFT_X, height - _DRIFT_Y))
    step = beat.count(_DRIFT_NS)
    drifted = Image.new("1", size)
    drifted.paste(picture, (_to_and_fro(step, _DRIFT_X), _to_and_fro(step // 3, _DRIFT_Y)))
    return Frame(drifted, beat.next_ns)


def _to_and_fro(step: int, reach: int) -> int:
    return reach - abs(reach - step % (2 * reach))


def _compose(screen: Screen, beat: Beat, size: tuple[int, int]) -> Image.Image:
    width, height = size
    picture = Image.new("1", size)
    pen = ImageDraw.Draw(picture)
    top, bottom = 0, height
    if screen.title or screen.aside:
        _title(picture, screen, width)
        top = _TITLE_HEIGHT
    if screen.prompt or screen.tiles:  # tiles keep their place while there is nothing to say
        bottom -= _PROMPT_HEIGHT
    if screen.prompt:
        _prompt(picture, screen, beat, (0, bottom, width, height))
    if screen.tiles:
        tiles = tilerow.height(len(screen.tiles))
        blink = beat.count(BLINK_NS) % 2 == 0 if _blinks(screen) else True
        bottom -= tiles + 1
        tilerow.draw_tiles(pen, screen.tiles, (0, bottom, width, bottom + tiles), blink)
        bottom -= 1
    _stage(picture, screen, beat, (0, top, width, bottom))
    return picture


def _blinks(screen: Screen) -> bool:
    return any(state in tilerow.BLINKING for _, state in screen.tiles)


def _title(picture: Image.Image, screen: Screen, width: int) -> None:
    """Title left, aside right; the aside has its place, up to half the line, before the title."""
    title_width = width
    if screen.aside:
        wanted = tight(screen.title, Size.SMALL).width + Size.SMALL.width if screen.title else 0
        aside = shortened(screen.aside, Size.SMALL, max(width // 2, width - wanted))
        picture.paste(aside, (width - aside.width, 0))
        title_width -= aside.width + Size.SMALL.width
    if screen.title:
        picture.paste(shortened(screen.title, Size.SMALL, title_width), (0, 0))


def _prompt(picture: Image.Image, screen: Screen, beat: Beat, box: tuple[int, int, int, int]) -> None:
    """The bottom line: as large as it fits, scrolling if it fits at no size; a fault inverted."""
    left, top, right, bottom = box
    room = right - left - 4
    strip = Image.new("1", (room, bottom - top))
    large = fitting(screen.prompt, Size.MEDIUM, room)
    if large is not None and ink(large).height < strip.height:
        first = large.getbbox()
        # One dark line stays above the letters, unless an accent needs it.
        y = min(-1, 1 - first[1]) if first is not None else 0
        strip.paste(large, ((room - large.width) // 2, y))
    else:
        small = fitting(screen.prompt, Size.SMALL, room)
        if small is not None:
            strip.paste(small, ((room - small.width) // 2, 1))
        else:
            whole = line(screen.prompt, Size.SMALL)
            strip.paste(whole, (-_scrolled(beat, whole.width - room), 1))
    if screen.alert:
        picture.paste(1, box)
        picture.paste(0, (left + 2, top), strip)
    else:
        picture.paste(strip, (left + 2, top))


def _scrolled(beat: Beat, overhang: int) -> int:
    """How far a line is moved to the left: rests, moves to its end, rests, starts again."""
    moves = -(-overhang // _SCROLL_PX)
    step = beat.count(_SCROLL_NS) % (2 * _SCROLL_REST + moves)
    return min(overhang, max(0, step - _SCROLL_REST) * _SCROLL_PX)


def _stage(picture: Image.Image, screen: Screen, beat: Beat, box: tuple[int, int, int, int]) -> None:
    """What there is most room for: dice, else a big word, a list, or both one above the other."""
    left, top, right, bottom = box
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
        moved = _scrolled(beat, whole.width - room)
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
