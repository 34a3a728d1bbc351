"""Any file in the store's place: the box says so, keeps it, and plays."""

import logging
import multiprocessing
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from tests.adapters.store.test_verification import alter
from tests.support.box import MS, BoxUnderTest, S
from tests.support.open_files import open_files
from tests.support.permissions import obey_permissions

from shutthebox.adapters.store import open_store, queries
from shutthebox.adapters.store.backup import put_beside
from shutthebox.adapters.store.database import FILE_NAME, Store
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.open_store import (
    FILES,
    FIRST_FACTS,
    RECOVERED_NAME,
    RESTORE_NAME,
    SUSPECT_NAME,
    StoreFault,
    open_or_set_aside,
)
from shutthebox.adapters.store.schema import VERSION
from shutthebox.cli.run import find_config
from shutthebox.config.profiles import builtin
from shutthebox.config.schema import Config, ConfigError, with_value
from shutthebox.config.settings_loader import broken_rules
from shutthebox.game.facts import Began, Chosen, Faulted
from shutthebox.game.faults import Fault
from shutthebox.game.mode import Mode
from shutthebox.game.modes.rolling import Rolling
from shutthebox.rules.actions import Moved, Thrown
from shutthebox.rules.match import begin
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.translations import told_screen

NOON = 1_795_262_400.0  # 2026-11-21T12:00:00
KEPT = f"{FILE_NAME}.2026-11-21T12-00-00.damaged"


def clock() -> float:
    return NOON


def play_a_little(folder: Path) -> None:
    with closing(Store(folder, clock)) as store:
        store.keep(Began(begin(builtin("traditional"), 2)))
        store.keep(Thrown((3, 5)))
        store.keep(Moved(0b10000000))


