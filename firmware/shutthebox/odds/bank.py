"""Play against the bank: for its payment instead of for points.

The bank pays by marks, so a player who is just above one has to take more risk than another, and points
below the last mark are worth nothing. The worth of a final score is the bank's payment for it; ties are
broken by the expected score. As everybody plays alone, that is the whole game.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from shutthebox.odds.odds import options, solver_for
from shutthebox.odds.state_space import Space
from shutthebox.odds.values import End, Goal, Objective, OddsError, TooLargeError, sign
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Draw, Profile, Scoring, Stakes
from shutthebox.rules.stakes import pays
from shutthebox.rules.tiles import Tiles
from shutthebox.rules.turn import Turn


class Payment(NamedTuple):
    """A position against the bank.

    Attributes:
        paid: the bank's average payment, in stakes.
        score: the expected score when playing for that.
    """

    paid: float
    score: float


@dataclass(frozen=True, slots=True)
class RankedPayment:
    """An answer to the throw on the table: tiles to shut (or to open), and the position after it.

    Attributes:
        tiles: the tiles.
        payment: after it.
        cost: stakes given away against the best answer.
    """

    tiles: Tiles
    payment: Payment
    cost: float


class BankOdds:
    """A profile against the bank, under the best play for its payment.

    Attributes:
        profile: the game.
    """

    def __init__(self, profile: Profile, *, head_start: int = 0) -> None:
        """Solves the profile.

        Args:
            profile: the game, as the seat plays it.
            head_start: the seat's total at the beginning: below 0 for points off.

        Raises:
            OddsError: if there is no bank.
            TooLargeError: where there are no exact odds, or throws count.
        """
        if profile.stakes is not Stakes.BANK:
            raise OddsError(f"{profile.name} is not played against the bank")
        if profile.score is Scoring.THROWS:
            raise TooLargeError("what the bank pays for throws has no exact odds")
        self.profile = profile
        self._head_start, self._sign = head_start, sign(profile)
        space = Space(profile)
        goal = space.goal(Objective.SCORE)

        def worth(end: End) -> tuple[int, int]:
            return self._paid(end.score), goal.worth(end)[0]

        self._solver = solver_for(space, (Goal(worth, (0, 0)), goal))
        if profile.draw is Draw.DOMINOES:
            # Solved now, to find out whether there are too many positions.
            self._solver.worth(turns.start(profile), 0)

    def payment(self, turn: Turn) -> Payment:
        """The worth of any turn, under best play for the payment."""
        if turn.outcome is not None:
            assert turn.score is not None, "a turn that is over has a score"
            return Payment(float(self._paid(turn.score)), float(turn.score))
        if turn.awaits_answer:
            return self._ranked(turn)[0].payment
        return self.with_dice(turn, self.best_dice(turn))

    def with_dice(self, turn: Turn, dice: int) -> Payment:
        """Its worth if so many dice are thrown now.

        Raises:
            ValueError: if the rules do not allow that number of dice here.
        """
        worth = self._solver.worth_with(turn, 0, dice)
        return Payment(float(worth.first), self._sign * float(worth.second))

    def beats(self, turn: Turn) -> float:
        """The chance to be paid more than the stake, for a turn that awaits a throw."""
        ends = self._solver.ends(turn, 0, exact=False)
        return float(
            sum(chance for end, chance in ends.items() if self._paid(end.score) > self.profile.stake)
        )

    def exact(self, turn: Turn) -> Fraction:
        """The bank's average payment for a turn that awaits a throw, as an exact fraction.

        Raises:
            OddsError: where the values are not fractions.
        """
        if not self._solver.exact:
            raise OddsError("the values of these rules are not fractions; they are good to nine digits")
        return Fraction(self._solver.worth(turn, 0).first)

    def best_dice(self, turn: Turn) -> int:
        """How many dice to throw at a turn that awaits a throw."""
        allowed = dice_allowed(self.profile, turn.open, turn.behind)
        if len(allowed) == 1:
            return allowed[0]
        return max(allowed, key=lambda dice: self._order(self.with_dice(turn, dice)))

    def ranked(self, turn: Turn) -> tuple[RankedPayment, ...]:
        """Every answer to the throw on the table, the best first; none if there is none."""
        if not turn.awaits_answer:
            return ()
        ranked = self._ranked(turn)
        return ranked if ranked[0].tiles else ()

    def _ranked(self, turn: Turn) -> tuple[RankedPayment, ...]:
        found = [(tiles, self.payment(after)) for tiles, after in options(self.profile, turn)]
        found.sort(key=lambda option: self._order(option[1]), reverse=True)
        best = found[0][1].paid
        return tuple(RankedPayment(tiles, each, max(0.0, best - each.paid)) for tiles, each in found)

    def _paid(self, score: int) -> int:
        return pays(self.profile, self._head_start + score)

    def _order(self, payment: Payment) -> tuple[float, float]:
        return round(payment.paid, 11), self._sign * payment.score
