"""Answers a box's questions about the odds. Imports all solvers, so a box imports it once it's ready."""

from shutthebox.odds.advice import advise, decide
from shutthebox.odds.coach import review
from shutthebox.odds.pick import pick
from shutthebox.odds.questions import (
    AnswerReady,
    AskAnswer,
    AskDice,
    AskHint,
    AskReview,
    DiceReady,
    HintReady,
    OddsReady,
    Prepare,
    Question,
    ReviewReady,
)
from shutthebox.odds.worths import OddsError
from shutthebox.rules.match import begin
from shutthebox.rules.profile import Profile


def answer(question: Question, *, prepares_win: bool = False) -> OddsReady | None:
    """Answers a question. Slow the first time for each game.

    Args:
        question: any of them.
        prepares_win: solve the best play for the win before it's asked for, which takes seconds on a Pi.

    Returns:
        None for a question that has no answer.

    Raises:
        OddsError: the game has no odds, such as one that is too large.
    """
    match question:
        case Prepare(game, players):
            pick(game).prepare()
            if prepares_win and players:
                _prepare_win(game, players)
            return None
        case AskHint(match):
            return HintReady(match, advise(match))
        case AskDice(match, strength):
            return DiceReady(match, decide(match, strength))
        case AskAnswer(match, strength):
            return AnswerReady(match, decide(match, strength))
        case AskReview(beginning, actions, for_win, real_dice):
            found = review(beginning, actions, for_win=for_win, real_dice=real_dice)
            return ReviewReady(beginning, actions, found)


def _prepare_win(game: Profile, players: int) -> None:
    win = pick(game).win
    if win.why_not(players) is None:
        try:
            win.chances(begin(game, players))
        except OddsError:
            return  # each question says so again