def change(sql: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        play_a_little(folder)
        with closing(sqlite3.connect(folder / FILE_NAME)) as db:
            db.executescript(sql)

    return damage


def text(folder: Path) -> None:
    (folder / FILE_NAME).write_text("shopping list: eggs, milk\n" * 100)


def overwritten(folder: Path) -> None:
    play_a_little(folder)
    path = folder / FILE_NAME
    content = bytearray(path.read_bytes())
    content[4096:8192] = b"\xa5" * 4096
    path.write_bytes(content)


def cut_short(folder: Path) -> None:
    play_a_little(folder)
    os.truncate(folder / FILE_NAME, 5000)


def a_folder(folder: Path) -> None:
    (folder / FILE_NAME / "in it").mkdir(parents=True)


def a_stray_log(folder: Path) -> None:
    (folder / f"{FILE_NAME}-wal").write_bytes(b"\x37\x7f\x06\x82" + bytes(5000))


def emptied(folder: Path) -> None:
    play_a_little(folder)
    os.truncate(folder / FILE_NAME, 0)


def removed(folder: Path) -> None:
    play_a_little(folder)
    (folder / FILE_NAME).unlink()


def crashed(folder: Path, empty: str) -> None:
    """The files of a box that had no time to say goodbye: all facts are in the log. Some are emptied."""
    with closing(Store(folder / "running", clock)) as store:
        store.connection.execute("pragma wal_checkpoint(truncate)")
        for fact in (Began(begin(builtin("traditional"), 2)), Thrown((3, 5)), Moved(0b10000000)):
            store.keep(fact)
        for name in FILES:
            if not name.endswith("-shm"):
                shutil.copy(folder / "running" / name, folder / name)
    log = folder / FILES[1]
    if not empty:
        log.unlink()
    for name in empty.split():
        os.truncate(log if name == "wal" else folder / FILE_NAME, 0)
    shutil.rmtree(folder / "running")


def foreign(folder: Path) -> None:
    with closing(sqlite3.connect(folder / FILE_NAME)) as db:
        db.execute("create table a (b)")


NEW = f"kept as {KEPT}, a new store is begun"
ALL_3 = f"{NEW} with the 3 facts and 1 matches that are good"
BEGINNING = f"{NEW} with the 2 facts and 1 matches that are good, 2 facts are lost"
NO_END = f"{ALL_3}, 1 facts are lost"
WHOLE = {ALL_3: 2, BEGINNING: 0, NO_END: 1}
"""Actions still there, where the match is. A lost fact costs those behind it, and a new one says so."""

TABLES = "box.sqlite3: no store of a box: its tables, views or triggers are others"

DAMAGES: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "text": (text, "box.sqlite3: file is not a database", NEW),
    "overwritten": (overwritten, "", NEW),
    "cut short": (cut_short, "", NEW),
    "a folder": (a_folder, "", NEW),
    "older than any": (change("pragma user_version = -1"), TABLES, ALL_3),
    "foreign": (foreign, TABLES, NEW),
    "foreign of our version": (change("drop table lever"), TABLES, NEW),
    "a column more": (change("alter table lever add column colour text"), TABLES, NEW),
    "no action": (
        change("update fact set text = 'throw caution to the wind' where number = 2"),
        "box.sqlite3: fact 2 was altered", BEGINNING,
    ),
    "a gap": (change("delete from fact where number = 2"), "box.sqlite3: fact 2 is missing", BEGINNING),
    "no beginning": (
        change("delete from fact where number = 1"),
        "box.sqlite3: fact 1 is missing", NEW,
    ),
    "no end": (
        change("delete from fact where number = 3"),
        "box.sqlite3: fact 3 is missing at the end", NO_END,
    ),
    "no facts": (
        change("delete from fact"),
        "box.sqlite3: facts 1 to 3 are missing at the end", NEW,
    ),
    "no match": (
        change("delete from match"), "box.sqlite3: match 1 is not as the facts tell", ALL_3
    ),
    "no profile": (
        change("update match set profile = 'name = 3'"),
        "box.sqlite3: match 1 is not as the facts tell", ALL_3,
    ),
    "odd stakes": (
        change("insert into result values (1, 0, 3, '1/0', 1, 0, null); update match set \"left\" = 1"),
        "box.sqlite3: match 1 is not as the facts tell, and 1 more", ALL_3,
    ),
    "odd setting": (
        change("insert into setting values ('game.profile', '[[[')"),
        "box.sqlite3: the setting game.profile is not as the facts tell", ALL_3,
    ),
    "not text": (
        change("update fact set text = cast(x'ff' as text)"),
        "box.sqlite3: fact 1 was altered, and 2 more", NEW,
    ),
    "a checksum": (
        change("update fact set checksum = checksum + 1 where number = 2"),
        "box.sqlite3: fact 2 was altered", BEGINNING,
    ),
    "a count": (
        change("update throws set count = 2 where die = 0"),
        "box.sqlite3: the count of throws of 2 dice is not as the facts tell", ALL_3,
    ),
    "a view": (change("create view dice as select * from throws"), TABLES, ALL_3),
    "a trigger": (
        change("create trigger t after insert on fact begin delete from setting; end"), TABLES, ALL_3
    ),
    "an index": (change("create index i on fact (text)"), TABLES, ALL_3),
    "stray log": (a_stray_log, "box.sqlite3-wal: a log without its store", "a new store is begun"),
    "emptied": (emptied, "box.sqlite3: was emptied; 3 facts had been kept in it", NEW),
    "removed": (
        removed, "box.sqlite3: was removed; 3 facts had been kept in it", "a new store is begun"
    ),
    "log removed": (
        lambda folder: crashed(folder, ""), "box.sqlite3: facts 1 to 3 are missing at the end", NEW
    ),
    "log emptied": (
        lambda folder: crashed(folder, "wal"), "box.sqlite3: facts 1 to 3 are missing at the end", NEW
    ),
    "store and log emptied": (
        lambda folder: crashed(folder, "store wal"),
        "box.sqlite3: was emptied; 3 facts had been kept in it", NEW,
    ),
    "store emptied, log there": (
        lambda folder: crashed(folder, "store"),
        "box.sqlite3: was emptied; 3 facts had been kept in it", NEW,
    ),
}  # fmt: skip
"""Per damage its words at the box, empty where they are SQLite's or Python's, and what was done."""


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_set_aside(name: str, tmp_path: Path) -> None:
    damage, found, done = DAMAGES[name]
    damage(tmp_path)
    open_before = open_files()
    store, store_fault = open_or_set_aside(tmp_path, clock)
    assert store_fault is not None
    assert store_fault.fault is Fault.STORE_REPLACED
    assert store_fault.text.startswith(f"{tmp_path}/{found or FILE_NAME}")
    assert store_fault.text.endswith(f"{found}; {done}")
    assert "\n" not in store_fault.text
    assert store is not None
    with closing(store):
        (logged,) = queries.read(store.connection).faults
        assert (logged.at_s, logged.kind, logged.text) == (NOON, "store", store_fault.text)
        running = store.running_match()
        assert (running is not None) == (done in WHOLE)
        if running is not None:
            assert running[1] == (Thrown((3, 5)), Moved(0b10000000))[: WHOLE[done]], "what came before stays"
        store.keep(Began(begin(builtin("traditional"), 2)))
    kept = [path.name for path in tmp_path.iterdir() if path.name.startswith(KEPT)]
    assert kept
    assert (KEPT in kept) == (KEPT in done)
    assert open_files() == open_before
    store, store_fault = open_or_set_aside(tmp_path, clock)
    assert store is not None
    assert store_fault is None, "the new one is sound"
    store.close()


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("insert into setting values ('game.rounds', '[[[')", "Expecting value: "),
        ("insert into setting values ('box.out_of_play', '3')", "what it holds makes no sense: "),
        ("insert into throws values (2, 99, 0, 5, 1)", "what it holds makes no sense: throws of imposs"),
        ("insert into result values (7, 0, 1, '0', 1, 0, null)", "something is kept of a match that is not"),
        (f"update match set id = {2**40 + 1}", "a match has an impossible number"),
        (f"update fact set number = {2**40 + 1} where number = 3", "a fact has an impossible number"),
    ],
)
def test_what_makes_no_sense_is_found_before_the_tables_are_compared(
    statement: str, found: str, tmp_path: Path
) -> None:
    play_a_little(tmp_path)
    alter(tmp_path, statement)
    store, store_fault = open_or_set_aside(tmp_path, clock, facts=FIRST_FACTS)
    assert store is not None
    assert store_fault is not None
    assert store_fault.text.startswith(f"{tmp_path / FILE_NAME}: {found}")
    with closing(store):
        assert store.choices() == {}
        assert store.running_match() is not None


