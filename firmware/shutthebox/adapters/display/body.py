"""The middle of the picture: the dice and their total, a word as large as possible, or a list."""

import math

from shutthebox.adapters.display.animation import AnimationClock
from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.adapters.display.fonts import (
    Size,
    embolden,
    enlarge,
    fit_font,
    ink,
    line,
    shorten,
    squeeze,
    tighten,
    wrap_text,
)
from shutthebox.adapters.display.shapes import TURNS, die, is_number, numeral_within, tumbling_die
from shutthebox.game.screen import LocalizedScreen

TUMBLE_FRAME_NS = 100_000_000  # between two pictures of tumbling dice
_FIREWORK_NS = 100_000_000  # between two pictures of the sparks
_FIREWORK_STEPS = 10
_BURST_STEPS = 6
_SPARKS = 12
_PAGE_NS = 3_000_000_000  # a long table turns its page
_READ_NS = 6_000_000_000  # so does a text of four small lines
_LEAST_HEIGHT = 7  # pixels; a lower body stays empty
_GAP = 2  # pixels between numbers or dice and the tiles


def draw_body(screen: LocalizedScreen, clock: AnimationClock, width: int, height: int) -> Bitmap:
    """Draws the dice, or else a big word, a list, or one above the other.

    Args:
        screen: what to show.
        clock: how long it has been shown.
        width: in pixels.
        height: in pixels. With tiles below, letters may use one more line, which a large "É" needs.
    """
    if height < _LEAST_HEIGHT:
        return Bitmap.of(width, 0)
    if screen.paragraph and not screen.chooses and (screen.big or screen.rows):
        note = _note(screen.paragraph, width, clock)
        above = draw_body(screen._replace(paragraph=""), clock, width, height - note.height)
        return Bitmap.of(width, height).paste(above, 0, 0).paste(note, 0, height - note.height)
    only_word = bool(screen.big) and not screen.rows and not is_number(screen.big) and not _figure(screen.big)
    letters = only_word and not (screen.dice or screen.tumbling) and bool(screen.tiles)
    heavy_foot = bool(screen.tiles) and not letters and not screen.rows and height > _GAP + _LEAST_HEIGHT
    stage = Bitmap.of(width, height + int(letters) - _GAP * int(heavy_foot))
    if screen.dice or screen.tumbling:
        stage = _dice(stage, screen, clock)
    elif screen.big:
        stage = _word(stage, screen.big)
    elif screen.rows or screen.paragraph:
        stage = _list(stage, screen, clock)
    elif screen.total is not None:
        stage = _word(stage, str(screen.total))
    if screen.celebrates:
        step = clock.frames(_FIREWORK_NS, _FIREWORK_STEPS)
        if step < _FIREWORK_STEPS:
            stage = stage.exchange(_firework(stage.size, step))
    return stage


def _firework(size: tuple[int, int], step: int) -> Bitmap:
    """Three bursts of sparks, one after the other. Nothing flashes."""
    width, height = size
    picture = Bitmap.of(width, height)
    for burst, (x, y) in enumerate(((0.5, 0.5), (0.14, 0.35), (0.86, 0.6))):
        age = step - 2 * burst
        if not 0 <= age < _BURST_STEPS:
            continue
        for spark in range(_SPARKS):
            angle = math.tau * (spark + burst / 3) / _SPARKS
            for radius in (3 + 4 * age, 6 + 5 * age):
                left, top = (
                    round(x * width + radius * math.cos(angle)),
                    round(y * height + radius * math.sin(angle)),
                )
                picture = picture.fill((left, top, left + 2, top + 2))
    return picture


