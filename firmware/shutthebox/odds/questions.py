"""The box's questions about the odds, and the answers, which are inputs to the machine.

`shutthebox.odds.answers` calculates the answers. Without odds, or until they're ready, `answer_without_odds`
answers.
"""

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from shutthebox.odds.options import Advice
from shutthebox.odds.strengths import Strength, simple_answer
from shutthebox.rules.actions import Action
from shutthebox.rules.match import Match
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles

if TYPE_CHECKING:  # displaying a review needs no solver
    from shutthebox.odds.coach import MatchReview


class Prepare(NamedTuple):
    """This game is about to be played, so prepare its odds. Has no answer.

    Attributes:
        game: the game.
        players: how many play, if the best play for the win will be needed; else 0.
    """

    game: Profile
    players: int = 0


class AskHint(NamedTuple):
    """What is best for the current player, for points and for the win? Answered by `HintReady`."""

    match: Match


class AskDice(NamedTuple):
    """How many dice does the computer throw, if it may choose? Answered by `DiceReady`."""

    match: Match
    strength: Strength = Strength.MASTER


class AskAnswer(NamedTuple):
    """Which tiles does the computer shut (or open)? Answered by `AnswerReady`."""

    match: Match
    strength: Strength = Strength.MASTER


class AskReview(NamedTuple):
    """How much did luck and decisions matter in a match, or a turn of it? Answered by `ReviewReady`.

    Attributes:
        beginning: the match before the first of the throws.
        actions: what has happened since.
        for_win: also in chance to win.
        real_dice: players may have entered totals of their own dice.
    """

    beginning: Match
    actions: tuple[Action, ...]
    for_win: bool = True
    real_dice: bool = False


Question: TypeAlias = Prepare | AskHint | AskDice | AskAnswer | AskReview
"""A question to the odds."""


class HintReady(NamedTuple):
    """What's best for the current player; None if the odds aren't known."""

    match: Match
    hint: Advice | None


class DiceReady(NamedTuple):
    """How many dice the computer throws at this position."""

    match: Match
    dice: int


class AnswerReady(NamedTuple):
    """The tiles that the computer shuts (or opens) at this position; none to pass."""

    match: Match
    tiles: Tiles


class ReviewReady(NamedTuple):
    """A review of a match, or of one turn; None if the odds aren't known."""

    beginning: Match
    actions: tuple[Action, ...]
    review: "MatchReview | None"


OddsReady: TypeAlias = HintReady | DiceReady | AnswerReady | ReviewReady
"""The odds' answer, some time after the question."""


def answer_without_odds(question: Question) -> OddsReady | None:
    """Answers without any odds; None if the question has no answer."""
    match question:
        case Prepare():
            return None
        case AskHint(match):
            return HintReady(match, None)
        case AskDice(match):
            return DiceReady(match, match.usual_dice)
        case AskAnswer(match):
            return AnswerReady(match, simple_answer(match.rules, match.turn))
        case AskReview(beginning, actions):
            return ReviewReady(beginning, actions, None)
