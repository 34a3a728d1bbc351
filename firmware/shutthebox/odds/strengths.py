"""The strengths of the computer, and the two simple ways to answer a throw."""

from enum import StrEnum

from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Profile, Scoring
from shutthebox.rules.tiles import Tiles, sum_of
from shutthebox.rules.turn import Turn


class Strength(StrEnum):
    """The strength of the computer.

    A beginner shuts the highest tiles, and throws as many dice as usual. A regular has a rule of
    thumb: as few tiles as possible, and of those the highest; one die once the open tiles add up to
    no more than it shows. A master plays best for the win, by the odds.
    """

    BEGINNER = "beginner"
    REGULAR = "regular"
    MASTER = "master"


def simple_dice(profile: Profile, turn: Turn, strength: Strength) -> int:
    """The number of dice of a player without odds."""
    few = strength is Strength.REGULAR and sum_of(turn.open) + sum_of(turn.behind) <= profile.sides
    return dice_allowed(profile, turn.open, turn.behind)[-1 if few else 0]


def simple_answer(profile: Profile, turn: Turn, strength: Strength) -> Tiles:
    """The answer of a player without odds (a tile to open: the lowest); none to pass."""
    answers = turns.answers(profile, turn)
    if not answers:
        reopenings = turns.reopenings(profile, turn)
        return reopenings & -reopenings
    if strength is not Strength.REGULAR:
        return max(answers)
    if profile.highest_wins and profile.score is not Scoring.SHUT_SUM:
        # Open tiles count, so the high ones are worth keeping.
        return min(answers)
    return min(answers, key=lambda shut: (shut.bit_count(), -shut))
