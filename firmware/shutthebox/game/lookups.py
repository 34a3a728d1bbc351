"""The game's synchronous look-ups: in the store, the calendar, the Pi."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Protocol

from shutthebox.game.earlier_results import EarlierResults
from shutthebox.game.messages import Text
from shutthebox.rules.match import Match
from shutthebox.rules.profile import Profile

if TYPE_CHECKING:  # nobody looks them up before the first screen
    from shutthebox.game.daily import Daily
    from shutthebox.game.owner_topics import Topic


class Lookups(Protocol):
    """Answers from outside the game. These methods must not block."""

    def statistics(self) -> Sequence[Text]:
        """The lines of the statistics screen."""

    def report(self, topic: Topic, wrong: Collection[int]) -> Sequence[Text]:
        """The lines of a topic for the owner; `wrong` are the switches that seem broken now."""

    def past(self, match: Match, letters: str) -> EarlierResults:
        """The earlier results recorded under the initials of this match's winner."""

    def daily(self, games: Sequence[Profile]) -> Daily | None:
        """Today's puzzle, from one of these games if they have any; None for a box without puzzles."""


class NoLookups:
    """Look-ups that find nothing, for tests and tools."""

    def statistics(self) -> Sequence[Text]:
        """No lines."""
        return ()

    def report(self, topic: Topic, wrong: Collection[int]) -> Sequence[Text]:
        """No lines."""
        return ()

    def past(self, match: Match, letters: str) -> EarlierResults:
        """No earlier results."""
        return EarlierResults()

    def daily(self, games: Sequence[Profile]) -> Daily | None:
        """No puzzle."""
        return None
