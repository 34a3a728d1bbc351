"""Compares a store with its checksums, and the tables that follow from the facts with the facts."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby, islice

from shutthebox.adapters.store import fact_text
from shutthebox.adapters.store.chain import Head, read_facts, seal
from shutthebox.adapters.store.schema import COLUMNS

_MOST_COUNTED = 1000
"""Faults that are listed at most."""

_NAMES = {
    "match": "match {0}",
    "result": "the result of match {0}",
    "throws": "the count of throws of {0} dice",
    "lever": "the counts of lever {0}",
    "setting": "the setting {0}",
    "forgotten": "the counts of forgotten matches",
    "fault": "fault {0}",
}
"""Per table the name of a row, with its first column."""


def faults(db: sqlite3.Connection, mark: Head | None, *, most: int | None = None) -> Iterator[str]:
    """The faults of a store, in a few words each; none for a sound one.

    Args:
        db: of this version.
        mark: its head mark; None if there is none.
        most: facts to look at, the latest; None for all. Matches before them are not looked at either.

    Raises:
        sqlite3.Error: where it cannot be read.
    """
    (last, count) = db.execute("select ifnull(max(number), 0), count(*) from fact").fetchone()
    after = 0 if most is None else max(0, last - most)
    if mark is not None:
        yield from _against_mark(db, mark, last)
    missing = 0
    matches = _Matches(db, after)
    for fact in read_facts(db, after):
        if fact.missing:
            missing += fact.missing
            yield _missing(fact.number - fact.missing, fact.number - 1)
        if fact.good:
            if not fact.raw.startswith(fact_text.OF_ACTIONS):
                yield from matches.take(fact.number, fact.text)
        elif not fact.missing:
            yield f"fact {fact.number} was altered"
    yield from matches.end()
    (forgotten,) = db.execute("select facts from forgotten").fetchone() or (0,)
    if not missing and last - count != forgotten:
        yield f"{abs(last - count - forgotten)} facts are missing, or are there though forgotten"
    for table in _NAMES:
        yield from _altered_rows(db, table, after)
    (lacking,) = db.execute("select ifnull(max(id) - min(id) + 1 - count(*), 0) from fault").fetchone()
    if lacking:
        yield f"{lacking} faults are missing"


def first_fault(db: sqlite3.Connection, mark: Head | None, *, most: int | None = None) -> str | None:
    """The first fault in the words of `faults`, and how many more there are; None if there is none.

    Raises:
        sqlite3.Error: where it cannot be read.
    """
    found = list(islice(faults(db, mark, most=most), _MOST_COUNTED))
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


def _altered_rows(db: sqlite3.Connection, table: str, after: int) -> Iterator[str]:
    columns = ", ".join(f'"{column}"' for column in COLUMNS[table])
    recent = {
        "match": " where first > ?",
        "result": " where match in (select id from match where first > ?)",
    }.get(table, "")
    for row in db.execute(f"select {columns} from {table}{recent}", (after,) if recent else ()):
        if seal(*row[:-1]) != row[-1]:
            yield f"{_NAMES[table].format(row[0])} was altered"


@dataclass
class _Told:
    """The facts of one match, or of the time before the first."""

    first: int = 0
    beginning: str = ""
    conditions: str = ""
    left: bool = False
    finish: str = ""
    signed: dict[int, str] = field(default_factory=dict)


class _Matches:
    """Compares the tables of matches, results and settings with the facts, one by one."""

    def __init__(self, db: sqlite3.Connection, after: int) -> None:
        rows = db.execute(
            'select first, id, began_s, profile, players, rounds, conditions, "left" from match'
            " where first > ?",
            (after,),
        )
        self._rows = {row[0]: row[1:] for row in rows}
        results = db.execute(
            "select match, player, score, owes, won, initials from result"
            " where match in (select id from match where first > ?) order by match, player",
            (after,),
        )
        self._results = {match: [row[1:] for row in rows] for match, rows in groupby(results, lambda r: r[0])}
        self._settings = dict(db.execute("select key, value from setting").fetchall())
        self._chosen: dict[str, str] = {}
        self._told = _Told()

    def take(self, number: int, text: str) -> Iterator[str]:
        """Takes the next fact; if it begins a match, gives the faults of the one before."""
        match fact_text.word_of(text):
            case "begin":
                yield from self._compare()
                self._told = _Told(number, text, fact_text.conditions_in(text))
            case "resume" | "lost":
                self._told.conditions = fact_text.conditions_in(text)
            case "leave":
                self._told.left = True
            case "finish":
                self._told.finish = text
            case "sign":
                self._told.signed |= [fact_text.signed(text)]
            case "choose":
                self._chosen |= [fact_text.chosen(text)]

    def end(self) -> Iterator[str]:
        """The faults of the last match, of settings, and of matches without facts."""
        yield from self._compare()
        for row in self._rows.values():
            yield f"the beginning of match {row[0]} is missing"
        for key, value in self._chosen.items():
            if self._settings.get(key) != value:
                yield f"the setting {key} is not what was chosen last"

    def _compare(self) -> Iterator[str]:
        told = self._told
        if not told.first:
            return
        row = self._rows.pop(told.first, None)
        if row is None:
            yield f"the match that fact {told.first} began is missing"
            return
        number, *content, conditions, left = row
        if fact_text.begin(number, content, fact_text.conditions_in(told.beginning)) != told.beginning:
            yield f"match {number} is not the one that was begun"
        if (conditions, bool(left)) != (told.conditions, told.left):
            yield f"match {number} is not as its facts tell"
        results = self._results.get(number, [])
        finish = fact_text.finish([result[:-1] for result in results]) if results else ""
        signed = {result[0]: result[-1] for result in results if result[-1] is not None}
        if (finish, signed) != (told.finish, told.signed):
            yield f"the result of match {number} is not as its facts tell"
