"""Play against the bank: for its payment instead of for points.

The bank pays by marks, so a player who is just above one has to take more risk than another, and points
below the last mark are worth nothing. The worth of a final score is the bank's payment for it; ties are
broken by the expected score. As everybody plays alone, that is the whole game.
"""

from shutthebox.odds.evaluate import BestPlay
from shutthebox.odds.model import TurnModel
from shutthebox.odds.worths import End, Goal, OddsError, TooLargeError, sign
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Profile, Scoring, Stakes
from shutthebox.rules.stakes import pays


def bank_play(profile: Profile, head_start: int = 0) -> BestPlay:
    """The best play against the bank: worths are its payment in stakes, and the score (less is below 0).

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
    better = sign(profile)

    def worth(end: End) -> tuple[int, int]:
        return pays(profile, head_start + end.score), better * end.score

    return BestPlay(TurnModel(profile), Goal(worth))


def beats_bank(profile: Profile, head_start: int = 0) -> tuple[float, float]:
    """A whole turn against the bank: the chance to be paid more than the stake, and the mean gain in stakes.

    Raises:
        OddsError: as `bank_play`.
    """
    play, start = bank_play(profile, head_start), turns.start(profile)
    beats = sum(
        chance
        for end, chance in play.ends(start).items()
        if pays(profile, head_start + end.score) > profile.stake
    )
    return float(beats), float(play.worth(start).first) - profile.stake
