"""The words in which facts are kept. An action of a match is kept in its own words."""

import json
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

from shutthebox.adapters.store.chain import seal
from shutthebox.errors import shown
from shutthebox.rules.conditions import Conditions

LEAVE = "leave"

OF_ACTIONS = (b"throw ", b"shut ", b"open ", b"time", b"next", b"clock ")
"""How the kept words of an action begin, and those of the clock."""

_NO_ACTIONS = ("begin", "resume", "lost", "finish", "sign", LEAVE, "choose", "clock")

Result: TypeAlias = tuple[int, int, str, int]
"""A player from 0, the score, the stakes owed, and whether the match was won: 0 or 1."""


def word_of(text: str) -> str:
    """The word that says what kind of fact this is."""
    return next(iter(text.split(maxsplit=1)), "")


def is_action(text: str) -> bool:
    """Whether the fact is an action of its match; one that makes no sense is taken for one."""
    return word_of(text) not in _NO_ACTIONS


def begin(number: int, content: Sequence[object], conditions: str) -> str:
    """A match begins.

    Args:
        number: its id.
        content: what its row holds: when it began, its profile, its players, its rounds.
        conditions: their lines.
    """
    return f"begin {number} #{seal(*content)}\n{conditions}"


def finish(results: Iterable[Result]) -> str:
    """The match is decided with these results, in the order of the players."""
    return f"finish #{seal(*map(list, results))}"


def sign(player: int, initials: str) -> str:
    """The winner, a player from 0, has signed."""
    return f"sign {player + 1} {initials}"


def signed(text: str) -> tuple[int, str]:
    """The player from 0 and the initials of a fact that `sign` made."""
    _, player, initials = text.split(maxsplit=2)
    return int(player) - 1, initials


def clock(text: str) -> int | None:
    """The seconds in a fact of the clock; None for another fact."""
    return int(text.split()[1]) if word_of(text) == "clock" else None


def choose(key: str, value: object) -> str:
    """A setting was chosen at the box."""
    return f"choose {key} {json.dumps(value)}"


def chosen(text: str) -> tuple[str, str]:
    """The key and the value, as JSON, of a fact that `choose` made."""
    _, key, value = text.split(maxsplit=2)
    return key, value


def resume(conditions: str) -> str:
    """The match goes on under these conditions."""
    return f"resume\n{conditions}"


def lost(count: int, conditions: str) -> str:
    """So many facts of the match were lost to damage; from now on these conditions say so."""
    return f"lost {count}\n{conditions}"


def sets_conditions(text: str) -> bool:
    """Whether this fact changes the conditions of its match; its beginning is none of these."""
    return word_of(text) in ("resume", "lost")


def conditions_in(text: str) -> str:
    """The conditions that a fact sets: empty if they are not known, or the fact is of another kind."""
    return text.partition("\n")[2]


def stakes(text: str) -> Fraction:
    """Stakes as they are kept: a whole number or a fraction.

    Raises:
        ValueError: for anything else; a number like 1e99999999 would take for ever to read.
    """
    if not re.fullmatch("-?[0-9]{1,12}(/[1-9][0-9]{0,3})?", text):
        raise ValueError(f"{shown(text)} are no stakes")
    return Fraction(text)


def conditions_text(conditions: Conditions | None) -> str:
    """The conditions as they are kept; empty if they are not known."""
    return "\n".join(conditions.to_lines()) if conditions else ""
