"""The tables of the store, of this version and of the earlier ones.

`pragma user_version` says which version a file is. A file is used only if its schema is, statement
for statement, the one that this program would have made for that version: no trigger, view, index or
column more. A store of an earlier version is copied into a new file (`shutthebox.adapters.store.recovery`).
"""

import re
import sqlite3
from contextlib import closing
from functools import cache
from typing import TypeAlias

_VERSION_1 = """
    create table match (
        id integer primary key,
        began_s integer not null,
        profile text not null,
        players integer not null,
        rounds integer not null,
        left integer not null default 0,
        settled integer not null default 0
    ) strict;
    create table action (
        match integer not null references match (id),
        number integer not null,
        text text not null,
        primary key (match, number)
    ) strict, without rowid;
    create table result (
        match integer not null references match (id),
        player integer not null,
        score integer not null,
        owes text not null,
        won integer not null,
        initials text,
        primary key (match, player)
    ) strict, without rowid;
    create table throws (
        dice integer not null,
        sides integer not null,
        die integer not null, -- 0 for the total
        value integer not null,
        count integer not null,
        primary key (dice, sides, die, value)
    ) strict, without rowid;
    create table lever (number integer primary key, chatter integer not null) strict;
    create table setting (key text primary key, value text not null) strict, without rowid;
    """

_VERSION_2 = (
    _VERSION_1
    + """
    alter table lever add column presses integer not null default 0;
    create table forgotten (
        one integer primary key check (one = 1),
        matches integer not null,
        finished integer not null
    ) strict;
    insert into forgotten values (1, 0, 0);
    create table owed (player integer primary key, owes text not null) strict;
    create table fault (
        id integer primary key,
        at_s integer not null,
        kind text not null,
        text text not null
    ) strict;
    """
)

# Facts are a chain (`shutthebox.adapters.store.chain`), and every row has a checksum of its own.
#   fact.previous: the checksum of the fact before, where that one has been forgotten
#   match.first: the number of the fact that began it; it has all facts until the next match's first
#   match.conditions: lines of a record; empty if they are not known
#   throws.die: 0 for the total
_VERSION_3 = """
    create table fact (
        number integer primary key,
        text text not null,
        previous integer,
        checksum integer not null
    ) strict;
    create table match (
        id integer primary key,
        first integer not null,
        began_s integer not null,
        profile text not null,
        players integer not null,
        rounds integer not null,
        conditions text not null,
        left integer not null default 0,
        checksum integer not null default 0
    ) strict;
    create table result (
        match integer not null references match (id),
        player integer not null,
        score integer not null,
        owes text not null,
        won integer not null,
        initials text,
        checksum integer not null default 0,
        primary key (match, player)
    ) strict, without rowid;
    create table throws (
        dice integer not null,
        sides integer not null,
        die integer not null,
        value integer not null,
        count integer not null,
        checksum integer not null default 0,
        primary key (dice, sides, die, value)
    ) strict, without rowid;
    create table lever (
        number integer primary key,
        presses integer not null,
        chatter integer not null,
        checksum integer not null default 0
    ) strict;
    create table setting (
        key text primary key,
        value text not null,
        checksum integer not null default 0
    ) strict, without rowid;
    create table forgotten (
        one integer primary key check (one = 1),
        facts integer not null default 0,
        matches integer not null default 0,
        finished integer not null default 0,
        given_up integer not null default 0,
        real_dice integer not null default 0,
        with_computer integer not null default 0,
        without_levers integer not null default 0,
        checksum integer not null default 0
    ) strict;
    create table fault (
        id integer primary key,
        at_s integer not null,
        kind text not null,
        text text not null,
        checksum integer not null default 0
    ) strict;
    """

_SCHEMAS = ("", _VERSION_1, _VERSION_2, _VERSION_3)

VERSION = len(_SCHEMAS) - 1

COLUMNS = {
    "fact": ("number", "text", "previous", "checksum"),
    "match": (
        "id", "first", "began_s", "profile", "players", "rounds", "conditions", "left", "checksum"
    ),
    "result": ("match", "player", "score", "owes", "won", "initials", "checksum"),
    "throws": ("dice", "sides", "die", "value", "count", "checksum"),
    "lever": ("number", "presses", "chatter", "checksum"),
    "setting": ("key", "value", "checksum"),
    "forgotten": (
        "one", "facts", "matches", "finished", "given_up", "real_dice", "with_computer", "without_levers",
        "checksum"
    ),
    "fault": ("id", "at_s", "kind", "text", "checksum"),
}  # fmt: skip
"""The columns of every table, in the order in which the tables are exported."""

UNREADABLE = (
    sqlite3.Error, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError
)  # fmt: skip
"""Errors that reading a damaged store may raise. SQLite's own complaint may quote text that is no UTF-8, and
then a `UnicodeDecodeError` comes in its place."""

_Schema: TypeAlias = list[tuple[str, str, str, str | None]]


def version_of(db: sqlite3.Connection) -> int:
    """The version of a store, 0 for a new file. Writes nothing.

    Raises:
        ValueError: if it is a newer program's, or its schema is not the one of its version.
        sqlite3.Error: if it cannot be read.
    """
    (version,) = db.execute("pragma user_version").fetchone()
    if version > VERSION:
        raise ValueError(f"made by a newer version ({version}); {VERSION} is allowed")
    if version < 0 or _schema(db, version) != _schema_of(version):
        raise ValueError("no store of a box: its tables, views or triggers are others")
    return int(version)


def tables_of(db: sqlite3.Connection) -> int:
    """The version whose tables are all in a file, which may hold others too; 0 for none. For damaged files.

    Raises:
        sqlite3.Error: if it cannot be read.
    """
    for version in range(VERSION, 0, -1):
        there = _schema(db, version)
        if all(table in there for table in _schema_of(version)):
            return version
    return 0


def create(db: sqlite3.Connection) -> None:
    """Makes the tables of this version in an empty file, all at once or not at all.

    Args:
        db: opened with `isolation_level` None; its statements may use `seal`.

    Raises:
        sqlite3.Error: if it cannot be written.
    """
    first_row = (
        f"insert into forgotten (one) values (1); update forgotten set checksum = {sealed('forgotten')};"
    )
    db.executescript(
        f"begin immediate; {_SCHEMAS[VERSION]} {first_row} pragma user_version = {VERSION}; commit;"
    )


def sealed(table: str) -> str:
    """The expression in SQL for the checksum that a row of this table must have."""
    columns = ", ".join(f'"{column}"' for column in COLUMNS[table] if column != "checksum")
    return f"seal({columns})"


def _schema(db: sqlite3.Connection, version: int) -> _Schema:
    """All definitions of the file; in earlier versions comments and spaces do not count."""
    rows = db.execute("select type, name, tbl_name, sql from sqlite_schema order by type, name")
    plain = _plain if version < VERSION else str
    return [(kind, name, table, None if sql is None else plain(sql)) for kind, name, table, sql in rows]


def _plain(sql: str) -> str:
    spaced = " ".join(re.sub(r"--[^\n]*", "", sql).split())
    return re.sub(r" ?([(),]) ?", r"\1", spaced)


@cache
def _schema_of(version: int) -> _Schema:
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(_SCHEMAS[version])
        return _schema(db, version)
