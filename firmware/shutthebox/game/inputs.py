"""The inputs of the machine: they come one at a time, each with its time."""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.faults import Fault, Undelivered
from shutthebox.game.stick import Stick
from shutthebox.marker import Marker
from shutthebox.odds.questions import OddsReady
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles


class Pressed(Marker):
    """The dice button was let go before 0.8 s were over."""

    __slots__ = ()


class Held(Marker):
    """The dice button has been down for 0.8 s."""

    __slots__ = ()


class HeldLong(Marker):
    """The dice button has been down for 10 s; `Held` came on the way."""

    __slots__ = ()


class LeversMoved(NamedTuple):
    """The levers have settled; `down` are those that are down now."""

    down: Tiles


class TimePassed(Marker):
    """Time has passed; given when the machine's deadline is reached, harmless at any other time."""

    __slots__ = ()


class ServicePressed(Marker):
    """The owner's button inside the box was pressed."""

    __slots__ = ()


class Deserted(Marker):
    """Nobody has touched the box for a long time. Only the machine finds this out, on `TimePassed`."""

    __slots__ = ()


class HealthChanged(NamedTuple):
    """The health of the contacts until now, by lever number."""

    health: Mapping[int, ContactHealth]


class FaultReported(NamedTuple):
    """A hardware or store fault, or None when it has cleared."""

    fault: Fault | None


class DeliveryReported(NamedTuple):
    """Why the league does not get the box's matches; None if it does, and for a box without one."""

    undelivered: Undelivered | None


class StickReported(NamedTuple):
    """The owner's stick as it is now; None if there is none."""

    stick: Stick | None


class SettingChosen(NamedTuple):
    """A setting was chosen beside the box, on a form. During a match it does nothing.

    Attributes:
        key: of the config.
        value: as in the config, a tuple for a list; anything that the menu does not offer now does nothing.
    """

    key: str
    value: object


class NamesGiven(NamedTuple):
    """The players' names were given beside the box, on a form, per seat; an empty one for none.

    During a match they do nothing.
    """

    names: tuple[str, ...]


class CursorMoved(NamedTuple):
    """The cursor of a list was moved beside the box, down by so many lines; negative: up."""

    by: int


class RulesGiven(NamedTuple):
    """House rules were given beside the box: they take the place of those given before, and are chosen.

    During a match they do nothing; nor do those that do not fit the box, or have the name of another game.
    """

    rules: Profile


FormInput: TypeAlias = SettingChosen | NamesGiven | CursorMoved | RulesGiven
"""Something that a form beside the box says."""

Input: TypeAlias = (
    Pressed
    | Held
    | HeldLong
    | LeversMoved
    | TimePassed
    | ServicePressed
    | HealthChanged
    | FaultReported
    | DeliveryReported
    | StickReported
    | FormInput
    | OddsReady
)
"""One thing that happens to the machine."""
