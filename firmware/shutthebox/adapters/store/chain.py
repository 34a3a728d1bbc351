"""The chain of facts: each has a checksum over itself and the one before it.

So an altered or a missing fact is found, wherever it is, as long as facts behind it are there. A
missing end is found by the head mark, a small file beside the store that says how far the chain was.
Where old facts have been forgotten, the chain begins with a checkpoint: what follows from them.

The checksums find damage, not forgery: a person who can write to the file can work them out.
"""

import logging
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, TypeAlias

from shutthebox.files import read_bytes

_log = logging.getLogger(__name__)

_BYTES = 6
"""Bytes of a checksum. 1 of 3e14 kinds of damage goes unnoticed, and JSON readers keep the number exactly."""


def _checksum(content: bytes) -> int:
    return int.from_bytes(blake2b(content, digest_size=_BYTES).digest())


_MOST_FACTS = 2**53
"""More than any box can write; SQLite can count on from there."""


class Head(NamedTuple):
    """The last fact of a chain: its number, from 1, and its checksum."""

    number: int = 0
    checksum: int = 0

    def after(self, text: str) -> "Head":
        """The head once this fact has been added."""
        content = f"{self.checksum} {self.number + 1} {text}"
        return Head(self.number + 1, _checksum(content.encode()))


class Checkpoint(NamedTuple):
    """What a chain begins with.

    Attributes:
        number: of the last fact that it covers; facts up to it may be forgotten, match by match.
        head: the checksum of that fact.
        facts: how many facts up to that number are kept.
        sums: what follows from all of them, as text; empty for nothing (`shutthebox.adapters.store.tables`).
    """

    number: int = 0
    head: int = 0
    facts: int = 0
    sums: str = ""

    def write(self, db: sqlite3.Connection) -> None:
        """Replaces the one that is there, in a transaction of the caller."""
        row = self.number, self.head, self.facts, self.sums
        db.execute("insert or replace into checkpoint values (1, ?, ?, ?, ?, ?)", (*row, self._seal()))

    def _seal(self) -> int:
        return _checksum(f"{self.number} {self.head} {self.facts} {self.sums}".encode())


def read_checkpoint(db: sqlite3.Connection) -> Checkpoint:
    """What the chain begins with; an empty one for a chain of which nothing is forgotten.

    Raises:
        ValueError: if it was altered.
        sqlite3.Error: if it can't be read.
    """
    row = db.execute("select number, head, facts, sums, checksum from checkpoint").fetchone()
    return sealed_checkpoint(*row) if row else Checkpoint()


def sealed_checkpoint(number: int, head: int, facts: int, sums: str, checksum: int) -> Checkpoint:
    """The checkpoint with these columns.

    Raises:
        ValueError: if it was altered.
    """
    found = Checkpoint(number, head, facts, sums)
    if checksum != found._seal() or not 0 <= number < _MOST_FACTS:
        raise ValueError("the checkpoint was altered")
    return found


_HEAD = """
select number, checksum from fact union all select number, head from checkpoint order by number desc limit 1
"""


def head_of(db: sqlite3.Connection) -> Head:
    """The last fact of a store, though it may be forgotten.

    Raises:
        sqlite3.Error: if it can't be read.
    """
    return Head(*(db.execute(_HEAD).fetchone() or ()))


def add(db: sqlite3.Connection, text: str) -> int:
    """Adds a fact in a transaction of the caller, and gives its number.

    Raises:
        sqlite3.Error: if it can't be written.
    """
    before = head_of(db)
    head = before.after(text)
    db.execute("insert into fact values (?, ?, ?, ?)", (head.number, before.checksum, text, head.checksum))
    return head.number


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


FACTS = "select number, previous, cast(text as blob), checksum from fact where number > ? order by number"
"""The facts behind a number, for `check_facts`."""

RawFact: TypeAlias = tuple[int, int, bytes | None, int]
"""A fact as it lies in the file: its number, the checksum before it, its text, its own checksum."""


def has_right_checksum(fact: RawFact) -> bool:
    """Whether the checksum is that of the fact and of the checksum before it, which stands beside it."""
    number, previous, raw, checksum = fact
    return checksum == _checksum(b"%a %d " % (previous, number) + (raw or b""))


def read_facts(db: sqlite3.Connection, checkpoint: Checkpoint, after: int = 0) -> Iterator[ReadFact]:
    """The facts behind this number, in order, each compared with its checksum.

    Raises:
        sqlite3.Error: where they can't be read any further.
    """
    row = db.execute("select checksum from fact where number = ?", (after,)).fetchone()
    return check_facts(db.execute(FACTS, (after,)), checkpoint, after, row[0] if row else None)


def check_facts(
    rows: Iterable[RawFact], checkpoint: Checkpoint, last: int = 0, link: int | None = None
) -> Iterator[ReadFact]:
    """Compares facts with their checksums. It is fast, because every start does this.

    Args:
        rows: rising.
        checkpoint: up to its end no gap is a fault.
        last: the number of the fact before the first of them.
        link: the checksum of that fact; None if it is not known.
    """
    link = link if last else 0
    for number, previous, raw, checksum in rows:
        if last < checkpoint.number < number:
            last, link = checkpoint.number, checkpoint.head
        missing = number - 1 - last
        if missing:
            link = None
        if number <= checkpoint.number:
            missing = 0
        good = has_right_checksum((number, previous, raw, checksum)) and link in (None, previous)
        yield ReadFact(number, raw or b"", good, missing)
        # What is behind a bad fact says itself what was before it.
        last, link = number, checksum if good else None


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
        self._writes = 0
        self._failing = False

    def write(self, head: Head) -> None:
        """Notes how far the chain is; a mark that can't be written is a line in the journal, once."""
        try:
            # Opened each time: another file may have got its name, or a link.
            with self._opened(os.O_CREAT) as file:
                is_new = os.fstat(file).st_size != 2 * _SLOT
                if is_new:
                    os.ftruncate(file, 2 * _SLOT)
                os.pwrite(file, _mark_text(head), self._writes % 2 * _SLOT)
                self._writes += 1
                if is_new:
                    os.fsync(file)
        except OSError as error:
            if not self._failing:
                _log.warning(
                    "%s: %s; a lost end of the store would not be noticed", self.path, error.strerror
                )
            self._failing = True
        else:
            self._failing = False

    def sync(self) -> None:
        """Makes what was written durable; to be called when the store is closed."""
        if self._writes:
            with suppress(OSError), self._opened() as file:
                os.fsync(file)

    @contextmanager
    def _opened(self, flags: int = 0) -> Iterator[int]:
        file = os.open(self.path, os.O_RDWR | os.O_NOFOLLOW | flags, 0o600)
        try:
            yield file
        finally:
            os.close(file)


def _mark_text(head: Head) -> bytes:
    content = f"{head.number} {head.checksum}"
    return f"{content} {_checksum(content.encode())}\n".ljust(64).encode()


def read_mark(store: Path) -> Head | None:
    """The head mark of this store; None if there is none that can be read."""
    found: list[Head] = []
    with suppress(OSError):
        content = read_bytes(store.with_name(store.name + MARK_NAME), 2 * _SLOT, follow_links=False)
        for place in (0, _SLOT):
            with suppress(ValueError, TypeError):
                head = Head(*map(int, content[place : place + 64].split()[:2]))
                if content[place : place + 64] == _mark_text(head):
                    found.append(head)
    return max(found, key=lambda head: head.number, default=None)
