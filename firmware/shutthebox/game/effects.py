"""The effects that the machine asks for, in the order in which they have to be carried out."""

from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from shutthebox.game.facts import Fact
from shutthebox.game.judge import Verdict
from shutthebox.game.messages import Text
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.game.settings import Settings
from shutthebox.game.stick import StickJob
from shutthebox.odds.questions import Question
from shutthebox.rules.actions import Action
from shutthebox.rules.match import Match
from shutthebox.rules.profile import Profile

if TYPE_CHECKING:  # a reader of reviews needs no solver
    from shutthebox.odds.coach import MatchReview


class Sound(StrEnum):
    """The tunes of the buzzer."""

    WAKE = "wake"
    CHOICE = "choice"
    ROLL = "roll"
    FAULT = "fault"
    COMPLETE = "complete"
    REFUSED = "refused"
    BLOCKED = "blocked"
    SHUT = "shut"
    WIN = "win"
    FANFARE = "fanfare"


class Form(NamedTuple):
    """The settings for a form beside the box.

    Attributes:
        settings: as they are now.
        names: per seat the letters that were given, empty for none.
        is_open: the box takes a setting or names from the form now.
        walks: the cursor of a list can be moved now.
    """

    settings: Settings
    names: tuple[str, ...]
    is_open: bool
    walks: bool


class Show(NamedTuple):
    """The box as it is to be shown; each reader puts the messages into its own words.

    Attributes:
        screen: what to draw.
        t_ns: when it came about; animations count from here.
        mode: what the box is doing.
        player: whose turn it is, from 1; None without a match.
        open: tiles that the game, or the puzzle, holds open, rising.
        throw: the throw on the table; None if there is none.
        verdict: on the levers.
        scores: per player the score of the last finished turn; None before it.
        totals: per player the points of the match so far.
        owes: per player the stakes owed for this match, negative: to get; empty before it is
            decided.
        winners: who has won the match, from 1; empty before.
        reason: why the match is over; empty before, and where totals say it.
        asleep: nobody has touched the box for long: show nothing.
        language: of the players.
        seats: how each player is called; empty without a match.
        game: the one on the table, or of the puzzle; else the usual one. None if that cannot be played now.
        staked: the box says who owes what.
        review: of the turn or the match that is over, where the coach has been heard.
        form: for a form beside the box; None for none.
        beginning: of the match, before its first throw; None without one.
        actions: of the match since, as far as the players have seen them.
    """

    screen: Screen
    t_ns: int
    mode: Mode
    player: int | None
    open: tuple[int, ...]
    throw: tuple[int, ...] | None
    verdict: Verdict
    scores: tuple[int | None, ...]
    totals: tuple[int, ...]
    owes: tuple[Fraction, ...]
    winners: tuple[int, ...]
    reason: Text = ""
    asleep: bool = False
    language: str = "en"
    seats: tuple[Text, ...] = ()
    game: Profile | None = None
    staked: bool = False
    review: "MatchReview | None" = None
    form: Form | None = None
    beginning: Match | None = None
    actions: tuple[Action, ...] = ()


class Keep(NamedTuple):
    """Keep this fact. It must be durable before anything that follows is shown."""

    fact: Fact


class PlaySound(NamedTuple):
    """Let the buzzer say this."""

    sound: Sound


class Ask(NamedTuple):
    """Ask the odds; the answer comes as an input."""

    question: Question


class AskStick(NamedTuple):
    """Ask the stick's helper for this job; what comes of it is an input."""

    job: StickJob


Effect: TypeAlias = Show | Keep | PlaySound | Ask | AskStick
"""One effect."""
