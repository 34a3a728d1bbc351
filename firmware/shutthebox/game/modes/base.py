"""The base classes of modes. A mode is an immutable value."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

from shutthebox.game.effects import PlaySound, Sound
from shutthebox.game.facts import ClockShown, PlayersLeft
from shutthebox.game.messages import Message, message
from shutthebox.game.mode import Mode
from shutthebox.game.play import MatchInPlay, apply_and_keep, keep_departure, leave_peer, tick_clock
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step, keep, refuse
from shutthebox.game.targets import AfterAction, BackToAttract, Part, after
from shutthebox.marker import Marker
from shutthebox.rules.actions import OutOfTime


class BoxMode(Marker, ABC):
    """What the box is doing.

    Attributes:
        name: the mode's name in scenarios and JSON.
        is_list: the levers move the cursor of a list.
        in_turn: it's somebody's turn, or was until just now: faults show in the corner.
        shows_tournament: the corner says that the throws come from a tournament.
        flips_tiles: levers stand for the tiles of the match, not for choices or digits.
    """

    __slots__ = ()

    name: ClassVar[Mode]
    is_list: ClassVar[bool] = False
    in_turn: ClassVar[bool] = False
    shows_tournament: ClassVar[bool] = False
    flips_tiles: ClassVar[bool] = False
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

    def deadline_ns(self, shared: Shared) -> int | None:
        """When `TimePassed` is due; None if nothing is scheduled."""
        return None


@dataclass(frozen=True, slots=True, eq=False)
class MatchMode(BoxMode):
    """A mode in which a match is in progress.

    Attributes:
        play: the match.
    """

    play: MatchInPlay

    @property
    def pointer(self) -> Message | None:
        """A tip for the first match on a new box, if it's true now."""
        return None


class TurnMode(MatchMode):
    """A mode within a turn, during which the player's clock runs, if there is one."""

    __slots__ = ()

    in_turn: ClassVar[bool] = True
    shows_tournament: ClassVar[bool] = True
    flips_tiles: ClassVar[bool] = True

    def deadline_ns(self, shared: Shared) -> int | None:
        """When the player's clock next changes."""
        return self.play.clock.next_ns if self.play.clock else None


_Mode = TypeVar("_Mode", bound=BoxMode)
_MatchMode = TypeVar("_MatchMode", bound=MatchMode)


def stay(mode: _Mode, context: Context) -> Step[_Mode]:
    """Stays in the mode; only the overlay changes."""
    return Step(mode)


def wake(mode: _Mode, context: Context) -> Step[_Mode]:
    """Wakes up in the same mode."""
    return Step(mode, (PlaySound(Sound.WAKE),))


def leave(mode: MatchMode, context: Context) -> Step[BackToAttract]:
    """Abandons a match, or leaves a finished one, on request or because nobody is there."""
    play = mode.play
    noted = keep_departure(play, play.linked.seat) if play.linked else ()
    return Step(BackToAttract(), (*noted, *keep(PlayersLeft()), *leave_peer(play)))


def part(why: Message) -> Step[Part]:
    """Ends a match with another box that doesn't count, and says why."""
    return Step(Part(why), keep(PlayersLeft()))


def not_in_a_match(mode: _Mode, context: Context) -> Step[_Mode]:
    """Refuses to open service during a match."""
    return refuse(mode, message("Not in a match"))


def tick(mode: _MatchMode, context: Context) -> Step[_MatchMode | AfterAction]:
    """Advances the clock of the current player; the turn ends when time runs out."""
    play = tick_clock(mode.play, context)
    if not play.is_out_of_time:
        clock = play.clock
        facts = keep(ClockShown(clock.shown_s)) if clock and clock != mode.play.clock else ()
        return Step(replace(mode, play=play), facts, refusal=context.shared.refusal)
    play, effects = apply_and_keep(play, OutOfTime())
    return Step(after(play), effects)
