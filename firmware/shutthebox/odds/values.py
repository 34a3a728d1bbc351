"""The parts of odds: objectives, the worth of a position, ranked moves."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple, Protocol, TypeAlias

from shutthebox.errors import ShutTheBoxError
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles
from shutthebox.rules.turn import Turn

Number: TypeAlias = Fraction | float
"""A Fraction where the answer is exact, a float where it comes from an iteration."""

MOST_TILES = 12
"""Rows up to this size are solved exactly: 4096 positions. Above, there are estimates."""


MOST_TILES_OF_TWO_ROWS = 9
"""Rows up to this size are solved with another one behind them: 19,683 positions."""


class OddsError(ShutTheBoxError, ValueError):
    """Odds that cannot be given: the text says why."""


class TooLargeError(OddsError):
    """The exact answer would take too long; an estimate can be had."""


class Objective(StrEnum):
    """The aim of a player; a tie in the one is broken by the other.

    `SCORE` is the best expected score in the profile's own scoring (most where the highest
    wins, else least), ties by the chance to shut. `SHUT` is the best chance to shut the box,
    ties by the expected score. `WIN` exists only where there is something to beat, see
    `shutthebox.odds.equilibrium`; ties by the expected score.
    """

    SCORE = "score"
    SHUT = "shut"
    WIN = "win"


class Unit(StrEnum):
    """The unit of a cost."""

    POINTS = "points"
    THROWS = "throws"
    STAKES = "stakes"
    CHANCE = "chance"  # to win, from 0 to 1


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


@dataclass(frozen=True, slots=True)
class Ranked:
    """A legal answer to a throw, with its value.

    Attributes:
        tiles: the tiles to shut; where a blocked player opens one, that tile.
        value: of the turn after it, played on for the objective.
        cost: against the best answer, in units of the objective (points, or chance), never negative.
    """

    tiles: Tiles
    value: Value
    cost: float


class Goal(NamedTuple):
    """The worth of the ends of a turn to a player, as whole numbers; the higher, the better.

    The first of each pair decides, the second breaks ties.

    Attributes:
        worth: of an end; where throws count, of its part beside them.
        per_throw: added for every throw, but not where a turn is lost.
    """

    worth: Callable[[End], tuple[int, int]]
    per_throw: tuple[int, int]


class Worth(NamedTuple):
    """Expected `Goal` numbers of a position: the deciding one, and the one that breaks ties."""

    first: Number
    second: Number


class Solver(Protocol):
    """Every position of a profile under the best play for each of its goals.

    A position is a `Turn` that awaits a throw and is not over. `goal` is an index into the
    goals that the solver was made with.
    """

    @property
    def exact(self) -> bool:
        """Whether a `Worth` consists of exact fractions."""

    def worth(self, turn: Turn, goal: int) -> Worth:
        """The worth of the position; throws already made do not count."""

    def worth_with(self, turn: Turn, goal: int, dice: int) -> Worth:
        """Its worth if so many dice are thrown now, and play is best afterwards."""

    def best_dice(self, turn: Turn, goal: int) -> int:
        """How many dice to throw."""

    def ends(self, turn: Turn, goal: int, *, exact: bool) -> Mapping[End, Number]:
        """How the turn ends under best play, each end with its probability."""


def sign(profile: Profile) -> int:
    """1 where more points are better, else -1."""
    return 1 if profile.highest_wins else -1


def exact_one(exact: bool) -> Number:
    """1 as a Fraction or as a float: arithmetic that starts from it stays of its kind."""
    return Fraction(1) if exact else 1.0
