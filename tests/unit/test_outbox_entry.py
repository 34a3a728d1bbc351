"""An entry of the outbox: its bytes, which never change, and what is none, in one line."""

import hashlib
import json
from typing import Any

import pytest

from shutthebox.outbox_entry import (
    MAX_BYTES,
    NO_HASH,
    MatchPlayed,
    OutboxEntry,
    OutboxEntryError,
    PlayerSigned,
    entry_from_bytes,
    hash_of,
)
from shutthebox.rules.profile import MAX_PLAYERS

BOX = "0123456789abcdef" * 2
FIRST = OutboxEntry(BOX, 1, NO_HASH, MatchPlayed(3, 1_700_000_000, 1_700_000_600, "shut-the-box record 1\n"))
FIRST_BYTES = (
    b'{"version": 1, "box": "0123456789abcdef0123456789abcdef", "sequence": 1, '
    b'"previous": "0000000000000000000000000000000000000000000000000000000000000000", "kind": "match", '
    b'"number": 3, "began_s": 1700000000, "ended_s": 1700000600, "record": "shut-the-box record 1\\n"}\n'
)
SIGNED = OutboxEntry(BOX, 2, hash_of(FIRST_BYTES), PlayerSigned(3, 1_700_000_000, 1, 2, "ANN"))
SIGNED_BYTES = (
    b'{"version": 1, "box": "0123456789abcdef0123456789abcdef", "sequence": 2, "previous": "'
    + hashlib.sha256(FIRST_BYTES).hexdigest().encode()
    + b'", "kind": "signed", "number": 3, "began_s": 1700000000, "sequence_of_match": 1, "player": 2, '
    b'"initials": "ANN"}\n'
)


@pytest.mark.parametrize(("entry", "data"), [(FIRST, FIRST_BYTES), (SIGNED, SIGNED_BYTES)])
def test_the_bytes_of_an_entry(entry: OutboxEntry, data: bytes) -> None:
    """Leagues have chains of these hashes, so that not one byte may change."""
    assert entry.to_bytes() == data
    assert entry_from_bytes(data) == entry
    assert hash_of(data) == hashlib.sha256(data).hexdigest()


def changed(data: bytes, **keys: Any) -> bytes:
    return json.dumps({**json.loads(data), **keys}).encode() + b"\n"


MOST = 2**53
WRONG: dict[str, tuple[bytes, list[Any]]] = {
    "box": (FIRST_BYTES, [None, "f" * 31, "f" * 33, "F" * 32, "f" * 32 + "\n"]),
    "sequence": (FIRST_BYTES, [0, MOST + 1, True, 1.0]),
    "previous": (FIRST_BYTES, [0, "f" * 63, "F" * 64]),
    "number": (FIRST_BYTES, [0, MOST + 1, True]),
    "began_s": (SIGNED_BYTES, [-1, MOST + 1, 0.5]),
    "ended_s": (FIRST_BYTES, [-1, MOST + 1, None]),
    "record": (FIRST_BYTES, [7]),
    "sequence_of_match": (SIGNED_BYTES, [0, MOST + 1]),
    "player": (SIGNED_BYTES, [0, MAX_PLAYERS + 1, True]),
    "initials": (SIGNED_BYTES, ["ANNA", "ann", "ÀÉÎ"]),
}


@pytest.mark.parametrize(
    ("data", "values"),
    [
        (FIRST_BYTES, {"sequence": MOST, "number": MOST, "began_s": 0, "ended_s": MOST, "record": "é"}),
        (SIGNED_BYTES, {"sequence_of_match": MOST, "player": MAX_PLAYERS, "initials": "XYZ"}),
    ],
)
def test_ok__values_of_an_entry(data: bytes, values: dict[str, Any]) -> None:
    written = changed(data, **values)
    assert entry_from_bytes(written).to_bytes() == written


@pytest.mark.parametrize(
    ("key", "data", "value"),
    [(key, data, value) for key, (data, values) in WRONG.items() for value in values],
)
def test_fail__values_of_an_entry(key: str, data: bytes, value: object) -> None:
    with pytest.raises(OutboxEntryError, match=f"^{key}: .* is not allowed$"):
        entry_from_bytes(changed(data, **{key: value}))


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "not an entry: not JSON"),
        (b"[" * 100_000, "not an entry: not JSON"),
        (b"\xff", "not an entry: not JSON"),
        (b"[]", "no entry: version 1 is expected"),
        (changed(FIRST_BYTES, version=2), "no entry: version 1 is expected"),
        (b'{"version": 1}', "kind: nothing is not allowed; use match or signed"),
        (changed(FIRST_BYTES, kind="throw"), "kind: 'throw' is not allowed; use match or signed"),
        (changed(FIRST_BYTES, more=1), "no entry: it is not written as a box writes it"),
        (FIRST_BYTES.replace(b'": ', b'":'), "no entry: it is not written as a box writes it"),
        (FIRST_BYTES.strip(), "no entry: it is not written as a box writes it"),
        (FIRST_BYTES + b"\n", "no entry: it is not written as a box writes it"),
        (b" " * 524_289, "no entry: 524289 bytes; at most 524288 are allowed"),
        (b" " * 524_288, "not an entry: not JSON"),
    ],
    ids=range(13),
)
def test_fail__bytes_that_are_no_entry(data: bytes, complaint: str) -> None:
    with pytest.raises(OutboxEntryError) as caught:
        entry_from_bytes(data)
    assert str(caught.value) == complaint


def test_the_largest_entry_is_one() -> None:
    room = MAX_BYTES - len(changed(FIRST_BYTES, record=""))
    assert len(largest := changed(FIRST_BYTES, record="x" * room)) == MAX_BYTES
    assert entry_from_bytes(largest).to_bytes() == largest