def of_version(folder: Path, version: int, name: str = FILE_NAME) -> None:
    with closing(sqlite3.connect(folder / name)) as db:
        db.execute(f"pragma user_version = {version}")


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """A newer program's store, which this one has set aside; gives its path."""
    play_a_little(tmp_path)
    of_version(tmp_path, 99)
    before = (tmp_path / FILE_NAME).read_bytes()
    store, store_fault = open_or_set_aside(tmp_path, clock)
    assert store is not None
    store.close()
    path = tmp_path / KEPT.replace("damaged", "newer")
    assert path.read_bytes() == before
    assert store_fault == StoreFault(
        Fault.STORE_NEWER,
        f"{tmp_path / FILE_NAME}: made by a newer version (99); {VERSION} is allowed; kept as {path.name}, "
        "a new store is begun",
    )
    return path


def test_the_newer_program_takes_its_store_back_by_itself(newer: Path, tmp_path: Path) -> None:
    of_version(tmp_path, VERSION, newer.name)
    store, store_fault = open_or_set_aside(tmp_path, clock)
    assert store_fault is None
    assert store is not None
    with closing(store):
        (logged, *_) = queries.read(store.connection).faults
        assert logged.text.startswith(f"{tmp_path / FILE_NAME}: restored, the one before is kept as ")
        running = store.running_match()
        assert running is not None
        assert len(running[1]) == 2
    assert not list(tmp_path.glob("*newer*"))


def test_matches_that_were_played_meanwhile_stay(newer: Path, tmp_path: Path) -> None:
    """Neither evening is lost without a word: the owner can have the other one back."""
    store, _ = open_or_set_aside(tmp_path, clock)
    assert store is not None
    store.keep(Began(begin(builtin("pub"), 2)))
    store.close()
    of_version(tmp_path, VERSION, newer.name)
    for start in range(2):
        store, store_fault = open_or_set_aside(tmp_path, clock)
        assert store_fault is None
        assert store is not None
        with closing(store):
            running = store.running_match()
            assert running is not None
            assert running[0].game.name == "pub"
            said = [fault.text for fault in queries.read(store.connection).faults if "since" in fault.text]
        aside = newer.with_name(newer.name.replace("newer", "replaced"))
        assert said == [
            f"{newer}: set aside by an earlier version, with 1 matches since: it is now {aside.name}, "
            "and shutthebox restore brings it back"
        ], f"start {start}"
    assert put_beside(aside, tmp_path) == 1


