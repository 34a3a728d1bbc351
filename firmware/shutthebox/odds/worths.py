"""The worth of things: how a turn can end, what a player plays for, and the errors of odds."""

from collections.abc import Callable
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from shutthebox.errors import ShutTheBoxError
from shutthebox.rules.profile import Profile, Scoring
from shutthebox.rules.tiles import Tiles

Number: TypeAlias = Fraction | float
"""A Fraction where the answer is exact, a float where it comes from an iteration."""


_EQUAL = 1e-9
"""Chances to win that differ by less are equal."""


class OddsError(ShutTheBoxError, ValueError):
    """Odds that cannot be given: the text says why."""


class TooLargeError(OddsError):
    """The exact answer would take too long; an estimate can be had."""


class Objective(StrEnum):
    """The aim of a player; a tie in the one is broken by the other.

    `SCORE` is the best expected score in the profile's own scoring (most where the highest
    wins, else least), ties by the chance to shut. `SHUT` is the best chance to shut the box,
    ties by the expected score.
    """

    SCORE = "score"
    SHUT = "shut"


class Unit(StrEnum):
    """The unit of a cost."""

    POINTS = "points"
    THROWS = "throws"
    STAKES = "stakes"
    CHANCE = "chance"  # to win, or to shut, from 0 to 1


class Value(NamedTuple):
    """The value of a position under one policy.

    Attributes:
        score: expected final score of the turn, in points of the profile's scoring.
        shut: chance that the turn shuts the box, 0 to 1.
    """

    score: float
    shut: float


class Exact(NamedTuple):
    """`Value` as fractions."""

    score: Fraction
    shut: Fraction


class End(NamedTuple):
    """How a turn can end: its score, and whether the box was shut."""

    score: int
    shut: bool


class Goal(NamedTuple):
    """The worth of the ends of a turn to a player, as whole numbers; the higher, the better.

    The first of each pair decides, the second breaks ties.

    Attributes:
        worth: of an end; where throws count, of its part beside them.
        per_throw: added for every throw, but not where a turn is lost.
    """

    worth: Callable[[End], tuple[int, int]]
    per_throw: tuple[int, int] = (0, 0)


class Worth(NamedTuple):
    """Expected `Goal` numbers of a position: the deciding one, and the one that breaks ties."""

    first: Number
    second: Number


class Ranked(NamedTuple):
    """A legal answer to a throw, with its value.

    Attributes:
        tiles: the tiles to shut; where a blocked player opens one, that tile.
        value: of the turn after it, played on for the objective.
        cost: against the best answer, in units of the objective (points, or chance), never negative.
    """

    tiles: Tiles
    value: Value
    cost: float


class Option(NamedTuple):
    """Something that the player may do.

    Attributes:
        choice: the tiles to shut (or to open) for the throw on the table; before a throw the number of dice.
        cost: against the best option, 0 or more.
    """

    choice: int
    cost: float


class Advice(NamedTuple):
    """What the player at turn may do.

    Attributes:
        options: the best first; none where there is nothing to choose but to pass.
        unit: of their costs.
        to_win: the same options by the chance to win, if the options are not; none where that is not known.
    """

    options: tuple[Option, ...]
    unit: Unit
    to_win: tuple[Option, ...] = ()

    @property
    def best(self) -> int | None:
        """The best choice; None if there is none."""
        return self.options[0].choice if self.options else None

    @property
    def best_to_win(self) -> int | None:
        """The best choice for the win, where it is another than the best for the points."""
        equal = [each.choice for each in self.to_win if each.cost <= _EQUAL]
        return equal[0] if equal and self.best not in equal else None


def sign(profile: Profile) -> int:
    """1 where more points are better, else -1."""
    return 1 if profile.highest_wins else -1


def goal_of(profile: Profile, objective: Objective) -> Goal:
    """The worth of the ends of a turn to a player with this objective."""
    best = sign(profile)
    throw = best if profile.score is Scoring.THROWS else 0
    if objective is Objective.SHUT:
        return Goal(lambda end: (int(end.shut), best * end.score), (0, throw))
    return Goal(lambda end: (best * end.score, int(end.shut)), (throw, 0))
