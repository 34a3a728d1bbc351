"""The tables that follow from the facts: a cache that saves rereading all of them."""

import json
import sqlite3
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from shutthebox.adapters.store.chain import Checkpoint
from shutthebox.adapters.store.schema import COLUMNS
from shutthebox.adapters.store.stored_facts import (
    BoxKeys,
    BoxQuit,
    BoxSigned,
    FactsLost,
    FaultKept,
    LaterFact,
    MatchBegun,
    MatchDecided,
    MatchLeft,
    MatchLinked,
    MatchResumed,
    PlayedAgain,
    PlayerResult,
    RematchSecret,
    ResultSigned,
    StoredFact,
    SwitchesWorn,
    known_conditions,
    stakes_from_text,
)
from shutthebox.game.facts import ClockShown, Remembered, remembered
from shutthebox.link.match import Revealed, Rolled
from shutthebox.rules.actions import Action, Thrown
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.profile import MAX_PLAYERS

Row: TypeAlias = tuple[Any, ...]

KEPT_FAULTS = 200
"""How many of the latest faults the store remembers."""

CACHE = tuple(table for table in COLUMNS if table not in ("fact", "checkpoint"))
"""The tables, in the order in which they're checked."""

_SUMS = CACHE[2:]
"""Tables that outlive their facts, because a checkpoint has their rows."""

TOTALS: dict[str, Callable[[Conditions], object]] = {
    "real_dice": lambda conditions: conditions.real_dice,
    "with_computer": lambda conditions: conditions.computers,
    "without_levers": lambda conditions: conditions.out_of_play,
}
"""Counts of matches under a condition."""

WHOLE = "instr(conditions, char(10) || 'lost ') = 0"
"""SQL for matches without a gap. Others aren't ranked."""

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
_OWED = """
select player, owes from result where match <> (select max(id) from match)
    and match > (select coalesce(max(id), 0) from match where "left")
"""
_LATEST = 'select id, conditions, sides, "left" from match order by id desc limit 1'


class LatestMatch(NamedTuple):
    """The match that facts are added to: the columns that they may change."""

    id: int
    conditions: str
    sides: int
    left: int


