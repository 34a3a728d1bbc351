"""The inputs of the machine: they come one at a time, each with its time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.faults import Fault, Undelivered
from shutthebox.odds.worths import Advice
from shutthebox.rules.actions import Action
from shutthebox.rules.match import Match
from shutthebox.rules.tiles import Tiles

if TYPE_CHECKING:  # a reader of reviews needs no solver
    from shutthebox.odds.coach import MatchReview


@dataclass(frozen=True, slots=True)
class Pressed:
    """The dice button was let go before 0.8 s were over."""


@dataclass(frozen=True, slots=True)
class Held:
    """The dice button has been down for 0.8 s."""


@dataclass(frozen=True, slots=True)
class HeldLong:
    """The dice button has been down for 10 s; `Held` came on the way."""


@dataclass(frozen=True, slots=True)
class LeversMoved:
    """The levers have settled; `down` are those that are down now."""

    down: Tiles


@dataclass(frozen=True, slots=True)
class TimeCame:
    """Time has passed; given when the machine's deadline is reached, harmless at any other time."""


@dataclass(frozen=True, slots=True)
class ServicePressed:
    """The owner's button inside the box was pressed."""


@dataclass(frozen=True, slots=True)
class Deserted:
    """Nobody has touched the box for long. The machine finds it out, when `TimeCame`; nobody else says it."""


@dataclass(frozen=True, slots=True)
class HealthChanged:
    """The health of the contacts until now, by lever number."""

    health: Mapping[int, ContactHealth]


@dataclass(frozen=True, slots=True)
class FaultReported:
    """A hardware or store fault, or None when it has cleared."""

    fault: Fault | None


@dataclass(frozen=True, slots=True)
class DeliveryReported:
    """Why the league does not get the box's matches; None if it does, and for a box without one."""

    undelivered: Undelivered | None


@dataclass(frozen=True, slots=True)
class HintCame:
    """What is best for the player at turn; None where the odds are not known."""

    match: Match
    hint: Advice | None


@dataclass(frozen=True, slots=True)
class DiceCame:
    """How many dice the computer throws at this position."""

    match: Match
    dice: int


@dataclass(frozen=True, slots=True)
class AnswerCame:
    """The tiles that the computer shuts (or opens) at this position; none to pass."""

    match: Match
    tiles: Tiles


@dataclass(frozen=True, slots=True)
class ReviewCame:
    """Luck and decisions of a match, or of one turn of it; None where the odds are not known."""

    beginning: Match
    actions: tuple[Action, ...]
    review: MatchReview | None


@dataclass(frozen=True, slots=True)
class SettingChosen:
    """A setting was chosen beside the box, on a form. During a match it does nothing.

    Attributes:
        key: of the config.
        value: as in the config, a tuple for a list; anything that the menu does not offer now does nothing.
    """

    key: str
    value: object


@dataclass(frozen=True, slots=True)
class NamesGiven:
    """The players' names were given beside the box, on a form, per seat; an empty one for none.

    During a match they do nothing.
    """

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CursorMoved:
    """The cursor of a list was moved beside the box, down by so many lines; negative: up."""

    by: int


FormInput: TypeAlias = SettingChosen | NamesGiven | CursorMoved
"""Something that a form beside the box says."""

OddsCame: TypeAlias = HintCame | DiceCame | AnswerCame | ReviewCame
"""An answer of the odds, some time after the question."""

Input: TypeAlias = (
    Pressed
    | Held
    | HeldLong
    | LeversMoved
    | TimeCame
    | ServicePressed
    | HealthChanged
    | FaultReported
    | DeliveryReported
    | FormInput
    | OddsCame
)
"""One thing that happens to the machine."""
