"""A tug: the current player's chance to move the last tile under best play.

A position is that of a single turn (`shutthebox.odds.model`); its tiles are those that the player still has
to move, shut or open. A turn that ends earlier leaves the rest of the row to the other, whose chance is that
of a turn starting there. Turns can go back and forth forever, so this is solved by modified policy iteration:
passes with fixed answers alternate with better answers until no answer can be improved. A pass takes the
positions in rising order and uses the worths it has found so far.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from operator import mul, truediv

from shutthebox.odds.evaluate import TurnPlay, best_play_at, leads_to
from shutthebox.odds.model import TurnModel
from shutthebox.odds.seat_limits import About, check_seats
from shutthebox.odds.worths import End, OddsError, TooLargeError
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match
from shutthebox.rules.orders import order_of
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles
from shutthebox.rules.turn import Outcome, Turn

_SETTLED = 1e-14
_ENOUGH = 1e-3
"""Answers are improved once a pass changes worths by this fraction of what the first pass did."""
_PASSES_A_ROUND, _MOST_PASSES = 20, 100
"""A game in which tiles hardly ever move is decided by its last throw, and has no exact odds."""


class TugPlay(TurnPlay[float]):
    """The best play of a tug: worths are the current player's chances to win."""

    def __init__(self, profile: Profile) -> None:
        """Finds it.

        Raises:
            OddsError: it's another game, or a key isn't understood.
            TooLargeError: there are more than 12 tiles, or the worths don't settle.
        """
        order = order_of(profile)
        if not order.opens:
            raise OddsError(f"{profile.name} isn't a tug")
        check_seats(profile, order.seats(profile, 2), About.ROUND)
        model = TurnModel(profile)
        super().__init__(model, _worths(model), 0.0, truediv)

    def begins(self, mine: Tiles) -> float:
        """A player's chance at the start of a turn with these tiles to move."""
        return self.worth(Turn(mine))

    def worth(self, turn: Turn) -> float:
        """The chance of the player whose turn it is, or was."""
        if turn.outcome is None:
            return super().worth(turn)
        if turn.outcome is Outcome.SHUT:
            return 1.0
        others = self.model.profile.starting & ~turn.open
        return 1 - self.begins(others) if others else self.begins(turn.open)

    def _end(self, end: End) -> float:
        raise AssertionError("an end is worth what it leaves")

    def _read(self, value: float, by: int = 1) -> float:
        return value / by

    def _order(self, worth: float) -> float:
        return worth


@lru_cache(maxsize=2)
def tug_play(profile: Profile) -> TugPlay:
    """`TugPlay`, cached for the latest games."""
    return TugPlay(profile)


def tug_chances(match: Match) -> tuple[float, ...]:
    """Every player's chance to win the current round, at the start of a turn."""
    own = tug_play(match.game).worth(match.turn)
    return tuple(own if row.opens is match.turn.opens else 1 - own for row in match.rows)


class NoPoints:
    """The points of a tug, where only the chance to win counts: nothing costs points.

    Attributes:
        profile: the game.
    """

    exact = True

    def __init__(self, profile: Profile) -> None:
        self.profile = profile

    def points(self, turn: Turn) -> Fraction:
        """None."""
        return Fraction(0)

    def points_with(self, turn: Turn, dice: int) -> Fraction:
        """None."""
        return Fraction(0)

    def ranked_points(self, turn: Turn) -> tuple[tuple[Tiles, Fraction], ...]:
        """The answers to the throw on the table, each worth the same."""
        return tuple((tiles, Fraction(0)) for tiles in turns.answers(self.profile, turn))


def _worths(model: TurnModel) -> list[float]:
    """The chance to win at every position of a turn; the ends come first."""
    first, whole, row = len(model.ends), model.row.size - 1, model.row
    begins = [model.number(Turn(row.sparse(mask))) if mask else 0 for mask in range(row.size)]
    # The positions where turns begin, each with its end and where the other player continues.
    ends = {begins[mask]: (model.stops[begins[mask]], begins[whole ^ mask]) for mask in range(1, row.size)}
    worths = [float(end.shut) for end in model.ends] + [0.5] * (len(model.choices) - first)
    get = worths.__getitem__

    def run(steps: Sequence[tuple[Sequence[int], Sequence[int], int]]) -> float:
        """Makes a pass with fixed answers. Returns the largest change of a worth."""
        most = 0.0
        for number, (after, weights, lively) in enumerate(steps, first):
            if number in ends:
                end, other = ends[number]
                # If the other has no tile to move, the same player begins another turn.
                worths[end] = 1 - worths[other] if other else worths[number]
            worth = sum(map(mul, weights, map(get, after))) / lively
            most = max(most, abs(worth - worths[number]))
            worths[number] = worth
        return most

    for _ in range(_MOST_PASSES):
        steps = []
        for number in range(first, len(worths)):
            choice, chosen = best_play_at(model, number, worths, 0.0, truediv)
            after, weights = zip(*leads_to(choice, chosen), strict=True)
            steps.append((after, weights, choice.lively))
        changed = run(steps)
        if changed < _SETTLED:
            return worths
        for _ in range(_PASSES_A_ROUND):
            if run(steps) < changed * _ENOUGH:
                break
    raise TooLargeError(f"{model.profile.name}: a tug in which so little moves has no exact odds")
