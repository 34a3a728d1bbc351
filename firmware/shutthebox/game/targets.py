"""Where an input can lead: a handler names its target as a value, and no mode knows another.

`shutthebox.game.table` has the mode of each target.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, assert_never

from shutthebox.game.daily import Daily
from shutthebox.game.play import MatchInPlay
from shutthebox.rules.match import Match, Stage
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles


@dataclass(frozen=True, slots=True)
class BackToAttract:
    """Nobody plays."""


@dataclass(frozen=True, slots=True)
class OpenMenu:
    """The menu, from its top."""


@dataclass(frozen=True, slots=True)
class OpenPuzzle:
    """The puzzle of a day."""

    daily: Daily


@dataclass(frozen=True, slots=True)
class OpenService:
    """Service; unlocked by the button inside the box, or not yet."""

    unlocked: bool


@dataclass(frozen=True, slots=True)
class AskQuestions:
    """The questions before a match, where there are some."""


@dataclass(frozen=True, slots=True)
class AskNames:
    """The players' names, where they are wanted; then this game begins."""

    game: Profile


@dataclass(frozen=True, slots=True)
class BeginMatch:
    """A match from its beginning.

    Attributes:
        match: before its first throw.
        tally: per player the stakes owed from earlier matches of the evening.
    """

    match: Match
    tally: tuple[Fraction, ...] = ()


@dataclass(frozen=True, slots=True)
class AwaitThrow:
    """The next throw, once the levers fit the player's row."""

    play: MatchInPlay


@dataclass(frozen=True, slots=True)
class LeversFit:
    """The next throw; the levers have been judged right."""

    play: MatchInPlay


@dataclass(frozen=True, slots=True)
class RollDice:
    """A throw of the box: so many dice, or a domino."""

    play: MatchInPlay
    dice: int


@dataclass(frozen=True, slots=True)
class EnterThrow:
    """A throw of so many real dice; the press that asked for it may count as the first of it."""

    play: MatchInPlay
    dice: int
    pressed: bool


@dataclass(frozen=True, slots=True)
class AnswerThrow:
    """A throw is on the table.

    Attributes:
        play: after the throw.
        asked_ns: when the odds were asked for the computer's answer; None if they were not.
        answer: the computer's; None if it has not come, or a person plays.
    """

    play: MatchInPlay
    asked_ns: int | None = None
    answer: Tiles | None = None


@dataclass(frozen=True, slots=True)
class EndTurn:
    """The turn has ended."""

    play: MatchInPlay


@dataclass(frozen=True, slots=True)
class EndMatch:
    """The match is over; players who gave their names sign by them."""

    play: MatchInPlay


@dataclass(frozen=True, slots=True)
class SignResult:
    """A winner, from 0, signs."""

    play: MatchInPlay
    player: int


@dataclass(frozen=True, slots=True)
class ShowResult:
    """The result, with the letters of those who have just signed, by player."""

    play: MatchInPlay
    letters: Mapping[int, str]


AfterAction: TypeAlias = AwaitThrow | AnswerThrow | EndTurn | EndMatch
"""Where an action of a match can lead."""

Target: TypeAlias = (
    BackToAttract
    | OpenMenu
    | OpenPuzzle
    | OpenService
    | AskQuestions
    | AskNames
    | BeginMatch
    | AfterAction
    | LeversFit
    | RollDice
    | EnterThrow
    | SignResult
    | ShowResult
)
"""Where an input can lead."""


def after(play: MatchInPlay) -> AfterAction:
    """Where play goes after an action: the stage of the match decides, whatever the action was."""
    stage = play.match.stage
    match stage:
        case Stage.THROW:
            return AwaitThrow(play)
        case Stage.ANSWER:
            return AnswerThrow(play)
        case Stage.ADVANCE:
            return EndTurn(play)
        case Stage.FINISHED:
            return EndMatch(play)
    assert_never(stage)
