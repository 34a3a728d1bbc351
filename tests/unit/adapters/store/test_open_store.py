"""Any file in the store's place: the box says so, keeps it, and plays."""

import logging
import multiprocessing
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest
from tests.support.box import BoxUnderTest, S
from tests.support.damage import KEPT, change, clock, play_a_little
from tests.support.kept import NOON, alter, mended, sound
from tests.support.open_files import open_files
from tests.support.permissions import obey_permissions
from tests.support.small_disk import small_disk

from shutthebox.adapters.store import open_store, queries
from shutthebox.adapters.store.backup import put_beside
from shutthebox.adapters.store.contents import FILES, RECOVERED_NAME, RESTORE_NAME, Damaged, judge
from shutthebox.adapters.store.database import STORE_FILE, Store
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.open_store import FIRST_FACTS, SUSPECT_NAME, StoreFault, open_or_set_aside
from shutthebox.adapters.store.records import kept_match
from shutthebox.adapters.store.schema import VERSION
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began, Chosen, Faulted
from shutthebox.game.faults import Fault
from shutthebox.game.modes.match_mode import MatchMode
from shutthebox.rules.actions import Moved, Thrown
from shutthebox.rules.match import begin
from shutthebox.translations import localize_screen


def text(folder: Path) -> None:
    (folder / STORE_FILE).write_text("shopping list: eggs, milk\n" * 100)


def cut_short(folder: Path) -> None:
    play_a_little(folder)
    os.truncate(folder / STORE_FILE, 5000)


def a_folder(folder: Path) -> None:
    (folder / STORE_FILE / "in it").mkdir(parents=True)


def a_stray_log(folder: Path) -> None:
    (folder / f"{STORE_FILE}-wal").write_bytes(b"\x37\x7f\x06\x82" + bytes(5000))


def removed(folder: Path) -> None:
    play_a_little(folder)
    (folder / STORE_FILE).unlink()


def crashed(folder: Path) -> None:
    """The files of a box that had no time to say goodbye: all facts are in the log."""
    with closing(Store(folder / "running", clock)) as store:
        store.connection.execute("pragma wal_checkpoint(truncate)")
        for fact in (Began(begin(builtin("traditional"), 2)), Thrown((3, 5)), Moved(0b10000000)):
            store.keep(fact)
        for name in FILES:
            if not name.endswith("-shm"):
                shutil.copy(folder / "running" / name, folder / name)
    shutil.rmtree(folder / "running")


def log_removed(folder: Path) -> None:
    crashed(folder)
    (folder / FILES[1]).unlink()


def emptied(folder: Path) -> None:
    crashed(folder)
    os.truncate(folder / STORE_FILE, 0)


def foreign(folder: Path) -> None:
    alter(folder, "create table a (b)")


NEW = f"kept as {KEPT}, starting a new store"
ALL_3 = f"{NEW} with the 3 facts and 1 matches that are good"
BEGINNING = f"{NEW} with the 2 facts and 1 matches that are good, 2 facts are lost"
WHOLE = {ALL_3: (Thrown((3, 5)), Moved(0b10000000)), BEGINNING: ()}
"""Actions still there, where the match is. A lost fact costs those behind it, and a new one says so."""

TABLES = "box.sqlite3: not a box's store: it has other tables, views or triggers"

