"""A store that an earlier version of the program has made is gone on with."""

import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from shutthebox.platform import schema
from shutthebox.platform.schema import TABLES, VERSION
from shutthebox.platform.setaside import open_or_set_aside
from shutthebox.platform.statistics import Health, read
from shutthebox.platform.store import FILE_NAME, Store, StoreError
from shutthebox.profiles import builtin
from shutthebox.rules.actions import Thrown
from shutthebox.rules.match import begin
from shutthebox.rules.writer import to_lines

VERSION_1 = """
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
    die integer not null,
    value integer not null,
    count integer not null,
    primary key (dice, sides, die, value)
) strict, without rowid;
create table lever (number integer primary key, chatter integer not null) strict;
create table setting (key text primary key, value text not null) strict, without rowid;
pragma user_version = 1;
"""
"""As the first program made it; never to be changed."""


def version_1(folder: Path) -> None:
    profile = "\n".join(to_lines(builtin("pub")))
    with closing(sqlite3.connect(folder / FILE_NAME)) as db:
        db.execute("pragma journal_mode = wal")
        db.executescript(VERSION_1)
        db.execute("insert into match values (1, 1700000000, ?, 2, 1, 1, 0)", (profile,))
        db.execute("insert into result values (1, 0, 12, '-2', 1, 'ABC'), (1, 1, 20, '2', 0, null)")
        db.execute("insert into match values (2, 1700000100, ?, 2, 1, 0, 0)", (profile,))
        db.execute("insert into action values (2, 0, 'throw 3+5')")
        db.execute("insert into throws values (2, 6, 0, 8, 1), (2, 6, 1, 3, 1), (2, 6, 2, 5, 1)")
        db.execute("insert into lever values (3, 17)")
        db.execute("""insert into setting values ('box.language', '"fr"')""")
        db.commit()


def test_version_1(tmp_path: Path) -> None:
    version_1(tmp_path)
    for _ in range(2):
        store, mishap = open_or_set_aside(tmp_path, lambda: 0.0)
        assert mishap is None
        assert store is not None
        with closing(store):
            assert store.running_match() == (begin(builtin("pub"), 2), (Thrown((3, 5)),))
            assert store.ledger() == (Fraction(-2), Fraction(2))
            assert store.choices() == {"box.language": "fr"}
            found = read(store.connection)
            assert (found.matches, found.finished, found.throws) == (2, 1, 1)
            assert [famous.initials for famous in found.fame] == ["ABC"]
            assert found.switches == {3: Health(0, 17)}
            assert store.connection.execute("pragma user_version").fetchone() == (VERSION,)


def test_a_migration_that_fails_half_way_leaves_the_earlier_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version_1(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db:
        before = list(db.iterdump())
    first, second = schema._MIGRATIONS
    monkeypatch.setattr(schema, "_MIGRATIONS", (first, second + "insert into lever values ('no number');"))
    with pytest.raises(StoreError):
        Store(tmp_path, lambda: 0.0)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db:
        assert list(db.iterdump()) == before
        assert db.execute("pragma user_version").fetchone() == (1,)
    monkeypatch.undo()
    Store(tmp_path, lambda: 0.0).close()


def test_every_table_is_exported(tmp_path: Path) -> None:
    store, _ = open_or_set_aside(tmp_path, lambda: 0.0)
    assert store is not None
    with closing(store):
        names = store.connection.execute("select name from sqlite_master where type = 'table'")
        assert {name for (name,) in names} == set(TABLES)
