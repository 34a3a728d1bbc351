"""The chain of facts: each has a checksum over itself and the one before it.

So an altered or a missing fact is found, wherever it is, as long as the facts behind it are there. A
missing end is found by the head mark, a small file beside the store that says how far the chain was.
Rows of the other tables have a checksum over themselves.

The checksums find damage, not forgery: a person who can write to the file can work them out.
"""

import logging
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from json import JSONEncoder
from pathlib import Path
from typing import NamedTuple, TypeAlias

from shutthebox.adapters.store.schema import sealed
from shutthebox.files import read_bytes

_log = logging.getLogger(__name__)

_BYTES = 6
"""Bytes of a checksum. 1 of 3e14 kinds of damage goes unnoticed, and JSON readers keep the number exactly."""

_encode = JSONEncoder(separators=(",", ":")).encode


def seal(*values: object) -> int:
    """The checksum of a row's values: texts, whole numbers and None."""
    return _checksum(_encode(values).encode())


def _checksum(content: bytes) -> int:
    return int.from_bytes(blake2b(content, digest_size=_BYTES).digest())


@dataclass(frozen=True, slots=True)
class Head:
    """The last fact of a chain: its number, from 1, and its checksum."""

    number: int = 0
    checksum: int = 0

    def after(self, text: str) -> "Head":
        """The head once this fact has been added."""
        content = f"{self.checksum} {self.number + 1} {text}"
        return Head(self.number + 1, _checksum(content.encode()))


class Chain:
    """Adds facts to a store and deletes old ones. Every call is part of a transaction.

    Args:
        db: the store.

    Attributes:
        head: the last fact.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        row = db.execute("select number, checksum from fact order by number desc limit 1").fetchone()
        self.head = Head(*row) if row else Head()

    def add(self, text: str) -> None:
        """Adds a fact."""
        self.head = self.head.after(text)
        self._db.execute(
            "insert into fact values (?, ?, null, ?)", (self.head.number, text, self.head.checksum)
        )


def forget_facts(db: sqlite3.Connection, first: int, last: int) -> None:
    """Deletes the facts with these numbers and notes in the next one that this was on purpose.

    The count of forgotten facts in the table of that name is not sealed again by this.

    Args:
        db: the store, in a transaction.
        first: a number.
        last: another; the fact after it exists.
    """
    db.execute(
        "update fact set previous = (select checksum from fact where number = ?1)"
        " where number = (select min(number) from fact where number > ?1) and previous is null",
        (last,),
    )
    deleted = db.execute("delete from fact where number between ? and ?", (first, last)).rowcount
    db.execute("update forgotten set facts = facts + ?", (deleted,))


def knows_checksums(db: sqlite3.Connection) -> None:
    """Lets the statements of this connection use `seal`."""
    db.create_function("seal", -1, seal, deterministic=True)


def reseal(db: sqlite3.Connection, table: str, where: str = "true", values: Sequence[object] = ()) -> None:
    """Works out the checksums of the rows that were changed."""
    db.execute(f"update {table} set checksum = {sealed(table)} where {where}", values)


class ReadFact(NamedTuple):
    """A fact as it was read, and whether its checksum is right.

    Attributes:
        number: in the chain.
        raw: its words, UTF-8 unless they were altered.
        good: the checksum fits the fact and the one before.
        missing: facts missing directly before it.
    """

    number: int
    raw: bytes
    good: bool
    missing: int

    @property
    def text(self) -> str:
        """Its words."""
        return self.raw.decode("utf-8", "replace")


FACTS = "select number, cast(text as blob), previous, checksum from fact where number > ? order by number"
"""The facts behind a number, for `checked`."""

RawFact: TypeAlias = tuple[int, bytes | None, int | None, int]
"""A fact as it lies in the file: its number, text, the checksum before it where that is kept, its own."""


def read_facts(db: sqlite3.Connection, after: int = 0) -> Iterator[ReadFact]:
    """The facts behind this number, in order, each compared with its checksum.

    Raises:
        sqlite3.Error: where they cannot be read any further.
    """
    row = db.execute("select checksum from fact where number = ?", (after,)).fetchone()
    return checked(db.execute(FACTS, (after,)), Head(after, row[0] if row else 0))


def checked(rows: Iterable[RawFact], before: Head) -> Iterator[ReadFact]:
    """Compares facts with their checksums. It is fast, because every start does this.

    Args:
        rows: rising.
        before: the fact before the first of them.
    """
    last, link = before.number, before.checksum
    for number, raw, previous, checksum in rows:
        missing = 0
        if previous is not None:
            link = previous
        elif last != number - 1:
            missing = number - 1 - last
        raw = raw or b""  # NULL, which only damage can put there
        good = not missing and checksum == _checksum(b"%a %d " % (link, number) + raw)
        yield ReadFact(number, raw, good, missing)
        last, link = number, checksum


MARK_NAME = "-mark"
"""Ending of the head mark's file name, behind the store's."""

_SLOT = 2048
"""Bytes from one place of the mark to the other. Both are in one block: no more is written for it."""


class Mark:
    """The head mark: how far the chain is known to have been kept. Used by the main thread only.

    It is written after each commit and not synced: the system writes it to the card within about half
    a minute. So it is never ahead of the durable facts, and after a power cut it may be behind. It has two
    places that are written in turn: if one is torn, the other is nearly as new. If both are torn, the end
    of the chain is not known.

    Args:
        store: the store's file.
    """

    def __init__(self, store: Path) -> None:
        self.path = store.with_name(store.name + MARK_NAME)
        self._file = -1
        self._place = 0
        self._failing = False

    def write(self, head: Head, *, sync: bool = False) -> None:
        """Notes how far the chain is; a mark that cannot be written is a line in the journal, once."""
        try:
            if not self._in_place():
                self._open()
                sync = True
            os.pwrite(self._file, _mark_text(head), self._place * _SLOT)
            self._place = 1 - self._place
            if sync:
                os.fsync(self._file)
        except OSError as error:
            if not self._failing:
                _log.warning(
                    "%s: %s; a lost end of the store would not be noticed", self.path, error.strerror
                )
            self._failing = True
        else:
            self._failing = False

    def _in_place(self) -> bool:
        """Whether the file that is open is the one that has the name."""
        with suppress(FileNotFoundError):
            return self._file >= 0 and os.path.samestat(os.fstat(self._file), os.lstat(self.path))
        return False

    def _open(self) -> None:
        self.close()
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        os.ftruncate(self._file, 2 * _SLOT)

    def close(self) -> None:
        """Syncs the file and lets it go; it stays."""
        if self._file >= 0:
            with suppress(OSError):
                os.fsync(self._file)
            os.close(self._file)
            self._file = -1


def _mark_text(head: Head) -> bytes:
    return f"{head.number} {head.checksum} {seal(head.number, head.checksum)}\n".ljust(64).encode()


def read_mark(store: Path) -> Head | None:
    """The head mark of this store; None if there is none that can be read."""
    found: list[Head] = []
    with suppress(OSError):
        content = read_bytes(store.with_name(store.name + MARK_NAME), 2 * _SLOT, follow_links=False)
        for place in (0, _SLOT):
            with suppress(ValueError):
                number, checksum, check = map(int, content[place : place + 64].split())
                if check == seal(number, checksum):
                    found.append(Head(number, checksum))
    return max(found, key=lambda head: head.number, default=None)