DAMAGES: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "text": (text, "box.sqlite3: file is not a database", NEW),
    "cut short": (cut_short, "", NEW),
    "a folder": (a_folder, "", NEW),
    "foreign": (foreign, TABLES, NEW),
    "a gap": (change("delete from fact where number = 2"), "box.sqlite3: fact 2 is missing", BEGINNING),
    "odd stakes": (
        change("insert into result values (1, 0, 3, '1/0', 1, 0, null)", 'update match set "left" = 1'),
        "box.sqlite3: match 1 differs from the facts, and 1 more", ALL_3,
    ),
    "a trigger": (
        change("create trigger t after insert on fact begin delete from setting; end"), TABLES, ALL_3
    ),
    "stray log": (a_stray_log, "box.sqlite3-wal: a log without its store", "starting a new store"),
    "removed": (
        removed, "box.sqlite3: was removed; 3 facts were in it", "starting a new store"
    ),
    "log removed": (log_removed, "box.sqlite3: facts 1 to 3 are missing at the end", NEW),
    "store emptied, log there": (emptied, "box.sqlite3: was emptied; 3 facts were in it", ALL_3),
}  # fmt: skip
"""Per damage its words at the box, empty where they are SQLite's or Python's, and what was done."""


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_set_aside(name: str, tmp_path: Path) -> None:
    damage, found, done = DAMAGES[name]
    damage(tmp_path)
    open_before = open_files()
    store, store_fault = mended(tmp_path)
    assert store_fault.fault is Fault.STORE_REPLACED
    assert store_fault.text.startswith(f"{tmp_path}/{found or STORE_FILE}")
    assert store_fault.text.endswith(f"{found}; {done}")
    assert "\n" not in store_fault.text
    with closing(store):
        (logged,) = queries.read(store.connection).faults
        assert logged == queries.LoggedFault(NOON, store_fault.fault.value, store_fault.text)
        if done == BEGINNING:
            with pytest.raises(StoreError, match="2 of its facts are lost"):
                store.running_match()
        else:
            assert (store.running_match() is not None) == (done in WHOLE)
        if done in WHOLE:
            assert kept_match(store.connection, 1, "").actions == WHOLE[done], "what came before stays"
        store.keep(Began(begin(builtin("traditional"), 2)))
    kept = [path.name for path in tmp_path.iterdir() if path.name.startswith(KEPT)]
    assert kept
    assert (KEPT in kept) == (KEPT in done)
    assert open_files() == open_before
    sound(tmp_path).close()


def test_what_makes_no_sense_is_found_before_the_tables_are_compared(tmp_path: Path) -> None:
    change("insert into setting values ('game.rounds', '[[[')")(tmp_path)
    store, store_fault = mended(tmp_path, FIRST_FACTS)
    assert "box.sqlite3: its contents contradict each other: Expecting value: " in store_fault.text
    with closing(store):
        assert store.choices() == ()
        assert store.running_match() is not None


def of_version(folder: Path, version: int, name: str = STORE_FILE) -> None:
    with closing(sqlite3.connect(folder / name)) as db:
        db.execute(f"pragma user_version = {version}")


def test_a_store_of_a_newer_program_that_says_nothing_to_this_one_is_kept_for_it(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / STORE_FILE)) as db:
        db.execute("create table another_way (of, keeping)")
    of_version(tmp_path, 99)
    before = (tmp_path / STORE_FILE).read_bytes()
    store, store_fault = mended(tmp_path)
    store.close()
    path = tmp_path / KEPT.replace("damaged", "newer")
    assert path.read_bytes() == before
    assert store_fault == StoreFault(
        Fault.STORE_NEWER,
        f"{tmp_path / STORE_FILE}: made by a newer version (99); {VERSION} is allowed; kept as {path.name}, "
        "starting a new store",
    )


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """This program's store, set aside by an earlier one that could read nothing in it; gives its path."""
    play_a_little(tmp_path)
    path = tmp_path / KEPT.replace("damaged", "newer")
    (tmp_path / STORE_FILE).rename(path)
    (tmp_path / f"{STORE_FILE}-mark").unlink()
    Store(tmp_path, clock).close()
    return path


def test_the_newer_program_takes_its_store_back_by_itself(newer: Path, tmp_path: Path) -> None:
    with closing(sound(tmp_path)) as store:
        (logged, *_) = queries.read(store.connection).faults
        assert logged.text.startswith(f"{tmp_path / STORE_FILE}: restored; the old one is kept as ")
        running = store.running_match()
        assert running is not None
        assert len(running[1]) == 2
    assert not list(tmp_path.glob("*newer*"))


