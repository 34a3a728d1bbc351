"""The base class of modes: a method for every input, and what holds unless a mode says something else.

A method's return annotation says where the input can lead: to a mode, or to a target
(`shutthebox.game.targets`), since modes don't know each other. So the type checker checks every transition,
and the diagram in ARCHITECTURE.md is drawn from the same annotations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, Self, TypeVar

from shutthebox.game.inputs import (
    Deserted,
    Held,
    HeldLong,
    LeversMoved,
    ModeInput,
    Pressed,
    ServicePressed,
    SettingChosen,
    TimePassed,
)
from shutthebox.game.judge import FINE, Verdict
from shutthebox.game.messages import Message
from shutthebox.game.mode import Mode
from shutthebox.game.play import MatchInPlay
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Overlay, Shared, Step
from shutthebox.game.stick import Stick
from shutthebox.game.targets import BackToAttract, OpenService, Target
from shutthebox.link.messages import Message as LinkMessage
from shutthebox.link.requests import HelperReport
from shutthebox.marker import Marker
from shutthebox.odds.questions import OddsReady

if TYPE_CHECKING:  # most modes have neither a review nor a puzzle
    from shutthebox.odds.coach import MatchReview
    from shutthebox.odds.puzzles import Puzzle

_Arguments = ParamSpec("_Arguments")
_Next = TypeVar("_Next")


def default(method: Callable[_Arguments, Step[Any]]) -> Callable[_Arguments, Step[BoxMode | Target]]:
    """A base class's way to handle an input, annotated with where it leads. Overrides may lead elsewhere."""
    return method


class Receiver(ABC):
    """Something that gets the inputs: a mode, or what covers one."""

    __slots__ = ()

    def handle(self, event: ModeInput, context: Context) -> Step[BoxMode | Target]:
        """Passes an input to its method."""
        match event:
            case Pressed():
                return self.press(context)
            case Held():
                return self.hold(context)
            case HeldLong():
                return self.hold_long(context)
            case LeversMoved():
                return self.levers(context)
            case TimePassed():
                return self.time(context)
            case Deserted():
                return self.deserted(context)
            case ServicePressed():
                return self.service(context)
            case SettingChosen():
                return self.setting(context)

    @abstractmethod
    def press(self, context: Context) -> Step[BoxMode | Target]:
        """The dice button was pressed."""

    @abstractmethod
    def hold(self, context: Context) -> Step[BoxMode | Target]:
        """The dice button was held."""

    @abstractmethod
    def hold_long(self, context: Context) -> Step[BoxMode | Target]:
        """The dice button was held for ten seconds; `hold` came first."""

    @abstractmethod
    def levers(self, context: Context) -> Step[BoxMode | Target]:
        """Levers moved; which ones, and how they stand now, is in the context."""

    @abstractmethod
    def time(self, context: Context) -> Step[BoxMode | Target]:
        """The mode's deadline may have been reached."""

    @abstractmethod
    def deserted(self, context: Context) -> Step[BoxMode | Target]:
        """Nobody has touched the box for a long time; the panel goes dark."""

    @abstractmethod
    def service(self, context: Context) -> Step[BoxMode | Target]:
        """The owner's button inside the box was pressed."""

    @abstractmethod
    def setting(self, context: Context) -> Step[BoxMode | Target]:
        """A setting was chosen on the page's form; it's in the context already."""


