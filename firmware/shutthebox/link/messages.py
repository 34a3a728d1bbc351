"""The messages between two linked boxes, one line of JSON each.

The other box may be hostile. `from_line` only accepts what `to_line` writes, and nothing long; whether a
message is true is for `shutthebox.link.match` to decide.
"""

import json
import re
from typing import Any, NamedTuple, TypeAlias

from shutthebox.rules.linked_dice import LINKS, is_link
from shutthebox.rules.tiles import MAX_TILE

MAX_LINE = 8192
"""The most bytes of a message."""

MAX_ENTRIES = 8
"""The most entries in a message; the rest follow once these are confirmed."""

MAX_NAME = 16
"""The most characters of a box's name: a line of the panel."""

_SIGN = r"!-~\u00a1-\u00ac\u00ae-\u017f"
NAME = rf"[{_SIGN}](?:[ {_SIGN}]{{0,{MAX_NAME - 2}}}[{_SIGN}])?"
"""A box's name as a pattern: letters that the panel has, with spaces only between them."""

_MAX_ENTRY = 200
_MAX_RULES = 4096
_MAX_NUMBER = 8 * LINKS


_SIGNATURE = re.compile("[0-9a-f]{128}", re.ASCII)
SESSION_DIGITS = 32
SESSION = re.compile(f"[0-9a-f]{{{SESSION_DIGITS}}}", re.ASCII)
"""The name of a session, or of a match that is played again in it."""


def is_signature(text: str) -> bool:
    """Whether this is written like a signature: 128 lower-case hexadecimal digits."""
    return _SIGNATURE.fullmatch(text) is not None


class LogSignature(NamedTuple):
    """A box's signature of a finished log; from the box to its helper, what to sign.

    Attributes:
        digest: the hash of the agreement and of all entries up to the one that decides the match.
        key: the signing box's public key; empty until the helper has signed.
        signature: likewise.
    """

    digest: str
    key: str = ""
    signature: str = ""


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
        key: the host's public key; empty if its helper has none.
    """

    rules_version: int
    game: str
    rounds: int
    first: int
    limit_s: int
    name: str
    commitment: str
    key: str = ""


class Accept(NamedTuple):
    """The guest accepts, with the same about itself."""

    name: str
    commitment: str
    key: str = ""


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
        entries: those that the other box may lack, at most `MAX_ENTRIES`.
        link: the sender's link, if its log ends with a roll by the other box; otherwise empty.
        signed: the sender's signature, once its log decides the match; None without.
        match: the match's name; empty for the first one in a session.
    """

    number: int
    hash: str
    first: int
    entries: tuple[str, ...]
    link: str
    signed: LogSignature | None = None
    match: str = ""


class Rematch(NamedTuple):
    """The sender has the result, and its players want to play again.

    Attributes:
        match: the name of the match that is over, also if it's the first one in the session.
        commitment: the end of the sender's hash chain for the next one.
        other: likewise of the other box, if the sender has heard of it and so begins; otherwise empty.
    """

    match: str
    commitment: str
    other: str = ""


class Levers(NamedTuple):
    """The levers of the player at turn, as they are now. May get lost: only the moves count.

    Attributes:
        number: entries in the sender's log.
        down: the levers that are down, as tiles.
        match: the match's name; empty for the first one in a session.
    """

    number: int
    down: int
    match: str = ""


Message: TypeAlias = Invite | Accept | Decline | Sync | Levers | Rematch
"""One message."""


def to_line(message: Message) -> bytes:
    """A message as a line, including the line end."""
    values: list[object] = [*message]
    for _ in message._field_defaults:
        if not values[-1]:
            values.pop()  # so a box that doesn't know of a new value understands a message that does without
    return json.dumps([type(message).__name__.lower(), *values], separators=(",", ":")).encode() + b"\n"


def from_line(line: bytes) -> Message:
    """Parses a message's line.

    Raises:
        ValueError: if `to_line` doesn't write it.
    """
    if len(line) > MAX_LINE:
        raise ValueError("a message too long")
    try:
        kind, *values = json.loads(line)
    except (TypeError, RecursionError):
        raise ValueError("no message") from None
    match kind, values:
        case "invite", [int(), str(game), int(), int(), int(), str(name), str(commitment), *key] if (
            len(game) <= _MAX_RULES and _is_name(name) and is_link(commitment) and _is_key(key)
        ):
            message: Message = Invite(*values)
        case "accept", [str(name), str(commitment), *key] if (
            _is_name(name) and is_link(commitment) and _is_key(key)
        ):
            message = Accept(*values)
        case "decline", [int(version)]:
            message = Decline(version)
        case "sync", [int(number), str(hashed), int(first), [*entries], str(link), *more] if (
            is_link(hashed) and first >= 1 and _are_entries(entries) and (not link or is_link(link))
        ):
            message = Sync(number, hashed, first, tuple(entries), link, *_signed(more))
        case "rematch", [str(match), str(commitment), *other] if (
            SESSION.fullmatch(match) and is_link(commitment) and _is_key(other)
        ):
            message = Rematch(match, commitment, *other)
        case "levers", [int(number), int(down), *match] if (
            0 <= down < 1 << MAX_TILE and type(down) is int and _is_match(match)
        ):
            message = Levers(number, down, *match)
            values = [number]
        case _:
            raise ValueError("no message")
    if any(type(value) is bool or (type(value) is int and not 0 <= value <= _MAX_NUMBER) for value in values):
        raise ValueError("a number out of range")
    if to_line(message) != line.removesuffix(b"\n") + b"\n":
        raise ValueError("written in another way")  # which might be shorter
    return message


def _is_name(text: str) -> bool:
    return re.fullmatch(NAME, text) is not None


def _is_key(values: list[Any]) -> bool:
    return not values or (len(values) == 1 and isinstance(values[0], str) and is_link(values[0]))


def _is_match(values: list[Any]) -> bool:
    named = len(values) == 1 and isinstance(values[0], str)
    return not values or (named and SESSION.fullmatch(values[0]) is not None)


def _signed(values: list[Any]) -> tuple[LogSignature | None, str]:
    """The signature and the match's name at the end of a `Sync`."""
    match values:
        case [*signed, str(name)] if SESSION.fullmatch(name):
            pass
        case signed:
            name = ""
    match signed:
        case [] | [None]:
            return None, name
        case [[str(digest), str(key), str(signature)]] if is_link(digest) and (
            (is_link(key) and is_signature(signature)) or not key + signature
        ):
            return LogSignature(digest, key, signature), name
        case _:
            raise ValueError("no signature")


def _are_entries(entries: list[Any]) -> bool:
    return len(entries) <= MAX_ENTRIES and all(
        isinstance(entry, str) and len(entry) <= _MAX_ENTRY for entry in entries
    )
