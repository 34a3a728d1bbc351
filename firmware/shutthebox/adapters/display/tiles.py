"""The row of tiles at the foot of the picture.

An open tile is a box with its number, a shut one a bar at the foot. A tile that fits blinks above a steady
mark. One flipped in this move is a bar under its number. Where tiles are opened, one that may be opened has a
mark above its bar and a blinking number, and one opened in this move is filled. A wrong tile is a block that
alternates between its number and a cross.
"""

from functools import lru_cache

from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.adapters.display.fonts import Size, ink, tighten
from shutthebox.adapters.display.shapes import numeral
from shutthebox.game.screen import TileState

MOST_NUMBERED = 12  # tiles that one row shows with their numbers
ROW_HEIGHT = 13
_CELL_HEIGHT = 7  # of one row of many tiles
BLINKING = frozenset({TileState.VIABLE, TileState.OPENABLE, TileState.WRONG})
_LABEL = 9  # columns for the number of a row's first tile, where tiles have none


def height(count: int) -> int:
    """The height in pixels of a row of `count` tiles; 0 for none."""
    if count == 0:
        return 0
    return ROW_HEIGHT if count <= MOST_NUMBERED else _rows(count) * _CELL_HEIGHT - 1


def _rows(count: int) -> int:
    return min(3, -(-count // 12))


def draw_tiles(tiles: tuple[tuple[int, TileState], ...], width: int, blink: bool) -> Bitmap:
    """Draws all tiles, `width` wide and `height(len(tiles))` high.

    Args:
        tiles: (number, state) in the order to draw them, left to right.
        width: in pixels.
        blink: the phase of the blinking.
    """
    picture = Bitmap.of(width, height(len(tiles)))
    if len(tiles) <= MOST_NUMBERED:
        pitch = min((width + 1) / len(tiles), 18.0)
        start = (width + 1 - pitch * len(tiles)) / 2
        for index, (number, state) in enumerate(tiles):
            left, right = round(start + index * pitch), round(start + (index + 1) * pitch) - 1
            picture = picture.paste(_standing(number, state, right - left, blink), left, 0)
        return picture
    columns = -(-len(tiles) // _rows(len(tiles)))
    pitch = (width + 1 - _LABEL) / columns
    for index, (number, state) in enumerate(tiles):
        row, column = divmod(index, columns)
        y = row * _CELL_HEIGHT
        if column == 0:
            label = numeral(str(number), 5)
            picture = picture.stamp(label, _LABEL - 2 - label.width, y)
        left, right = _LABEL + round(column * pitch), _LABEL + round((column + 1) * pitch) - 1
        picture = picture.paste(_cell(state, right - left, blink), left, y)
    return picture


def _number(number: int, width: int) -> Bitmap:
    """The number, as large as fits into a tile of this width."""
    for size in (Size.SMALL, Size.TINY):
        picture = ink(tighten(str(number), size))
        if picture.width <= width - 2:  # a dark column on either side
            return picture
    return numeral(str(number), 7)


@lru_cache(maxsize=256)
def _standing(number: int, state: TileState, width: int, blink: bool) -> Bitmap:
    """A tile with its number, `ROW_HEIGHT` high."""
    tile, bottom = Bitmap.of(width, ROW_HEIGHT), ROW_HEIGHT
    body = (0, 0, width, bottom - 2)  # of a standing tile
    digits = _number(number, width - 2)
    left, top = (width + 1 - digits.width) // 2, (bottom - 2 - digits.height) // 2
    match state:
        case TileState.OPEN:
            return tile.outline(body).stamp(digits, left, top)
        case TileState.VIABLE:
            marked = tile.fill((2, bottom - 1, width - 2, bottom))
            if blink:
                return marked.fill(body).stamp(digits, left, top, lit=False)
            return marked.outline(body).stamp(digits, left, top)
        case TileState.FLIPPED:
            return tile.stamp(digits, left, 0).fill((0, bottom - 3, width, bottom))
        case TileState.OPENABLE:
            marked = tile.fill((1, bottom - 1, width - 1, bottom)).fill(
                (3, bottom - 3, width - 3, bottom - 2)
            )
            return marked.stamp(digits, left, top - 1) if blink else marked
        case TileState.OPENED:
            return tile.fill(body).stamp(digits, left, top, lit=False)
        case TileState.SHUT:
            return tile.fill((1, bottom - 1, width - 1, bottom))
        case TileState.WRONG:
            block = tile.invert()
            return block.stamp(digits, left, top + 1, lit=False) if blink else _cross_out(block)


def _cross_out(block: Bitmap) -> Bitmap:
    """A dark cross, two pixels thick, on a wrong tile."""
    last = block.width - 1
    middle, reach = last // 2, min(last // 2 - 1, 4)
    for step in range(-reach, reach + 1):
        for y in ((ROW_HEIGHT - 1) // 2 + step, (ROW_HEIGHT - 1) // 2 - step):
            stroke = (middle + step, y, min(middle + step + 1, last - 1) + 1, y + 1)
            block = block.fill(stroke, lit=False)
    return block


@lru_cache(maxsize=256)
def _cell(state: TileState, width: int, blink: bool) -> Bitmap:
    """A tile of a compact row, without a number."""
    high = _CELL_HEIGHT - 1
    cell, middle = Bitmap.of(width, high), (high - 1) // 2
    match state:
        case TileState.OPEN:
            return cell.outline((0, 0, width, high))
        case TileState.VIABLE:
            body = cell.invert() if blink else cell.outline((0, 0, width, high))
            return body.fill((2, middle, width - 2, middle + 2), lit=not blink)
        case TileState.FLIPPED:
            return cell.fill((0, high - 3, width, high))
        case TileState.OPENABLE:
            marked = cell.fill((1, high - 1, width - 1, high)).fill((2, high - 4, width - 2, high - 2))
            return marked.fill((2, 0, width - 2, high - 4)) if blink else marked
        case TileState.OPENED:
            return cell.invert()
        case TileState.SHUT:
            return cell.fill((1, high - 1, width - 1, high))
        case TileState.WRONG:
            block = cell.invert() if blink else cell
            down, up = ((0, 0), (width - 1, high - 1)), ((0, high - 1), (width - 1, 0))
            return block.line(*down, lit=not blink).line(*up, lit=not blink)
