"""Where an input can lead. Handlers return targets as values, so modes don't depend on each other.

`shutthebox.game.entrances` maps each target to its mode.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, assert_never

from shutthebox.game.messages import Text
from shutthebox.game.play import MatchInPlay
from shutthebox.link.match import LinkedMatch
from shutthebox.link.messages import Rematch
from shutthebox.link.rematch import begun_message, next_match
from shutthebox.marker import Marker
from shutthebox.rules.match import Match
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles

if TYPE_CHECKING:  # the first screen needs neither a puzzle nor a throw
    from shutthebox.game.daily import Daily
    from shutthebox.game.typed_throw import TypedThrow


class BackToAttract(Marker):
    """Nobody plays."""

    __slots__ = ()


class OpenMenu(Marker):
    """The menu, from its top."""

    __slots__ = ()


class OpenPuzzle(NamedTuple):
    """The puzzle of the day."""

    daily: "Daily"


class OpenService(NamedTuple):
    """The owner's list.

    Attributes:
        unlocked: by the button inside the box, or by the owner's code.
        past_stick: skip the stick's list, which otherwise comes first if a stick is in.
    """

    unlocked: bool
    past_stick: bool = False


class OpenStick(NamedTuple):
    """The list of what the owner's stick offers."""

    unlocked: bool


class AskQuestions(Marker):
    """The questions before a match, if there are any."""

    __slots__ = ()


class AskNames(NamedTuple):
    """The players' names, if they are asked for; then this game begins."""

    game: Profile


class BeginMatch(NamedTuple):
    """A match from its beginning.

    Attributes:
        match: before its first throw.
        tally: what each player owes from earlier matches this evening.
        rolled: the roll-off has already decided who begins.
    """

    match: Match
    tally: tuple[Fraction, ...] = ()
    rolled: bool = False


class RollForFirst(NamedTuple):
    """A roll-off for who begins this match."""

    match: Match
    tally: tuple[Fraction, ...]


class OpenLink(Marker):
    """The questions that lead to a match with another box."""

    __slots__ = ()


class BeginLinked(NamedTuple):
    """A linked match from its beginning.

    Attributes:
        linked: this box's log of it.
        game: with the name that this box has for it.
        secret: of this box's dice.
        answer: tells the other box that the rematch has begun; None for a first match.
    """

    linked: LinkedMatch
    game: Profile
    secret: str
    answer: Rematch | None = None


class Watch(NamedTuple):
    """It's the turn of the other box, or the result waits for it."""

    play: MatchInPlay


class AwaitLink(NamedTuple):
    """The dice are thrown as soon as the other box has revealed its link."""

    play: MatchInPlay


class BreakOff(NamedTuple):
    """A linked match ends without a result.

    Attributes:
        why: in one sentence.
    """

    why: Text


class AwaitThrow(NamedTuple):
    """The next throw, once the levers match the player's row."""

    play: MatchInPlay


class LeversFit(NamedTuple):
    """The next throw; the levers already match.

    Attributes:
        play: before the throw.
        voided: the throw of real dice that a double press has just voided; None if none has.
    """

    play: MatchInPlay
    voided: "TypedThrow | None" = None


class RollDice(NamedTuple):
    """The box throws this many dice, or draws a domino."""

    play: MatchInPlay
    dice: int


class Tumble(NamedTuple):
    """The dice tumble; the throw is kept already.

    Attributes:
        play: after the throw.
        seen: the position that the players still see.
    """

    play: MatchInPlay
    seen: Match


class EnterThrow(NamedTuple):
    """Players enter a throw of this many real dice.

    Attributes:
        play: before the throw.
        dice: how many.
        pressed: the press that led here is the throw's first.
        voided: the throw that a double press has just voided; None if none has.
    """

    play: MatchInPlay
    dice: int
    pressed: bool
    voided: "TypedThrow | None" = None


class AnswerThrow(NamedTuple):
    """A throw is on the table.

    Attributes:
        play: after the throw.
        asked_ns: when the odds were asked for the computer's answer; None if they weren't.
        answer: the computer's answer; None if it hasn't arrived, or a person plays.
    """

    play: MatchInPlay
    asked_ns: int | None = None
    answer: Tiles | None = None


class EndTurn(NamedTuple):
    """The turn has ended."""

    play: MatchInPlay


class EndMatch(NamedTuple):
    """The match is over; players who gave names sign with them."""

    play: MatchInPlay


class SignResult(NamedTuple):
    """A winner, from 0, signs."""

    play: MatchInPlay
    player: int


class ShowResult(NamedTuple):
    """The result, with the letters of the players who just signed."""

    play: MatchInPlay
    letters: Mapping[int, str]


AfterAction: TypeAlias = AwaitThrow | AnswerThrow | EndTurn | EndMatch | Watch | AwaitLink
"""Where an action of a match can lead."""

Target: TypeAlias = (
    BackToAttract
    | OpenMenu
    | OpenPuzzle
    | OpenService
    | OpenStick
    | OpenLink
    | BeginLinked
    | BreakOff
    | AskQuestions
    | AskNames
    | BeginMatch
    | RollForFirst
    | AfterAction
    | LeversFit
    | RollDice
    | Tumble
    | EnterThrow
    | SignResult
    | ShowResult
)
"""Where an input can lead."""


def after(play: MatchInPlay) -> AfterAction:
    """Where play continues after an action: by the match's stage, and by whose turn it is in a linked one."""
    stage = play.match.stage
    if not play.is_ours and not (stage is Stage.FINISHED and play.is_settled):
        return Watch(play)
    if play.linked is not None and play.linked.rolled is not None:
        return AwaitLink(play)
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


def begin_again(play: MatchInPlay) -> BeginLinked | None:
    """The next linked match; None unless the players at both boxes want it."""
    last = play.linked
    linked = next_match(last, play.match) if last is not None else None
    if last is None or linked is None:
        return None
    answer = begun_message(linked, last.agreement.session)
    return BeginLinked(linked, play.match.game, last.next_secret, answer)
