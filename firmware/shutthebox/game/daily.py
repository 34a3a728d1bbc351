"""The puzzle of the day, and how many days in a row it has been solved at this box."""

from typing import NamedTuple

from shutthebox.game.facts import STREAK, Chosen
from shutthebox.odds.puzzles import Puzzle
from shutthebox.rules.tiles import Tiles, to_tiles


class Daily(NamedTuple):
    """The puzzle of a day.

    Attributes:
        day: days since any fixed one, by the calendar of the place.
        puzzle: the same on every box that offers the same games.
    """

    day: int
    puzzle: Puzzle

    def missing_levers(self, levers: int, out: Tiles) -> Tiles:
        """The levers that the puzzle needs and a box of so many has not, or are out of play."""
        return self.puzzle.profile.starting & (out | ~to_tiles(range(1, levers + 1)))


class Streak(NamedTuple):
    """The puzzles solved at this box on days in a row.

    Attributes:
        day: of the last puzzle that got an answer; 0 for none.
        days: in a row up to that day whose puzzle was solved; 0 if that one was missed.
    """

    day: int = 0
    days: int = 0

    def after(self, day: int, *, solved: bool) -> "Streak":
        """The streak after the answer to another day's puzzle; a day without an answer ends it."""
        before = self.days if self.day == day - 1 else 0
        return Streak(day, before + 1 if solved else 0)

    @property
    def fact(self) -> Chosen:
        """The streak as it is kept; `streak_from` reads it back."""
        return Chosen(STREAK, (self.day, self.days))


def streak_from(kept: object) -> Streak:
    """The streak of a kept value; the empty one for anything else."""
    match kept:
        case [int(day), int(days)]:
            return Streak(day, days)
        case _:
            return Streak()
