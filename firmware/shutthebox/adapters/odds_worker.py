"""The odds at the box: another thread answers the questions, so that levers are never delayed.

The solvers are imported where a table is made, so that the box is ready without them.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING

from shutthebox.adapters.priority import let_others_first
from shutthebox.game.inputs import AnswerCame, DiceCame, HintCame, OddsCame, ReviewCame
from shutthebox.game.questions import (
    AskAnswer,
    AskDice,
    AskHint,
    AskReview,
    Prepare,
    Question,
    plain,
)
from shutthebox.odds.strengths import Strength
from shutthebox.odds.worths import Advice, OddsError
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Action
from shutthebox.rules.match import Match, begin
from shutthebox.rules.profile import Profile

if TYPE_CHECKING:
    from shutthebox.odds.coach import MatchReview

_log = logging.getLogger(__name__)


class OddsWorker:
    """Answers in a thread of its own.

    Args:
        post: takes every answer, in the worker's thread; must not block.
    """

    def __init__(self, post: Callable[[OddsCame], None]) -> None:
        self._post = post
        self._questions: SimpleQueue[Question] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="odds", daemon=True)

    def start(self) -> None:
        """Begins to answer; questions asked before wait. To be called once, when the box is ready."""
        self._thread.start()

    def ask(self, question: Question) -> Sequence[OddsCame]:
        """Leaves a question for the worker; its answer is posted."""
        self._questions.put(question)
        return ()

    def _work(self) -> None:
        let_others_first()
        while True:
            advice = answer_or_plain(self._questions.get(), prepares_win=True)
            if advice is not None:
                self._post(advice)


class OddsNow:
    """Answers at once, in the caller's thread: for virtual time."""

    def ask(self, question: Question) -> Sequence[OddsCame]:
        """The answer, if the question has one."""
        advice = answer_or_plain(question)
        return () if advice is None else (advice,)


def answer_or_plain(question: Question, *, prepares_win: bool = False) -> OddsCame | None:
    """The odds' answer; the plain one where the odds fail, so that nobody waits for ever.

    Args:
        question: anything.
        prepares_win: solves the best play for the win before it's asked for: that takes seconds on a Pi.
    """
    try:
        found = answer(question)
        if isinstance(question, Prepare) and prepares_win and question.players:
            _prepare_win(question.profile, question.players)
        return found
    except Exception:
        # A fault in the odds must end neither the worker nor the game.
        _log.exception("no answer to %r", question)
        return plain(question)


def answer(question: Question) -> OddsCame | None:
    """The odds' answer. Slow the first time that a game is asked about.

    Returns:
        None for a question that has no answer.
    """
    match question:
        case Prepare(profile):
            _prepare(profile)
            return None
        case AskHint(match):
            return HintCame(match, _advice(match))
        case AskDice(match, strength):
            return DiceCame(match, _decision(match, strength))
        case AskAnswer(match, strength):
            return AnswerCame(match, _decision(match, strength))
        case AskReview(beginning, actions, for_win):
            return ReviewCame(beginning, actions, _review(beginning, actions, for_win))


def _prepare(profile: Profile) -> None:
    """Solves a game before the first question; one that is too large has no odds."""
    from shutthebox.odds.odds import odds_for_points

    try:
        odds_for_points(profile).value(turns.start(profile))
    except OddsError as error:
        _log.info("no odds for %s: %s", profile.name, error)


def _advice(match: Match) -> Advice | None:
    from shutthebox.odds.advice import advise

    try:
        return advise(match)
    except OddsError as error:
        _log.info("no advice for %s: %s", match.game.name, error)
        return None


def _decision(match: Match, strength: Strength) -> int:
    from shutthebox.odds.advice import decide

    return decide(match, strength)


def _prepare_win(profile: Profile, players: int) -> None:
    from shutthebox.odds.match_play import has_chances, match_chances

    if has_chances(profile, players):
        with suppress(OddsError):
            match_chances(begin(profile, players))


def _review(beginning: Match, actions: tuple[Action, ...], for_win: bool) -> MatchReview | None:
    from shutthebox.odds.coach import review

    try:
        return review(beginning, actions, for_win=for_win)
    except OddsError as error:
        _log.info("no review for %s: %s", beginning.game.name, error)
        return None
