"""The tables that follow from the facts: a cache, which saves reading all facts again."""

import json
import sqlite3
from typing import Any, NamedTuple, TypeAlias

from shutthebox.adapters.store import fact_text
from shutthebox.adapters.store.chain import Checkpoint
from shutthebox.adapters.store.fact_text import values_of
from shutthebox.adapters.store.schema import COLUMNS
from shutthebox.rules.faces import faces_from_text

Row: TypeAlias = tuple[Any, ...]

KEPT_FAULTS = 200
"""Faults that the store remembers, the latest."""

CACHE = ("match", "result", "throws", "lever", "setting", "total", "fault")
"""The tables, in the order in which they are compared."""

_SUMS = CACHE[2:]
"""Tables that outlive the facts they come from: a checkpoint has their rows."""

TOTALS = {
    "real_dice": "dice real",
    "with_computer": "\ncomputers ",
    "without_levers": "\nout-of-play ",
}
"""Counts of matches under a condition, and what its line begins with."""

_COUNT_THROW = """
insert into throws (dice, sides, die, value, count)
    select ?, sides, ?, ?, 1 from match where id = (select max(id) from match) and sides
    on conflict do update set count = count + 1
"""
_COUNT_WEAR = """
insert into lever (number, presses, chatter) values (?, ?, ?)
    on conflict do update set presses = presses + excluded.presses, chatter = chatter + excluded.chatter
"""
_COUNT = "insert into total (name, count) values (?, 1) on conflict do update set count = count + 1"
_LATEST = 'select id, conditions, sides, "left" from match order by id desc limit 1'


class LatestMatch(NamedTuple):
    """The match to which facts are added; the columns of its row that they may change."""

    id: int
    conditions: str
    sides: int
    left: int


class Tables:
    """Changes the tables as facts tell.

    Args:
        db: the store, in a transaction of the caller.
        checkpoint: what its facts begin with, if the tables are built from them: of facts before its end
            only matches and results follow.

    Raises:
        sqlite3.Error, ValueError, TypeError, LookupError: the checkpoint makes no sense.
    """

    def __init__(self, db: sqlite3.Connection, checkpoint: Checkpoint | None = None) -> None:
        self._db, self._covered = db, checkpoint.number if checkpoint else 0
        for table, rows in (json.loads(checkpoint.sums) if checkpoint and checkpoint.sums else {}).items():
            for row in rows:
                self._put(table, *row)

    @property
    def match(self) -> LatestMatch | None:
        """The latest match; None before the first."""
        row = self._db.execute(_LATEST).fetchone()
        return LatestMatch(*row) if row else None

    def is_decided(self, match: int) -> bool:
        """Whether the match has a result."""
        return self._db.execute("select 1 from result where match = ?", (match,)).fetchone() is not None

    def sums(self) -> str:
        """The tables that a checkpoint has, as text."""
        return json.dumps({table: rows_of(self._db, table) for table in _SUMS}, separators=(",", ":"))

    def apply(self, number: int, text: str) -> None:
        """Changes the rows as this fact tells.

        Args:
            number: of the fact.
            text: its words.

        Raises:
            ValueError, TypeError, LookupError, ArithmeticError: it makes no sense.
            sqlite3.Error: the same, or the tables cannot be written.
        """
        is_summed = number <= self._covered
        match fact_text.word_of(text):
            case "begin":
                self._begin(number, values_of(text), is_summed=is_summed)
            case "resume" | "lost":
                match, *_, after = values_of(text)
                (before,) = self._change("match", "conditions", after, id=match)
                if not is_summed:
                    self._count_conditions(before, after)
                if "dice real" in after:
                    self._change("match", "sides", 0, id=match)
            case "finish":
                match, results = values_of(text)
                self._finish(match, results)
                if not is_summed:
                    self._db.execute(_COUNT, ("finished",))
            case "sign":
                match, player, initials = values_of(text)
                self._change("result", "initials", initials, match=match, player=player)
            case "leave":
                (match,) = values_of(text)
                (before,) = self._change("match", "left", 1, id=match)
                if not (before or is_summed or self.is_decided(match)):
                    self._db.execute(_COUNT, ("given_up",))
            case _ if is_summed:
                pass
            case "throw":
                faces = faces_from_text(text.split()[1])
                counted = ((len(faces), die, value) for die, value in enumerate((sum(faces), *faces)))
                self._db.executemany(_COUNT_THROW, counted)
            case "choose":
                key, value = values_of(text)
                self._put("setting", key, json.dumps(value))
            case "wear":
                self._db.executemany(_COUNT_WEAR, values_of(text))
            case "fault":
                (latest,) = self._db.execute("select ifnull(max(id), 0) from fault").fetchone()
                self._put("fault", latest + 1, *values_of(text))
                self._db.execute("delete from fault where id <= ?", (latest + 1 - KEPT_FAULTS,))

    def _begin(self, number: int, values: list[Any], *, is_summed: bool) -> None:
        match, *played, conditions, sides = values
        before = self.match
        if before is not None and match <= before.id:
            raise ValueError(f"match {match} begins behind match {before.id}")
        self._put("match", match, number, *played, conditions, sides, 0)
        if not is_summed:
            self._put("total", "matches", match)
            self._count_conditions("", conditions)

    def _count_conditions(self, before: str, after: str) -> None:
        for name, line in TOTALS.items():
            if line in after and line not in before:
                self._db.execute(_COUNT, (name,))

    def _finish(self, match: int, results: list[Row]) -> None:
        begun = self._db.execute("select 1 from match where id = ?", (match,)).fetchone()
        if not begun or self.is_decided(match):
            raise ValueError(f"match {match} has a result, or has not begun")
        for result in results:
            self._put("result", match, *result, None)

    def _put(self, table: str, *row: object) -> None:
        columns, marks = _columns(table, len(row)), ", ".join("?" * len(row))
        self._db.execute(f"insert or replace into {table} ({columns}) values ({marks})", row)

    def _change(self, table: str, column: str, value: object, **key: int) -> Row:
        """Changes a row that has to be there, and gives what it had before."""
        where = " and ".join(f"{name} = :{name}" for name in key)
        before = self._db.execute(f'select "{column}" from {table} where {where}', key).fetchone()
        if before is None:
            raise LookupError(f"there is no {table} of {key}")
        self._db.execute(f'update {table} set "{column}" = :value where {where}', {"value": value, **key})
        return tuple(before)


def rows_of(db: sqlite3.Connection, table: str) -> list[Row]:
    """All rows of a table.

    Raises:
        sqlite3.Error: if they cannot be read.
    """
    return db.execute(f"select {_columns(table)} from {table}").fetchall()


def _columns(table: str, count: int | None = None) -> str:
    return ", ".join(f'"{column}"' for column in COLUMNS[table][:count])
