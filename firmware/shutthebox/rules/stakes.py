"""The debts after a match, in stakes."""

from collections.abc import Sequence
from fractions import Fraction

from shutthebox.rules.profile import Profile, Stakes


def owes(
    profile: Profile, winners: Sequence[int], winner_shut: bool, totals: Sequence[int | None]
) -> tuple[Fraction, ...]:
    """Each player's debt (negative: gain), in stakes.

    Args:
        profile: whose `stakes` are played for.
        winners: indices of the players who won; several share. With no winner nothing is owed.
        winner_shut: the winner shut the box in this match (`Stakes.POOL_DOUBLE`, sheet 002:
            the others pay a second stake).
        totals: per player, or per player those of the team; None for a player who had no turn.
    """
    nothing = (Fraction(0),) * len(totals)
    if profile.stakes is Stakes.BANK:
        return tuple(
            Fraction(0 if total is None else profile.stake - pays(profile, total)) for total in totals
        )
    if not winners:
        return nothing
    match profile.stakes:
        case Stakes.NONE | Stakes.BANK:
            return nothing
        case Stakes.POOL | Stakes.POOL_DOUBLE:
            stake = 2 if profile.stakes is Stakes.POOL_DOUBLE and winner_shut else 1
            gain = Fraction(-stake * (len(totals) - len(winners)), len(winners))
            return tuple(gain if i in winners else Fraction(stake) for i in range(len(totals)))
        case Stakes.LOSER_PAYS:
            # Sheet 003: the highest score buys the round. Where the highest wins, the lowest buys.
            if len(totals) < 2:
                return nothing
            losers = [i for i in range(len(totals)) if i not in winners] or list(range(len(totals)))
            played = [total for i in losers if (total := totals[i]) is not None]
            worst = (min if profile.highest_wins else max)(played, default=None)
            # Nobody else has scored when the first player wins at once: then they share it.
            payers = [i for i in losers if totals[i] == worst]
            return tuple(Fraction(i in payers, len(payers)) for i in range(len(totals)))


def pays(profile: Profile, total: int) -> int:
    """The bank's payment for a total, in stakes."""
    better = reversed(profile.pays) if profile.highest_wins else profile.pays
    return next((paid for mark, paid in better if _reaches(profile, total, mark)), 0)


def _reaches(profile: Profile, total: int, mark: int) -> bool:
    return total >= mark if profile.highest_wins else total <= mark
