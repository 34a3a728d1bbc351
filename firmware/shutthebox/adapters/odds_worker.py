"""The odds at the box: questions answered off the main thread, so that no lever is ever kept waiting.

The solvers are imported where a table is made, so that the box is ready without them.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from queue import SimpleQueue
from typing import TYPE_CHECKING

from shutthebox.game.inputs import AccountCame, Advice, AnswerCame, DiceCame, HintCame
from shutthebox.game.questions import (
    AskAccount,
    AskAnswer,
    AskDice,
    AskHint,
    Prepare,
    Question,
    plain_answer,
    plain_dice,
)
from shutthebox.odds.hints import Hint, hint
from shutthebox.odds.review import account
from shutthebox.odds.values import OddsError
from shutthebox.rules.match import Match
from shutthebox.rules.profile import Blocked, Draw, MatchFormat, Profile, Scoring, ShutWins, Turns, Win
from shutthebox.rules.tiles import Tiles

if TYPE_CHECKING:
    from shutthebox.odds.odds import Odds
    from shutthebox.odds.win_chances import Duel, Rivals

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
            odds_of(_race_by_throws(profile))
            return None
        case AskHint(match):
            return HintCame(match, _hint(match))
        case AskDice(match):
            return DiceCame(match, _dice(match))
        case AskAnswer(match):
            return AnswerCame(match, _tiles(match))
        case AskAccount(profile, player, throws):
            odds = odds_of(profile)
            return AccountCame(profile, player, throws, account(odds, throws) if odds else None)


@lru_cache(maxsize=KEPT_TABLES)
def odds_of(profile: Profile) -> Odds | None:
    """The solved variant; None where it is too large for exact odds."""
    from shutthebox.odds.odds import Odds

    try:
        return Odds(profile)
    except OddsError as error:
        _log.info("no odds for %s: %s", profile.name, error)
        return None


def _race_by_throws(profile: Profile) -> Profile:
    """A race is won by throws: its points are the same whatever is done, so throws count instead."""
    if not profile.is_race:
        return profile
    return replace(profile, win=Win.LOWEST, score=Scoring.THROWS, shut_wins=ShutWins.NO)


def _hint(match: Match) -> Hint | None:
    odds = odds_of(_race_by_throws(match.profile))
    return hint(odds, match.turn) if odds else None


def _dice(match: Match) -> int:
    """What wins most often, else what scores best."""
    duel = _duel(match)
    if duel is not None:
        return duel.best_dice(match.turn)
    advice = _hint(match)
    return advice.dice if advice and advice.dice else plain_dice(match)


def _tiles(match: Match) -> Tiles:
    """What wins most often, else what scores best."""
    duel = _duel(match)
    if duel is not None:
        ranked = duel.ranked(match.turn)
        return ranked[0].tiles if ranked else 0
    advice = _hint(match)
    return advice.best if advice else plain_answer(match)


def _duel(match: Match) -> Duel | None:
    """The odds against the others, in the last round of a match decided on totals.

    Where throws count and a turn may go on for ever, or dominoes are drawn, solving them takes seconds
    for every throw: the computer plays for the best score there.
    """
    profile = match.profile
    decisive = profile.match is MatchFormat.TOTAL and (match.round >= match.rounds or match.tie_rounds)
    endless = profile.score is Scoring.THROWS and profile.blocked is not Blocked.ENDS_TURN
    if (
        not decisive
        or endless
        or profile.draw is Draw.DOMINOES
        or profile.blocked is Blocked.OPENS_ONE
        or profile.turns is Turns.ALTERNATE
        or profile.win is Win.FIRST_TO_SHUT
        or len(match.seats) < 2
    ):
        return None
    from shutthebox.odds.win_chances import Rivals

    others = [i for i in match.seats if i != match.player]
    done = tuple(match.totals[i] for i in others if match.rows[i].outcome is not None)
    to_come = tuple(match.totals[i] for i in others if match.rows[i].outcome is None)
    try:
        return _solved(profile, Rivals(done, to_come, own=match.totals[match.player]))
    except OddsError:
        return None


@lru_cache(maxsize=4)
def _solved(profile: Profile, rivals: Rivals) -> Duel:
    from shutthebox.odds.win_chances import Duel

    return Duel(profile, rivals)