class BoxMode(Receiver, Marker):
    """What the box is doing.

    Attributes:
        name: the mode's name in scenarios and JSON.
        is_list: the levers move the cursor of a list.
        in_turn: it's somebody's turn, or was until just now: faults show in the corner.
        shows_tournament: the corner says that the throws come from a tournament.
        flips_tiles: levers stand for the tiles of the match, not for choices or digits.
        asks_to_leave: ten seconds of holding ask whether to end the match.
        keeps_awake: the box never counts as deserted.
        takes_settings: the page's form may change settings and names.
        awaits_press: it waits for the dice button, with no list for the levers to scroll.
        works_by_levers: it can be operated without the dice button.
        has_cursor: the page's arrow keys move it, too: `move_cursor`.
    """

    __slots__ = ()

    name: ClassVar[Mode]
    is_list: ClassVar[bool] = False
    in_turn: ClassVar[bool] = False
    shows_tournament: ClassVar[bool] = False
    flips_tiles: ClassVar[bool] = False
    asks_to_leave: ClassVar[bool] = False
    keeps_awake: ClassVar[bool] = False
    takes_settings: ClassVar[bool] = True
    awaits_press: ClassVar[bool] = False
    works_by_levers: ClassVar[bool] = False
    has_cursor: ClassVar[bool] = False
    __match_args__: ClassVar[tuple[str, ...]] = ()

    # Written once: generating them for each dataclass takes a fiftieth of the box's startup.
    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._data == other._data

    def __hash__(self) -> int:
        return hash((type(self), self._data))

    @property
    def _data(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)

    @abstractmethod
    def screen(self, shared: Shared) -> Screen:
        """The mode's screen."""

    @property
    def reads_all_levers(self) -> bool:
        """Whether levers out of play are read, too."""
        return False

    @property
    def match_in_play(self) -> MatchInPlay | None:
        """The match in progress, a throw included that the players haven't seen yet; None without a match."""
        return None

    @property
    def seen(self) -> MatchInPlay | None:
        """The match as far as the players have seen it; None without a match."""
        return None

    @property
    def pointer(self) -> Message | None:
        """A tip for the first match on a new box, if it's true now."""
        return None

    def with_play(self, play: MatchInPlay) -> BoxMode:
        """The mode with the match as it is now; only called where there is a `match_in_play`."""
        return self

    @property
    def puzzle(self) -> Puzzle | None:
        """The puzzle on the box; None outside of it."""
        return None

    @property
    def verdict(self) -> Verdict:
        """The judgement of the levers."""
        return FINE

    @property
    def review(self) -> MatchReview | None:
        """The coach's review of the match that's over, or of the turn."""
        return None

    def may_insist(self, shared: Shared) -> bool:
        """Whether ten seconds of holding leave a match that's over, without asking."""
        return False

    def move_cursor(self, by: int) -> BoxMode:
        """Moves the cursor by this many rows; only called if it `has_cursor`."""
        return self

    def follow_stick(self, before: Stick | None, stick: Stick | None) -> BoxMode:
        """What the mode becomes as a stick comes, goes, or gets on."""
        return self

    def deadline_ns(self, shared: Shared) -> int | None:
        """When `time` is due; None if nothing is scheduled."""
        return None

    def is_due(self, context: Context) -> bool:
        """Whether the deadline has been reached."""
        deadline_ns = self.deadline_ns(context.shared)
        return deadline_ns is not None and context.now_ns >= deadline_ns

    def leave(self, context: Context) -> Step[BackToAttract]:
        """Leaves the mode for good."""
        return Step(BackToAttract())

    @default
    def hold_long(self, context: Context) -> Step[Self]:
        """Asks whether to end the match, if there's one to end."""
        if not self.asks_to_leave:
            return self.ignore(context)
        return Step(self, shared=context.shared._replace(overlay=Overlay.ABANDON))

    @default
    def time(self, context: Context) -> Step[Self]:
        """Nothing: a mode with a deadline overrides it."""
        return self.ignore(context)

    @default
    def deserted(self, context: Context) -> Step[BackToAttract]:
        """Leaves the mode."""
        return self.leave(context)

    @default
    def service(self, context: Context) -> Step[OpenService]:
        """Opens the owner's list, without the owner's code."""
        return Step(OpenService(unlocked=True))

    @default
    def setting(self, context: Context) -> Step[BackToAttract]:
        """Leaves the mode, whose choices may be out of date. Only called if it `takes_settings`."""
        return self.leave(context)

    @default
    def take_advice(self, advice: OddsReady, context: Context) -> Step[Self]:
        """Takes an answer of the odds; in most modes it comes too late."""
        return Step(self)

    @default
    def hear(self, heard: LinkMessage, context: Context) -> Step[Self]:
        """Hears what the other box of a link says; in most modes it comes too late."""
        return Step(self)

    @default
    def take_report(self, report: HelperReport, context: Context) -> Step[Self]:
        """Takes a report of the link helper; in most modes it comes too late."""
        return Step(self)

    def ignore(self, context: Context) -> Step[Self]:
        """Changes nothing, not even what the screen says about the last input."""
        return Step(self, refusal=context.shared.refusal)


class Cover(Receiver):
    """What covers a mode and gets the inputs first. What it doesn't handle, it passes on.

    Args:
        beneath: the mode.
    """

    def __init__(self, beneath: BoxMode) -> None:
        self.beneath = beneath

    def lift(self, context: Context) -> Step[BoxMode]:
        """Goes back to the covered mode, and passes nothing on to it."""
        return Step(self.beneath, shared=context.shared._replace(overlay=Overlay.NONE))

    def lift_for(self, method: Callable[[Context], Step[_Next]], context: Context) -> Step[_Next]:
        """Goes back to the covered mode, and then runs one of its methods."""
        return self.lift(context).then(lambda _, uncovered: method(uncovered), context)

    def press(self, context: Context) -> Step[BoxMode | Target]:
        """Passes the press on to the covered mode, which stays covered."""
        return self.beneath.press(context)

    def hold(self, context: Context) -> Step[BoxMode | Target]:
        """Passes the hold on to the covered mode, which stays covered."""
        return self.beneath.hold(context)

    def hold_long(self, context: Context) -> Step[BoxMode | Target]:
        """Passes the long hold on to the covered mode, which stays covered."""
        return self.beneath.hold_long(context)

    def levers(self, context: Context) -> Step[BoxMode | Target]:
        """Passes the levers on to the covered mode, which stays covered."""
        return self.beneath.levers(context)

    def time(self, context: Context) -> Step[BoxMode | Target]:
        """Passes the time on to the covered mode, whose deadlines still hold."""
        return self.beneath.time(context)

    def deserted(self, context: Context) -> Step[BoxMode | Target]:
        """Lets the covered mode handle being deserted."""
        return self.beneath.deserted(context)

    def service(self, context: Context) -> Step[BoxMode | Target]:
        """Passes the service gesture on to the covered mode, which stays covered."""
        return self.beneath.service(context)

    def setting(self, context: Context) -> Step[BoxMode | Target]:
        """Passes a setting on to the covered mode, which stays covered."""
        return self.beneath.setting(context)
