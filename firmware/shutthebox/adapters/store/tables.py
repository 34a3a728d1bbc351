"""The tables that follow from the facts: a cache, which saves reading all facts again."""

import json
import sqlite3
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from shutthebox.adapters.store import fact_text
from shutthebox.adapters.store.chain import Checkpoint
from shutthebox.adapters.store.fact_text import values_of
from shutthebox.adapters.store.schema import COLUMNS
from shutthebox.rules.faces import faces_from_text
from shutthebox.rules.moves import Throw
from shutthebox.rules.profile import MAX_PLAYERS

Row: TypeAlias = tuple[Any, ...]
Key: TypeAlias = tuple[str, Row]
"""A table, and the values of its key."""


class MatchRow(NamedTuple):
    """A match in its table."""

    id: int
    first: int
    began_s: int
    profile: str
    players: int
    rounds: int
    conditions: str
    sides: int
    left: int


KEPT_FAULTS = 200
"""Faults that the store remembers, the latest."""

_KEYS = {"match": 1, "result": 2, "throws": 4, "lever": 1, "setting": 1, "total": 1, "fault": 1}
"""The tables, and how many of their columns, the first, are the key."""

_SUMS = ("throws", "lever", "setting", "total", "fault")
"""Tables that outlive the facts they come from: a checkpoint has their rows."""

TOTALS = {
    "real_dice": "dice real",
    "with_computer": "\ncomputers ",
    "without_levers": "\nout-of-play ",
}
"""Counts of matches under a condition, and what its line begins with."""


