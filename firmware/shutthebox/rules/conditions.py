"""The conditions of a match that its throws and moves don't show.

Their text is lines of a record (`shutthebox.rules.record`).
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from shutthebox.errors import quoted
from shutthebox.rules.profile import MAX_PLAYERS
from shutthebox.rules.tiles import MAX_TILE
from shutthebox.validation import count

RULES_VERSION = 4
"""The version of the rules in this program. Raise it whenever the same actions could give another result.

A new key or a changed built-in game doesn't raise it: a record has its own keys. So a record of an earlier
version counts if it plays again to the result that it states; a later version may have rules unknown here.
"""

WORDS = ("dice", "linked", "first", "computers", "out-of-play", "version", "lost")
"""The words that begin the lines, in their order."""

_MAX_VERSIONS = 9
"""Versions of the box that one record names; a match is not played through more updates."""

_MAX_LOST = 999_999

_EQUAL = "equal ([0-9a-f]{64})"
_LINKED = " ".join(["([0-9a-f]{64})"] * 4)
_VERSION = r"[0-9A-Za-z.+-]{1,30} rules [1-9][0-9]{0,3}"


class LinkProof(NamedTuple):
    """The proof of the dice of two linked boxes (`shutthebox.rules.linked_dice`).

    Attributes:
        commitments: of seat 1's box and of seat 2's.
        links: the last ones that were revealed, in the same order; the commitments before the first throw.
    """

    commitments: tuple[str, str]
    links: tuple[str, str]


class Conditions(NamedTuple):
    """Conditions of play that the box knows but a record of throws and moves doesn't prove.

    Attributes:
        real_dice: players threw their own dice and entered the throws, for all or part of the match.
        computers: the seats, from 1, that the computer played for all or part of the match.
        out_of_play: levers the owner had taken out of play, so that their tiles started shut.
        versions: versions of the box and its rules, such as ``1.0.0 rules 4``; several if the box was
            updated during the match.
        lost: facts of this match that damage to the store has lost.
        equal_dice: the commitment of the tournament whose seed made the throws; empty for random dice.
        first: the seat, from 1, that began the match.
        linked: the proof of the throws, for a match on two linked boxes.
    """

    real_dice: bool = False
    computers: tuple[int, ...] = ()
    out_of_play: tuple[int, ...] = ()
    versions: tuple[str, ...] = ()
    lost: int = 0
    equal_dice: str = ""
    first: int = 1
    linked: LinkProof | None = None

    def to_lines(self) -> tuple[str, ...]:
        """The lines of a record, in the order of `WORDS`."""
        kind = "real" if self.real_dice else f"equal {self.equal_dice}" if self.equal_dice else "box"
        lines = [f"dice {kind}"]
        if self.linked:
            lines.append(" ".join(("linked", *self.linked.commitments, *self.linked.links)))
        if self.first > 1:
            lines.append(f"first {self.first}")
        for word, numbers in (("computers", self.computers), ("out-of-play", self.out_of_play)):
            if numbers:
                lines.append(f"{word} {' '.join(map(str, numbers))}")
        lines += [f"version {version}" for version in self.versions]
        if self.lost:
            lines.append(f"lost {self.lost}")
        return tuple(lines)

    def joined(self, later: "Conditions") -> "Conditions":
        """Merges the conditions of a match with those of its later part."""
        return Conditions(
            self.real_dice or later.real_dice,
            tuple(sorted({*self.computers, *later.computers})),
            tuple(sorted({*self.out_of_play, *later.out_of_play})),
            tuple(dict.fromkeys((*self.versions, *later.versions)))[:_MAX_VERSIONS],
            min(self.lost + later.lost, _MAX_LOST),
            # With random throws, or another seed's, such a match wouldn't pass its check.
            self.equal_dice or later.equal_dice,
            self.first,
            later.linked or self.linked,
        )


def conditions_from_lines(lines: Sequence[str]) -> Conditions | None:
    """Parses conditions from their `to_lines`; None for no lines.

    Raises:
        ValueError: for anything else, with the line and what's allowed.
    """
    if not lines:
        return None
    real_dice, equal_dice, lost, first, linked = False, "", 0, 1, None
    numbers, versions = dict[str, tuple[int, ...]](), list[str]()
    seen = set[str]()
    for line in lines:
        word, _, rest = line.partition(" ")
        if not seen and word != "dice":
            raise ValueError(f"{word}: allowed after the line that begins with dice")
        if word in seen and word != "version":
            raise ValueError(f"{word}: given twice")
        seen.add(word)
        match word:
            case "dice":
                equal = re.fullmatch(_EQUAL, rest)
                if rest not in ("box", "real") and not equal:
                    raise ValueError(
                        f"dice: {quoted(rest)} is not allowed; use box, real, or equal with 64 digits"
                    )
                real_dice, equal_dice = rest == "real", equal[1] if equal else ""
            case "linked":
                found = re.fullmatch(_LINKED, rest)
                if not found:
                    raise ValueError(
                        f"linked: {quoted(rest)} is not allowed; "
                        "use two commitments and two links of 64 digits each"
                    )
                linked = LinkProof((found[1], found[2]), (found[3], found[4]))
            case "first":
                first = count(rest, MAX_PLAYERS) or 0
                if first < 2:
                    raise ValueError(f"first: {quoted(rest)} is not allowed; use 2 to {MAX_PLAYERS}")
            case "computers" | "out-of-play":
                numbers[word] = _numbers(word, rest, MAX_PLAYERS if word == "computers" else MAX_TILE)
            case "version":
                if not re.fullmatch(_VERSION, rest) or len(versions) == _MAX_VERSIONS:
                    raise ValueError(f"version: {quoted(rest)} is not allowed; use 1.0.0 rules 4")
                versions.append(rest)
            case "lost":
                lost = count(rest, _MAX_LOST) or 0
                if not lost:
                    raise ValueError(f"lost: {quoted(rest)} is not allowed; use 1 to {_MAX_LOST}")
            case _:
                raise ValueError(f"{quoted(line)} is not a condition; use one of {', '.join(WORDS)}")
    return Conditions(
        real_dice,
        numbers.get("computers", ()),
        numbers.get("out-of-play", ()),
        tuple(versions),
        lost,
        equal_dice,
        first,
        linked,
    )


def _numbers(word: str, text: str, most: int) -> tuple[int, ...]:
    found = tuple(number for word in text.split(" ") if (number := count(word, most)))
    if found and found == tuple(sorted(set(found))) and " ".join(map(str, found)) == text:
        return found
    raise ValueError(f"{word}: {quoted(text)} is not allowed; use rising numbers from 1 to {most}")
