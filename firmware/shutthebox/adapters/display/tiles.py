"""The row of tiles at the foot of the picture.

An open tile is a box with its number, a shut one a bar at the foot. A tile that fits blinks above a steady
mark. One flipped in this move is a bar under its number. Where tiles are opened, one that may be opened has a
mark above its bar and a blinking number, and one opened in this move is filled. A wrong tile is a block that
alternates between its number and a cross.

With two rows, a tile at the back has brackets instead of a box, and one whose points count more than
once has a line above it. With a lever for each tile, both rows are drawn, and a tile behind an open one has
nothing around its number.
"""

from collections.abc import Sequence
from functools import lru_cache

from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.adapters.display.fonts import Size, ink, tighten
from shutthebox.adapters.display.shapes import numeral, numeral_within
from shutthebox.game.lever_tiles import LeverTile
from shutthebox.game.screen import TileState

MAX_NUMBERED = 12  # tiles that one row shows with their numbers
ROW_HEIGHT = 13
_CELL_HEIGHT = 7  # of one row of many tiles
_LINE_HEIGHT = 2  # of the line above a tile that counts more than once, with the gap below it
_SMALL_HEIGHT = 9  # of a numbered tile where two rows are drawn
BLINKING = frozenset({TileState.VIABLE, TileState.OPENABLE, TileState.WRONG})
_LABEL = 9  # columns for the number of a row's first tile, where tiles have none


def height(count: int, lever_tiles: tuple[LeverTile, ...] = ()) -> int:
    """The height in pixels of a row of `count` tiles; 0 for none. `lever_tiles` are as in `draw_tiles`."""
    if count == 0:
        return 0
    lines = _LINE_HEIGHT * any(tile.points > 1 for tile in lever_tiles)
    if count <= MAX_NUMBERED:
        return ROW_HEIGHT + lines
    return (
        2 * _SMALL_HEIGHT + 1 + lines
        if _has_two_rows(count, lever_tiles)
        else _rows(count) * _CELL_HEIGHT - 1
    )


def _has_two_rows(count: int, lever_tiles: tuple[LeverTile, ...]) -> bool:
    """Whether both rows are drawn, each with its numbers."""
    return bool(lever_tiles) and MAX_NUMBERED < count <= 2 * MAX_NUMBERED


