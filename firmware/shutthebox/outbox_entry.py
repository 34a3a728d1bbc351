"""An entry of the outbox: a message of a box to a league, one line of JSON in a chain of hashes.

The bytes of an entry never change once it is written: its hash is SHA-256 of them, and the next entry
names it. A league that knows one entry can tell whether the next one really follows it.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

from shutthebox.errors import ShutTheBoxError, one_line, quoted
from shutthebox.rules.profile import MAX_PLAYERS

VERSION = 1

MAX_BYTES = 512 * 1024
"""The largest entry we accept. Only an absurd match (twenty players, 999 rounds) exceeds it."""

UPLINK_STATUS_FILE = ".uplink"
"""A file in the outbox in which the uplink keeps its `UplinkStatus`."""

CHAIN_BEGINS_AGAIN = (
    "a chain of entries begins again here: the card is an older copy, or another box has a copy of it"
)
"""The reason in the receipt of the first entry of such a chain."""

_MAX_SAID = 500
"""The most characters of an `UplinkStatus`'s line."""


class DeliveryState(StrEnum):
    """Whether entries reach the league."""

    GOOD = "good"
    NO_LEAGUE = "no-league"
    """The box is in none."""
    NO_LINE = "no-line"
    HELD = "held"
    """The league has entries but is holding them."""
    OLDER_CARD = "older-card"
    """Everything is delivered, but the card is an older copy."""
    OTHER = "other"


class UplinkStatus(NamedTuple):
    """The uplink's report on delivery.

    Attributes:
        state: whether entries reach the league.
        line: the same for the owner, as a line of English; empty if all is well.
    """

    state: DeliveryState
    line: str = ""

    def to_text(self) -> str:
        """The content of the file. `uplink_status` reads it back."""
        return json.dumps({"way": self.state, "line": self.line[:_MAX_SAID]})


def uplink_status(text: str) -> UplinkStatus:
    """The status in the file. Text that this program doesn't know is shown to the owner as it is."""
    if not text:
        return UplinkStatus(DeliveryState.GOOD)
    try:
        found = json.loads(text)
        return UplinkStatus(DeliveryState(found["way"]), one_line(str(found["line"])))
    except (ValueError, TypeError, LookupError, RecursionError):
        return UplinkStatus(DeliveryState.OTHER, one_line(text))


NO_HASH = "0" * 64
"""The hash that the first entry of a box names."""

_BOX = re.compile("[0-9a-f]{32}", re.ASCII)
_HASH = re.compile("[0-9a-f]{64}", re.ASCII)
_INITIALS = re.compile("[A-Z]{3}", re.ASCII)
_MAX = 2**53


class OutboxEntryError(ShutTheBoxError, ValueError):
    """Bytes that aren't an entry; the text says in one line what's wrong."""


@dataclass(frozen=True, slots=True)
class MatchPlayed:
    """A match has ended.

    Attributes:
        number: of the match in the box's store; together with `began_s` it names the match.
        began_s: the box's time of day when the match began, in seconds since 1970 UTC.
        ended_s: the same when it ended.
        record: its text, as `shutthebox.rules.record.write` makes it.
    """

    number: int
    began_s: int
    ended_s: int
    record: str


@dataclass(frozen=True, slots=True)
class PlayerSigned:
    """A player has signed a match that is already in the outbox.

    Attributes:
        number: of the match, as in `MatchPlayed`.
        began_s: of the match.
        sequence_of_match: the sequence number of its entry.
        player: from 1.
        initials: three letters.
    """

    number: int
    began_s: int
    sequence_of_match: int
    player: int
    initials: str


Content: TypeAlias = MatchPlayed | PlayerSigned

_KINDS: Mapping[str, type[MatchPlayed] | type[PlayerSigned]] = {"match": MatchPlayed, "signed": PlayerSigned}


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    """One entry.

    Attributes:
        box: 32 hexadecimal digits that the box drew for itself with its first entry.
        sequence: from 1, without gaps.
        previous: the hash of the entry before; `NO_HASH` for the first.
        content: what happened.
    """

    box: str
    sequence: int
    previous: str
    content: Content

    def to_bytes(self) -> bytes:
        """The entry as it is kept and sent. `entry_from_bytes` reads it back."""
        kind = next(kind for kind, content in _KINDS.items() if isinstance(self.content, content))
        head = {"version": VERSION, "box": self.box, "sequence": self.sequence, "previous": self.previous}
        # `asdict` copies deeply, which takes longer than all the rest.
        content = {name: getattr(self.content, name) for name in self.content.__slots__}
        return json.dumps({**head, "kind": kind, **content}).encode("ascii") + b"\n"


def hash_of(entry: bytes) -> str:
    """The hash of an entry: 64 hexadecimal digits."""
    return hashlib.sha256(entry).hexdigest()


def entry_from_bytes(data: bytes) -> OutboxEntry:
    """Parses an entry from its `to_bytes`. The record in it isn't checked.

    Raises:
        OutboxEntryError: for anything else.
    """
    if len(data) > MAX_BYTES:
        raise OutboxEntryError(f"no entry: {len(data)} bytes; at most {MAX_BYTES} are allowed")
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise OutboxEntryError("not an entry: not JSON") from None
    if not isinstance(found, dict) or found.get("version") != VERSION:
        raise OutboxEntryError(f"no entry: version {VERSION} is expected")
    name = found.get("kind")
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise OutboxEntryError(f"kind: {quoted(name)} is not allowed; use match or signed")
    content = _content(kind, found)
    checks: Mapping[str, Callable[[Any], bool]] = {
        "box": _matches(_BOX),
        "sequence": _count,
        "previous": _matches(_HASH),
    }
    head = _check_all(found, checks)
    entry = OutboxEntry(head["box"], head["sequence"], head["previous"], content)
    if entry.to_bytes() != data:
        raise OutboxEntryError("no entry: it is not written as a box writes it")
    return entry


def _content(kind: type[MatchPlayed] | type[PlayerSigned], found: Mapping[str, Any]) -> Content:
    match_checks: dict[str, Callable[[Any], bool]] = {"number": _count, "began_s": _time}
    if kind is MatchPlayed:
        return MatchPlayed(**_check_all(found, {**match_checks, "ended_s": _time, "record": _text}))
    checks = {**match_checks, "sequence_of_match": _count, "player": _player, "initials": _matches(_INITIALS)}
    return PlayerSigned(**_check_all(found, checks))


def _check_all(found: Mapping[str, Any], checks: Mapping[str, Callable[[Any], bool]]) -> dict[str, Any]:
    for key, check in checks.items():
        if not check(found.get(key)):
            raise OutboxEntryError(f"{key}: {quoted(found.get(key))} is not allowed")
    return {key: found[key] for key in checks}


def _matches(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def _text(value: Any) -> bool:  # noqa: ANN401  (whatever JSON holds)
    return isinstance(value, str)


def _whole(value: Any, least: int, most: int) -> bool:  # noqa: ANN401  (whatever JSON holds)
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _count(value: Any) -> bool:  # noqa: ANN401  (whatever JSON holds)
    return _whole(value, 1, _MAX)


def _time(value: Any) -> bool:  # noqa: ANN401  (whatever JSON holds)
    return _whole(value, 0, _MAX)


def _player(value: Any) -> bool:  # noqa: ANN401  (whatever JSON holds)
    return _whole(value, 1, MAX_PLAYERS)
