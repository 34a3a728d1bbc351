"""A store that an earlier version of the program has made is continued."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from shutthebox.adapters.store import recovery, retention, verification
from shutthebox.adapters.store.chain import read_mark
from shutthebox.adapters.store.database import FILE_NAME, Store
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.open_store import open_or_set_aside
from shutthebox.adapters.store.queries import SwitchWear, read
from shutthebox.adapters.store.records import kept_match
from shutthebox.adapters.store.schema import COLUMNS, VERSION
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began, Left
from shutthebox.game.faults import Fault
from shutthebox.rules.actions import Moved, Thrown
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


VERSION_2 = (
    VERSION_1.replace("user_version = 1", "user_version = 2")
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
"""As the second program made it, out of the first or new."""


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
        store, store_fault = open_or_set_aside(tmp_path, lambda: 0.0)
        assert store_fault is None
        assert store is not None
        with closing(store):
            assert store.running_match() == (begin(builtin("pub"), 2), (Thrown((3, 5)),))
            assert store.tally() == ()
            assert store.choices() == {"box.language": "fr"}
            found = read(store.connection)
            assert (found.matches, found.finished, found.throws) == (2, 1, 1)
            assert [famous.initials for famous in found.fame] == ["ABC"]
            assert found.switches == {3: SwitchWear(0, 17)}
            assert store.connection.execute("pragma user_version").fetchone() == (VERSION,)


def version_2(folder: Path, matches: int) -> None:
    """A store in which so many matches were played, and most are long past; player 1 owes 1 for each."""
    profile = "\n".join(to_lines(builtin("pub")))
    with closing(sqlite3.connect(folder / FILE_NAME)) as db:
        db.executescript(VERSION_2)
        db.execute("pragma journal_mode = wal")
        for number in range(1, matches + 1):
            left, finished = number < matches, number % 4
            db.execute(
                "insert into match values (?, ?, ?, 2, 1, ?, 0)",
                (number, 1_700_000_000 + number, profile, left),
            )
            texts = ("throw 3+5", "shut 8", "throw 1+1")
            db.executemany(
                "insert into action values (?, ?, ?)", [(number, n, t) for n, t in enumerate(texts)]
            )
            if left and finished:
                signed = "ABC" if number in (2, 7) else None
                db.execute("insert into result values (?, 0, 37, '1', 0, null)", (number,))
                db.execute("insert into result values (?, 1, 20, '-1', 1, ?)", (number, signed))
        db.execute("insert into throws values (2, 6, 0, 8, ?), (2, 6, 1, 3, ?)", (matches, matches))
        db.execute("insert into lever values (3, 17, 5)")
        db.execute("update forgotten set matches = 10, finished = 6")
        db.execute("insert into owed values (0, '1/2'), (1, '-1/2')")
        db.execute("insert into fault values (5, 1700000000, 'lever', 'lever 3 chatters')")
        db.execute("""insert into setting values ('box.language', '"fr"')""")
        db.commit()


def test_version_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The latest matches and the famous are whole, the others are counted."""
    monkeypatch.setattr(retention, "KEPT_MATCHES", 5)
    version_2(tmp_path, 40)
    for _ in range(2):
        store, store_fault = open_or_set_aside(tmp_path, lambda: 0.0)
        assert store_fault is None
        assert store is not None
        with closing(store):
            actions = (Thrown((3, 5)), Moved(128), Thrown((1, 1)))
            assert store.running_match() == (begin(builtin("pub"), 2), actions)
            assert store.tally() == ()
            assert store.choices() == {"box.language": "fr"}
            found = read(store.connection)
            assert (found.matches, found.finished, found.given_up) == (50, 36, 9)
            assert found.throws == 40
            assert [famous.initials for famous in found.fame] == ["ABC", "ABC"]
            assert found.switches == {3: SwitchWear(5, 17)}
            assert [fault.text for fault in found.faults] == ["lever 3 chatters"]
            numbers = store.connection.execute("select id from match order by id").fetchall()
            assert [number for (number,) in numbers] == [2, 7, 36, 37, 38, 39, 40]
            for (number,) in numbers:
                kept = kept_match(store.connection, number, "test")
                assert kept.actions == actions
                assert kept.conditions is None, "nobody noted them"
            assert list(verification.faults(store.connection, read_mark(store.path))) == []


