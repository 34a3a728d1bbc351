"""The row of tiles at the foot of the picture, so that a glance tells one state from another.

An open tile stands: a box with its number. A shut one lies flat: a bar at the foot.
A viable one blinks, with a mark below that does not. One flipped in this move lies flat
under its number. A wrong one is a block that changes between its number and a cross.
"""

from PIL import Image, ImageDraw

from shutthebox.adapters.display.fonts import Size, ink, tight
from shutthebox.adapters.display.shapes import numeral
from shutthebox.game.screen import TileState

MOST_NUMBERED = 12  # tiles that one row shows with their numbers
ROW_HEIGHT = 13
_CELL_HEIGHT = 7  # of one row of many tiles
BLINKING = frozenset({TileState.VIABLE, TileState.WRONG})
_LABEL = 9  # columns for the number of a row's first tile, where tiles have none


def height(count: int) -> int:
    """Pixels that a row of so many tiles is high; 0 for none."""
    if count == 0:
        return 0
    return ROW_HEIGHT if count <= MOST_NUMBERED else _rows(count) * _CELL_HEIGHT - 1


def _rows(count: int) -> int:
    return min(3, -(-count // 12))


def draw_tiles(
    pen: ImageDraw.ImageDraw,
    tiles: tuple[tuple[int, TileState], ...],
    box: tuple[int, int, int, int],
    blink: bool,
) -> None:
    """Draws all tiles within the box.

    Args:
        pen: draws on a picture of mode "1".
        tiles: (number, state) in the order to draw them, left to right.
        box: left, top, right, bottom in pixels, the last two exclusive.
        blink: which half of the blinking this is.
    """
    left, top, right, bottom = box
    if len(tiles) <= MOST_NUMBERED:
        pitch = min((right - left + 1) / len(tiles), 18.0)
        start = left + (right - left + 1 - pitch * len(tiles)) / 2
        for index, (number, state) in enumerate(tiles):
            x0, x1 = round(start + index * pitch), round(start + (index + 1) * pitch) - 2
            _standing(pen, number, state, (x0, top, x1, bottom - 1), blink)
        return
    rows = _rows(len(tiles))
    columns = -(-len(tiles) // rows)
    pitch = (right - left + 1 - _LABEL) / columns
    for index, (number, state) in enumerate(tiles):
        row, column = divmod(index, columns)
        y = top + row * _CELL_HEIGHT
        if column == 0:
            label = numeral(str(number), 5)
            pen.bitmap((left + _LABEL - 2 - label.width, y), label, fill=1)
        x0 = left + _LABEL + round(column * pitch)
        x1 = left + _LABEL + round((column + 1) * pitch) - 2
        _cell(pen, state, (x0, y, x1, y + _CELL_HEIGHT - 2), blink)


def _number(number: int, width: int) -> Image.Image:
    """The number as large as fits into a tile of that width."""
    for size in (Size.SMALL, Size.TINY):
        picture = ink(tight(str(number), size))
        if picture.width <= width - 2:  # a dark column on either side
            return picture
    return numeral(str(number), 7)


def _standing(
    pen: ImageDraw.ImageDraw, number: int, state: TileState, box: tuple[int, int, int, int], blink: bool
) -> None:
    """A tile with its number; the box includes its last column and line."""
    x0, y0, x1, y1 = box
    foot = y1 - 2  # the last line of a standing tile
    digits = _number(number, x1 - x0 - 1)
    place = (x0 + (x1 - x0 + 2 - digits.width) // 2, y0 + (foot - y0 + 1 - digits.height) // 2)
    match state:
        case TileState.OPEN:
            pen.rectangle((x0, y0, x1, foot), outline=1)
            pen.bitmap(place, digits, fill=1)
        case TileState.VIABLE:
            pen.rectangle((x0, y0, x1, foot), outline=1, fill=int(blink))
            pen.bitmap(place, digits, fill=int(not blink))
            pen.line((x0 + 2, y1, x1 - 2, y1), fill=1)
        case TileState.FLIPPED:
            pen.bitmap((place[0], y0), digits, fill=1)
            pen.rectangle((x0, y1 - 2, x1, y1), fill=1)
        case TileState.SHUT:
            pen.line((x0 + 1, y1, x1 - 1, y1), fill=1)
        case TileState.WRONG:
            pen.rectangle((x0, y0, x1, y1), fill=1)
            if blink:
                pen.bitmap((place[0], place[1] + 1), digits, fill=0)
            else:
                middle, reach = (x0 + x1) // 2, min((x1 - x0) // 2 - 1, 4)
                for step in range(-reach, reach + 1):
                    for y in ((y0 + y1) // 2 + step, (y0 + y1) // 2 - step):
                        pen.line((middle + step, y, min(middle + step + 1, x1 - 1), y), fill=0)


def _cell(pen: ImageDraw.ImageDraw, state: TileState, box: tuple[int, int, int, int], blink: bool) -> None:
    """A tile of a compact row, without a number."""
    x0, y0, x1, y1 = box
    middle = (y0 + y1) // 2
    match state:
        case TileState.OPEN:
            pen.rectangle(box, outline=1)
        case TileState.VIABLE:
            pen.rectangle(box, outline=1, fill=int(blink))
            pen.rectangle((x0 + 2, middle, x1 - 2, middle + 1), fill=int(not blink))
        case TileState.FLIPPED:
            pen.rectangle((x0, y1 - 2, x1, y1), fill=1)
        case TileState.SHUT:
            pen.line((x0 + 1, y1, x1 - 1, y1), fill=1)
        case TileState.WRONG:
            pen.rectangle(box, fill=int(blink))
            pen.line((x0, y0, x1, y1), fill=int(not blink))
            pen.line((x0, y1, x1, y0), fill=int(not blink))