def test_damage_of_the_same_second_gets_another_name(tmp_path: Path) -> None:
    for _ in range(3):
        text(tmp_path)
        store, _ = open_or_set_aside(tmp_path, clock)
        assert store is not None
        store.close()
        (tmp_path / FILE_NAME).unlink()
    names = sorted(path.name for path in tmp_path.iterdir() if path.name.endswith(".damaged"))
    date = f"{FILE_NAME}.2026-11-21T12-00-00"
    assert names == [f"{date}-2.damaged", f"{date}-3.damaged", f"{date}.damaged"]


@pytest.mark.parametrize(
    ("names", "said", "fault"),
    [
        ([RESTORE_NAME], "restored", None),
        ([RECOVERED_NAME], "the good part of a damaged store was taken over", Fault.STORE_REPLACED),
        ([FILE_NAME, RESTORE_NAME], "restored, the one before is kept as {}", None),
        (
            [FILE_NAME, RECOVERED_NAME],
            "the good part of a damaged store was taken over, the one before is kept as {}",
            Fault.STORE_REPLACED,
        ),
        # Both: the recovered one takes its place first, and is kept when it makes room for the other.
        ([RECOVERED_NAME, RESTORE_NAME], "restored, the one before is kept as {}", None),
    ],
)
def test_a_store_that_waits_is_taken_over_and_this_is_said_and_noted(
    names: list[str], said: str, fault: Fault | None, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for number, name in enumerate(names, 1):
        with closing(Store(tmp_path / name / "made", clock)) as made:
            made.keep(Chosen("game.players", number))
        (tmp_path / name / "made" / FILE_NAME).rename(tmp_path / f"{name}.ready")
        shutil.rmtree(tmp_path / name)
        (tmp_path / f"{name}.ready").rename(tmp_path / name)
    store, store_fault = open_or_set_aside(tmp_path, clock)
    assert store is not None
    why = "damaged" if fault else "replaced"
    text = f"{tmp_path / FILE_NAME}: {said.format(f'{FILE_NAME}.2026-11-21T12-00-00.{why}')}"
    assert store_fault == (StoreFault(fault, text) if fault else None)
    assert caplog.messages == ([] if fault else [text])
    with closing(store):
        assert store.choices() == {"game.players": len(names)}
        (logged,) = queries.read(store.connection).faults
        assert (logged.kind, logged.text) == ("store", text)
    left = {path.name for path in tmp_path.iterdir()} - {FILE_NAME, f"{FILE_NAME}-mark"}
    assert left == ({f"{FILE_NAME}.2026-11-21T12-00-00.{why}"} if "before" in said else set())


def test_a_plug_that_was_pulled_during_a_recovery_is_no_harm(tmp_path: Path) -> None:
    """The next start does it again, whatever is left of the last."""
    DAMAGES["a gap"][0](tmp_path)
    part = tmp_path / f"{RECOVERED_NAME}.part"
    part.write_bytes(b"half a store")
    store, store_fault = open_or_set_aside(tmp_path, clock)
    assert store is not None
    store.close()
    assert store_fault is not None
    assert store_fault.text.endswith(f"; {BEGINNING}")
    assert not part.exists()


def test_a_suspect_store_is_believed_once_all_of_it_was_compared(tmp_path: Path) -> None:
    play_a_little(tmp_path)
    open_store.suspect(tmp_path, "fact 1 was altered")
    assert (tmp_path / SUSPECT_NAME).read_text() == "fact 1 was altered\n"
    for facts, suspect in ((FIRST_FACTS, True), (None, False)):
        store, store_fault = open_or_set_aside(tmp_path, clock, facts=facts)
        assert store is not None
        store.close()
        assert store_fault is None
        assert open_store.is_suspect(tmp_path) is suspect


def test_a_sound_store_stays(tmp_path: Path) -> None:
    play_a_little(tmp_path)
    store, store_fault = open_or_set_aside(tmp_path, clock)
    assert store_fault is None
    assert store is not None
    with closing(store):
        running = store.running_match()
        assert running is not None
        assert len(running[1]) == 2


def test_a_store_that_another_program_holds_is_left_alone(tmp_path: Path) -> None:
    play_a_little(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
        other.execute("pragma locking_mode = exclusive")
        other.execute("begin exclusive")
        store, store_fault = open_or_set_aside(tmp_path, clock, patience_s=0.1)
    assert store is None
    assert store_fault is not None
    assert store_fault.fault is Fault.FORGETS
    assert [path.name for path in tmp_path.iterdir() if "damaged" in path.name] == []


def said_by_sqlite(code: int) -> StoreError:
    error = sqlite3.OperationalError("")
    error.sqlite_errorcode = code
    return caused_by(error)


def caused_by(error: Exception) -> StoreError:
    reason = StoreError("")
    reason.__cause__ = error
    return reason


@pytest.mark.parametrize(
    ("code", "damage"),
    [
        (sqlite3.SQLITE_CORRUPT, True),
        (sqlite3.SQLITE_CORRUPT_INDEX, True),
        (sqlite3.SQLITE_NOTADB, True),
        (sqlite3.SQLITE_ERROR, True),
        (sqlite3.SQLITE_IOERR_READ, True),
        (sqlite3.SQLITE_IOERR_SHORT_READ, True),
        (sqlite3.SQLITE_IOERR_CORRUPTFS, True),
        (sqlite3.SQLITE_IOERR, False),
        (sqlite3.SQLITE_IOERR_WRITE, False),
        (sqlite3.SQLITE_IOERR_FSYNC, False),
        (sqlite3.SQLITE_FULL, False),
        (sqlite3.SQLITE_BUSY, False),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, False),
        (sqlite3.SQLITE_LOCKED, False),
        (sqlite3.SQLITE_NOMEM, False),
        (sqlite3.SQLITE_IOERR_NOMEM, False),
    ],
)
def test_only_what_is_in_the_file_is_damage(code: int, damage: bool, tmp_path: Path) -> None:
    """And not what a full disk, another program or too little memory causes."""
    assert open_store._is_damage(said_by_sqlite(code), tmp_path) is damage


@pytest.mark.parametrize(
    "code",
    [sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_READONLY_DBMOVED, sqlite3.SQLITE_PERM],
)
def test_a_file_that_cannot_be_opened_is_damage_and_a_folder_is_not(code: int, tmp_path: Path) -> None:
    assert not open_store._is_damage(said_by_sqlite(code), tmp_path)
    (tmp_path / FILES[0]).touch()
    assert not open_store._is_damage(said_by_sqlite(code), tmp_path)
    (tmp_path / FILES[1]).mkdir()
    assert open_store._is_damage(said_by_sqlite(code), tmp_path)


def test_what_a_check_has_found_is_damage_and_what_the_system_says_is_not(tmp_path: Path) -> None:
    assert open_store._is_damage(StoreError("fact 2 was altered"), tmp_path)
    assert open_store._is_damage(caused_by(ValueError()), tmp_path)
    assert open_store._is_damage(caused_by(sqlite3.ProgrammingError()), tmp_path)
    assert not open_store._is_damage(caused_by(OSError()), tmp_path)


def test_a_damaged_store_that_cannot_be_replaced_is_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_a_little(tmp_path)
    (tmp_path / FILE_NAME).write_text("spilt")

    def full(*given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(open_store, "_begin_anew", full)
    store, store_fault = open_or_set_aside(tmp_path, clock)
    assert store is None
    assert store_fault is not None
    assert store_fault.fault is Fault.FORGETS
    assert "No space left on device; playing without memory" in store_fault.text


def test_a_folder_whose_name_no_disk_takes(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 300)
    store, store_fault = open_or_set_aside(folder, clock)
    assert store is None
    assert store_fault is not None
    assert store_fault.fault is Fault.FORGETS
    assert store_fault.text.startswith(f"{folder}: [Errno 36] File name too long: ")
    assert store_fault.text.endswith("; playing without memory")


def test_no_folder_no_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store, store_fault = open_or_set_aside(tmp_path / "file" / "folder", clock)
    assert store is None
    assert store_fault is not None
    assert store_fault.fault is Fault.FORGETS


def open_by_permission(folder: str, result: Connection) -> None:
    """In a process of its own, because root may write to everything."""
    obey_permissions()
    store, store_fault = open_or_set_aside(Path(folder), clock)
    result.send((store is not None and not store.waiting, store_fault))
    if store is not None:
        store.close()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Path]:
    """A folder with a store in it, whose modes a test may change."""
    play_a_little(tmp_path)
    yield tmp_path
    tmp_path.chmod(0o700)


def opened(folder: Path) -> tuple[bool, StoreFault | None]:
    processes = multiprocessing.get_context("forkserver")
    receiver, sender = processes.Pipe(duplex=False)
    child = processes.Process(target=open_by_permission, args=(str(folder), sender))
    child.start()
    sender.close()
    with closing(receiver):
        found: tuple[bool, StoreFault | None] = receiver.recv()
    child.join()
    return found


@pytest.mark.timeout(30)
def test_a_folder_that_cannot_be_written_to(own: Path) -> None:
    assert opened(own) == (True, None)
    own.chmod(0o500)
    keeps, store_fault = opened(own)
    assert not keeps
    assert store_fault is not None
    assert store_fault.fault is Fault.FORGETS


@pytest.mark.timeout(30)
@pytest.mark.parametrize("mode", [0o400, 0o000])
def test_a_store_that_may_not_be_written_to_is_set_aside(mode: int, own: Path) -> None:
    (own / FILE_NAME).chmod(mode)
    keeps, store_fault = opened(own)
    assert keeps
    assert store_fault is not None
    assert store_fault.fault is Fault.STORE_REPLACED
    assert (own / KEPT).stat().st_mode & 0o777 == mode


@pytest.mark.parametrize(("store", "log"), [(True, b"x"), (False, b"x"), (False, b"")])
def test_a_log_without_its_store_is_kept(store: bool, log: bytes, tmp_path: Path) -> None:
    if store:
        (tmp_path / FILES[0]).touch()
    (tmp_path / FILES[1]).write_bytes(log)
    opened, store_fault = open_or_set_aside(tmp_path, lambda: 0.0)
    assert opened is not None
    opened.close()
    assert store_fault is not None
    assert "a log without its store" in store_fault.text
    (kept,) = tmp_path.glob("*.damaged-wal")
    assert kept.read_bytes() == log


def test_a_look_at_an_emptied_store_leaves_its_log(tmp_path: Path) -> None:
    (tmp_path / FILES[0]).touch()
    (tmp_path / FILES[1]).write_bytes(b"x")
    with pytest.raises(ValueError, match="empty"):
        queries.open_to_read(tmp_path / FILES[0])
    assert (tmp_path / FILES[1]).read_bytes() == b"x"


def test_an_empty_file_without_a_log_is_a_new_store(tmp_path: Path) -> None:
    (tmp_path / FILES[0]).touch()
    opened, store_fault = open_or_set_aside(tmp_path, lambda: 0.0)
    assert opened is not None
    opened.close()
    assert store_fault is None


@pytest.mark.parametrize(
    "throw",
    ["(10, 6, 0, 1, 1)", "(2, 99, 0, 1, 1)", "(2, 6, 3, 1, 1)", "(2, 6, 0, 13, 1)", "(2, 6, 0, 1, -1)"],
)
def test_throws_of_impossible_dice_are_damage(throw: str, tmp_path: Path) -> None:
    with closing(Store(tmp_path, lambda: 0.0)) as made:
        queries.read(made.connection)
        made.connection.execute(f"insert into throws (dice, sides, die, value, count) values {throw}")
        with pytest.raises(ValueError, match="impossible dice"):
            queries.read(made.connection)


# -- at the box --------------------------------------------------------------------------------


def actions(table: BoxUnderTest) -> int:
    """How many actions of the running match a later process finds."""
    table.box.runner.close()
    store, _ = open_or_set_aside(table.box._state or Path(), clock)
    assert store is not None
    with closing(store):
        running = store.running_match()
    return len(running[1]) if running else -1


def test_attract_says_so_until_a_touch(tmp_path: Path) -> None:
    text(tmp_path)
    table = BoxUnderTest(tmp_path)
    assert table.show.mode is Mode.ATTRACT
    assert (told_screen(table.show).prompt, table.show.screen.alert) == ("Memory damaged", True)
    table.flip(4)
    assert told_screen(table.show).prompt == "Press to play"
    table.lift(4)
    table.press()
    table.throw(3, 5)
    assert table.show.throw == (3, 5)
    assert actions(table) == 1, "it plays, and remembers"
    table.box.close()


def full(store: Store | None) -> None:
    assert store is not None
    (pages,) = store.connection.execute("pragma page_count").fetchone()
    store.connection.execute(f"pragma max_page_count = {pages}")
    with suppress(StoreError):
        for number in range(1000):
            store.keep(Faulted("lever", f"{number} {'x' * 300}"))


def play_until_it_forgets(table: BoxUnderTest) -> None:
    for _ in range(200):
        table.throw(6, 6)
        if told_screen(table.show).aside == "no memory":
            return
        if table.mode is not Mode.FLIPPING:
            continue
        for lever in (4, 8):
            table.box.set_lever(lever, True)
        table.wait(100 * MS)
        table.throw(1, 1)
        for lever in (4, 8):
            table.box.set_lever(lever, False)
        table.abandon()
    raise AssertionError("the disk is full")


def test_a_full_disk_costs_nothing_once_there_is_room_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    table = BoxUnderTest(tmp_path)
    table.press()
    full(table.box.store)
    with caplog.at_level(logging.INFO):
        play_until_it_forgets(table)
        assert table.mode is not Mode.ATTRACT, "it plays on"
        assert caplog.text.count("playing without memory") == 1
        state = table.box.runner.machine.state
        kept = state.mode.thrown if isinstance(state.mode, Rolling) else state.match
        store = table.box.store
        assert store is not None
        store.connection.execute("pragma max_page_count = 1000000")
        table.wait(2 * S)
        assert caplog.text.count("everything is kept again") == 1
    assert told_screen(table.show).aside != "no memory"
    assert any("disk is full" in fault.text for fault in queries.read(store.connection).faults)
    # The plug: the match goes on where it was, with what was played while the disk was full.
    table.box.cut_power()
    assert table.box.runner.machine.state.match == kept
    assert not list(tmp_path.glob("*.damaged"))
    table.box.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 400 KB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("NO DISK IS FILLED: that needs root, and the right to mount")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_is_really_full(small_disk: Path) -> None:
    table = BoxUnderTest(small_disk)
    for _ in range(200):
        table.press()
        if told_screen(table.show).aside == "no memory":
            break
        table.abandon()
    assert told_screen(table.show).aside == "no memory"
    table.throw(3, 5)
    assert table.show.throw == (3, 5)
    subprocess.run(["mount", "-o", "remount,size=800k", str(small_disk)], check=True)
    table.wait(2 * S)
    assert told_screen(table.show).aside == ""
    table.box.cut_power()
    assert table.show.throw == (3, 5)
    table.box.close()


def test_a_box_that_starts_on_a_full_disk(small_disk: Path) -> None:
    filler = small_disk / "pictures"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1000))
    table = BoxUnderTest(small_disk)
    assert told_screen(table.show).prompt == "Memory is off"
    table.press()
    table.throw(3, 5)
    assert table.show.throw == (3, 5)
    table.abandon()
    assert [path.name for path in small_disk.glob("*.damaged")] == []
    filler.unlink()
    table.press()
    table.throw(1, 1)
    assert actions(table) == 1
    table.box.close()


