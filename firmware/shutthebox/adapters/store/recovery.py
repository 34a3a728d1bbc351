"""Copies a store into a new file: one of an earlier version, or the good part of a damaged one.

The new file has the latest matches, and of the others their counts; so it is small, and the old one may be
large. It is made beside the store and takes its name when it is whole and synced: a plug pulled
meanwhile leaves one of the two.

Of a damaged store every row is taken over whose checksum is right. A match of which a fact was altered or
is missing keeps the facts before it, and its result if that is whole.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from shutthebox.adapters.store import fact_text
from shutthebox.adapters.store.chain import (
    FACTS,
    MARK_NAME,
    Chain,
    Head,
    checked,
    knows_checksums,
    read_mark,
    reseal,
    seal,
)
from shutthebox.adapters.store.schema import COLUMNS, columns_of, create, tables_of
from shutthebox.files import sync_folder
from shutthebox.rules.conditions import Conditions, conditions_from_lines

_Row: TypeAlias = tuple[Any, ...]

_AS_THEY_ARE = {
    "throws": ("dice", "sides", "die", "value", "count"),
    "lever": ("number", "presses", "chatter"),
    "fault": ("at_s", "kind", "text"),
}
"""Tables that are copied row by row, with the columns that are: faults are numbered anew."""

_KEY_COLUMNS = {"result": 2, "throws": 4}
"""Columns of the key where it is not the first column alone."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """The part of an old file that the new one holds.

    Attributes:
        matches: kept whole, or in part.
        facts: in all.
        lost: facts that could not be taken over, as far as that is known.
    """

    matches: int
    facts: int
    lost: int


@dataclass(slots=True)
class _Match:
    """A match as it goes into the new file.

    Attributes:
        number: its id.
        content: when it began, its profile, players, rounds.
        conditions: their lines when it began.
        told: its facts behind its beginning.
        results: the rows of its result: player, score, owes, won, initials.
        left: the players have left it.
        lost: facts of it that could not be taken over.
    """

    number: int
    content: tuple[int, str, int, int]
    conditions: str
    told: list[str]
    results: list[_Row]
    left: bool
    lost: int = 0

    def ending(self) -> list[str]:
        """The facts that end it, made from its rows."""
        told = [fact_text.finish(row[:-1] for row in self.results)] if self.results else []
        told += [fact_text.sign(row[0], row[-1]) for row in self.results if row[-1] is not None]
        return [*told, fact_text.LEAVE] if self.left else told


def bring_up_to_date(store: Path, patience_s: float) -> None:
    """Replaces a store of an earlier version by one of this, all of it or not at all.

    The time that it takes grows with the matches that are kept whole, and hardly with the others.

    Args:
        store: its file.
        patience_s: how long to wait for another program to let it go.

    Raises:
        sqlite3.Error: if it cannot be read, or another program has it open.
        ValueError: if part of it is damaged.
        OSError: if the new file cannot be written.
    """
    new = store.with_name(f"{store.name}.new")
    try:
        with closing(sqlite3.connect(store, isolation_level=None, timeout=patience_s)) as db:
            db.execute("begin immediate")  # nobody else may write to it from now on
            if lost := copy(db, new, read_mark(store)).lost:
                raise ValueError(f"{lost} facts are missing or were altered")
            db.execute("rollback")
            # SQLite would take its log for the new file's; this deletes it, or fails if anybody reads.
            db.execute("pragma journal_mode = delete")
        # The copy is a chain of its own; without a mark its end is not known until it is opened.
        store.with_name(store.name + MARK_NAME).unlink(missing_ok=True)
        sync_folder(store.parent)
        new.rename(store)
    finally:
        new.unlink(missing_ok=True)
    sync_folder(store.parent)


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
    db.text_factory = lambda raw: raw.decode("utf-8", "replace")
    version = tables_of(db)
    if not version:
        raise ValueError("no tables of a store")
    source = _Source(db, version, mark)
    to.unlink(missing_ok=True)
    try:
        os.close(os.open(to, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_WRONLY, 0o600))
        with closing(sqlite3.connect(to, isolation_level=None)) as new:
            knows_checksums(new)
            # Nobody knows of the file until it is synced below.
            new.execute("pragma synchronous = off")
            new.execute("pragma journal_mode = memory")
            create(new)
            new.execute("begin")
            recovered = _fill(new, source)
            new.execute("commit")
        with to.open("rb+") as file:
            os.fsync(file.fileno())
    except BaseException:
        with suppress(OSError):
            to.unlink(missing_ok=True)
        raise
    return recovered


def _fill(new: sqlite3.Connection, source: "_Source") -> Recovered:
    for table, columns in _AS_THEY_ARE.items():
        new.executemany(
            f"insert or ignore into {table} ({', '.join(columns)}) values ({', '.join('?' * len(columns))})",
            source.rows(table, columns),
        )
    chain, matches, lost = Chain(new), 0, 0
    chosen: dict[str, str] = {}
    for match in source.matches():
        _add(new, chain, match)
        matches += 1
        lost += match.lost
        chosen |= [fact_text.chosen(text) for text in match.told if fact_text.word_of(text) == "choose"]
    lost += source.lost
    chosen, kept = _usable(chosen.items()), _usable(source.rows("setting", ("key", "value")))
    # Where facts are lost, a setting may have been chosen after the last fact that tells of it.
    for key, value in ({**chosen, **kept} if lost else {**kept, **chosen}).items():
        chain.add(fact_text.choose(key, json.loads(value)))
        new.execute("insert into setting (key, value) values (?, ?)", (key, value))
    counted = source.forgotten()
    new.execute(f"update forgotten set {', '.join(f'{column} = :{column}' for column in counted)}", counted)
    for table in ("match", "result", "setting", "forgotten", *_AS_THEY_ARE):
        reseal(new, table)
    return Recovered(matches, chain.head.number, lost)


def _usable(settings: Iterable[_Row]) -> dict[str, str]:
    """Those whose value is JSON, as the box has written it."""
    found: dict[str, str] = {}
    for key, value in settings:
        with suppress(ValueError, RecursionError):
            json.loads(value)
            found[key] = value
    return found


def _add(new: sqlite3.Connection, chain: Chain, match: _Match) -> None:
    chain.add(fact_text.begin(match.number, match.content, match.conditions))
    first, conditions = chain.head.number, match.conditions
    for text in match.told:
        chain.add(text)
        conditions = fact_text.conditions_in(text) if fact_text.sets_conditions(text) else conditions
    new.execute(
        "insert into match (id, first, began_s, profile, players, rounds, conditions, left)"
        " values (?, ?, ?, ?, ?, ?, ?, ?)",
        (match.number, first, *match.content, conditions, match.left),
    )
    new.executemany(
        "insert into result (match, player, score, owes, won, initials) values (?, ?, ?, ?, ?, ?)",
        [(match.number, *row) for row in match.results],
    )


class _Source:
    """The store that is copied: everything is compared with its checksum."""

    def __init__(self, db: sqlite3.Connection, version: int, mark: Head | None) -> None:
        self._db, self._columns = db, columns_of(version)
        self.lost = 0
        self._facts = {fact.number: fact for fact in checked(_readable(db, FACTS, 1, (0,)), Head())}
        self._top = max([*self._facts, mark.number if mark else 0], default=0)
        self._missing_ids = 0

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[_Row]:
        there = self._columns.get(table, ())
        for row in self._good(table) if there else ():
            yield tuple(row[there.index(column)] if column in there else 0 for column in columns)

    def matches(self) -> Iterator[_Match]:
        rows = {row[1]: row for row in self._good("match")}
        results: dict[int, list[_Row]] = {}
        for match, *row in self._good("result"):
            results.setdefault(match, []).append(tuple(row))
        begun = [
            n for n, fact in self._facts.items() if fact.good and fact_text.word_of(fact.text) == "begin"
        ]
        last_id = 0
        for first, end in pairwise([*sorted({*rows, *begun}), self._top + 1]):
            if first in rows:
                number = rows[first][0]
                self._missing_ids += number - last_id - 1
                last_id = number
                yield self._match(rows[first], end, results.get(number, []))
            else:
                self.lost += end - first

    def _match(self, row: _Row, end: int, results: list[_Row]) -> _Match:
        number, first, *content, conditions, left = row
        told, lost = self._told(first, end)
        if fact_text.LEAVE in told:  # the missing facts belong to no match
            self.lost, lost = self.lost + lost, 0
        finish = fact_text.finish(result[:-1] for result in results)
        for place, text in enumerate(told):
            if fact_text.word_of(text) == "finish" and text != finish:
                told, lost = told[:place], lost + len(told) - place
                break
        if not lost:
            # Rows that are older than the facts: a write that never reached the card.
            left = fact_text.LEAVE in told
            signed = dict(fact_text.signed(text) for text in told if fact_text.word_of(text) == "sign")
            results = [(*result[:-1], signed.get(result[0])) for result in results]
            if results and finish not in told:
                results = []
        beginning = self._facts.get(first)
        if beginning is not None and beginning.good:
            conditions = fact_text.conditions_in(beginning.text)
        match = _Match(number, tuple(content), conditions, told, results, bool(left), lost)
        if lost:
            # A match whose moves are lost cannot be continued, so its result stands.
            match.left = match.left or (bool(results) and finish not in told)
            match.told.append(fact_text.lost(lost, _with_lost(conditions, told, lost)))
            match.told += [text for text in match.ending() if text not in told]
        return match

    def _told(self, first: int, end: int) -> tuple[list[str], int]:
        """The facts of a match behind its first, up to one that is not good; how many are not there."""
        told: list[str] = []
        for number in range(first + 1, end):
            fact = self._facts.get(number)
            if fact is None:
                following = self._facts.get(end)
                forgotten = following is not None and following.good and end - 1 not in self._facts
                return told, 0 if forgotten else end - number
            if not fact.good:
                return told, end - number
            told.append(fact.text)
        return told, 0

    def forgotten(self) -> dict[str, int]:
        columns = [column for column in COLUMNS["forgotten"] if column not in ("one", "facts", "checksum")]
        row = next(self.rows("forgotten", columns), (0,) * len(columns))
        counted = dict(zip(columns, row, strict=True))
        # A lost match counts as begun.
        return {**counted, "matches": max(counted["matches"], self._missing_ids)}

    def _good(self, table: str) -> Iterator[_Row]:
        columns = ", ".join(self._columns[table])
        keys = _KEY_COLUMNS.get(table, 1)
        order = ", ".join(self._columns[table][:keys])
        for row in _readable(self._db, f"select {columns} from {table} order by {order}", keys):
            if seal(*row[:-1]) == row[-1]:
                yield row[:-1]


def _with_lost(conditions: str, told: list[str], lost: int) -> str:
    for text in told:
        if fact_text.sets_conditions(text):
            conditions = fact_text.conditions_in(text)
    before = conditions_from_lines(conditions.splitlines())
    return fact_text.conditions_text(before and before.joined(Conditions(lost=lost)))


def _readable(db: sqlite3.Connection, query: str, keys: int, values: _Row = ()) -> list[_Row]:
    """The rows of a query from both ends, up to the first that cannot be read.

    Args:
        db: the store.
        query: ordered by its first columns.
        keys: how many those are.
        values: of its places.
    """
    found: list[_Row] = []
    try:
        for row in db.execute(query, values):
            found.append(row)
        return found
    except (sqlite3.DatabaseError, ValueError):
        pass
    last, behind = (found[-1][:keys] if found else None), list[_Row]()
    backwards = ", ".join(f"{place} desc" for place in range(1, keys + 1))
    with suppress(sqlite3.DatabaseError, ValueError, TypeError):
        for row in db.execute(f"select * from ({query}) order by {backwards}", values):
            if last is not None and row[:keys] <= last:
                break
            behind.append(row)
    return found + behind[::-1]
