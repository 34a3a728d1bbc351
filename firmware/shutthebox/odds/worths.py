"""How a turn can end, what a player plays for, and the errors of odds."""

from collections.abc import Callable
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from shutthebox.errors import ShutTheBoxError
from shutthebox.odds.options import EQUAL_WITHIN
from shutthebox.rules.profile import Profile, Scoring
from shutthebox.rules.tiles import Tiles

Number: TypeAlias = Fraction | float
"""A Fraction if the answer is exact, a float if it comes from an iteration."""


class OddsError(ShutTheBoxError, ValueError):
    """There are no odds; the text says why."""


class TooLargeError(OddsError):
    """The exact answer would take too long; an estimate is possible."""


class Objective(StrEnum):
    """A player's aim.

    `SCORE` is the best expected score in the profile's scoring (most if the highest wins, else least), with
    ties broken by the chance to shut. `SHUT` is the best chance to shut the box, with ties broken by the
    expected score.
    """

    SCORE = "score"
    SHUT = "shut"


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
    """The worth of a turn's ends to a player, as integers; higher is better.

    The first of each pair decides, the second breaks ties.

    Attributes:
        worth: of an end; if throws count, of the rest of it.
        per_throw: added for every throw, unless the turn is lost.
    """

    worth: Callable[[End], tuple[int, int]]
    per_throw: tuple[int, int] = (0, 0)


class Worth(NamedTuple):
    """A position's expected `Goal` numbers: the deciding one, and the tie-breaker; higher is better."""

    main: Number
    tie_breaker: Number = 0


class Ranked(NamedTuple):
    """A legal answer to a throw, with its value.

    Attributes:
        tiles: the tiles to shut, or the one a blocked player opens.
        value: of the turn after it, played for the objective.
        cost: compared with the best answer, in units of the objective (points, or chance), 0 or more.
    """

    tiles: Tiles
    value: Value
    cost: float


def settled(value: float) -> float:
    """A figure found by iteration, without the digits that mean nothing; never -0.0."""
    return float(f"{round(value, 9):.13g}") + 0.0


def difference(one: Number, other: Number) -> Fraction:
    """How much more one is than the other; 0 if they aren't exact, and almost equal."""
    found = Fraction(one) - Fraction(other)
    exact = isinstance(one, Fraction) and isinstance(other, Fraction)
    return found if exact or abs(found) > 2 * EQUAL_WITHIN + 1e-12 * abs(float(one)) else Fraction(0)


def sign(rules: Profile) -> int:
    """1 if more points are better, else -1."""
    return 1 if rules.highest_wins else -1


def goal_of(rules: Profile, objective: Objective) -> Goal:
    """The worth of a turn's ends to a player with this objective."""
    best = sign(rules)
    throw = best if rules.score is Scoring.THROWS else 0
    if objective is Objective.SHUT:
        return Goal(lambda end: (int(end.shut), best * end.score), (0, throw))
    return Goal(lambda end: (best * end.score, int(end.shut)), (throw, 0))