def test_a_plug_that_was_pulled_meanwhile_is_no_harm(tmp_path: Path) -> None:
    version_2(tmp_path, 3)
    (tmp_path / f"{FILE_NAME}.new").write_bytes(b"half a store")
    with closing(Store(tmp_path, lambda: 0.0)) as store:
        assert store.connection.execute("select count(*) from match").fetchone() == (3,)
    assert not (tmp_path / f"{FILE_NAME}.new").exists()


def test_it_is_gone_on_with(tmp_path: Path) -> None:
    version_2(tmp_path, 3)
    with closing(Store(tmp_path, lambda: 0.0)) as store:
        store.running_match()
        store.keep(Left())
        store.keep(Began(begin(builtin("digits"), 1)))
        store.keep(Thrown((6, 6)))
        assert kept_match(store.connection, 3, "test").given_up
        assert list(verification.faults(store.connection, None)) == []
    with closing(Store(tmp_path, lambda: 0.0)) as store:
        assert store.running_match() == (begin(builtin("digits"), 1), (Thrown((6, 6)),))


def steps(db: sqlite3.Connection, work: Callable[[], object]) -> int:
    """How many hundred instructions SQLite's machine takes for it."""
    count = 0

    def counting() -> int:
        nonlocal count
        count += 1
        return 0

    db.set_progress_handler(counting, 100)
    work()
    db.set_progress_handler(None, 0)
    return count


def test_the_first_match_after_it_costs_no_more_however_many_there_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the file is no larger: work is bounded by what is kept, not by what there was."""
    monkeypatch.setattr(retention, "KEPT_MATCHES", 50)
    found = []
    for matches in (200, 2000):
        folder = tmp_path / str(matches)
        folder.mkdir()
        version_2(folder, matches)
        before = (folder / FILE_NAME).stat().st_size
        with closing(Store(folder, lambda: 0.0)) as store:
            size = (folder / FILE_NAME).stat().st_size
            taken = [steps(store.connection, lambda: store.keep(Began(begin(builtin("pub"), 2))))]
            taken += [steps(store.connection, lambda: store.keep(Left())) for _ in range(2)]
        found.append((taken, size))
    assert found[0][0] == found[1][0]
    assert found[0][0][0] > 0, "something was counted"
    assert found[0][1] == found[1][1] < before / 5
    assert [path.name for path in folder.iterdir() if path.name != f"{FILE_NAME}-mark"] == [FILE_NAME]


def test_matches_that_are_too_many_are_forgotten_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Store(tmp_path, lambda: 0.0)) as store:
        for _ in range(40):
            store.keep(Began(begin(builtin("pub"), 2)))
        monkeypatch.setattr(retention, "KEPT_MATCHES", 5)
        kept = []
        for _ in range(15):
            store.keep(Began(begin(builtin("pub"), 2)))
            kept.append(store.connection.execute("select count(*) from match").fetchone()[0])
            assert list(verification.faults(store.connection, None)) == []
    assert kept == [*range(37, 5, -3), 5, 5, 5, 5]


def test_a_migration_that_fails_half_way_leaves_the_earlier_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version_1(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db:
        before = list(db.iterdump())
    add, added = recovery._add, list[object]()

    def failing(*args: Any) -> None:
        if added:
            raise sqlite3.OperationalError("disk I/O error")
        added.append(args)
        add(*args)

    monkeypatch.setattr(recovery, "_add", failing)
    with pytest.raises(StoreError):
        Store(tmp_path, lambda: 0.0)
    assert added
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db:
        assert list(db.iterdump()) == before
        assert db.execute("pragma user_version").fetchone() == (1,)
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]
    monkeypatch.undo()
    Store(tmp_path, lambda: 0.0).close()


def test_nobody_reads_a_log_that_is_not_the_files_own(tmp_path: Path) -> None:
    """A reader keeps the log of the earlier store open: the new one waits until it is gone."""
    version_2(tmp_path, 3)
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as reader:
        reader.execute("begin")
        reader.execute("select * from match").fetchone()
        store, store_fault = open_or_set_aside(tmp_path, lambda: 0.0, patience_s=0.1)
        assert store is None
        assert store_fault is not None
        assert store_fault.fault is Fault.FORGETS
        assert reader.execute("pragma user_version").fetchone() == (2,)
    store, store_fault = open_or_set_aside(tmp_path, lambda: 0.0)
    assert store is not None
    assert store_fault is None
    store.close()


def test_every_table_is_exported(tmp_path: Path) -> None:
    store, _ = open_or_set_aside(tmp_path, lambda: 0.0)
    assert store is not None
    with closing(store):
        names = store.connection.execute("select name from sqlite_master where type = 'table'")
        assert {name for (name,) in names} == set(COLUMNS)
