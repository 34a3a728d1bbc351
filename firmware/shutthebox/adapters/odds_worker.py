"""The odds at the box: questions answered off the main thread, so that no lever is ever kept waiting.

The solvers are imported where a table is made, so that the box is ready without them.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from queue import SimpleQueue
from typing import TYPE_CHECKING

from shutthebox.game.inputs import AccountCame, Advice, AnswerCame, DiceCame, HintCame, ReviewCame
from shutthebox.game.questions import (
    AskAccount,
    AskAnswer,
    AskDice,
    AskHint,
    AskReview,
    Prepare,
    Question,
)
from shutthebox.odds.hints import Hint, hint
from shutthebox.odds.review import account
from shutthebox.odds.strengths import Strength, simple_answer, simple_dice
from shutthebox.odds.values import OddsError
from shutthebox.rules.actions import Action
from shutthebox.rules.match import Match
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles

if TYPE_CHECKING:
    from shutthebox.odds.coach import MatchReview
    from shutthebox.odds.equilibrium import SeatPlay
    from shutthebox.odds.odds import Odds

_log = logging.getLogger(__name__)

KEPT_TABLES = 4
"""Variants whose tables are kept: of twelve tiles each takes some two megabytes."""

NICENESS = 10
"""The worker gives way to the loop wherever they want the same core."""


class OddsWorker:
    """Answers in a thread of its own.

    Args:
        post: takes every answer, in the worker's thread; must not block.
    """

    def __init__(self, post: Callable[[Advice], None]) -> None:
        self._post = post
        self._questions: SimpleQueue[Question] = SimpleQueue()
        threading.Thread(target=self._work, name="odds", daemon=True).start()

    def ask(self, question: Question) -> Sequence[Advice]:
        """Leaves a question for the worker; its answer is posted."""
        self._questions.put(question)
        return ()

    def _work(self) -> None:
        with suppress(OSError, AttributeError):  # only Linux has priorities of threads
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
        while True:
            question = self._questions.get()
            try:
                advice = answer(question)
            except Exception:
                # A fault in here must not end the worker: the game goes on without this answer.
                _log.exception("no answer to %r", question)
            else:
                if advice is not None:
                    self._post(advice)


class OddsNow:
    """Answers at once, in the caller's thread: for virtual time."""

    def ask(self, question: Question) -> Sequence[Advice]:
        """The answer, if the question has one."""
        advice = answer(question)
        return () if advice is None else (advice,)


def answer(question: Question) -> Advice | None:
    """What the odds say. Slow the first time that a variant is asked about.

    Returns:
        None for a question that has no answer.
    """
    match question:
        case Prepare(profile):
            odds_of(profile)
            return None
        case AskHint(match):
            return HintCame(match, _hint(match))
        case AskDice(match, strength):
            return DiceCame(match, _dice(match, strength))
        case AskAnswer(match, strength):
            return AnswerCame(match, _tiles(match, strength))
        case AskAccount(profile, player, throws):
            odds = odds_of(profile)
            return AccountCame(profile, player, throws, account(odds, throws) if odds else None)
        case AskReview(beginning, actions):
            return ReviewCame(beginning, actions, _review(beginning, actions))


@lru_cache(maxsize=KEPT_TABLES)
def odds_of(profile: Profile) -> Odds | None:
    """The solved variant; None where it is too large for exact odds."""
    from shutthebox.odds.odds import Odds, for_points

    try:
        return Odds(for_points(profile))
    except OddsError as error:
        _log.info("no odds for %s: %s", profile.name, error)
        return None


def _hint(match: Match) -> Hint | None:
    odds = odds_of(match.profile)
    play = _play(match) if match.turn.awaits_answer else None
    return hint(odds, match.turn, play=play) if odds else None


def _dice(match: Match, strength: Strength) -> int:
    """A master throws what wins most often, or else what scores best."""
    if strength is Strength.MASTER:
        play = _play(match)
        if play is not None:
            return play.best_dice(match.turn)
        odds = odds_of(match.profile)
        if odds is not None:
            return odds.best_dice(match.turn)
    return simple_dice(match.profile, match.turn, strength)


def _tiles(match: Match, strength: Strength) -> Tiles:
    """A master shuts what wins most often, or else what scores best."""
    if strength is Strength.MASTER:
        play = _play(match)
        if play is not None:
            ranked = play.ranked(match.turn)
            return ranked[0].tiles if ranked else 0
        odds = odds_of(match.profile)
        if odds is not None:
            moves = odds.ranked(match.turn)
            return moves[0].tiles if moves else 0
    return simple_answer(match.profile, match.turn, strength)


def _play(match: Match) -> SeatPlay | None:
    """The best play for the win; None where that is not known."""
    from shutthebox.odds.match_play import has_chances, match_play

    if not has_chances(match.profile, match.players):
        return None
    try:
        return match_play(match)
    except OddsError as error:
        _log.info("no chances to win for %s: %s", match.profile.name, error)
        return None


def _review(beginning: Match, actions: tuple[Action, ...]) -> MatchReview | None:
    from shutthebox.odds.coach import review

    try:
        return review(beginning, actions)
    except OddsError as error:
        _log.info("no review for %s: %s", beginning.profile.name, error)
        return None
