"""What the machine asks of the world, in the order in which it has to happen."""

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.rules.actions import Action
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.match import Match


class Sound(StrEnum):
    """What the buzzer says."""

    WAKE = "wake"
    CHOICE = "choice"
    ROLL = "roll"
    FAULT = "fault"
    COMPLETE = "complete"
    REFUSED = "refused"
    BLOCKED = "blocked"
    SHUT = "shut"
    WIN = "win"


@dataclass(frozen=True, slots=True)
class Show:
    """Put this on the panel.

    Attributes:
        screen: what to draw.
        t_ns: when it came about; animations count from here.
        mode: what the box is doing.
        player: whose turn it is, from 1; None without a match.
        open: tiles that the game holds open, rising.
        throw: the throw on the table; None if there is none.
        verdict: on the levers, as scenarios write it.
        scores: per player the score of the last finished turn; None before it.
        totals: per player the points of the match so far.
        owes: per player the stakes owed until settled, negative: to get; this match's as soon
            as it is decided.
        winners: who has won the match, from 1; empty before.
        asleep: nobody has touched the box for long: show nothing.
    """

    screen: Screen
    t_ns: int
    mode: Mode
    player: int | None
    open: tuple[int, ...]
    throw: tuple[int, ...] | None
    verdict: str
    scores: tuple[int | None, ...]
    totals: tuple[int, ...]
    owes: tuple[Fraction, ...]
    winners: tuple[int, ...]
    asleep: bool = False


@dataclass(frozen=True, slots=True)
class Began:
    """A match has been begun; `match` is its position before the first throw."""

    match: Match
    conditions: Conditions = field(default_factory=Conditions)


@dataclass(frozen=True, slots=True)
class Resumed:
    """The match on the table goes on after the box was off; its conditions may be others now."""

    conditions: Conditions


@dataclass(frozen=True, slots=True)
class Left:
    """The players have left the match: given it up, or finished with its result."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The match has been decided; `match` is its position, with the result."""

    match: Match


@dataclass(frozen=True, slots=True)
class Signed:
    """The winner (a player from 0) has left initials for the hall of fame."""

    player: int
    initials: str


@dataclass(frozen=True, slots=True)
class Settled:
    """The players have paid each other what the matches so far left them owing."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A setting was changed at the box: a dotted key of the config, and its new value.

    None forgets what was chosen before.
    """

    key: str
    value: str | int | bool | tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Faulted:
    """Something around the box has failed. The same again within an hour is not kept again.

    Attributes:
        kind: the part, one word: "lever", "display", "store" and so on.
        text: what is wrong with it, one line of English, for the owner.
    """

    kind: str
    text: str


Fact: TypeAlias = Began | Resumed | Action | Finished | Signed | Settled | Left | Chosen | Faulted


@dataclass(frozen=True, slots=True)
class Record:
    """Keep this fact. It must be durable before anything that follows is shown."""

    fact: Fact


@dataclass(frozen=True, slots=True)
class Play:
    """Let the buzzer say this."""

    sound: Sound


Effect: TypeAlias = Show | Record | Play
