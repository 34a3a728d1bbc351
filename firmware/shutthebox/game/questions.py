"""What the machine asks of the odds. They are worked out elsewhere; the answer comes as an input.

A question never holds up the game. Whoever has no odds, or none yet, answers with `plain`.
"""

from dataclasses import dataclass
from typing import TypeAlias

from shutthebox.game.inputs import AccountCame, Advice, AnswerCame, DiceCame, HintCame
from shutthebox.odds.review import PlayedThrow
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles


@dataclass(frozen=True, slots=True)
class Prepare:
    """This variant is about to be played: its odds will be asked for. Has no answer."""

    profile: Profile


@dataclass(frozen=True, slots=True)
class AskHint:
    """What is best for the player at turn, by expected score? Answered by `HintCame`."""

    match: Match


@dataclass(frozen=True, slots=True)
class AskDice:
    """How many dice does the computer throw, where it may choose? Answered by `DiceCame`."""

    match: Match


@dataclass(frozen=True, slots=True)
class AskAnswer:
    """Which tiles does the computer shut (or open), playing for the win? Answered by `AnswerCame`."""

    match: Match


@dataclass(frozen=True, slots=True)
class AskAccount:
    """What were luck and decisions of a turn that has ended? Answered by `AccountCame`."""

    profile: Profile
    player: int
    throws: tuple[PlayedThrow, ...]


Question: TypeAlias = Prepare | AskHint | AskDice | AskAnswer | AskAccount
"""Something that the odds are asked."""


def plain(question: Question) -> Advice | None:
    """What can be said without any odds; None for a question that has no answer."""
    match question:
        case Prepare():
            return None
        case AskHint(match):
            return HintCame(match, None)
        case AskDice(match):
            return DiceCame(match, plain_dice(match))
        case AskAnswer(match):
            return AnswerCame(match, plain_answer(match))
        case AskAccount(profile, player, throws):
            return AccountCame(profile, player, throws, None)


def plain_dice(match: Match) -> int:
    """As many dice as usual, which is what a player does who knows no odds."""
    return dice_allowed(match.profile, match.turn.open)[0]


def plain_answer(match: Match) -> Tiles:
    """The move with the highest tiles (a tile to open: the lowest), none to pass."""
    answers = turns.answers(match.profile, match.turn)
    if answers:
        return max(answers)
    reopenings = turns.reopenings(match.profile, match.turn)
    return reopenings & -reopenings
