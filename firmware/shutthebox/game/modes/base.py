"""A mode: a frozen value with its own data, under the name that scenarios and JSON use."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

from shutthebox.game.effects import PlaySound, Sound
from shutthebox.game.facts import ClockShown, PlayersLeft
from shutthebox.game.messages import Message, message
from shutthebox.game.mode import Mode
from shutthebox.game.play import MatchInPlay, apply_and_keep, tick_clock
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step, keep, refuse
from shutthebox.game.targets import AfterAction, BackToAttract, after
from shutthebox.marker import Marker
from shutthebox.rules.actions import OutOfTime


class BoxMode(Marker, ABC):
    """Something that the box is doing.

    Attributes:
        name: for scenarios and JSON.
        is_list: hands move the cursor of a list.
        in_turn: a player is at turn, or has just been: the corner shows a fault.
        shows_tournament: the corner says that the throws are those of a tournament.
    """

    __slots__ = ()

    name: ClassVar[Mode]
    is_list: ClassVar[bool] = False
    in_turn: ClassVar[bool] = False
    shows_tournament: ClassVar[bool] = False

    @abstractmethod
    def screen(self, shared: Shared) -> Screen:
        """The mode's screen."""

    def deadline_ns(self, shared: Shared) -> int | None:
        """When `TimePassed` is due; None if nothing happens by itself."""
        return None


@dataclass(frozen=True, slots=True)
class MatchMode(BoxMode):
    """A mode in which a match is on the table.

    Attributes:
        play: the match.
        pointer: what hands do now, for whoever plays the first match on a new box; None for nothing.
    """

    pointer: ClassVar[Message | None] = None

    play: MatchInPlay


class TurnMode(MatchMode):
    """A mode of a turn that goes on: the clock of the player runs, if there is one."""

    __slots__ = ()

    in_turn: ClassVar[bool] = True
    shows_tournament: ClassVar[bool] = True

    def deadline_ns(self, shared: Shared) -> int | None:
        """When the player's clock shows another second."""
        return self.play.clock.next_ns if self.play.clock else None


_Mode = TypeVar("_Mode", bound=BoxMode)
_MatchMode = TypeVar("_MatchMode", bound=MatchMode)


def stay(mode: _Mode, context: Context) -> Step[_Mode]:
    """Only what lies over the mode changes."""
    return Step(mode)


def wake(mode: _Mode, context: Context) -> Step[_Mode]:
    """The box wakes as it fell asleep."""
    return Step(mode, (PlaySound(Sound.WAKE),))


def leave(mode: MatchMode, context: Context) -> Step[BackToAttract]:
    """Abandons the match, or leaves a decided one: by a hand, or after a long time without one."""
    return Step(BackToAttract(), keep(PlayersLeft()))


def not_in_a_match(mode: _Mode, context: Context) -> Step[_Mode]:
    """Service has to wait."""
    return refuse(mode, message("Not in a match"))


def tick(mode: _MatchMode, context: Context) -> Step[_MatchMode | AfterAction]:
    """The clock of the player at turn goes on; when it has come to its end, the turn is over."""
    play = tick_clock(mode.play, context)
    if not play.is_out_of_time:
        clock = play.clock
        facts = keep(ClockShown(clock.shown_s)) if clock and clock != mode.play.clock else ()
        return Step(replace(mode, play=play), facts, refusal=context.shared.refusal)
    play, effects = apply_and_keep(play, OutOfTime())
    return Step(after(play), effects)
