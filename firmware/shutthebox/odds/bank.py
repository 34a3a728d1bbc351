"""Play against the bank: for payment instead of points.

The bank pays by thresholds, so a player just above one must take more risk, and points below the last one are
worth nothing. A final score is worth what the bank pays for it; the expected score breaks ties. Everybody
plays alone, so that's the whole game.
"""

from functools import lru_cache

from shutthebox.odds.evaluate import BestPlay
from shutthebox.odds.model import TurnModel
from shutthebox.odds.options import Unit
from shutthebox.odds.solver import TurnSolver
from shutthebox.odds.worths import End, Goal, OddsError, TooLargeError, sign
from shutthebox.rules import turn as turns
from shutthebox.rules.handicap import points_off
from shutthebox.rules.match import Match
from shutthebox.rules.orders import for_seat
from shutthebox.rules.profile import Profile, Scoring, Stakes
from shutthebox.rules.stakes import pays


class Bank(TurnSolver):
    """Play against the bank: the unit is the stake, and the worth is what the bank pays."""

    unit = Unit.STAKES

    def play(self, match: Match) -> BestPlay:
        """The best play from the current player's head start."""
        # The current player hasn't finished a turn, so the total is the head start.
        return bank_play(match.rules, match.totals[match.player])

    def seat_outlook(self, seat: int) -> tuple[float, float]:
        """`beats_bank` for a seat, from 0."""
        return beats_bank(for_seat(self.game, seat), sign(self.game) * points_off(self.game, seat))

    def _chances(self, match: Match) -> tuple[float, ...]:
        return tuple(self.seat_outlook(seat)[0] for seat in range(match.players))


@lru_cache(maxsize=4)
def bank_play(rules: Profile, head_start: int = 0) -> BestPlay:
    """The best play against the bank: worths are its payment in stakes, and the signed score.

    Args:
        rules: the game, as the seat plays it.
        head_start: the seat's initial total; negative for points off.

    Raises:
        OddsError: there's no bank.
        TooLargeError: there are no exact odds, or throws are the score.
    """
    if rules.stakes is not Stakes.BANK:
        raise OddsError(f"{rules.name} is not played against the bank")
    if rules.score is Scoring.THROWS:
        raise TooLargeError("what the bank pays for throws has no exact odds")
    better = sign(rules)

    def worth(end: End) -> tuple[int, int]:
        return pays(rules, head_start + end.score), better * end.score

    return BestPlay(TurnModel(rules), Goal(worth))


def beats_bank(rules: Profile, head_start: int = 0) -> tuple[float, float]:
    """For a whole turn against the bank: the chance of more than the stake, and the mean gain in stakes.

    Raises:
        OddsError: like `bank_play`.
    """
    play, start = bank_play(rules, head_start), turns.start(rules)
    beats = sum(
        chance
        for end, chance in play.ends(start).items()
        if pays(rules, head_start + end.score) > rules.stake
    )
    return float(beats), float(play.worth(start).main) - rules.stake
