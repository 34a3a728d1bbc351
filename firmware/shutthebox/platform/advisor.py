"""The odds at the box: tables made off the main thread, look-ups on it.

The solvers are imported where a table is made, so that the box is ready without them.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from shutthebox.game.advisor import plain_answer, plain_dice
from shutthebox.odds.advice import Account, Hint, Step, account, hint
from shutthebox.odds.values import OddsError
from shutthebox.rules.match import Match
from shutthebox.rules.profile import MatchFormat, Profile, Turns, Win
from shutthebox.rules.tiles import Tiles

if TYPE_CHECKING:
    from shutthebox.odds.book import Odds
    from shutthebox.odds.versus import Duel, Rivals

_log = logging.getLogger(__name__)


class OddsAdvisor:
    """Knows the exact odds of the variant that is played.

    Args:
        wait: make tables in the caller's thread, for virtual time. Otherwise a thread of its own
            makes them, and until one is there the advisor knows nothing.
    """

    def __init__(self, *, wait: bool = False) -> None:
        self._wait = wait
        self._odds: dict[Profile, Odds | None] = {}
        self._asked: set[Profile] = set()

    def prepare(self, profile: Profile) -> None:
        """Begins to make the table of a variant, once."""
        if profile in self._asked:
            return
        self._asked.add(profile)
        if self._wait:
            self._make(profile)
        else:
            threading.Thread(target=self._make, args=(profile,), name="odds", daemon=True).start()

    def _make(self, profile: Profile) -> None:
        from shutthebox.odds.book import Odds

        try:
            self._odds[profile] = Odds(profile)
        except OddsError as error:
            _log.info("no odds for %s: %s", profile.name, error)
            self._odds[profile] = None

    def hint(self, match: Match) -> Hint | None:
        """What is best for the player at turn, by expected score."""
        odds = self._odds.get(match.profile)
        return hint(odds, match.turn) if odds else None

    def account(self, profile: Profile, steps: Sequence[Step]) -> Account | None:
        """Luck and decisions of a played turn."""
        odds = self._odds.get(profile)
        return account(odds, steps) if odds else None

    def dice(self, match: Match) -> int:
        """How many dice the computer throws: what wins most often, else what scores best."""
        duel = _duel(match)
        if duel is not None:
            return duel.best_dice(match.turn)
        advice = self.hint(match)
        return advice.dice if advice and advice.dice else plain_dice(match)

    def answer(self, match: Match) -> Tiles:
        """The computer's tiles: what wins most often, else what scores best."""
        duel = _duel(match)
        if duel is not None:
            ranked = duel.ranked(match.turn)
            return ranked[0].tiles if ranked else 0
        advice = self.hint(match)
        return advice.best if advice else plain_answer(match)


def _duel(match: Match) -> Duel | None:
    """The odds against the others, in the last round of a match decided on totals."""
    profile = match.profile
    decisive = profile.match is MatchFormat.TOTAL and (match.round >= match.rounds or match.tie_rounds)
    if (
        not decisive
        or profile.turns is Turns.ALTERNATE
        or profile.win is Win.FIRST_TO_SHUT
        or len(match.seats) < 2
    ):
        return None
    from shutthebox.odds.versus import Rivals

    others = [i for i in match.seats if i != match.player]
    done = tuple(match.totals[i] for i in others if match.rows[i].outcome is not None)
    to_come = tuple(match.totals[i] for i in others if match.rows[i].outcome is None)
    try:
        return _solved(profile, Rivals(done, to_come, own=match.totals[match.player]))
    except OddsError:
        return None


@lru_cache(maxsize=4)
def _solved(profile: Profile, rivals: Rivals) -> Duel:
    from shutthebox.odds.versus import Duel

    return Duel(profile, rivals)
