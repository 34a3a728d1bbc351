"""What the machine asks of the odds. They are worked out elsewhere; the answer comes as an input.

A question never delays the game. Without odds, or before they are known, `plain` answers it.
"""

from typing import NamedTuple, TypeAlias

from shutthebox.game.inputs import AnswerCame, DiceCame, HintCame, OddsCame, ReviewCame
from shutthebox.odds.strengths import Strength, simple_answer
from shutthebox.rules.actions import Action
from shutthebox.rules.match import Match
from shutthebox.rules.profile import Profile
from shutthebox.rules.turn import usual_dice


class Prepare(NamedTuple):
    """This game is about to be played: its odds will be asked for. Has no answer.

    Attributes:
        profile: the game.
        players: how many play, where the best play for the win will be asked for; else 0.
    """

    profile: Profile
    players: int = 0


class AskHint(NamedTuple):
    """What is best for the player at turn, for points and for the win? Answered by `HintCame`."""

    match: Match


class AskDice(NamedTuple):
    """How many dice does the computer throw, where it may choose? Answered by `DiceCame`."""

    match: Match
    strength: Strength = Strength.MASTER


class AskAnswer(NamedTuple):
    """Which tiles does the computer shut (or open)? Answered by `AnswerCame`."""

    match: Match
    strength: Strength = Strength.MASTER


class AskReview(NamedTuple):
    """What did luck and decisions do in a match, or in one turn of it? Answered by `ReviewCame`.

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


def plain(question: Question) -> OddsCame | None:
    """What can be said without any odds; None for a question that has no answer."""
    match question:
        case Prepare():
            return None
        case AskHint(match):
            return HintCame(match, None)
        case AskDice(match):
            return DiceCame(match, usual_dice(match.rules, match.turn))
        case AskAnswer(match):
            return AnswerCame(match, simple_answer(match.rules, match.turn))
        case AskReview(beginning, actions):
            return ReviewCame(beginning, actions, None)