class Tables:
    """Rows by table and key, and how the next fact changes them. No file is touched but in `write`.

    Args:
        checkpoint: what the facts begin with; of facts before its end only matches and results follow.

    Attributes:
        rows: per table the row of each key, all columns of the file in order.
    """

    def __init__(self, checkpoint: Checkpoint | None = None) -> None:
        self.rows: dict[str, dict[Row, Row]] = {table: {} for table in _KEYS}
        self._covered = checkpoint.number if checkpoint else 0
        self._is_summed = False
        self._before: dict[Key, Row | None] = {}
        self._sides = 0
        for table, rows in (json.loads(checkpoint.sums) if checkpoint and checkpoint.sums else {}).items():
            self._take(table, map(tuple, rows))

    @classmethod
    def of_store(cls, db: sqlite3.Connection) -> "Tables":
        """Those of a store to which facts are going to be added: all sums, and the latest match.

        Raises:
            sqlite3.Error: if they cannot be read.
        """
        tables = cls()
        latest = {"match": "id", "result": "match"}
        for table in _KEYS:
            where = f" where {latest[table]} = (select max(id) from match)" if table in latest else ""
            tables._take(table, db.execute(f"select {_columns(table)} from {table}{where}"))
        tables.settle()
        tables._sides = tables.match.sides if tables.match else 0
        return tables

    def _take(self, table: str, rows: Iterator[Row]) -> None:
        for row in rows:
            self._set(table, row)

    @property
    def match(self) -> MatchRow | None:
        """The latest match; None before the first."""
        rows = reversed(self.rows["match"].values())
        return next((MatchRow(*row) for row in rows), None)

    def sums(self) -> str:
        """The tables that a checkpoint has, as text."""
        return json.dumps({table: list(self.rows[table].values()) for table in _SUMS}, separators=(",", ":"))

    def apply(self, number: int, text: str) -> None:
        """Changes the rows as this fact tells.

        Args:
            number: of the fact.
            text: its words.

        Raises:
            ValueError, TypeError, LookupError: it makes no sense.
        """
        self._is_summed = number <= self._covered
        match fact_text.word_of(text):
            case "throw" if self._sides and not self._is_summed:
                self._throw(text)
            case "begin":
                self._begin(number, values_of(text))
            case "resume" | "lost":
                match, *_, conditions = values_of(text)
                row = MatchRow(*self.rows["match"][match,])
                self._sides = 0 if "dice real" in conditions else row.sides
                self._count_conditions(row.conditions, conditions)
                self._set("match", row._replace(conditions=sys.intern(conditions), sides=self._sides))
            case "finish":
                self._finish(*values_of(text))
            case "sign":
                match, player, initials = values_of(text)
                self._set("result", (*self.rows["result"][match, player][:-1], initials))
            case "leave":
                (match,) = values_of(text)
                row = MatchRow(*self.rows["match"][match,])
                if not row.left and not self.is_decided(match):
                    self._add("given_up")
                self._set("match", row._replace(left=1))
            case _ if self._is_summed:
                pass
            case "choose":
                key, value = values_of(text)
                self._set("setting", (key, json.dumps(value)))
            case "wear":
                for switch, presses, chatter in values_of(text):
                    _, before, chattered = self.rows["lever"].get((switch,), (switch, 0, 0))
                    self._set("lever", (switch, before + presses, chattered + chatter))
            case "fault":
                at_s, kind, what = values_of(text)
                (latest,) = max(self.rows["fault"], default=(0,))
                self._set("fault", (latest + 1, at_s, kind, what))
                if (latest + 1 - KEPT_FAULTS,) in self.rows["fault"]:
                    self._drop("fault", (latest + 1 - KEPT_FAULTS,))

    def _begin(self, number: int, values: list[Any]) -> None:
        match, began_s, profile, players, rounds, conditions, self._sides = values
        if self.match is not None and match <= self.match.id:
            raise ValueError(f"match {match} begins behind match {self.match.id}")
        if not self._is_summed:
            self._set("total", ("matches", match))
        self._count_conditions("", conditions)
        played = began_s, sys.intern(profile), players, rounds
        self._set("match", (match, number, *played, sys.intern(conditions), self._sides, 0))

    def _count_conditions(self, before: str, after: str) -> None:
        for name, line in TOTALS.items():
            if line in after and line not in before:
                self._add(name)

    def is_decided(self, match: int) -> bool:
        """Whether the match, one that is in `rows`, has a result."""
        return any((match, player) in self.rows["result"] for player in range(MAX_PLAYERS))

    def _finish(self, match: int, results: list[Row]) -> None:
        if (match,) not in self.rows["match"] or self.is_decided(match):
            raise ValueError(f"match {match} has a result, or has not begun")
        for result in results:
            self._set("result", (match, *result, None))
        self._add("finished")

    def _throw(self, text: str) -> None:
        faces = _faces(text)
        for die, value in ((0, sum(faces)), *enumerate(faces, 1)):
            key = len(faces), self._sides, die, value
            self._set("throws", (*key, self.rows["throws"].get(key, (0,))[-1] + 1))

    def _add(self, name: str) -> None:
        if not self._is_summed:
            self._set("total", (name, self.rows["total"].get((name,), (name, 0))[1] + 1))

    def _set(self, table: str, row: Row) -> None:
        key = row[: _KEYS[table]]
        self._before.setdefault((table, key), self.rows[table].get(key))
        self.rows[table][key] = row

    def _drop(self, table: str, key: Row) -> None:
        self._before.setdefault((table, key), self.rows[table].pop(key))

    def write(self, db: sqlite3.Connection) -> None:
        """Writes the rows that have changed since `settle`, in a transaction of the caller.

        Raises:
            sqlite3.Error, OverflowError: if they cannot be written.
        """
        for table, key in self._before:
            row = self.rows[table].get(key)
            if row is None:
                where = " and ".join(f"{column} = ?" for column in COLUMNS[table][: len(key)])
                db.execute(f"delete from {table} where {where}", key)
            else:
                marks = ", ".join("?" * len(row))
                db.execute(f"insert or replace into {table} ({_columns(table)}) values ({marks})", row)

    def settle(self) -> None:
        """What was written is durable. Of the matches only the latest is needed from now on."""
        self._before.clear()
        for table in ("match", "result"):
            latest = next(reversed(self.rows["match"]), (0,))
            self.rows[table] = {key: row for key, row in self.rows[table].items() if key[:1] == latest}

    def undo(self) -> None:
        """Everything is again as at the last `settle`."""
        for (table, key), row in self._before.items():
            if row is None:
                del self.rows[table][key]
            else:
                self.rows[table][key] = row
        self._before.clear()
        self._sides = self.match.sides if self.match else 0

    def differences(self, db: sqlite3.Connection) -> Iterator[str]:
        """The rows of a store that are not these, in a few words each. The rows here are used up.

        Raises:
            sqlite3.Error: if they cannot be read.
        """
        for table, expected in self.rows.items():
            wrong = []
            for row in db.execute(f"select {_columns(table)} from {table}"):
                if expected.pop(row[: _KEYS[table]], None) != row:
                    wrong.append(row[0])
            for name in dict.fromkeys([*wrong, *(key[0] for key in expected)]):
                yield f"{table} {name} is not as the facts tell"


@lru_cache(maxsize=1024)
def _faces(text: str) -> Throw:
    return faces_from_text(text.split()[1])


def _columns(table: str) -> str:
    return ", ".join(f'"{column}"' for column in COLUMNS[table])
