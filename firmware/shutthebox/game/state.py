"""The machine's state between two inputs: the part that all modes share, and the mode with its own data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Generic, NamedTuple, TypeVar

from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.dice import Dice
from shutthebox.game.effects import Effect, Keep, PlaySound, Sound
from shutthebox.game.facts import Fact
from shutthebox.game.faults import Fault, Undelivered
from shutthebox.game.lookups import Lookups
from shutthebox.game.messages import Message
from shutthebox.game.mode import Mode
from shutthebox.game.settings import Settings
from shutthebox.game.stick import Stick
from shutthebox.rules.tiles import Tiles


class Overlay(Enum):
    """What lies over a mode, and takes the inputs first."""

    NONE = "nothing"
    ASLEEP = "asleep"
    """The panel is dark."""
    ABANDON = "abandon"
    """The box asks whether to abandon the match."""


class Shared(NamedTuple):
    """The part of the state that every mode may read.

    Attributes:
        settings: the settings now, choices made at the box included.
        levers: the levers that are down.
        touched_ns: when a hand last did something.
        overlay: what lies over the mode.
        fault: to show; None without one, and once a touch in attract has shown that it was seen.
        notices: what else the owner should know, a line each; none once somebody has seen them in attract.
        stick: the owner's; None without one.
        due: the latest stick whose settings or update wait for a restart of the machine.
        stick_is_new: nobody has touched the box since it was put in.
        undelivered: why the league does not get the box's matches; None if it does.
        health: per lever what its contact has done; empty before the first report.
        stuck: levers that are down and seem not to come up.
        dead: levers that are up and seem not to go down.
        unpressed: how often levers have moved, where a press is awaited, since the dice button was pressed.
        knocks: how far the outer levers have been flicked in turn, to open service without the dice button.
        by_levers: service was opened so: a lever that is left down is a press.
        moved_ns: when a lever last moved; None once that press has been given.
        refusal: why the last input did nothing; None if it did something.
        code_ns: when the owner's code was wrong last, or the box was switched on.
        names: per seat three letters, empty for a seat without a name; kept until attract.
        is_new: no match has been finished on this box, so that its players are shown the way.
        untold: the modes whose pointer has not been told in this match; empty where the box is not new.
    """

    settings: Settings
    levers: Tiles
    touched_ns: int
    overlay: Overlay = Overlay.NONE
    fault: Fault | None = None
    notices: tuple[str, ...] = ()
    stick: Stick | None = None
    due: Stick | None = None
    stick_is_new: bool = False
    undelivered: Undelivered | None = None
    health: Mapping[int, ContactHealth] = {}
    stuck: Tiles = 0
    dead: Tiles = 0
    unpressed: int = 0
    knocks: int = 0
    by_levers: bool = False
    moved_ns: int | None = None
    refusal: Message | None = None
    code_ns: int = 0
    names: tuple[str, ...] = ()
    is_new: bool = False
    untold: frozenset[Mode] = frozenset()

    @property
    def asleep(self) -> bool:
        """The panel is dark."""
        return self.overlay is Overlay.ASLEEP

    def name(self, player: int) -> str:
        """The letters of a player, counted from 0; empty without a name."""
        return self.names[player] if player < len(self.names) else ""


class Context(NamedTuple):
    """Everything that a handler may read besides its mode.

    Attributes:
        now_ns: the time of the input, on the machine's clock.
        shared: what all modes share, the new position of the levers included.
        dice: where throws come from.
        lookups: answers from the store, the calendar and the machine.
        moved: levers that this input has put down or up.
    """

    now_ns: int
    shared: Shared
    dice: Dice
    lookups: Lookups
    moved: Tiles


Mode_co = TypeVar("Mode_co", covariant=True)
_Given = TypeVar("_Given")
_Next = TypeVar("_Next")


class Step(NamedTuple, Generic[Mode_co]):
    """The outcome of an input.

    Attributes:
        mode: the mode after it.
        effects: what is asked of the world, in order.
        shared: what all modes share after it; None for no change.
        refusal: why the input did nothing.
    """

    mode: Mode_co
    effects: tuple[Effect, ...] = ()
    shared: Shared | None = None
    refusal: Message | None = None

    def then(
        self: Step[_Given], handler: Callable[[_Given, Context], Step[_Next]], context: Context
    ) -> Step[_Next]:
        """This step and the handler's, which starts from its mode, as one."""
        if self.shared is not None:
            context = context._replace(shared=self.shared)
        after = handler(self.mode, context)
        return Step(
            after.mode,
            self.effects + after.effects,
            after.shared or self.shared,
            after.refusal or self.refusal,
        )

    def preceded_by(self, *effects: Effect) -> Step[Mode_co]:
        """The same step with these effects before its own."""
        return self._replace(effects=effects + self.effects)


def refuse(mode: _Given, why: Message) -> Step[_Given]:
    """An input that does nothing, and says why."""
    return Step(mode, (PlaySound(Sound.REFUSED),), refusal=why)


def keep(*facts: Fact) -> tuple[Effect, ...]:
    """The effects that keep these facts."""
    return tuple(map(Keep, facts))
