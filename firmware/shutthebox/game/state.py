"""The machine's state between two inputs: what all modes share, and the mode with its own data."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Generic, NamedTuple, TypeVar

from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.dice import Dice
from shutthebox.game.effects import AskLink, Effect, Keep, PlaySound, Sound
from shutthebox.game.facts import Fact
from shutthebox.game.faults import Fault, Undelivered
from shutthebox.game.lookups import Lookups
from shutthebox.game.messages import Message
from shutthebox.game.mode import Mode
from shutthebox.game.settings import Settings
from shutthebox.game.stick import Stick
from shutthebox.link.requests import LinkRequest, Peer
from shutthebox.rules.tiles import Tiles


class Overlay(Enum):
    """A layer that covers a mode and gets the inputs first."""

    NONE = "nothing"
    ASLEEP = "asleep"
    """The panel is dark."""
    ABANDON = "abandon"
    """The box is asking whether to abandon the match."""


class Shared(NamedTuple):
    """The state all modes share.

    Attributes:
        own_settings: this box's, choices made at it included.
        levers: the levers that are down.
        touched_ns: when somebody last touched the box.
        overlay: what covers the mode.
        fault: the fault to show; None if there's none, or once somebody touches the box in attract mode.
        notices: other lines for the owner; empty once somebody has seen them in attract mode.
        stick: the owner's USB stick; None without one.
        due: the latest stick whose settings or update take effect at the next restart.
        stick_is_new: nobody has touched the box since the stick was inserted.
        undelivered: why the league isn't getting the box's matches; None if it is.
        health: each lever's contact counters; empty before the first report.
        stuck: levers that are down and don't seem to come up.
        dead: levers that are up and don't seem to go down.
        unpressed: lever moves since the dice button was last pressed, while a press is awaited.
        knocks: how far the outer levers have been flicked in turn, to open service without the dice button.
        by_levers: service was opened that way, so a lever left down counts as a press.
        moved_ns: when a lever last moved; None once that press has happened.
        refusal: why the last input did nothing; None if it did something.
        holds_on: the button has been held for longer than a hold takes, and still is.
        code_ns: when the last wrong code was entered, or the box was switched on.
        names: three letters for each seat, empty for a seat without a name; kept until attract mode.
        is_new: no match has been finished on this box yet, so its players get tips.
        untold: the modes whose tip hasn't been given in this match; empty unless the box is new.
        boxes: what the two boxes of a linked match call themselves, by seat; empty in any other match.
        peer: where the other box of a linked match is.
        peer_levers: the levers that are down at the other box.
        sent_ns: when the other box was last told how the match stands.
    """

    own_settings: Settings
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
    holds_on: bool = False
    code_ns: int = 0
    names: tuple[str, ...] = ()
    is_new: bool = False
    untold: frozenset[Mode] = frozenset()
    boxes: tuple[str, ...] = ()
    peer: Peer = Peer.OFFLINE
    peer_levers: Tiles = 0
    sent_ns: int = 0

    @property
    def settings(self) -> Settings:
        """The settings that count now: this box's, or as much of them as two linked boxes have in common."""
        return self.own_settings.for_two_boxes if self.boxes else self.own_settings

    @property
    def asleep(self) -> bool:
        """The panel is dark."""
        return self.overlay is Overlay.ASLEEP

    def name(self, player: int) -> str:
        """A player's three letters (players count from 0); empty without a name. Boxes have none."""
        return self.names[player] if player < len(self.names) and not self.boxes else ""


class Context(NamedTuple):
    """Everything a handler may read besides its mode.

    Attributes:
        now_ns: the time of the input, on the machine's clock.
        shared: what all modes share, including the new lever positions.
        dice: where throws come from.
        lookups: look-ups in the store, the calendar and the machine.
        moved: the levers this input moved, down or up.
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
    """The result of an input.

    Attributes:
        mode: the next mode.
        effects: the effects to carry out, in order.
        shared: the new shared state; None if unchanged.
        refusal: why the input did nothing.
    """

    mode: Mode_co
    effects: tuple[Effect, ...] = ()
    shared: Shared | None = None
    refusal: Message | None = None

    def then(
        self: "Step[_Given]", handler: "Callable[[_Given, Context], Step[_Next]]", context: Context
    ) -> "Step[_Next]":
        """Continues with another handler from this step's mode; returns both as one step."""
        if self.shared is not None:
            context = context._replace(shared=self.shared)
        after = handler(self.mode, context)
        return Step(
            after.mode,
            self.effects + after.effects,
            after.shared or self.shared,
            after.refusal or self.refusal,
        )

    def preceded_by(self, *effects: Effect) -> "Step[Mode_co]":
        """This step with these effects before its own."""
        return self._replace(effects=effects + self.effects)


def refuse(mode: _Given, why: Message) -> Step[_Given]:
    """A step that changes nothing and says why."""
    return Step(mode, (PlaySound(Sound.REFUSED),), refusal=why)


def ask_link(*requests: LinkRequest) -> tuple[Effect, ...]:
    """The effects that ask the link helper for these."""
    return tuple(map(AskLink, requests))


def keep(*facts: Fact) -> tuple[Effect, ...]:
    """The effects that store these facts."""
    return tuple(map(Keep, facts))
