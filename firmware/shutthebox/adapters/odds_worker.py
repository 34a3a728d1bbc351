"""The odds at the box: another thread answers the questions, so that levers are never delayed.

The solvers are imported where a table is made, so that the box is ready without them.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from queue import SimpleQueue
from typing import TYPE_CHECKING

from shutthebox.adapters.priority import let_others_first
from shutthebox.game.inputs import Advice, AnswerCame, DiceCame, HintCame, ReviewCame
from shutthebox.game.questions import (
    AskAnswer,
    AskDice,
    AskHint,
    AskReview,
    Prepare,
    Question,
)
from shutthebox.odds.hints import Hint, hint
from shutthebox.odds.strengths import Strength, by_odds, simple_answer, simple_dice
from shutthebox.odds.values import OddsError, Ranked, Unit, Value
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Action
from shutthebox.rules.match import Match, begin
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Profile, Stakes, Turns
from shutthebox.rules.tiles import Tiles

if TYPE_CHECKING:
    from shutthebox.odds.bank import BankOdds
    from shutthebox.odds.coach import MatchReview
    from shutthebox.odds.equilibrium import SeatPlay
    from shutthebox.odds.odds import Odds
    from shutthebox.odds.shared_row import SharedRow

_log = logging.getLogger(__name__)

KEPT_GAMES = 4
"""So many games are remembered, with their tables or that they have none."""


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
        let_others_first()
        while True:
            question = self._questions.get()
            try:
                advice = answer(question)
                if isinstance(question, Prepare) and question.players:
                    # Takes seconds on a small Pi, so it is done before the first question.
                    _prepare_win(question.profile, question.players)
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
    """The odds' answer. Slow the first time that a game is asked about.

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
        case AskReview(beginning, actions, for_win):
            return ReviewCame(beginning, actions, _review(beginning, actions, for_win))


@lru_cache(maxsize=KEPT_GAMES)
def odds_of(profile: Profile) -> Odds | None:
    """The solved game; None where it is too large for exact odds."""
    from shutthebox.odds.odds import odds_for_points

    try:
        return odds_for_points(profile)
    except OddsError as error:
        _log.info("no odds for %s: %s", profile.name, error)
        return None


def _hint(match: Match) -> Hint | None:
    if match.game.turns is Turns.SHARED:
        return _hint_of_shared_row(match)
    if match.game.stakes is Stakes.BANK:
        return _hint_against_the_bank(match)
    odds = odds_of(match.rules)
    if odds is None:
        return None
    play = _play(match) if match.turn.awaits_answer else None
    return hint(odds, match.turn, play=play)


def _hint_of_shared_row(match: Match) -> Hint | None:
    """The answers by their chance to win, the best first; costs are chances to win."""
    try:
        odds = _shared_row(match.game)
        if not match.turn.awaits_answer:
            win = odds.chances(match)[match.player]
            return Hint(Value(0.0, win), odds.best_dice(match), None, (), opens=False, unit=Unit.CHANCE)
        ranked = odds.ranked(match)
    except OddsError:
        return None
    moves = tuple(Ranked(each.tiles, Value(0.0, each.win), each.cost) for each in ranked)
    win = ranked[0].win if ranked else 0.0
    return Hint(Value(0.0, win), None, None, moves, opens=False, unit=Unit.CHANCE)


def _hint_against_the_bank(match: Match) -> Hint | None:
    """The answers by what the bank pays on average, the best first; costs are stakes."""
    # No turn has ended for the player at turn: the total is the head start.
    head_start, turn = match.totals[match.player], match.turn
    try:
        odds = _bank(match.rules, head_start)
    except OddsError:
        return None
    score, opens = odds.payment(turn).score, bool(turns.reopenings(match.rules, turn))
    if turn.awaits_answer:
        moves = (Ranked(each.tiles, Value(each.payment.score, 0.0), each.cost) for each in odds.ranked(turn))
        return Hint(Value(score, 0.0), None, None, tuple(moves), opens, unit=Unit.STAKES)
    best = odds.best_dice(turn)
    others = [dice for dice in dice_allowed(match.rules, turn.open, turn.behind) if dice != best]
    cost = None
    if others:
        cost = max(0.0, odds.payment(turn).paid - odds.with_dice(turn, others[0]).paid)
    return Hint(Value(score, 0.0), best, cost, (), opens=False, unit=Unit.STAKES)


@lru_cache(maxsize=1)
def _shared_row(profile: Profile) -> SharedRow:
    from shutthebox.odds.shared_row import SharedRow

    return SharedRow(profile)


@lru_cache(maxsize=KEPT_GAMES)
def _bank(profile: Profile, head_start: int) -> BankOdds:
    from shutthebox.odds.bank import BankOdds

    return BankOdds(profile, head_start=head_start)


def _dice(match: Match, strength: Strength) -> int:
    """A master throws what wins most often, or else what scores best."""
    if by_odds(match.turn, strength):
        play = _play(match) if strength is Strength.MASTER else None
        if play is not None:
            return play.best_dice(match.turn)
        advice = _hint(match)
        if advice is not None and advice.dice is not None:
            return advice.dice
    return simple_dice(match.rules, match.turn)


def _tiles(match: Match, strength: Strength) -> Tiles:
    """A master shuts what wins most often, or else what scores best."""
    if by_odds(match.turn, strength):
        play = _play(match) if strength is Strength.MASTER else None
        if play is not None:
            ranked = play.ranked(match.turn)
            return ranked[0].tiles if ranked else 0
        advice = _hint(match)
        if advice is not None:
            return advice.best
    return simple_answer(match.rules, match.turn)


def _prepare_win(profile: Profile, players: int) -> None:
    from shutthebox.odds.match_play import has_chances, match_chances

    if has_chances(profile, players):
        with suppress(OddsError):
            match_chances(begin(profile, players))


def _play(match: Match) -> SeatPlay | None:
    """The best play for the win; None where that is not known."""
    from shutthebox.odds.match_play import has_chances, match_play

    if not has_chances(match.game, match.players):
        return None
    try:
        return match_play(match)
    except OddsError as error:
        _log.info("no chances to win for %s: %s", match.game.name, error)
        return None


def _review(beginning: Match, actions: tuple[Action, ...], for_win: bool) -> MatchReview | None:
    from shutthebox.odds.coach import review

    try:
        return review(beginning, actions, for_win=for_win)
    except OddsError as error:
        _log.info("no review for %s: %s", beginning.game.name, error)
        return None
