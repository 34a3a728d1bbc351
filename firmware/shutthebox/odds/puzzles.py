"""Puzzles: a position and a throw whose best answer is clear but not obvious."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from shutthebox.odds.options import Option
from shutthebox.rules import turn as turns
from shutthebox.rules.faces import faces_from_text, faces_to_text
from shutthebox.rules.moves import Throw
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles, from_text, to_text
from shutthebox.rules.turn import Turn


class Puzzle(NamedTuple):
    """A position, a throw, and the cost of every answer to it.

    Attributes:
        game: the game.
        open: the open tiles.
        throw: the faces.
        level: how many of five simple rules miss the best answer.
        answers: all legal ones, best first; costs in points, rounded to hundredths.
    """

    game: Profile
    open: Tiles
    throw: Throw
    level: int
    answers: tuple[Option, ...]

    @property
    def turn(self) -> Turn:
        """The position with the throw on the table."""
        return position(self.game, self.open, self.throw)

    @property
    def best(self) -> Tiles:
        """The best answer."""
        return self.answers[0].choice

    def to_text(self) -> str:
        """One line, for example ``traditional 1,2,4,5,9 5+4 3 4,5:0.00 9:0.41``.

        It has the game, the open tiles, the throw, the level, and the answers with their costs.
        `puzzle_from_text` reads it back.
        """
        answers = " ".join(f"{to_text(each.choice)}:{each.cost:.2f}" for each in self.answers)
        throw = faces_to_text(self.throw)
        return f"{self.game.name} {to_text(self.open)} {throw} {self.level} {answers}"


def puzzle_from_text(text: str, profile_of: Callable[[str], Profile]) -> Puzzle:
    """Reads the puzzle that `Puzzle.to_text` wrote.

    Args:
        text: one line.
        profile_of: returns the game with an id.

    Raises:
        ValueError: anything else.
    """
    name, open_tiles, throw, level, *answers = text.split(" ")
    pairs = (answer.partition(":") for answer in answers)
    return Puzzle(
        profile_of(name),
        from_text(open_tiles),
        faces_from_text(throw),
        int(level),
        tuple(Option(from_text(tiles), float(cost)) for tiles, _, cost in pairs),
    )


def position(game: Profile, open_tiles: Tiles, throw: Throw) -> Turn:
    """A turn with this throw to answer."""
    turn = turns.start(game)
    if open_tiles != game.starting:
        turn = Turn(open_tiles, moves=1, throws=1)
    return turns.throw(game, turn, throw)
