"""Who owes what after a match, in stakes."""

from collections.abc import Sequence
from fractions import Fraction

from shutthebox.rules.profile import Profile, Stakes, Win


def owes(
    profile: Profile, winners: Sequence[int], winner_shut: bool, totals: Sequence[int | None]
) -> tuple[Fraction, ...]:
    """What each player owes (negative: gets), in stakes.

    Args:
        profile: whose `stakes` are played for.
        winners: indices of the players who won; several share.
        winner_shut: the winner shut the box in this match (`Stakes.POOL_DOUBLE`, sheet 002:
            the others pay a second stake).
        totals: per player; None for who did not get to play.
    """
    nothing = (Fraction(0),) * len(totals)
    match profile.stakes:
        case Stakes.NONE:
            return nothing
        case Stakes.POOL | Stakes.POOL_DOUBLE:
            stake = 2 if profile.stakes is Stakes.POOL_DOUBLE and winner_shut else 1
            losers = len(totals) - len(winners)
            gain = Fraction(-stake * losers, len(winners))
            return tuple(gain if i in winners else Fraction(stake) for i in range(len(totals)))
        case Stakes.LOSER_PAYS:
            # Sheet 003: the highest score buys the round. Where the highest wins, the lowest buys.
            if len(totals) < 2:
                return nothing
            played = [total for total in totals if total is not None]
            worst = min(played) if profile.win is Win.HIGHEST else max(played)
            payers = [i for i, total in enumerate(totals) if total == worst]
            return tuple(Fraction(i in payers, len(payers)) for i in range(len(totals)))