def test_matches_that_were_played_meanwhile_stay(newer: Path, tmp_path: Path) -> None:
    """Neither evening is lost without a word: the owner can have the other one back."""
    with closing(Store(tmp_path, clock)) as store:
        store.keep(Began(begin(builtin("pub"), 2)))
    for start in range(2):
        with closing(sound(tmp_path)) as store:
            running = store.running_match()
            assert running is not None
            assert running[0].game.name == "pub"
            said = [fault.text for fault in queries.read(store.connection).faults if "since" in fault.text]
        aside = newer.with_name(newer.name.replace("newer", "replaced"))
        assert said == [
            f"{newer}: set aside by an earlier version, with 1 matches since: it is now {aside.name}, "
            "and shutthebox restore brings it back"
        ], f"start {start}"
    assert put_beside(aside, tmp_path).matches == 1


def test_damage_of_the_same_second_gets_another_name(tmp_path: Path) -> None:
    for _ in range(3):
        text(tmp_path)
        mended(tmp_path)[0].close()
        (tmp_path / STORE_FILE).unlink()
    names = sorted(path.name for path in tmp_path.iterdir() if path.name.endswith(".damaged"))
    date = f"{STORE_FILE}.2026-11-21T12-00-00"
    assert names == [f"{date}-2.damaged", f"{date}-3.damaged", f"{date}.damaged"]


def test_a_recovered_and_a_restored_store_that_wait_are_taken_over_one_after_the_other(
    tmp_path: Path,
) -> None:
    names = (STORE_FILE, RECOVERED_NAME, RESTORE_NAME)
    for number, name in enumerate(names):
        with closing(Store(tmp_path / name, clock)) as made:
            made.keep(Chosen("game.players", number))
        (tmp_path / name / STORE_FILE).rename(tmp_path / f"{number}")
        shutil.rmtree(tmp_path / name)
    for number, name in enumerate(names):
        (tmp_path / f"{number}").rename(tmp_path / name)
    with closing(sound(tmp_path)) as store:
        assert store.choices() == (Chosen("game.players", 2),)
    assert len(list(tmp_path.glob("*.damaged"))) == len(list(tmp_path.glob("*.replaced"))) == 1


def test_a_suspect_store_is_believed_once_all_of_it_was_compared(tmp_path: Path) -> None:
    play_a_little(tmp_path)
    open_store.suspect(tmp_path, "fact 1 was altered")
    assert (tmp_path / SUSPECT_NAME).read_text() == "fact 1 was altered\n"
    for facts, suspect in ((FIRST_FACTS, True), (None, False)):
        sound(tmp_path, facts).close()
        assert open_store.is_suspect(tmp_path) is suspect


@pytest.mark.parametrize(
    ("code", "damaged"),
    [
        (sqlite3.SQLITE_IOERR_READ, True),
        (sqlite3.SQLITE_IOERR_WRITE, False),
    ],
)
def test_a_store_is_set_aside_for_faults_of_its_file_only(code: int, damaged: bool, tmp_path: Path) -> None:
    """And not for what a full disk or too little memory causes."""
    reason, cause = StoreError("it failed"), sqlite3.OperationalError()
    cause.sqlite_errorcode, reason.__cause__ = code, cause
    assert isinstance(judge(reason, tmp_path), Damaged) is damaged


def open_by_permission(folder: Path) -> tuple[bool, StoreFault | None]:
    """Whether the store there keeps, and its fault; for a process of its own, as root may write anywhere."""
    obey_permissions()
    store, store_fault = open_or_set_aside(folder, clock)
    return store is not None and not store.waiting, store_fault


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Path]:
    """A folder with a store in it, whose modes a test may change."""
    play_a_little(tmp_path)
    yield tmp_path
    tmp_path.chmod(0o700)


def opened(folder: Path) -> tuple[bool, StoreFault | None]:
    with ProcessPoolExecutor(1, multiprocessing.get_context("forkserver")) as processes:
        return processes.submit(open_by_permission, folder).result()


@pytest.mark.parametrize("damaged", [False, True])
def test_a_folder_that_cannot_be_written_to(damaged: bool, own: Path) -> None:
    if damaged:
        (own / STORE_FILE).write_text("spilt")
    own.chmod(0o500)
    keeps, store_fault = opened(own)
    assert not keeps
    assert store_fault is not None
    assert store_fault.fault is Fault.FORGETS


