"""What a record says of the two linked boxes that a match was played on, besides their dice.

Its lines follow the one of the dice (`shutthebox.rules.conditions.LinkProof`)::

    session 5e… 600
    box 1 The Anchor
    box 2 The Crown
    key 1 3b…
    key 2 a0…
    signature 1 c4…
    signature 2 99…
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from shutthebox.errors import quoted

BOX_WORDS = ("session", "box", "key", "signature", "left")
"""The words that begin the lines, in their order."""

_ON_TABLE = " with a throw on the table"
_SESSION = re.compile("([0-9a-f]{32}) ([1-9][0-9]{0,3})", re.ASCII)
_LEFT = re.compile(f"([12])({_ON_TABLE})?", re.ASCII)
_OF_SEAT = {
    "box": re.compile(r"([12]) (\S(?:.{0,14}\S)?)"),
    "key": re.compile("([12]) ([0-9a-f]{64})", re.ASCII),
    "signature": re.compile("([12]) ([0-9a-f]{128})", re.ASCII),
}


class LinkedBoxes(NamedTuple):
    """Two linked boxes and their match, as both of them have signed it.

    Attributes:
        session: the name of their meeting: 32 hexadecimal digits.
        limit_s: seconds within which a box had to reveal its link.
        names: what they call themselves, by seat.
        keys: their public keys, by seat; empty for a box without one.
        signatures: of the finished match, by seat; empty for those that are missing.
        left: the seat, from 1, whose box left the match before it was decided, and whether with a throw on
            the table, as the box says that kept the record; None if none did.
    """

    session: str
    limit_s: int
    names: tuple[str, str]
    keys: tuple[str, str] = ("", "")
    signatures: tuple[str, str] = ("", "")
    left: tuple[int, bool] | None = None

    @property
    def departure(self) -> str:
        """Which box left, in words; empty if none did.

        >>> LinkedBoxes("", 600, ("The Anchor", "The Crown"), left=(2, True)).departure
        'The Crown left with a throw on the table'
        """
        if self.left is None:
            return ""
        seat, has_thrown = self.left
        return f"{self.names[seat - 1]} left{_ON_TABLE * has_thrown}"

    def to_lines(self) -> tuple[str, ...]:
        """The lines of a record, in the order of `BOX_WORDS`."""
        lines = [f"session {self.session} {self.limit_s}"]
        for word, values in (("box", self.names), ("key", self.keys), ("signature", self.signatures)):
            lines += [f"{word} {seat} {value}" for seat, value in enumerate(values, 1) if value]
        if self.left is not None:
            seat, has_thrown = self.left
            lines.append(f"left {seat}{_ON_TABLE * has_thrown}")
        return tuple(lines)


def linked_boxes_from_lines(lines: Sequence[str]) -> LinkedBoxes | None:
    """Parses the boxes from their `to_lines`; None for no lines.

    Raises:
        ValueError: for anything else, with the line and what's allowed.
    """
    if not lines:
        return None
    session, limit_s, left = "", 0, None
    values: dict[str, list[str]] = {word: ["", ""] for word in _OF_SEAT}
    seen = set[str]()
    for line in lines:
        word, _, rest = line.partition(" ")
        found = (_SESSION if word == "session" else _LEFT if word == "left" else _OF_SEAT[word]).fullmatch(
            rest
        )
        if not found or not rest.isprintable():
            raise ValueError(f"{word}: {quoted(rest)} is not allowed; use a line of two linked boxes' record")
        what = word if word in ("session", "left") else f"{word} {found[1]}"
        if what in seen:
            raise ValueError(f"{what}: given twice")
        seen.add(what)
        if word == "session":
            session, limit_s = found[1], int(found[2])
        elif word == "left":
            left = int(found[1]), bool(found[2])
        else:
            values[word][int(found[1]) - 1] = found[2]
    if missing := [what for what in ("session", "box 1", "box 2") if what not in seen]:
        raise ValueError(f"{missing[0]}: missing; two linked boxes have a session and two names")
    names, keys, signatures = ((values[word][0], values[word][1]) for word in _OF_SEAT)
    return LinkedBoxes(session, limit_s, names, keys, signatures, left)
