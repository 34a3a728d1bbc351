"""The facts the machine stores. They survive a power cut."""

import json
import re
from typing import NamedTuple, TypeAlias, cast

from shutthebox.link.match import Agreement, LinkedMatch, Revealed, Rolled, join
from shutthebox.marker import Marker
from shutthebox.rules.actions import Action
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.linked_dice import DiceChain
from shutthebox.rules.match import Match

_encode = json.JSONEncoder(separators=(",", ":")).encode


def fact_line(word: str, *values: object) -> str:
    """How facts other than actions are written: a word and its values as JSON."""
    return f"{word} {_encode(values)}"


class Linked(NamedTuple):
    """The link of a match to another box. Its throws follow from both boxes' links.

    Attributes:
        agreement: of both boxes.
        seat: this box's, from 0.
        secret: of this box's dice.
        pairing: the session in which it's played, if it isn't the first match there; otherwise empty.
    """

    agreement: Agreement
    seat: int
    secret: str
    pairing: str = ""

    @property
    def beginning(self) -> LinkedMatch:
        """Its log before the first entry.

        Raises:
            LinkError: the secret isn't the one that was agreed on.
        """
        return join(self.agreement, self.seat, DiceChain(self.secret), self.pairing)


class Began(NamedTuple):
    """A match has been begun.

    Attributes:
        match: its position before the first throw.
        conditions: of play.
        link: to another box; kept together with the rest or not at all.
    """

    match: Match
    conditions: Conditions = Conditions()
    link: Linked | None = None


class Resumed(NamedTuple):
    """The match in progress continues after a restart; its conditions may have changed."""

    conditions: Conditions


class ClockShown(NamedTuple):
    """The whole seconds left to the current player, so that pulling the plug doesn't give them back."""

    seconds: int

    def to_text(self) -> str:
        """For example ``clock 7``."""
        return f"clock {self.seconds}"


class PlayersLeft(Marker):
    """The players left the match: they abandoned it, or have seen its result."""

    __slots__ = ()


class BoxLeft(NamedTuple):
    """A box has left a linked match before it was decided, as far as this box knows.

    Attributes:
        player: the one at that box, from 0.
        has_thrown: a throw of that player was on the table, or being made.
    """

    player: int
    has_thrown: bool

    def to_text(self) -> str:
        """For example ``left 2 with a throw on the table``."""
        return f"left {self.player + 1}{' with a throw on the table' * self.has_thrown}"


class LogSigned(NamedTuple):
    """The box of this player, from 0, has signed the finished log of a linked match."""

    player: int
    signature: str

    def to_text(self) -> str:
        """For example ``signature 1 c4…``."""
        return f"signature {self.player + 1} {self.signature}"


class RematchWanted(NamedTuple):
    """The players at this box want to play a linked match again.

    Attributes:
        secret: of this box's dice for the next match.
    """

    secret: str

    def to_text(self) -> str:
        """The word alone: nobody else may see the secret."""
        return "rematch"


class Finished(NamedTuple):
    """The match has been decided: its position, with the result."""

    match: Match


class Signed(NamedTuple):
    """The winner (a player, from 0) signed the hall of fame."""

    player: int
    initials: str


Value: TypeAlias = str | int | float | bool | tuple[int | tuple[int, ...], ...] | None


class Chosen(NamedTuple):
    """A setting was changed at the box: a dotted key of the config, and its new value; None forgets it."""

    key: str
    value: Value

    @property
    def entry(self) -> tuple[str, Value]:
        """The setting's key and its new value, as a choice is stored."""
        return self.key, self.value

    def to_text(self) -> str:
        """For example ``choose ["game.players",2]``."""
        return fact_line("choose", *self.entry)


_BEST = "best."


class BestTotal(NamedTuple):
    """A player beat the best total on this ladder."""

    ladder: str
    total: int

    @property
    def entry(self) -> tuple[str, Value]:
        """The ladder's own key and the total, as a choice is stored."""
        return f"{_BEST}{self.ladder}", self.total

    def to_text(self) -> str:
        """For example ``choose ["best.ladder.9",4]``."""
        return fact_line("choose", *self.entry)


_STREAK = "puzzle.streak"


