"""Where an input can lead: a handler names its target as a value, and no mode knows another.

`shutthebox.game.table` has the mode of each target.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple, TypeAlias, assert_never

from shutthebox.game.daily import Daily
from shutthebox.game.play import MatchInPlay
from shutthebox.marker import Marker
from shutthebox.rules.match import Match, Stage
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles


class BackToAttract(Marker):
    """Nobody plays."""

    __slots__ = ()


class OpenMenu(Marker):
    """The menu, from its top."""

    __slots__ = ()


class OpenPuzzle(NamedTuple):
    """The puzzle of a day."""

    daily: Daily


class OpenService(NamedTuple):
    """The owner's list.

    Attributes:
        unlocked: by the button inside the box, or by the owner's code.
        past_stick: even where a stick is in, whose own list comes first.
    """

    unlocked: bool
    past_stick: bool = False


class OpenStick(NamedTuple):
    """The list of what the owner's stick offers; unlocked, or not yet."""

    unlocked: bool


class AskQuestions(Marker):
    """The questions before a match, where there are some."""

    __slots__ = ()


class AskNames(NamedTuple):
    """The players' names, where they are wanted; then this game begins."""

    game: Profile


class BeginMatch(NamedTuple):
    """A match from its beginning.

    Attributes:
        match: before its first throw.
        tally: per player the stakes owed from earlier matches of the evening.
        rolled: who begins has been rolled for, where that is played.
    """

    match: Match
    tally: tuple[Fraction, ...] = ()
    rolled: bool = False


class RollForFirst(NamedTuple):
    """A roll-off for who begins this match; the tally as of `BeginMatch`."""

    match: Match
    tally: tuple[Fraction, ...]


class AwaitThrow(NamedTuple):
    """The next throw, once the levers fit the player's row."""

    play: MatchInPlay


class LeversFit(NamedTuple):
    """The next throw; the levers have been judged right."""

    play: MatchInPlay


class RollDice(NamedTuple):
    """A throw of the box: so many dice, or a domino."""

    play: MatchInPlay
    dice: int


class EnterThrow(NamedTuple):
    """A throw of so many real dice; the press that asked for it may count as the first of it."""

    play: MatchInPlay
    dice: int
    pressed: bool


class AnswerThrow(NamedTuple):
    """A throw is on the table.

    Attributes:
        play: after the throw.
        asked_ns: when the odds were asked for the computer's answer; None if they were not.
        answer: the computer's; None if it has not come, or a person plays.
    """

    play: MatchInPlay
    asked_ns: int | None = None
    answer: Tiles | None = None


class EndTurn(NamedTuple):
    """The turn has ended."""

    play: MatchInPlay


class EndMatch(NamedTuple):
    """The match is over; players who gave their names sign by them."""

    play: MatchInPlay


class SignResult(NamedTuple):
    """A winner, from 0, signs."""

    play: MatchInPlay
    player: int


class ShowResult(NamedTuple):
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
    | OpenStick
    | AskQuestions
    | AskNames
    | BeginMatch
    | RollForFirst
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