def test_a_store_that_may_not_be_written_to_is_set_aside(own: Path) -> None:
    (own / STORE_FILE).chmod(0o400)
    keeps, store_fault = opened(own)
    assert keeps
    assert store_fault is not None
    assert store_fault.fault is Fault.STORE_REPLACED
    assert (own / KEPT).stat().st_mode & 0o777 == 0o400


def test_the_log_of_an_emptied_store_is_kept(tmp_path: Path) -> None:
    """SQLite would delete it."""
    emptied(tmp_path)
    log = (tmp_path / FILES[1]).read_bytes()
    mended(tmp_path)[0].close()
    assert (tmp_path / f"{KEPT}-wal").read_bytes() == log


def test_an_empty_file_without_a_log_is_a_new_store(tmp_path: Path) -> None:
    (tmp_path / FILES[0]).touch()
    sound(tmp_path).close()


# -- at the box --------------------------------------------------------------------------------


def actions(table: BoxUnderTest) -> int:
    """How many actions of the running match a later process finds."""
    table.box.runner.close()
    with closing(sound(table.box._state or Path())) as store:
        running = store.running_match()
    return len(running[1]) if running else -1


def full(store: Store | None) -> None:
    assert store is not None
    (pages,) = store.connection.execute("pragma page_count").fetchone()
    store.connection.execute(f"pragma max_page_count = {pages}")
    with suppress(StoreError):
        for number in range(1000):
            store.keep(Faulted("lever", f"{number} {'x' * 300}"))


def test_a_full_disk_costs_nothing_once_there_is_room_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    table = BoxUnderTest(tmp_path)
    table.press()
    full(table.box.store)
    with caplog.at_level(logging.INFO):
        table.throw(3, 5)
        assert (table.show.scene.throw, localize_screen(table.show).aside) == ((3, 5), "no memory"), (
            "it plays on"
        )
        assert caplog.text.count("playing without memory") == 1
        mode = table.box.runner.machine.state.mode
        kept = mode.play.match if isinstance(mode, MatchMode) else None
        store = table.box.store
        assert store is not None
        store.connection.execute("pragma max_page_count = 1000000")
        table.wait(2 * S)
        assert caplog.text.count("saving everything again") == 1
    assert localize_screen(table.show).aside != "no memory"
    assert any("disk is full" in fault.text for fault in queries.read(store.connection).faults)
    # The plug: the match goes on where it was, with what was played while the disk was full.
    table.box.cut_power()
    assert table.box.runner.machine.state.match == kept
    assert not list(tmp_path.glob("*.damaged"))
    table.box.close()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", "400k") as folder:
        yield folder


def test_a_box_that_starts_on_a_full_disk(disk: Path) -> None:
    filler = disk / "pictures"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1000))
    table = BoxUnderTest(disk)
    assert localize_screen(table.show).alert == "Memory is off"
    table.press()
    table.throw(3, 5)
    assert table.show.scene.throw == (3, 5)
    table.abandon()
    assert [path.name for path in disk.glob("*.damaged")] == []
    filler.unlink()
    table.press()
    table.throw(1, 1)
    assert actions(table) == 1
    table.box.close()


def test_a_store_held_by_another_program_is_caught_up_with(tmp_path: Path) -> None:
    table = BoxUnderTest(tmp_path)
    table.press()
    with closing(sqlite3.connect(tmp_path / STORE_FILE, isolation_level=None)) as other:
        other.execute("begin immediate")
        store = table.box.store
        assert store is not None
        (waits_ms,) = store.connection.execute("pragma busy_timeout").fetchone()
        assert waits_ms == 100, "the levers must not wait for the store"
        table.throw(3, 5)
        assert (table.show.scene.throw, localize_screen(table.show).aside) == ((3, 5), "no memory")
        other.execute("rollback")
    table.wait(2 * S)
    assert localize_screen(table.show).aside == ""
    assert actions(table) == 1
    table.box.close()