class Streak(NamedTuple):
    """The puzzles solved at this box on days in a row.

    Attributes:
        day: the day of the last puzzle answered; 0 for none.
        days: consecutive days solved up to then; 0 if that puzzle was answered wrongly.
    """

    day: int = 0
    days: int = 0

    def after(self, day: int, *, solved: bool) -> "Streak":
        """The streak after the answer to another day's puzzle; a day without an answer ends it."""
        before = self.days if self.day == day - 1 else 0
        return Streak(day, before + 1 if solved else 0)

    @property
    def entry(self) -> tuple[str, Value]:
        """The key, with the day and the number of days in a row, as a choice is stored."""
        return _STREAK, (self.day, self.days)

    def to_text(self) -> str:
        """For example ``choose ["puzzle.streak",[739946,3]]``."""
        return fact_line("choose", *self.entry)


_PAGE_RULES = "rules.page"


class PageRules(NamedTuple):
    """House rules given on the page, as TOML."""

    toml: str

    @property
    def entry(self) -> tuple[str, Value]:
        """The key and the rules, as a choice is stored."""
        return _PAGE_RULES, self.toml

    def to_text(self) -> str:
        """For example ``choose ["rules.page","…"]``."""
        return fact_line("choose", *self.entry)


_WRONG_CODES = "service.wrong_codes"


class WrongCodes(NamedTuple):
    """How many wrong codes were entered since the last right one."""

    times: int

    @property
    def entry(self) -> tuple[str, Value]:
        """The key and the count, as a choice is stored; None stands for 0."""
        return _WRONG_CODES, self.times or None

    def to_text(self) -> str:
        """For example ``choose ["service.wrong_codes",2]``."""
        return fact_line("choose", *self.entry)


Remembered: TypeAlias = Chosen | BestTotal | Streak | PageRules | WrongCodes
"""A fact that replaces the previous one of the same name. The first version only had settings, so all are
written like one.

The `entry` of each is a dotted name and a value, which `remembered` reads.
"""


def remembered(key: str, value: object) -> Remembered:
    """The fact stored under this key; any other key is a setting, known or not."""
    match value:
        case str() if key == _PAGE_RULES:
            return PageRules(value)
        case [int(day), int(days)] if key == _STREAK:
            return Streak(day, days)
        case int() | None if key == _WRONG_CODES:
            return WrongCodes(value or 0)
        case int() if key.startswith(_BEST):
            return BestTotal(key.removeprefix(_BEST), value)
        case _:
            return Chosen(key, cast(Value, _tuples(value)))


def _tuples(value: object) -> object:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


_OF_SWITCH = r"switch (-?[0-9]{1,3}) (.*)"


class Faulted(NamedTuple):
    """The hardware, the store or the rules failed. The same fault is stored at most once an hour.

    Attributes:
        kind: one word: "lever", "service", "store", or the value of a `Fault` or a `MachineFault`.
        text: what's wrong, as one line of English for the owner; for a switch, as `of_switch` writes it.
    """

    kind: str
    text: str

    @classmethod
    def of_switch(cls, kind: str, switch: int, detail: str) -> "Faulted":
        """A switch's fault. Stores hold this line, so its format never changes.

        >>> fault = Faulted.of_switch("lever", 4, "is stuck")
        >>> fault.text, fault.switch, fault.detail
        ('switch 4 is stuck', 4, 'is stuck')
        """
        return cls(kind, f"switch {switch} {detail}")

    @property
    def switch(self) -> int | None:
        """The number of its switch; None for a fault of another part."""
        found = re.fullmatch(_OF_SWITCH, self.text)
        return int(found[1]) if found else None

    @property
    def detail(self) -> str:
        """The problem, without the switch."""
        found = re.fullmatch(_OF_SWITCH, self.text)
        return found[2] if found else self.text


Fact: TypeAlias = (
    Began
    | Rolled
    | Revealed
    | Resumed
    | Action
    | ClockShown
    | BoxLeft
    | LogSigned
    | RematchWanted
    | Finished
    | Signed
    | PlayersLeft
    | Remembered
    | Faulted
)
"""Something that is kept, in the order in which it happened."""
