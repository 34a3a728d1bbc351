"""The store's tables, of this version and earlier ones.

`pragma user_version` is the version of a file. A file is used only if its schema matches, statement for
statement, what this program would have created for that version, without extra triggers, views, indexes or
columns. A store of an earlier version is copied into a new file (`shutthebox.adapters.store.recovery`).
To add a table, or a column with a default, append another schema below.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import TypeAlias

# `fact` is a chain (`shutthebox.adapters.store.chain`), and `checkpoint` what it begins with. All other
# tables follow from these two (`shutthebox.adapters.store.tables`), their keys first.
#   checkpoint.facts: how many facts with a number up to its own are kept
#   match.first: the number of the fact that began it; it has all facts until the next match's first
#   match.conditions: lines of a record
#   match.sides: of its dice, if its throws are counted; else 0
#   result.score: null for a player who had no turn
#   throws.die: 0 for the total
_VERSION_1 = """
    create table fact (
        number integer primary key, previous integer not null, text text not null, checksum integer not null
    ) strict;
    create table checkpoint (
        one integer primary key check (one = 1), number integer not null, head integer not null,
        facts integer not null, sums text not null, checksum integer not null
    ) strict;
    create table match (
        id integer primary key, first integer not null, began_s integer not null, profile text not null,
        players integer not null, rounds integer not null, conditions text not null,
        sides integer not null, left integer not null
    ) strict;
    create table result (
        match integer not null, player integer not null, score integer, owes text not null,
        won integer not null, captain integer not null, initials text,
        primary key (match, player)
    ) strict, without rowid;
    create table throws (
        dice integer not null, sides integer not null, die integer not null, value integer not null,
        count integer not null,
        primary key (dice, sides, die, value)
    ) strict, without rowid;
    create table lever (
        number integer primary key, presses integer not null, chatter integer not null
    ) strict;
    create table setting (key text primary key, value text not null) strict, without rowid;
    create table total (name text primary key, count integer not null) strict, without rowid;
    create table fault (
        id integer primary key, at_s integer not null, kind text not null, text text not null
    ) strict;
    """

_SCHEMAS = ("", _VERSION_1)
"""The tables of every version; version 0 is a new file. Never change a released one."""

VERSION = len(_SCHEMAS) - 1


_Schema: TypeAlias = list[tuple[str, str, str, str | None]]


@cache
def _model_of(version: int) -> tuple[_Schema, dict[str, tuple[str, ...]]]:
    """What SQLite makes of a version's tables: all definitions, and the columns of every table."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(_SCHEMAS[version])
        tables = [name for (name,) in db.execute("select name from sqlite_schema where type = 'table'")]
        query = "select name from pragma_table_info(?)"
        columns = {table: tuple(name for (name,) in db.execute(query, (table,))) for table in tables}
        return _schema(db), columns


def columns_of(version: int) -> dict[str, tuple[str, ...]]:
    """The columns of every table of a version, in the order in which the tables are exported."""
    return _model_of(version)[1]


def _schema(db: sqlite3.Connection) -> _Schema:
    """All definitions of the file."""
    return list(db.execute("select type, name, tbl_name, sql from sqlite_schema order by type, name"))


COLUMNS = columns_of(VERSION)
"""The columns of every table."""


@contextmanager
def in_memory() -> Iterator[sqlite3.Connection]:
    """An empty in-memory store of this version, in a transaction; discarded at the end."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        create(db)
        db.execute("begin")
        yield db


class NotOursError(ValueError):
    """A file isn't a store of this version, though nothing may be wrong with it."""


def is_new(db: sqlite3.Connection) -> bool:
    """Whether a file is empty rather than a store of this version. Writes nothing.

    Raises:
        NotOursError: it's neither.
        sqlite3.Error: if it can't be read.
    """
    (version,) = db.execute("pragma user_version").fetchone()
    if version > VERSION:
        raise NotOursError(f"made by a newer version ({version}); {VERSION} is allowed")
    if version < 0 or _schema(db) != _model_of(version)[0]:
        raise NotOursError("not a box's store: it has other tables, views or triggers")
    if 0 < version < VERSION:
        raise NotOursError("of an earlier version; a box brings it up to date at its next start")
    (pages,) = db.execute("pragma page_count").fetchone()
    (_, _, file), *_ = db.execute("pragma database_list")
    if not pages and file and Path(file).stat().st_size:
        raise NotOursError("not a box's store: a single byte")  # which SQLite takes for an empty file
    return not version


def create(db: sqlite3.Connection) -> None:
    """Creates this version's tables in an empty file, all or none.

    Args:
        db: opened with `isolation_level=None`.

    Raises:
        sqlite3.Error: if it can't be written.
    """
    db.executescript(f"begin immediate; {_SCHEMAS[VERSION]} pragma user_version = {VERSION}; commit;")
