"""The tables of the store, and how a store of an earlier version becomes one of this.

`pragma user_version` says which version a file is. Each version is a list of statements that
makes it out of the one before, so a new store and an old one end up with the same tables.
"""

import sqlite3
from contextlib import closing
from functools import cache
from typing import TypeAlias

_MIGRATIONS = (
    """
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
    """,
    # Matches are forgotten one day: what they counted for stays. And faults are remembered.
    """
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
    """,
)

VERSION = len(_MIGRATIONS)

TABLES = ("match", "action", "result", "throws", "lever", "setting", "forgotten", "owed", "fault")
"""All of them, in the order in which they are exported."""

_Columns: TypeAlias = dict[str, list[tuple[object, ...]]]


def version_of(db: sqlite3.Connection) -> int:
    """Which version a store is, 0 for a new file. Writes nothing.

    Raises:
        ValueError: if it is a newer program's, or no store at all.
        sqlite3.Error: if it cannot be read.
    """
    (version,) = db.execute("pragma user_version").fetchone()
    if not 0 <= version <= VERSION:
        raise ValueError(f"made by a newer version ({version}); {VERSION} is allowed")
    if _columns(db) != _columns_of(version):
        raise ValueError("no store of a box, its tables are others")
    return int(version)


def migrate(db: sqlite3.Connection, version: int) -> None:
    """Makes a store of this version out of an earlier one, all at once or not at all.

    Args:
        db: opened with `isolation_level` None.
        version: which it is.

    Raises:
        sqlite3.Error: if it cannot be written.
    """
    if version == VERSION:
        return
    steps = "".join(_MIGRATIONS[version:])
    db.executescript(f"begin immediate; {steps} pragma user_version = {VERSION}; commit;")


def _columns(db: sqlite3.Connection) -> _Columns:
    """Per table its columns: name, type, whether null is allowed, place in the key."""
    names = db.execute("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    return {
        name: db.execute('select name, type, "notnull", pk from pragma_table_info(?)', (name,)).fetchall()
        for (name,) in names.fetchall()
    }


@cache
def _columns_of(version: int) -> _Columns:
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript("".join(_MIGRATIONS[:version]))
        return _columns(db)
