"""The chain of facts: each has a checksum over itself and the one before it.

So an altered or missing fact shows up, as long as there are facts behind it. The head mark, a small file
beside the store that says how far the chain reached, reveals a missing end. Once old facts are forgotten, the
chain begins with a checkpoint, which sums them up.

The checksums find damage, not forgery: anybody who can write to the file can calculate them.
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
"""Bytes of a checksum: damage goes unnoticed once in 3e14 cases, and JSON readers keep the number exactly."""


def _checksum(content: bytes) -> int:
    return int.from_bytes(blake2b(content, digest_size=_BYTES).digest())


_MAX_FACTS = 2**53
"""More than any box can write, and still far from SQLite's limit."""


class Head(NamedTuple):
    """The last fact of a chain: its number, from 1, and its checksum."""

    number: int = 0
    checksum: int = 0

    def after(self, text: str) -> "Head":
        """The head once this fact has been added."""
        content = f"{self.checksum} {self.number + 1} {text}"
        return Head(self.number + 1, _checksum(content.encode()))


class Checkpoint(NamedTuple):
    """The start of a chain whose oldest facts may be forgotten.

    Attributes:
        number: of the last fact it covers; facts up to it may be forgotten, match by match.
        head: the checksum of that fact.
        facts: how many facts up to that number are kept.
        sums: the tables that follow from all of them, as text (`shutthebox.adapters.store.tables`); may be
            empty.
    """

    number: int = 0
    head: int = 0
    facts: int = 0
    sums: str = ""

    def write(self, db: sqlite3.Connection) -> None:
        """Replaces the stored checkpoint, in the caller's transaction."""
        row = self.number, self.head, self.facts, self.sums
        db.execute("insert or replace into checkpoint values (1, ?, ?, ?, ?, ?)", (*row, self._seal()))

    def _seal(self) -> int:
        return _checksum(f"{self.number} {self.head} {self.facts} {self.sums}".encode())


def read_checkpoint(db: sqlite3.Connection) -> Checkpoint:
    """The stored checkpoint; an empty one if nothing has been forgotten.

    Raises:
        ValueError: it was altered.
        sqlite3.Error: if it can't be read.
    """
    row = db.execute("select number, head, facts, sums, checksum from checkpoint").fetchone()
    return sealed_checkpoint(*row) if row else Checkpoint()


def sealed_checkpoint(number: int, head: int, facts: int, sums: str, checksum: int) -> Checkpoint:
    """The checkpoint with these columns.

    Raises:
        ValueError: it was altered.
    """
    found = Checkpoint(number, head, facts, sums)
    if checksum != found._seal() or not 0 <= number < _MAX_FACTS:
        raise ValueError("the checkpoint was altered")
    return found


_HEAD = """
select number, checksum from fact union all select number, head from checkpoint order by number desc limit 1
"""


def head_of(db: sqlite3.Connection) -> Head:
    """The head of a store's chain, even if that fact is forgotten.

    Raises:
        sqlite3.Error: if it can't be read.
    """
    return Head(*(db.execute(_HEAD).fetchone() or ()))


def add(db: sqlite3.Connection, text: str) -> int:
    """Adds a fact in the caller's transaction, and returns its number.

    Raises:
        sqlite3.Error: if it can't be written.
    """
    before = head_of(db)
    head = before.after(text)
    db.execute("insert into fact values (?, ?, ?, ?)", (head.number, before.checksum, text, head.checksum))
    return head.number


class ReadFact(NamedTuple):
    """A fact as read from the file, and whether its checksum is right.

    Attributes:
        number: in the chain.
        raw: its text, UTF-8 unless it was altered.
        good: whether the checksum is right.
        missing: how many facts are missing directly before it.
    """

    number: int
    raw: bytes
    good: bool
    missing: int

    @property
    def text(self) -> str:
        """What was read, whatever its encoding."""
        return self.raw.decode("utf-8", "replace")


FACTS = "select number, previous, cast(text as blob), checksum from fact where number > ? order by number"
"""The facts behind a number, for `check_facts`."""

RawFact: TypeAlias = tuple[int, int, bytes | None, int]
"""A fact as it lies in the file: its number, the checksum before it, its text, its own checksum."""


def has_right_checksum(fact: RawFact) -> bool:
    """Whether a fact's checksum is right for its text and the checksum before it, which it carries."""
    number, previous, raw, checksum = fact
    return checksum == _checksum(b"%a %d " % (previous, number) + (raw or b""))


def read_facts(db: sqlite3.Connection, checkpoint: Checkpoint, after: int = 0) -> Iterator[ReadFact]:
    """The facts after this number, in order, each checked.

    Raises:
        sqlite3.Error: the rest can't be read.
    """
    row = db.execute("select checksum from fact where number = ?", (after,)).fetchone()
    return check_facts(db.execute(FACTS, (after,)), checkpoint, after, row[0] if row else None)


def check_facts(
    rows: Iterable[RawFact], checkpoint: Checkpoint, last: int = 0, link: int | None = None
) -> Iterator[ReadFact]:
    """Checks facts against their checksums. It's fast, because it runs at every start.

    Args:
        rows: by rising number.
        checkpoint: gaps up to its end are no fault.
        last: the number of the fact before the first row.
        link: that fact's checksum; None if unknown.
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
        # The fact after a bad one carries the checksum to continue from.
        last, link = number, checksum if good else None


MARK_NAME = "-mark"
"""The head mark's file is named after the store, with this appended."""

_SLOT = 2048
"""The distance of the mark's two slots, in bytes. Both share a block, so this costs no extra writes."""


class Mark:
    """The head mark: how far the chain is known to reach. Main thread only.

    It's written after each commit and not synced: the kernel writes it to the card within about half a
    minute. So it's never ahead of the durable facts, but may be behind after a power cut. Two slots are
    written in turn: if one is torn, the other is nearly as new. If both are torn, the end of the chain is
    unknown.

    Args:
        store: the store's file.
    """

    def __init__(self, store: Path) -> None:
        self.path = store.with_name(store.name + MARK_NAME)
        self._writes = 0
        self._failing = False

    def write(self, head: Head) -> None:
        """Writes how far the chain reaches. If that fails, it's logged once."""
        try:
            # Opened each time, because its name may now belong to another file or a link.
            with self._open(os.O_CREAT) as file:
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
                    "%s: %s; nobody would notice if the store's end got lost", self.path, error.strerror
                )
            self._failing = True
        else:
            self._failing = False

    def sync(self) -> None:
        """Makes the mark durable. Call it when the store is closed."""
        if self._writes:
            with suppress(OSError), self._open() as file:
                os.fsync(file)

    @contextmanager
    def _open(self, flags: int = 0) -> Iterator[int]:
        file = os.open(self.path, os.O_RDWR | os.O_NOFOLLOW | flags, 0o600)
        try:
            yield file
        finally:
            os.close(file)


def _mark_text(head: Head) -> bytes:
    content = f"{head.number} {head.checksum}"
    return f"{content} {_checksum(content.encode())}\n".ljust(64).encode()


def read_mark(store: Path) -> Head | None:
    """The head mark of this store; None if there's none, or it can't be read."""
    found: list[Head] = []
    with suppress(OSError):
        content = read_bytes(store.with_name(store.name + MARK_NAME), 2 * _SLOT, follow_links=False)
        for place in (0, _SLOT):
            with suppress(ValueError, TypeError):
                head = Head(*map(int, content[place : place + 64].split()[:2]))
                if content[place : place + 64] == _mark_text(head):
                    found.append(head)
    return max(found, key=lambda head: head.number, default=None)
