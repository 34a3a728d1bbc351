"""The effects the machine asks for; carry them out in order."""

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
        is_open: the box accepts settings and names from the form now.
        walks: the list's cursor can be moved now.
    """

    settings: Settings
    names: tuple[str, ...]
    is_open: bool
    walks: bool


class Show(NamedTuple):
    """What to show. Each reader (panel, voice, page) localizes the messages itself.

    Attributes:
        screen: what to draw.
        t_ns: when this state began; animations start from here.
        mode: what the box is doing.
        player: whose turn it is, from 1; None without a match.
        open: tiles that the game, or the puzzle, holds open, rising.
        throw: the throw on the table; None if there is none.
        verdict: the judgement of the levers.
        scores: each player's score in their last finished turn; None before that.
        totals: each player's points in the match so far.
        owes: what each player owes for this match, negative if they are owed; empty until it's decided.
        winners: the winners of the match, from 1; empty until it's decided.
        reason: why the match ended; empty until then, and where the totals make it obvious.
        asleep: the panel is dark because nobody has touched the box for a while.
        language: the players' language.
        seats: the players' names or numbers; empty without a match.
        game: the game or puzzle being played, otherwise the usual game; None if it can't be played now.
        staked: whether the box shows who owes what.
        review: the coach's review of the turn or match that just ended, if there is one.
        form: the settings for a form beside the box; None if there is no form.
        beginning: the match before its first throw; None without one.
        actions: the match's actions so far, as far as the players have seen them.
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
    """Store this fact. It must be durable before any later effect is shown."""

    fact: Fact


class PlaySound(NamedTuple):
    """Play this sound on the buzzer."""

    sound: Sound


class Ask(NamedTuple):
    """Ask the odds worker; the answer arrives as an input."""

    question: Question


class AskStick(NamedTuple):
    """Ask the stick helper to do this job; the outcome arrives as an input."""

    job: StickJob


Effect: TypeAlias = Show | Keep | PlaySound | Ask | AskStick
"""One effect."""
