"""What the odds are asked at the box, and what they answer, which is an input of the machine.

`shutthebox.odds.answers` works answers out. Without odds, or before they are known,
`answer_without_odds` answers.
"""

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from shutthebox.odds.strengths import Strength, simple_answer
from shutthebox.odds.worths import Advice
from shutthebox.rules.actions import Action
from shutthebox.rules.match import Match
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles
from shutthebox.rules.turn import usual_dice

if TYPE_CHECKING:  # a reader of reviews needs no solver
    from shutthebox.odds.coach import MatchReview


class Prepare(NamedTuple):
    """This game is about to be played: its odds will be asked for. Has no answer.

    Attributes:
        profile: the game.
        players: how many play, where the best play for the win will be asked for; else 0.
    """

    profile: Profile
    players: int = 0


class AskHint(NamedTuple):
    """What is best for the player at turn, for points and for the win? Answered by `HintReady`."""

    match: Match


class AskDice(NamedTuple):
    """How many dice does the computer throw, where it may choose? Answered by `DiceReady`."""

    match: Match
    strength: Strength = Strength.MASTER


class AskAnswer(NamedTuple):
    """Which tiles does the computer shut (or open)? Answered by `AnswerReady`."""

    match: Match
    strength: Strength = Strength.MASTER


class AskReview(NamedTuple):
    """What did luck and decisions do in a match, or in one turn of it? Answered by `ReviewReady`.

    Attributes:
        beginning: the match before the first of the throws.
        actions: what has happened in it since.
        for_win: in chance to win, too.
    """

    beginning: Match
    actions: tuple[Action, ...]
    for_win: bool = True


Question: TypeAlias = Prepare | AskHint | AskDice | AskAnswer | AskReview
"""Something that the odds are asked."""


class HintReady(NamedTuple):
    """What is best for the player at turn; None where the odds are not known."""

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
    """Luck and decisions of a match, or of one turn of it; None where the odds are not known."""

    beginning: Match
    actions: tuple[Action, ...]
    review: "MatchReview | None"


OddsReady: TypeAlias = HintReady | DiceReady | AnswerReady | ReviewReady
"""An answer of the odds, some time after the question."""


def answer_without_odds(question: Question) -> OddsReady | None:
    """What can be said without any odds; None for a question that has no answer."""
    match question:
        case Prepare():
            return None
        case AskHint(match):
            return HintReady(match, None)
        case AskDice(match):
            return DiceReady(match, usual_dice(match.rules, match.turn))
        case AskAnswer(match):
            return AnswerReady(match, simple_answer(match.rules, match.turn))
        case AskReview(beginning, actions):
            return ReviewReady(beginning, actions, None)
