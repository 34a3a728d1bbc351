"""The messages between two linked boxes, one line of JSON each.

The other box may be hostile. `from_line` only accepts what `to_line` writes, and nothing long; whether a
message is true is for `shutthebox.link.match` to decide.
"""

import json
import re
from typing import Any, NamedTuple, TypeAlias

from shutthebox.rules.linked_dice import LINKS, is_link
from shutthebox.rules.tiles import MAX_TILE

MOST_LINE = 8192
"""The most bytes of a message."""

MOST_ENTRIES = 8
"""The most entries in a message; the rest follow once these are confirmed."""

MOST_NAME = 16
"""The most characters of a box's name: a line of the panel."""

_SIGN = r"!-~\u00a1-\u00ac\u00ae-\u017f"
NAME = rf"[{_SIGN}](?:[ {_SIGN}]{{0,{MOST_NAME - 2}}}[{_SIGN}])?"
"""A box's name as a pattern: letters that the panel has, with spaces only between them."""

_MOST_ENTRY = 200
_MOST_RULES = 4096
_MOST_NUMBER = 8 * LINKS


class Invite(NamedTuple):
    """The host's invitation to a match.

    Attributes:
        rules_version: the host's, `shutthebox.rules.conditions.RULES_VERSION`.
        game: the game with everything that players can choose, as TOML.
        rounds: to be played.
        first: the player, from 0, who begins; the host's is 0.
        limit_s: seconds within which a box must reveal its link.
        name: the host's box's.
        commitment: the end of the host's hash chain.
    """

    rules_version: int
    game: str
    rounds: int
    first: int
    limit_s: int
    name: str
    commitment: str


class Accept(NamedTuple):
    """The guest accepts."""

    name: str
    commitment: str


class Decline(NamedTuple):
    """The guest declines.

    Attributes:
        rules_version: the guest's; if it differs from the host's, that's the reason.
    """

    rules_version: int


class Sync(NamedTuple):
    """How long the sender's log is, and what the other box may lack of it.

    Attributes:
        number: entries in the sender's log.
        hash: the sender's log's.
        first: the number of the first entry in `entries`, from 1.
        entries: those that the other box may lack, at most `MOST_ENTRIES`.
        link: the sender's link, if its log ends with a roll by the other box; otherwise empty.
    """

    number: int
    hash: str
    first: int
    entries: tuple[str, ...]
    link: str


class Levers(NamedTuple):
    """The levers of the player at turn, as they are now. May get lost: only the moves count.

    Attributes:
        number: entries in the sender's log.
        down: the levers that are down, as tiles.
    """

    number: int
    down: int


Message: TypeAlias = Invite | Accept | Decline | Sync | Levers
"""One message."""


def to_line(message: Message) -> bytes:
    """A message as a line, including the line end."""
    return json.dumps([type(message).__name__.lower(), *message], separators=(",", ":")).encode() + b"\n"


def from_line(line: bytes) -> Message:
    """Parses a message's line.

    Raises:
        ValueError: if `to_line` doesn't write it.
    """
    if len(line) > MOST_LINE:
        raise ValueError("a message too long")
    try:
        kind, *values = json.loads(line)
    except (TypeError, RecursionError):
        raise ValueError("no message") from None
    match kind, values:
        case "invite", [int(), str(game), int(), int(), int(), str(name), str(commitment)] if (
            len(game) <= _MOST_RULES and _is_name(name) and is_link(commitment)
        ):
            message: Message = Invite(*values)
        case "accept", [str(name), str(commitment)] if _is_name(name) and is_link(commitment):
            message = Accept(name, commitment)
        case "decline", [int(version)]:
            message = Decline(version)
        case "sync", [int(number), str(hashed), int(first), [*entries], str(link)] if (
            is_link(hashed) and first >= 1 and _are_entries(entries) and (not link or is_link(link))
        ):
            message = Sync(number, hashed, first, tuple(entries), link)
        case "levers", [int(number), int(down)] if 0 <= down < 1 << MAX_TILE and type(down) is int:
            message = Levers(number, down)
            values.pop()
        case _:
            raise ValueError("no message")
    if any(
        type(value) is bool or (type(value) is int and not 0 <= value <= _MOST_NUMBER) for value in values
    ):
        raise ValueError("a number out of range")
    if to_line(message) != line.removesuffix(b"\n") + b"\n":
        raise ValueError("written in another way")  # which might be shorter
    return message


def _is_name(text: str) -> bool:
    return re.fullmatch(NAME, text) is not None


def _are_entries(entries: list[Any]) -> bool:
    return len(entries) <= MOST_ENTRIES and all(
        isinstance(entry, str) and len(entry) <= _MOST_ENTRY for entry in entries
    )
