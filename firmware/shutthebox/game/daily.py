"""The puzzle of the day."""

from typing import NamedTuple

from shutthebox.odds.puzzles import Puzzle
from shutthebox.rules.tiles import Tiles, to_tiles


class Daily(NamedTuple):
    """The puzzle of a day.

    Attributes:
        day: days since a fixed date, in local time.
        puzzle: the same on every box that offers the same games.
    """

    day: int
    puzzle: Puzzle

    def missing_levers(self, levers: int, out: Tiles) -> Tiles:
        """The levers the puzzle needs that a box with `levers` levers lacks, or that are out of play."""
        return self.puzzle.game.starting & (out | ~to_tiles(range(1, levers + 1)))
