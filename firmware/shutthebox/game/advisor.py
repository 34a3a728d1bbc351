"""Who knows the odds: asked by the machine, answered by look-ups in tables made beforehand."""

from collections.abc import Sequence
from typing import Protocol

from shutthebox.odds.advice import Account, Hint, Step
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles


class Advisor(Protocol):
    """Gives None wherever there are no exact odds, or their table is not made yet."""

    def prepare(self, profile: Profile) -> None:
        """Makes the table of a variant that is about to be played; returns at once."""

    def hint(self, match: Match) -> Hint | None:
        """What is best for the player at turn, by expected score."""

    def account(self, profile: Profile, steps: Sequence[Step]) -> Account | None:
        """Luck and decisions of a played turn."""

    def dice(self, match: Match) -> int:
        """How many dice the computer throws, where it may choose."""

    def answer(self, match: Match) -> Tiles:
        """The tiles that the computer shuts (or opens), playing for the win; none to pass."""


class NoAdvisor:
    """Knows nothing: no hints, no accounts, and a computer that shuts the highest tile it can."""

    def prepare(self, profile: Profile) -> None:
        """Does nothing."""

    def hint(self, match: Match) -> Hint | None:
        """Always None."""
        return None

    def account(self, profile: Profile, steps: Sequence[Step]) -> Account | None:
        """Always None."""
        return None

    def dice(self, match: Match) -> int:
        """The usual number."""
        return plain_dice(match)

    def answer(self, match: Match) -> Tiles:
        """The move with the highest tile."""
        return plain_answer(match)


def plain_dice(match: Match) -> int:
    """As many dice as usual, which is what a player does who knows no odds."""
    return dice_allowed(match.profile, match.turn.open)[0]


def plain_answer(match: Match) -> Tiles:
    """The move with the highest tiles (a tile to open: the lowest), none to pass."""
    answers = turns.answers(match.profile, match.turn)
    if answers:
        return max(answers)
    reopenings = turns.reopenings(match.profile, match.turn)
    return reopenings & -reopenings