def _dice(stage: Bitmap, screen: LocalizedScreen, clock: AnimationClock) -> Bitmap:
    """The dice, with their total beside them."""
    width, height = stage.size
    beside: Bitmap | None = None
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
            step = clock.count(TUMBLE_FRAME_NS) + 5 * index
            # Looks random but is fixed: neighbours differ, and no face comes twice in a row.
            shown = (step * 5 + step // 4 * 3 + index * 3) % 6 + 1
            hop = (0, -1, -2, -1, 0, 1)[step % 6] if side > 12 else 0
            tumbling = tumbling_die(shown, (step * 2 + index) % TURNS, side)
            stage = stage.paste(tumbling, x, max(0, min(y + hop, height - side)))
        else:
            stage = stage.paste(die(face, side), x, y)
    if beside is not None:
        stage = stage.paste(beside, width - beside.width - spare // 3, (height - beside.height) // 2)
    return stage


def _dice_grid(count: int, width: int, height: int, gap: int) -> tuple[int, int]:
    """The side of the dice and the number of columns that make them largest."""
    best = (0, 1)
    for rows in range(1, count + 1):
        columns = -(-count // rows)
        side = min((height + gap) // rows - gap, (width + gap) // columns - gap)
        if side > best[0]:
            best = (side, columns)
    side, columns = best
    # An odd side has a middle pixel for the middle pip.
    return (max(7, side - 1 + side % 2), columns)


def _word(stage: Bitmap, text: str) -> Bitmap:
    word = _largest(text, *stage.size)
    return stage.paste(word, (stage.width - word.width) // 2, (stage.height - word.height) // 2)


def _largest(text: str, width: int, height: int) -> Bitmap:
    """A few words as large as fit, broken into lines if that makes them larger."""
    if is_number(text):
        return numeral_within(text, width, height)
    if figure := _figure(text):
        return _caption(*figure, width, height)
    for times in (4, 3):
        word = squeeze(enlarge(text, Size.MEDIUM, times), height)
        if word.width <= width and word.height <= height:
            return word
    for size in (Size.LARGE, Size.MEDIUM, Size.SMALL):
        set_line = embolden if size is Size.LARGE else _inked
        lines = [set_line(part, size) for part in _wrap(text, width // size.width)]
        if len(lines) == 1:
            lines = [squeeze(lines[0], height)]
        gap = size.height // 8
        block_height = sum(part.height + gap for part in lines) - gap
        if block_height <= height and all(part.width <= width for part in lines):
            block, y = Bitmap.of(max(part.width for part in lines), block_height), 0
            for part in lines:
                block = block.paste(part, (block.width - part.width) // 2, y)
                y += part.height + gap
            return block
    return ink(shorten(text, Size.SMALL, width))


def _figure(text: str) -> tuple[str, str] | None:
    """The word and the number of "Score: 15"; None for other texts."""
    word, colon, number = text.rpartition(":")
    return (word + colon, number.strip()) if colon and is_number(number.strip()) else None


def _caption(caption: str, number: str, width: int, height: int) -> Bitmap:
    """A number as high as fits after its caption, which is as large as the rest of the width allows.

    Before the caption is cut short, the number gets smaller, down to a third of the width.
    """
    gap = Size.MEDIUM.width
    beside = width - gap - tighten(caption, Size.SMALL).width
    figure = numeral_within(number, min(width // 2, max(width // 3, beside)), height)
    room = width - figure.width - gap
    word = ink(fit_font(caption, Size.MEDIUM, room) or shorten(caption, Size.SMALL, room))
    both = Bitmap.of(word.width + gap + figure.width, figure.height)
    return both.paste(word, 0, figure.height - word.height).paste(figure, word.width + gap, 0)


def _inked(text: str, size: Size) -> Bitmap:
    return ink(line(text, size))


def _wrap(text: str, columns: int) -> list[str]:
    """The text in lines of at most `columns` characters, broken only between words."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and len(lines[-1]) + 1 + len(word) <= columns:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


def _list(stage: Bitmap, screen: LocalizedScreen, clock: AnimationClock) -> Bitmap:
    """The rows around the cursor, or page after page without one; above a paragraph, only the chosen row.

    Text after a tab is right-aligned. A chosen row that is too long takes two lines.
    """
    rows, cursor = screen.rows, screen.cursor
    plain = not screen.chooses and not screen.paragraph and not any("\t" in row for row in rows)
    if plain and (grid := _grid(stage, rows, cursor)) is not None:
        return grid
    lines = max(1, stage.height // Size.MEDIUM.height)
    y = (stage.height - lines * Size.MEDIUM.height) // 2
    first, shown, width = 0, len(rows), stage.width
    if screen.paragraph and cursor is not None:
        first, shown = cursor, 1
    elif len(rows) > lines:
        shown = lines
        if cursor is None or not screen.chooses:
            first = clock.count(_PAGE_NS) % -(-len(rows) // lines) * lines
        else:
            first = max(0, min(cursor - lines // 2, len(rows) - lines))
    if shown < len(rows):
        stage = _scroll_bar(stage, first, min(shown, len(rows) - first), len(rows))
        width -= 5
    seen = range(first, min(first + shown, len(rows)))
    strips = [_row(rows[i], width, chosen=i == cursor, most_lines=lines) for i in seen]
    if cursor is not None and len(strips) > 1 and sum(strip.height for strip in strips) > stage.height:
        # The chosen row takes two lines, so the row farthest from it goes.
        del strips[-1 if cursor - first < len(strips) / 2 else 0]
    for strip in strips:
        stage = stage.paste(strip, 0, y)
        y += strip.height
    return _paragraph(stage, screen.paragraph, y, width, clock) if screen.paragraph else stage


def _note(text: str, width: int, clock: AnimationClock) -> Bitmap:
    """A small line: text on the left, an aside on the right, taking turns if they don't fit together."""
    left, _, right = text.partition("\t")
    room = width - 4
    begin, end = (fit_font(part, Size.SMALL, room) for part in (left, right))
    strip = Bitmap.of(width, Size.SMALL.height)
    if left and right and (begin is None or end is None or begin.width + end.width + 6 > room):
        left, right = (left, "") if clock.count(_PAGE_NS) % 2 == 0 else ("", right)
    if left:
        strip = strip.paste(shorten(left, Size.SMALL, room), 2, 0)
    if right:
        drawn = shorten(right, Size.SMALL, room)
        strip = strip.stamp(drawn, 2 + room - drawn.width, 0)
    return strip


def _grid(stage: Bitmap, rows: tuple[str, ...], cursor: int | None) -> Bitmap | None:
    """All rows at once in columns, as large as fits; None if there are too many, or they're too long."""
    figures = [figure for figure in map(_figure, rows) if figure]
    if len(rows) == len(figures) == 2:
        return _two_figures(stage, figures, cursor)
    for size in (Size.MEDIUM, Size.SMALL, Size.TINY):
        per_column = stage.height // size.height
        columns = -(-len(rows) // per_column) if per_column else 0
        if not columns:
            continue
        width = stage.width // columns
        cells = [fit_font(row, size, width - 4) for row in rows]
        if all(cells):
            lines = -(-len(rows) // columns)
            top = (stage.height - lines * size.height) // 2
            for index, cell in enumerate(cells):
                column, line = divmod(index, lines)
                strip = Bitmap.of(width - 1, size.height).paste(cell or Bitmap.of(1, 1), 2, 0)
                strip = strip.invert() if index == cursor else strip
                stage = stage.paste(strip, column * width, top + line * size.height)
            return stage
    return None


def _two_figures(stage: Bitmap, figures: list[tuple[str, str]], cursor: int | None) -> Bitmap:
    """Two numbers with captions, side by side, as large as fits; the one at the cursor is inverted."""
    width = stage.width // 2
    height = min(_caption(*figure, width - 9, stage.height - 4).height for figure in figures)
    for index, figure in enumerate(figures):
        cell = Bitmap.of(width - 1, stage.height)
        drawn = _caption(*figure, width - 9, height)
        cell = cell.paste(drawn, (width - drawn.width) // 2, (stage.height - drawn.height) // 2)
        stage = stage.paste(cell.invert() if index == cursor else cell, index * (width + 1), 0)
    return stage


def _paragraph(stage: Bitmap, text: str, top: int, width: int, clock: AnimationClock) -> Bitmap:
    """Draws text from this line down, in small letters if it then fits, or else page after page.

    With nothing above it, long text is small, too, and has a scroll bar.
    """
    width, height = width - 3, stage.height - top
    holding = (size for size in (Size.MEDIUM, Size.SMALL) if _holds(height, text, size, width))
    size = next(holding, Size.MEDIUM if top else Size.SMALL)
    lines, shown, first = wrap_text(text, size, width), max(1, height // size.height), 0
    if len(lines) > shown and top:
        first = clock.count(_PAGE_NS) % -(-len(lines) // shown) * shown
    elif len(lines) > shown:
        lines = wrap_text(text, size, width - 4)
        first = clock.count(_READ_NS) % -(-len(lines) // shown) * shown
        stage = _scroll_bar(stage, first, min(shown, len(lines) - first), len(lines))
    for index, words in enumerate(lines[first : first + shown]):
        stage = stage.paste(shorten(words, size, width), 2, top + index * size.height)
    return stage


def _holds(height: int, text: str, size: Size, width: int) -> bool:
    return len(wrap_text(text, size, width)) * size.height <= height


def _row(row: str, width: int, *, chosen: bool, most_lines: int) -> Bitmap:
    """One row of a list. The chosen one is inverted, and takes up to `most_lines` lines."""
    size, room = Size.MEDIUM, width - 4
    text, _, value = row.partition("\t")
    # After a short text, the value gets the rest of the line.
    spare = max(room // 2, room - tighten(text, size).width - size.width)
    end = shorten(value, size, spare) if value else None
    beside = room - (end.width + size.width if end is not None else 0)
    lines: tuple[str, ...] = (text,)
    if chosen and most_lines > 1 and fit_font(text, size, beside) is None:
        first, *rest = wrap_text(text, size, room)
        lines = (first, " ".join(rest))
    strip = Bitmap.of(width, len(lines) * size.height)
    for index, words in enumerate(lines):
        drawn = shorten(words, size, beside if index == len(lines) - 1 else room)
        strip = strip.stamp(drawn, 2, index * size.height)
    if end is not None:
        strip = strip.stamp(end, 2 + room - end.width, strip.height - size.height)
    return strip.invert() if chosen else strip


def _scroll_bar(stage: Bitmap, first: int, shown: int, count: int) -> Bitmap:
    """A scroll bar at the right edge, for rows `first` to `first + shown` of `count`."""
    right, height = stage.size
    for y in range(0, height, 3):
        stage = stage.fill((right - 2, y, right - 1, y + 1))
    return stage.fill((right - 2, height * first // count, right, -(-height * (first + shown) // count)))
