"""The tiles that levers move now, where a lever's own number doesn't say it: in games with two rows."""

from collections.abc import Sequence
from typing import NamedTuple

from shutthebox.game.messages import Message, Numbers, Text, message
from shutthebox.rules import rows
from shutthebox.rules.profile import Back, Profile
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles
from shutthebox.rules.turn import Turn


class LeverTile(NamedTuple):
    """The tile that a lever moves now.

    Attributes:
        lever: its number.
        number: the tile's.
        at_back: the tile belongs to the back row.
        points: what each of the tile's points counts.
        in_play: the tile is open, and nothing stands in front of it.
    """

    lever: int
    number: int
    at_back: bool = False
    points: int = 1
    in_play: bool = False

    @property
    def text(self) -> Message:
        """A tile of the back row in words, with its lever where that has another number."""
        if self.number == self.lever:
            return message("{tile} at the back", tile=self.number)
        return message("{tile} at the back: lever {lever}", tile=self.number, lever=self.lever)

    @property
    def as_lever(self) -> "LeverTile":
        """The tile with the lever's own number on it."""
        return self._replace(number=self.lever, at_back=False)


def lever_tiles(rules: Profile, turn: Turn, offset: int) -> tuple[LeverTile, ...]:
    """The tiles that the levers of a game with two rows move now, the levers of the back row first.

    Args:
        rules: the game.
        turn: with the tiles shut that half an answer has already shut.
        offset: as `shutthebox.game.board.lever_offset` says. A lever for both tiles of a column moves the
            front one, and from then on the one at the back.

    Returns:
        Empty with one row: there, each lever moves the tile with its own number.
    """
    if rules.rows == 1:
        return ()
    in_front, at_back = rules.row_points or (1, 1)

    def front_of(column: int) -> LeverTile:
        is_open = bool(turn.behind & to_tiles([column]))
        return LeverTile(column, column, points=in_front, in_play=is_open)

    def back_of(column: int) -> LeverTile:
        in_play = bool(turn.open & ~turn.behind & to_tiles([column]))
        number = rules.back_numbers[column]
        return LeverTile(column + offset, number, at_back=True, points=at_back, in_play=in_play)

    columns = to_numbers(rules.starting)
    if offset:
        return (*map(back_of, columns), *map(front_of, columns))
    return tuple((front_of if turn.behind & to_tiles([n]) else back_of)(n) for n in columns)


def tiles_of_move(rules: Profile, turn: Turn, offset: int, move: Tiles) -> tuple[LeverTile, ...]:
    """The tiles of a move, those at the back last. `offset` is as in `lever_tiles`."""
    columns, through = rows.parts(rules, move)
    if rules.rows == 1:
        return tuple(LeverTile(number, number) for number in to_numbers(columns))
    front, at_back = to_numbers(columns & turn.behind), to_numbers(columns & ~turn.behind)
    return (
        *(LeverTile(column, column) for column in front),
        *(
            LeverTile(column + offset, rules.back_numbers[column], at_back=True)
            for column in (*at_back, *to_numbers(through))
        ),
    )


def has_other_numbers(rules: Profile, offset: int) -> bool:
    """Whether a lever may stand for a tile with another number than its own."""
    return rules.rows == 2 and bool(offset or rules.back is Back.REVERSED)


def list_lever_tiles(tiles: Sequence[LeverTile]) -> tuple[Text, ...]:
    """Tiles in words: those in front in one text, and one text for each at the back."""
    front = Numbers(tuple(tile.number for tile in tiles if not tile.at_back))
    back = tuple(tile.text for tile in tiles if tile.at_back)
    return (front, *back) if front.numbers else back
