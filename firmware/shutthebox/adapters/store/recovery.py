"""Builds the tables of a store again from its facts: to compare them, and to keep the good part of a store.

Of a damaged store, or one of an earlier version, only the chain is taken over: the checkpoint, and every fact
whose checksum is right. Of a match of which a fact was altered or is missing, the moves before it are kept,
and later facts that stand alone: its result, a signature.
"""

import sqlite3
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from shutthebox.adapters.store import fact_text
from shutthebox.adapters.store.chain import (
    FACTS,
    Checkpoint,
    Head,
    RawFact,
    ReadFact,
    add,
    checked,
    head_of,
    read_checkpoint,
    read_facts,
)
from shutthebox.adapters.store.errors import UNREADABLE
from shutthebox.adapters.store.fact_text import text_of
from shutthebox.adapters.store.schema import in_memory, tables_of
from shutthebox.adapters.store.tables import CACHE, Tables, rows_of
from shutthebox.rules.conditions import Conditions, conditions_from_lines


def first_fault(db: sqlite3.Connection, mark: Head | None, *, most: int | None = None) -> str | None:
    """The first fault of a store in a few words, and how many more there are; None for a sound one.

    Args:
        db: of this version.
        mark: its head mark; None if there is none.
        most: facts to look at, the latest, and no table; None for all of it.

    Raises:
        sqlite3.Error: if it cannot be read.
        ValueError, TypeError, LookupError, ArithmeticError: what its facts say makes no sense.
    """
    try:
        checkpoint = read_checkpoint(db)
    except ValueError as error:
        return str(error)
    last = head_of(db).number
    found = list(_against_mark(db, mark, last)) if mark is not None else []
    with in_memory() as built:
        tables, kept = Tables(built, checkpoint), 0
        for fact in read_facts(db, checkpoint, 0 if most is None else max(0, last - most)):
            kept += fact.number <= checkpoint.number
            if fact.missing:
                found.append(_missing(fact.number - fact.missing, fact.number - 1))
            if not fact.good:
                found.append(f"fact {fact.number} was altered")
            if most is None and not found:
                tables.apply(fact.number, fact.text)
        if most is None and kept != checkpoint.facts:
            found.append(f"{abs(kept - checkpoint.facts)} facts are missing, or are there though forgotten")
        if most is None and not found:
            for table in CACHE:
                wrong = {row[0] for row in {*rows_of(db, table)} ^ {*rows_of(built, table)}}
                found += (f"{table} {name} is not as the facts tell" for name in sorted(wrong, key=str))
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    return found[0] + more if found else None


def _against_mark(db: sqlite3.Connection, mark: Head, last: int) -> Iterator[str]:
    if mark.number > last:
        yield f"{_missing(last + 1, mark.number)} at the end"
        return
    row = db.execute("select checksum from fact where number = ?", (mark.number,)).fetchone()
    if row is not None and row[0] != mark.checksum:
        yield f"fact {mark.number} is not the one that was kept last"


def _missing(first: int, last: int) -> str:
    return f"fact {first} is missing" if first == last else f"facts {first} to {last} are missing"


class Recovered(NamedTuple):
    """The good part of an old store.

    Attributes:
        content: of a new store's file.
        matches: kept whole, or in part.
        facts: in all.
        lost: facts that could not be taken over, as far as that is known.
    """

    content: bytes
    matches: int
    facts: int
    lost: int


def good_part(db: sqlite3.Connection, mark: Head | None) -> Recovered:
    """Makes a new store of the good part of an old one.

    Args:
        db: of any version, damaged or not; only read.
        mark: its head mark; None if there is none.

    Raises:
        ValueError: if it is no store.
        sqlite3.Error: if it cannot be read at all.
    """
    if not tables_of(db):
        raise ValueError("no tables of a store")
    try:
        checkpoint = read_checkpoint(db)
        with in_memory() as new:
            Tables(new, checkpoint)
    except UNREADABLE:
        checkpoint = Checkpoint()
    with in_memory() as new:
        taking = _Taking(new, checkpoint)
        taking.take(_readable(db), mark)
        count = "select (select count(*) from match), (select count(*) from fact)"
        matches, facts = new.execute(count).fetchone()
        new.execute("commit")
        return Recovered(new.serialize(), matches, facts, taking.lost)


class _Taking:
    """Puts the good facts of an old store into a new one, in their order.

    Args:
        new: the new store.
        checkpoint: of the old one.

    Attributes:
        lost: facts that could not be taken over.
    """

    def __init__(self, new: sqlite3.Connection, checkpoint: Checkpoint) -> None:
        self._new, self._checkpoint, self._tables = new, checkpoint, Tables(new, checkpoint)
        self.lost = self._unsaid = 0
        self._is_spoilt = self._result_alone = False

    def take(self, facts: list[RawFact], mark: Head | None) -> None:
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
                self.lost += len(match)
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
        self.lost += facts
        self._is_spoilt |= facts > 0

    def _take(self, text: str) -> None:
        word = fact_text.word_of(text)
        if word == "begin":
            self._say_what_is_lost()
            self._is_spoilt = self._result_alone = False
        elif self._is_spoilt and fact_text.of_play(text):
            self._miss(1)
            return
        elif word == "finish":
            self._result_alone = self._is_spoilt
        elif word == "leave" and (match := self._tables.match) and text == text_of("leave", match.id):
            self._say_what_is_lost()
        self._new.execute("savepoint before")
        try:
            self._add(text)
        except UNREADABLE:
            self._new.execute("rollback to before")
            self._miss(1)
        self._new.execute("release before")

    def _add(self, text: str) -> None:
        self._tables.apply(add(self._new, text), text)

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
    found, behind = list[RawFact](), list[RawFact]()
    with suppress(sqlite3.DatabaseError, ValueError):
        for row in db.execute(FACTS, (0,)):
            found.append(row)
        return found
    with suppress(sqlite3.DatabaseError, ValueError):
        for row in db.execute(f"{FACTS} desc", (found[-1][0] if found else 0,)):
            behind.append(row)
    return found + behind[::-1]
