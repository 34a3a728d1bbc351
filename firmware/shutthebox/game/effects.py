"""The effects the machine asks for; carry them out in order."""

from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from shutthebox.game.facts import Fact
from shutthebox.game.judge import FINE, Verdict
from shutthebox.game.lever_tiles import LeverTile
from shutthebox.game.messages import Text
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.game.settings import Settings
from shutthebox.game.stick import StickJob
from shutthebox.link.requests import LinkRequest
from shutthebox.odds.questions import Question
from shutthebox.rules.actions import Action
from shutthebox.rules.match import Match
from shutthebox.rules.profile import Profile

if TYPE_CHECKING:  # displaying a review needs no solver
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
        names: the letters given for each seat; empty for none.
        is_open: the box accepts settings and names from the form now.
        walks: the list's cursor can be moved now.
        leaves: there's a match that players may end before it's over.
    """

    settings: Settings
    names: tuple[str, ...]
    is_open: bool
    walks: bool
    leaves: bool = False


class Scene(NamedTuple):
    """What's going on, as far as the players have seen it: what the page, scores, voice and scenarios read.

    It's immutable, so any thread may read it. The state of the machine belongs to the main thread alone.
    """

    player: int | None = None
    """Whose turn it is, from 1; None without a match."""
    open: tuple[int, ...] = ()
    """Tiles that the game, or the puzzle, holds open, rising."""
    lever_tiles: tuple[LeverTile, ...] = ()
    """The tiles that levers move now, where they don't simply bear the levers' numbers."""
    hidden: tuple[int, ...] = ()
    """The numbers of open tiles behind open ones, rising."""
    flips_tiles: bool = False
    """Whether levers stand for tiles now, not for choices or digits."""
    throw: tuple[int, ...] | None = None
    """The throw on the table; None if there is none, or while the dice tumble."""
    verdict: Verdict = FINE
    """The judgement of the levers."""
    scores: tuple[int | None, ...] = ()
    """Each player's score in their last finished turn; None before that."""
    totals: tuple[int, ...] = ()
    """Each player's points in the match so far."""
    owes: tuple[Fraction, ...] = ()
    """What each player owes for this match, negative if they are owed; empty until it's decided."""
    winners: tuple[int, ...] = ()
    """The winners of the match, from 1; empty until it's decided."""
    reason: Text = ""
    """Why the match ended; empty until then, and where the totals make it obvious."""
    seats: tuple[Text, ...] = ()
    """The players' names or numbers; empty without a match."""
    game: Profile | None = None
    """The game or puzzle being played, otherwise the usual game; None if it can't be played now."""
    staked: bool = False
    """Whether the box shows who owes what."""
    review: "MatchReview | None" = None
    """The coach's review of the turn or match that just ended, if there is one."""
    form: Form | None = None
    heard: Text = ""
    """What the player at the other box has just shut, for those who can't see the tiles."""
    beginning: Match | None = None
    """The match before its first throw; None if there's none."""
    actions: tuple[Action, ...] = ()
    """The match's actions so far, as far as the players have seen them."""


class Show(NamedTuple):
    """Show the picture on the panel, and the scene. Each reader localizes the messages itself."""

    screen: Screen
    t_ns: int
    """When this state began; animations start from here."""
    asleep: bool = False
    """The panel is dark because nobody has touched the box for a while."""
    language: str = "en"
    """The players' language."""
    scene: Scene = Scene()

    @property
    def mode(self) -> Mode:
        """What the box is doing."""
        return self.screen.mode


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


class AskLink(NamedTuple):
    """Ask the link helper this; the outcome arrives as an input.

    Everything kept earlier must be durable by then, because the other box is told about it.
    """

    request: LinkRequest


Effect: TypeAlias = Show | Keep | PlaySound | Ask | AskStick | AskLink
"""One effect."""
