"""What the memory says of a match to continue: here it is, there's none, or it can't say yet."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from shutthebox.link.match import LinkedMatch
from shutthebox.marker import Marker
from shutthebox.rules.actions import Action
from shutthebox.rules.match import Match


class KeptMatch(NamedTuple):
    """A match to continue after a power cut.

    Attributes:
        beginning: its position before the first throw.
        actions: its actions so far.
        tally: what each player owes from earlier matches this evening.
        clock: the seconds last shown, and how many actions preceded them; None if no clock ran.
        linked: this box's log of a linked match after the actions; None for a match on this box alone.
    """

    beginning: Match
    actions: Sequence[Action] = ()
    tally: tuple[Fraction, ...] = ()
    clock: tuple[int, int] | None = None
    linked: LinkedMatch | None = None


class NoMatch(Marker):
    """The memory has been read, and has no match to continue."""

    __slots__ = ()


class Unread(Marker):
    """The memory can't be read yet. It may have a match, so nobody may be told that there's none."""

    __slots__ = ()


NO_MATCH = NoMatch()

StoredMatch: TypeAlias = KeptMatch | NoMatch | Unread
