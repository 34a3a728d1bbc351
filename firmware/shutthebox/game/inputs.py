"""The machine's inputs. They arrive one at a time, each with a timestamp."""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.faults import Fault, Undelivered
from shutthebox.game.stick import Stick
from shutthebox.game.stored_match import KeptMatch, NoMatch
from shutthebox.link.requests import LinkReport
from shutthebox.marker import Marker
from shutthebox.odds.questions import OddsReady
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles


class Pressed(Marker):
    """The dice button was released within 0.8 s."""

    __slots__ = ()


class Held(Marker):
    """The dice button has been down for 0.8 s."""

    __slots__ = ()


class HeldOn(NamedTuple):
    """The dice button has been down for 2 s (`is_down`), or was let go after that, before `HeldLong`."""

    is_down: bool


class HeldLong(Marker):
    """The dice button has been down for 10 s; `Held` came first."""

    __slots__ = ()


class LeversMoved(NamedTuple):
    """The levers settled; `down` are the ones that are down now."""

    down: Tiles


class TimePassed(Marker):
    """Time has passed. Sent when the machine's deadline is reached; harmless at any other time."""

    __slots__ = ()


class ServicePressed(Marker):
    """The owner's button inside the box was pressed."""

    __slots__ = ()


class Deserted(Marker):
    """Nobody has touched the box for a long time. Raised by the machine itself, on `TimePassed`."""

    __slots__ = ()


class HealthChanged(NamedTuple):
    """The contacts' health counters so far, by switch number."""

    health: Mapping[int, ContactHealth]


class FaultReported(NamedTuple):
    """A hardware or store fault, or None when it has cleared."""

    fault: Fault | None


class MemoryRead(NamedTuple):
    """The memory, which couldn't be read at the start, can be now.

    Attributes:
        found: in it. A match to continue is repeated once a second until it's resumed.
    """

    found: KeptMatch | NoMatch


class DeliveryReported(NamedTuple):
    """Why the league isn't getting the box's matches; None if it is, or if the box has no league."""

    undelivered: Undelivered | None


class StickReported(NamedTuple):
    """The owner's USB stick now; None if there isn't one."""

    stick: Stick | None


class LinkReported(NamedTuple):
    """A report from the link helper. A message from the other box inside it isn't trusted yet."""

    report: LinkReport


class SettingChosen(NamedTuple):
    """A setting was chosen on the page's form. Ignored during a match.

    Attributes:
        key: of the config.
        value: as in the config, a tuple for a list; values the menu doesn't offer now are ignored.
    """

    key: str
    value: object


class NamesGiven(NamedTuple):
    """The players' names, by seat, from the page's form; an empty string for none.

    Ignored during a match.
    """

    names: tuple[str, ...]


class CursorMoved(NamedTuple):
    """A list's cursor was moved from outside the box, down by `by` lines (up if negative)."""

    by: int


class RulesGiven(NamedTuple):
    """House rules from the page: they replace the ones given before, and become the chosen game.

    Ignored during a match, if they don't fit the box, or if another game already has their name.
    """

    rules: Profile


class LeaveAsked(Marker):
    """Somebody wants to end the match: the box asks, as it does after 10 s of holding."""

    __slots__ = ()


FormInput: TypeAlias = SettingChosen | NamesGiven | CursorMoved | RulesGiven | LeaveAsked
"""Something that a form beside the box says."""

ModeInput: TypeAlias = (
    Pressed | Held | HeldLong | LeversMoved | TimePassed | Deserted | ServicePressed | SettingChosen
)
"""An input that goes to the mode, or to what covers it: a method of `shutthebox.game.modes.base`."""

Input: TypeAlias = (
    Pressed
    | Held
    | HeldOn
    | HeldLong
    | LeversMoved
    | TimePassed
    | ServicePressed
    | HealthChanged
    | FaultReported
    | MemoryRead
    | DeliveryReported
    | StickReported
    | LinkReported
    | FormInput
    | OddsReady
)
"""One thing that happens to the machine."""
