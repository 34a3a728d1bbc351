"""Copies a league from one database into another, SQLite or PostgreSQL, and checks what has arrived."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, Row, Table, false, func, insert, inspect, select

from shutthebox_league.database import migrate
from shutthebox_league.errors import LeagueError
from shutthebox_league.schema import METADATA

_ROWS_AT_ONCE = 1000

VERSIONS = "alembic_version"
"""The table that isn't a league's, but Alembic's."""


@contextmanager
def snapshot(engine: Engine) -> Iterator[Connection]:
    """A consistent view of a database while others keep writing."""
    options = {"reads": True} if engine.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
    with engine.connect().execution_options(**options) as db:
        yield db


def copy_league(source: Engine, target: Engine) -> Mapping[str, int]:
    """Copies a league into an empty database, all of it or nothing; returns how many rows each table has.

    Raises:
        LeagueError: if the target isn't empty, or ends up with different rows.
    """
    migrate(source)
    found = set(inspect(target).get_table_names())
    if foreign := sorted(found - set(METADATA.tables) - {VERSIONS}):
        raise LeagueError(f"the new database has a table {foreign[0]}; use an empty one")
    migrate(target)
    with snapshot(source) as there, target.begin() as here:
        for table in METADATA.sorted_tables:
            if here.execute(select(table).limit(1)).first() is not None:
                raise LeagueError(f"the new database has rows in {table.name}; use an empty one")
        return copy_rows(there, here)


def copy_rows(source: Connection, target: Connection) -> Mapping[str, int]:
    """Copies all rows of a league into empty tables; returns how many each table has.

    Raises:
        LeagueError: if the target ends up with different rows.
    """
    counts = {}
    for table in METADATA.sorted_tables:
        sent, received = _Sum(), _Sum()
        for rows in _rows(source, table):
            sent.add(rows)
            target.execute(insert(table), [row._asdict() for row in rows])
        column = table.autoincrement_column
        if column is not None and target.dialect.name == "postgresql":
            # The sequence doesn't know about the copied ids.
            following = func.coalesce(func.max(column), 0) + 1
            own = func.pg_get_serial_sequence(f'"{table.name}"', column.name)
            target.execute(select(func.setval(own, following, false())))
        for rows in _rows(target, table):
            received.add(rows)
        if received != sent:
            raise LeagueError(f"{table.name}: {received.rows} of {sent.rows} rows arrived, or different ones")
        counts[table.name] = sent.rows
    return counts


def _rows(db: Connection, table: Table) -> Iterator[Sequence[Row[Any]]]:
    return db.execute(select(table).execution_options(yield_per=_ROWS_AT_ONCE)).partitions()


@dataclass(slots=True)
class _Sum:
    """The number of rows, and the sum of their hashes, which doesn't depend on the order."""

    rows: int = 0
    hashes: int = 0

    def add(self, rows: Sequence[Row[Any]]) -> None:
        self.rows += len(rows)
        for row in rows:
            digest = hashlib.sha256(repr(tuple(row)).encode()).digest()
            self.hashes = (self.hashes + int.from_bytes(digest)) % 2**256