def test_a_full_disk_that_stays_full_costs_a_match(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    table = BoxUnderTest(tmp_path)
    table.press()
    full(table.box.store)
    play_until_it_forgets(table)
    table.abandon()
    assert table.mode is Mode.ATTRACT
    assert told_screen(table.show).prompt == "Memory is off"
    # The next match is kept again: the new connection knows no bound.
    table.press()
    table.throw(3, 5)
    assert told_screen(table.show).aside == ""
    assert actions(table) == 1
    assert caplog.text.count("playing without memory") == 1
    table.box.close()


def test_a_store_held_by_another_program_is_caught_up_with(tmp_path: Path) -> None:
    table = BoxUnderTest(tmp_path)
    table.press()
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
        other.execute("begin immediate")
        store = table.box.store
        assert store is not None
        (waits_ms,) = store.connection.execute("pragma busy_timeout").fetchone()
        assert waits_ms == 100, "the levers must not wait for the store"
        table.throw(3, 5)
        assert (table.show.throw, told_screen(table.show).aside) == ((3, 5), "no memory")
        other.execute("rollback")
    table.wait(2 * S)
    assert told_screen(table.show).aside == ""
    assert actions(table) == 1
    table.box.close()


def test_throws_of_real_dice_are_not_the_boxs(tmp_path: Path) -> None:
    config = with_value(Config(), "game.setup", "usual", "test")
    config = with_value(config, "game.dice", "real", "test")
    box = VirtualBox(config, tmp_path, advised=False)
    for lasts in (100, 100, 100, 100, 100, 100, 1000):
        box.press(lasts * MS)
        box.run_until(box.now_ns + 500 * MS)
    assert box.runner.machine.state.mode.name is Mode.FLIPPING
    store = box.store
    assert store is not None
    assert queries.read(store.connection).throws == 0
    box.close()


def test_what_switches_go_through_is_counted(tmp_path: Path) -> None:
    table = BoxUnderTest(tmp_path)
    for _ in range(3):
        table.box.set_lever(4, True)
        table.wait(100 * MS)
        table.box.bounce(4, False, 12 * MS)
        table.wait(100 * MS)
    table.press()
    table.abandon()
    store = table.box.store
    assert store is not None
    found = queries.health(store.connection)
    assert found[4].presses == 3
    assert found[4].chatter == table.box.runner.switches.chatter[4] > 0
    assert found[0].presses == table.box.runner.switches.presses[0] == 3
    table.box.close()
    store, _ = open_or_set_aside(tmp_path, clock)
    assert store is not None
    with closing(store):
        assert queries.health(store.connection) == found, "counted once"


def test_a_box_without_a_folder_tries_again_at_every_match(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "state"
    folder.write_text("in the way")
    table = BoxUnderTest(folder)
    assert told_screen(table.show).prompt == "Memory is off"
    with caplog.at_level(logging.ERROR):
        table.press()
        table.abandon()
        table.press()
        assert table.box.store is None
        assert caplog.text == "", "the daemon has said so at its start"
    table.abandon()
    folder.unlink()
    table.press()
    table.throw(3, 5)
    assert actions(table) == 1
    table.box.close()


def test_damage_at_work_is_set_aside_at_the_next_match(tmp_path: Path) -> None:
    table = BoxUnderTest(tmp_path)
    table.press()
    store = table.box.store
    assert store is not None
    store.connection.execute("drop table fact")
    table.throw(3, 5)
    assert table.show.throw == (3, 5)
    table.abandon()
    table.press()
    assert table.box.store is not None
    assert len(list(tmp_path.glob("*.damaged"))) == 1
    assert told_screen(table.show).aside == "new memory"
    table.box.close()


def test_statistics_that_cannot_be_read_are_empty(tmp_path: Path) -> None:
    table = BoxUnderTest(tmp_path)
    store = table.box.store
    assert store is not None
    store.connection.execute("drop table lever")
    assert table.box.memory.statistics() == ()
    table.box.close()


# -- other files -------------------------------------------------------------------------------


def test_a_broken_configuration_of_the_box_is_not_the_end(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[game]\nplayers = 'many'\n")
    assert find_config(None, path) == (Config(), Fault.CONFIG)
    assert str(path) in caplog.text
    path.write_text("[game]\nprofile = 'unheard-of'\n[gpio]\nlamp = 20\n")
    config, fault = find_config(None, path)
    assert fault is Fault.CONFIG
    assert config == with_value(Config(), "gpio.lamp", 20, "test"), "the wiring was good"
    path.unlink()
    path.mkdir()
    assert find_config(None, path) == (Config(), Fault.CONFIG)
    path.rmdir()
    assert find_config(None, path) == (Config(), None)


def test_a_broken_configuration_that_was_asked_for_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[game]\nplayers = 'many'\n")
    with pytest.raises(ConfigError, match="players"):
        find_config(path)


def test_broken_house_rules_are_named(tmp_path: Path) -> None:
    (tmp_path / "good.toml").write_text('name = "good"\ntiles = [1, 2, 3]\n')
    (tmp_path / "bad.toml").write_text("tiles = true\n")
    config = with_value(Config(), "rules.folder", str(tmp_path), "test")
    (broken,) = broken_rules(config)
    assert "bad.toml" in str(broken)
