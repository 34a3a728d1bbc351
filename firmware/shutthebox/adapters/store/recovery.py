"""Copies a store into a new file: one of an earlier version, or the good part of a damaged one.

Only the chain is read: the checkpoint, and every fact whose checksum is right. The tables are built again
from these. Of a match of which a fact was altered or is missing, the moves before it are kept, and later
facts that stand alone: its result, a signature.

The new file is whole and synced before `shutthebox.adapters.store.open_store` puts it into the store's place.
"""

import os
import sqlite3
from bisect import bisect_right
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from shutthebox.adapters.store import fact_text
from shutthebox.adapters.store.chain import (
    FACTS,
    Chain,
    Checkpoint,
    Head,
    RawFact,
    ReadFact,
    checked,
    read_checkpoint,
)
from shutthebox.adapters.store.errors import UNREADABLE
from shutthebox.adapters.store.fact_text import text_of
from shutthebox.adapters.store.schema import create, tables_of
from shutthebox.adapters.store.tables import Tables
from shutthebox.rules.conditions import Conditions, conditions_from_lines


class Recovered(NamedTuple):
    """The part of an old file that the new one holds.

    Attributes:
        matches: kept whole, or in part.
        facts: in all.
        lost: facts that could not be taken over, as far as that is known.
    """

    matches: int
    facts: int
    lost: int


def copy(db: sqlite3.Connection, to: Path, mark: Head | None) -> Recovered:
    """Makes a new store of the good part of an old one, and syncs it.

    Args:
        db: of any version, damaged or not; only read.
        to: the new file; what is there is deleted.
        mark: the old one's head mark; None if there is none.

    Raises:
        ValueError: if the old one is no store.
        sqlite3.Error: if the old one cannot be read at all, or the new one not be written.
        OSError: if the new one cannot be written.
    """
    if not tables_of(db):
        raise ValueError("no tables of a store")
    try:
        checkpoint = read_checkpoint(db)
        Tables(checkpoint)
    except UNREADABLE:
        checkpoint = Checkpoint()
    facts = _readable(db)
    to.unlink(missing_ok=True)
    try:
        os.close(os.open(to, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_WRONLY, 0o600))
        with closing(sqlite3.connect(to, isolation_level=None)) as new:
            # Nobody knows of the file until it is synced below.
            new.execute("pragma synchronous = off")
            new.execute("pragma journal_mode = memory")
            create(new)
            new.execute("begin")
            recovered = _Copy(new, checkpoint).take(facts, mark)
            new.execute("commit")
        with to.open("rb+") as file:
            os.fsync(file.fileno())
    except BaseException:
        with suppress(OSError):
            to.unlink(missing_ok=True)
        raise
    return recovered


class _Copy:
    """A new store, into which the good facts of an old one are put in their order.

    Args:
        new: the new file, in a transaction.
        checkpoint: of the old one.
    """

    def __init__(self, new: sqlite3.Connection, checkpoint: Checkpoint) -> None:
        self._new, self._checkpoint, self._tables = new, checkpoint, Tables(checkpoint)
        self._chain = Chain(new)
        self._chain.head = Head(checkpoint.number, checkpoint.head)
        self._lost = self._unsaid = 0
        self._is_spoilt = self._result_alone = False

    def take(self, facts: list[RawFact], mark: Head | None) -> Recovered:
        """Takes over what is good.

        Args:
            facts: of the old store.
            mark: its head mark.
        """
        last = self._checkpoint.number
        behind = bisect_right(facts, last, key=lambda row: row[0])
        self._take_covered(facts[:behind])
        for fact in checked(facts[behind:], self._checkpoint):
            self._miss(fact.missing)
            if fact.good:
                self._take(fact.text)
            else:
                self._miss(1)
            last = fact.number
        if mark is not None and mark.number > last:
            self._miss(mark.number - last)
        self._say_what_is_lost()
        match = self._tables.match
        if match is not None and self._result_alone and not match.left:
            self._add(text_of("leave", match.id))  # without its moves it cannot be gone on with
        self._tables.write(self._new)
        count = "select (select count(*) from match), (select count(*) from fact)"
        matches, kept = self._new.execute(count).fetchone()
        return Recovered(matches, kept, self._lost)

    def _take_covered(self, facts: list[RawFact]) -> None:
        """Takes over, as they are, the matches that the checkpoint covers; one is whole or is left out."""
        matches: list[list[tuple[RawFact, ReadFact]]] = [[]]
        for raw, fact in zip(facts, checked(facts, self._checkpoint), strict=True):
            if fact.raw.startswith(b"begin "):
                matches.append([])
            matches[-1].append((raw, fact))
        kept = 0
        for match in matches:
            if not all(fact.good for _, fact in match):
                self._lost += len(match)
                continue
            for raw, fact in match:
                self._tables.apply(fact.number, fact.text)
                self._new.execute("insert into fact values (?, ?, ?, ?)", (*raw[:2], fact.text, raw[-1]))
            kept += len(match)
        if self._checkpoint.number:
            self._checkpoint._replace(facts=kept).write(self._new)

    def _miss(self, facts: int) -> None:
        """So many facts are not there: those of play behind them make no sense."""
        self._unsaid += facts
        self._lost += facts
        self._is_spoilt |= facts > 0

    def _take(self, text: str) -> None:
        word, match = fact_text.word_of(text), self._tables.match
        if word == "begin":
            self._say_what_is_lost()
            self._is_spoilt = self._result_alone = False
        elif self._is_spoilt and fact_text.of_play(text):
            self._miss(1)
            return
        elif word == "finish":
            self._result_alone = self._is_spoilt
        elif match is not None and text == text_of("leave", match.id):
            self._say_what_is_lost()
        try:
            self._tables.apply(self._chain.head.number + 1, text)
        except UNREADABLE:
            self._miss(1)
        else:
            self._chain.add(text)

    def _add(self, text: str) -> None:
        self._tables.apply(self._chain.add(text), text)

    def _say_what_is_lost(self) -> None:
        """Adds a fact to the latest match that says how many were lost of it, unless it was over."""
        match, lost = self._tables.match, self._unsaid
        self._unsaid = 0
        if match is None or match.left or not lost:
            return
        before = conditions_from_lines(match.conditions.splitlines())
        conditions = before and before.joined(Conditions(lost=lost))
        self._add(text_of("lost", match.id, lost, fact_text.conditions_text(conditions)))


def _readable(db: sqlite3.Connection) -> list[RawFact]:
    """The facts from both ends, up to the first that cannot be read."""
    found: list[RawFact] = []
    try:
        for row in db.execute(FACTS, (0,)):
            found.append(row)
        return found
    except (sqlite3.DatabaseError, ValueError):
        pass
    last, behind = found[-1][0] if found else 0, list[RawFact]()
    with suppress(sqlite3.DatabaseError, ValueError):
        for row in db.execute(f"{FACTS} desc", (last,)):
            behind.append(row)
    return found + behind[::-1]