class Tables:
    """Applies facts to the tables.

    Args:
        db: the store, in the caller's transaction.
        checkpoint: the one to start from when rebuilding the tables: from facts that it covers, only matches
            and results follow.

    Raises:
        sqlite3.Error, ValueError, TypeError, LookupError: the checkpoint makes no sense.
    """

    def __init__(self, db: sqlite3.Connection, checkpoint: Checkpoint | None = None) -> None:
        self._db, self._covered = db, checkpoint.number if checkpoint else 0
        sums = json.loads(checkpoint.sums) if checkpoint and checkpoint.sums else {}
        for table in _SUMS:
            for row in sums.get(table, ()):
                # A later version may have more columns.
                self._put(table, *row[: len(COLUMNS[table])])

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

    def apply(self, number: int, fact: StoredFact) -> None:
        """Applies one fact.

        Args:
            number: the fact's number.
            fact: any.

        Raises:
            ValueError, TypeError, LookupError, ArithmeticError: it makes no sense.
            sqlite3.Error: it makes no sense, or the tables can't be written.
        """
        is_summed = number <= self._covered
        if isinstance(fact, Remembered):
            if not is_summed:
                key, value = fact.entry
                self._put("setting", key, json.dumps(value))
            return
        match fact:
            case MatchBegun():
                self._begin(number, fact, is_summed=is_summed)
            case MatchResumed(match, after) | FactsLost(match, _, after):
                (before,) = self._change("match", "conditions", after, id=match)
                if not is_summed:
                    self._count_conditions(before, after)
                if known_conditions(after).real_dice:
                    self._change("match", "sides", 0, id=match)
            case MatchDecided(match, results):
                self._decide(match, results)
                if not is_summed:
                    self._db.execute(_COUNT, ("finished",))
            case ResultSigned(match, player, initials):
                self._change("result", "initials", initials, match=match, player=player)
            case MatchLeft(match):
                (before,) = self._change("match", "left", 1, id=match)
                if not (before or is_summed or self.is_decided(match)):
                    self._db.execute(_COUNT, ("given_up",))
            case Thrown(faces):
                if not is_summed:
                    counted = ((len(faces), die, value) for die, value in enumerate((sum(faces), *faces)))
                    self._db.executemany(_COUNT_THROW, counted)
            case SwitchesWorn(counts):
                if not is_summed:
                    self._db.executemany(_COUNT_WEAR, counts)
            case FaultKept():
                if not is_summed:
                    self._keep_fault(fact)
            case _:
                _no_table(fact)

    def _begin(self, number: int, begun: MatchBegun, *, is_summed: bool) -> None:
        before = self.match
        if before is not None and begun.match <= before.id:
            raise ValueError(f"match {begun.match} begins after match {before.id}")
        game = begun.profile, begun.players, begun.rounds
        self._put("match", begun.match, number, begun.at_s, *game, begun.conditions, begun.sides, 0)
        if not is_summed:
            self._put("total", "matches", begun.match)
            self._count_conditions("", begun.conditions)

    def _count_conditions(self, before: str, after: str) -> None:
        was, now = known_conditions(before), known_conditions(after)
        for name, holds in TOTALS.items():
            if holds(now) and not holds(was):
                self._db.execute(_COUNT, (name,))

    def _decide(self, match: int, results: Iterable[PlayerResult]) -> None:
        begun = self._db.execute("select 1 from match where id = ?", (match,)).fetchone()
        if not begun or self.is_decided(match):
            raise ValueError(f"match {match} has a result, or has not begun")
        for row in results:
            owes = str(row.owes)
            self._put("result", match, row.player, row.score, owes, int(row.won), int(row.captain), None)

    def _keep_fault(self, fault: FaultKept) -> None:
        (latest,) = self._db.execute("select ifnull(max(id), 0) from fault").fetchone()
        self._put("fault", latest + 1, fault.at_s, fault.kind, fault.text)
        self._db.execute("delete from fault where id <= ?", (latest + 1 - KEPT_FAULTS,))

    def _put(self, table: str, *row: object) -> None:
        columns, marks = _columns(table, len(row)), ", ".join("?" * len(row))
        self._db.execute(f"insert or replace into {table} ({columns}) values ({marks})", row)

    def _change(self, table: str, column: str, value: object, **key: int) -> Row:
        """Changes a row that must exist, and returns its previous value."""
        where = " and ".join(f"{name} = :{name}" for name in key)
        before = self._db.execute(f'select "{column}" from {table} where {where}', key).fetchone()
        if before is None:
            raise LookupError(f"there is no {table} of {key}")
        self._db.execute(f'update {table} set "{column}" = :value where {where}', {"value": value, **key})
        return tuple(before)


def remembered_of(db: sqlite3.Connection) -> tuple[Remembered, ...]:
    """The latest of everything the box remembers.

    Raises:
        sqlite3.Error: if it can't be read.
        ValueError, RecursionError: it makes no sense.
    """
    rows = db.execute("select key, value from setting").fetchall()
    return tuple(remembered(key, json.loads(value)) for key, value in rows)


def tally_of(db: sqlite3.Connection) -> tuple[Fraction, ...]:
    """The stakes that each player owes from earlier matches of this evening; negative if they get some.

    An evening is a run of matches without the players leaving in between. The match on the table doesn't
    count.

    Raises:
        sqlite3.Error: if they can't be read.
        ValueError: they make no sense.
    """
    owed: dict[int, Fraction] = {}
    for player, owes in db.execute(_OWED):
        if not 0 <= player < MAX_PLAYERS:
            raise ValueError(f"there is no player {player + 1}")
        owed[player] = owed.get(player, Fraction(0)) + stakes_from_text(owes)
    return tuple(owed.get(player, Fraction(0)) for player in range(max(owed, default=-1) + 1))


def _no_table(
    fact: Action
    | Rolled
    | Revealed
    | ClockShown
    | LaterFact
    | MatchLinked
    | BoxKeys
    | PlayedAgain
    | RematchSecret
    | BoxSigned
    | BoxQuit,
) -> None:
    """Facts that change no table. If a new kind does, the type checker complains here."""


def rows_of(db: sqlite3.Connection, table: str) -> list[Row]:
    """All rows of a table.

    Raises:
        sqlite3.Error: if they can't be read.
    """
    return db.execute(f"select {_columns(table)} from {table}").fetchall()


def _columns(table: str, count: int | None = None) -> str:
    return ", ".join(f'"{column}"' for column in COLUMNS[table][:count])
