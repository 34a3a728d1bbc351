"""The facts that the machine asks to be kept: they survive a pulled plug."""

from typing import NamedTuple, TypeAlias

from shutthebox.plain import Plain
from shutthebox.rules.actions import Action
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.match import Match


class Began(NamedTuple):
    """A match has been begun; `match` is its position before the first throw."""

    match: Match
    conditions: Conditions = Conditions()


class Resumed(NamedTuple):
    """The match on the table goes on after the box was off; its conditions may be others now."""

    conditions: Conditions


class ClockShown(NamedTuple):
    """The player at turn has so many whole seconds left; a pulled plug does not give them back."""

    seconds: int

    def to_text(self) -> str:
        """For example ``clock 7``."""
        return f"clock {self.seconds}"


class Left(Plain):
    """The players have left the match: abandoned it, or seen its result."""

    __slots__ = ()


class Finished(NamedTuple):
    """The match has been decided: its position, with the result."""

    match: Match


class Signed(NamedTuple):
    """The winner (a player from 0) has left initials for the hall of fame."""

    player: int
    initials: str


BEST = "best."
"""Prefix of the key of a `Chosen` that is no setting: the best total of the ladder whose name follows."""


STREAK = "puzzle.streak"
"""Key of a `Chosen` that is no setting either: the day of the last answered puzzle, and the streak."""


RULES = "rules.page"
"""Key of a `Chosen` that is no setting either: the house rules that were given beside the box, as TOML."""


WRONG_CODES = "service.wrong_codes"
"""Key of a `Chosen` that is no setting either: how often the owner's code was wrong since it was right."""


class Chosen(NamedTuple):
    """A setting was changed at the box: a dotted key of the config, and its new value.

    None forgets what was chosen before. The best total of a ladder, the streak of the puzzles and the
    count of wrong codes are kept in the same way.
    """

    key: str
    value: str | int | bool | tuple[int | tuple[int, ...], ...] | None


class Faulted(NamedTuple):
    """The hardware, the store or the rules have failed. The same fault is kept once an hour at most.

    Attributes:
        kind: one word: "lever", "service", "store", or the value of a `Fault` or a `MachineFault`.
        text: what is wrong with it, one line of English, for the owner.
    """

    kind: str
    text: str


Fact: TypeAlias = Began | Resumed | Action | ClockShown | Finished | Signed | Left | Chosen | Faulted
"""Something that is kept, in the order in which it happened."""