def _rows(count: int) -> int:
    return min(3, -(-count // 12))


def draw_tiles(
    tiles: tuple[tuple[int, TileState], ...],
    width: int,
    blink: bool,
    lever_tiles: tuple[LeverTile, ...] = (),
) -> Bitmap:
    """Draws all tiles, `width` wide and `height(len(tiles))` high.

    Args:
        tiles: (lever, state) in the order to draw them, left to right.
        width: in pixels.
        blink: the phase of the blinking.
        lever_tiles: the tiles that these levers move, where they don't simply bear the levers' numbers.
    """
    high, moved = height(len(tiles), lever_tiles), {tile.lever: tile for tile in lever_tiles}
    picture, drawn = Bitmap.of(width, high), [(moved.get(n, LeverTile(n, n)), state) for n, state in tiles]
    if len(tiles) <= MAX_NUMBERED:
        return _numbered(drawn, width, ROW_HEIGHT, blink)
    if _has_two_rows(len(tiles), lever_tiles):
        back, front = drawn[: len(drawn) // 2], drawn[len(drawn) // 2 :]
        below = _numbered(front, width, _SMALL_HEIGHT, blink)
        picture = picture.paste(_numbered(back, width, _SMALL_HEIGHT, blink), 0, 0)
        return picture.paste(below, 0, high - below.height)
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


def _numbered(drawn: Sequence[tuple[LeverTile, TileState]], width: int, high: int, blink: bool) -> Bitmap:
    """Tiles with their numbers, `high` pixels high, below the lines of those that count more than once."""
    lines = _LINE_HEIGHT * any(tile.points > 1 for tile, _ in drawn)
    picture = Bitmap.of(width, lines + high)
    pitch = min((width + 1) / len(drawn), 18.0)
    start = (width + 1 - pitch * len(drawn)) / 2
    for index, (tile, state) in enumerate(drawn):
        left, right = round(start + index * pitch), round(start + (index + 1) * pitch) - 1
        draw = _standing if high == ROW_HEIGHT else _small
        picture = picture.paste(draw(tile, state, right - left, blink), left, lines)
        if tile.points > 1 and state is not TileState.SHUT:
            picture = picture.fill((left, 0, right, 1))
    return picture


def _number(number: int, width: int) -> Bitmap:
    """The number, as large as fits into a tile of this width."""
    for size in (Size.SMALL, Size.TINY):
        picture = ink(tighten(str(number), size))
        if picture.width <= width - 2:  # a dark column on either side
            return picture
    return numeral(str(number), 7)


def _body(tile: LeverTile, width: int, high: int) -> Bitmap:
    """A standing tile, filled; one at the back is round."""
    body = Bitmap.of(width, high, lit=True)
    if not tile.at_back:
        return body
    for y, cut in ((0, 2), (1, 1), (high - 2, 1), (high - 1, 2)):
        body = body.fill((0, y, cut, y + 1), lit=False).fill((width - cut, y, width, y + 1), lit=False)
    return body


def _edge(tile: LeverTile, width: int, high: int) -> Bitmap:
    """What's around the number of a standing tile: a box, or brackets for one at the back."""
    if not tile.at_back:
        return Bitmap.of(width, high).outline((0, 0, width, high))
    edge = Bitmap.of(width, high)
    for side in (0, width - 1):
        inwards = 1 if side == 0 else -1
        edge = edge.fill((side, 2, side + 1, high - 2))
        for step, rows in ((1, (1, high - 2)), (2, (0, high - 1))):
            x = side + step * inwards
            for y in rows:
                edge = edge.fill((x, y, x + 1, y + 1))
    return edge


@lru_cache(maxsize=256)
def _standing(tile: LeverTile, state: TileState, width: int, blink: bool) -> Bitmap:
    """A tile with its number, `ROW_HEIGHT` high."""
    cell, bottom = Bitmap.of(width, ROW_HEIGHT), ROW_HEIGHT
    body, edge = _body(tile, width, bottom - 2), _edge(tile, width, bottom - 2)
    digits = _number(tile.number, width - 2)
    if tile.at_back and digits.width > width - 4:  # between the brackets
        digits = numeral_within(str(tile.number), width - 4, 7)
    left, top = (width + 1 - digits.width) // 2, (bottom - 2 - digits.height) // 2
    match state:
        case TileState.OPEN:
            return cell.stamp(edge, 0, 0).stamp(digits, left, top)
        case TileState.VIABLE:
            marked = cell.fill((2, bottom - 1, width - 2, bottom))
            if blink:
                return marked.stamp(body, 0, 0).stamp(digits, left, top, lit=False)
            return marked.stamp(edge, 0, 0).stamp(digits, left, top)
        case TileState.FLIPPED:
            flipped = cell.stamp(_edge(tile, width, bottom - 4), 0, 0) if tile.at_back else cell
            return flipped.stamp(digits, left, 0).fill((0, bottom - 3, width, bottom))
        case TileState.OPENABLE:
            marked = cell.fill((1, bottom - 1, width - 1, bottom)).fill(
                (3, bottom - 3, width - 3, bottom - 2)
            )
            return marked.stamp(digits, left, top - 1) if blink else marked
        case TileState.OPENED:
            return cell.stamp(body, 0, 0).stamp(digits, left, top, lit=False)
        case TileState.SHUT:
            return cell.fill((1, bottom - 1, width - 1, bottom))
        case TileState.WRONG:
            block = cell.invert()
            return block.stamp(digits, left, top + 1, lit=False) if blink else _cross_out(block)


@lru_cache(maxsize=256)
def _small(tile: LeverTile, state: TileState, width: int, blink: bool) -> Bitmap:
    """A tile with its number where two rows are drawn, `_SMALL_HEIGHT` high."""
    cell, bottom = Bitmap.of(width, _SMALL_HEIGHT), _SMALL_HEIGHT
    body, edge = _body(tile, width, bottom), _edge(tile, width, bottom)
    digits = numeral(str(tile.number), 5)
    left, top = (width + 1 - digits.width) // 2, (bottom - digits.height) // 2
    match state:
        case TileState.OPEN:
            return (cell.stamp(edge, 0, 0) if tile.in_play else cell).stamp(digits, left, top)
        case TileState.VIABLE | TileState.OPENABLE:
            if blink:
                return cell.stamp(body, 0, 0).stamp(digits, left, top, lit=False)
            return cell.stamp(edge, 0, 0).stamp(digits, left, top)
        case TileState.FLIPPED | TileState.OPENED:
            return cell.stamp(digits, left, 0).fill((0, bottom - 3, width, bottom))
        case TileState.SHUT:
            return cell.fill((1, bottom - 1, width - 1, bottom))
        case TileState.WRONG:
            block = cell.invert()
            return block.stamp(digits, left, top, lit=False) if blink else _cross_out(block)


def _cross_out(block: Bitmap) -> Bitmap:
    """A dark cross, two pixels thick, on a wrong tile."""
    last = block.width - 1
    middle, centre = last // 2, (block.height - 1) // 2
    reach = min(middle - 1, centre - 1, 4)
    for step in range(-reach, reach + 1):
        for y in (centre + step, centre - step):
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
