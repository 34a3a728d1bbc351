"""What can lie in the store's folder, and what becomes of each: a row of the table in `open_or_set_aside`."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.damage import change, clock, play_a_little

from shutthebox.adapters.store.contents import (
    NEWER,
    RECOVERED_NAME,
    RESTORE_NAME,
    Damaged,
    Interrupted,
    Newer,
    Nothing,
    Ours,
    SetAside,
    Unreadable,
    Waiting,
    look,
)
from shutthebox.adapters.store.database import STORE_FILE, Store
from shutthebox.adapters.store.open_store import open_or_set_aside
from shutthebox.game.faults import Fault


def nothing(folder: Path) -> None:
    pass


def a_waiting(name: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        play_a_little(folder)
        (folder / STORE_FILE).rename(folder / "away")
        for left in folder.glob(f"{STORE_FILE}*"):
            left.unlink()
        (folder / "away").rename(folder / name)
        Store(folder, clock).close()

    return make


def interrupted(folder: Path) -> None:
    """The plug is pulled while the first store is made: its pages are there, and how to undo them."""
    path = folder / STORE_FILE
    half = f"{(folder / 'half').as_uri()}?psow=0"  # as the store opens it: the journal has larger sectors
    with closing(sqlite3.connect(half, uri=True, isolation_level=None)) as db:
        db.executescript("pragma cache_size = 1; pragma cache_spill = 1; begin; create table a (b)")
        for _ in range(300):
            db.execute("insert into a select zeroblob(3000)")
        shutil.copy(folder / "half", path)
        shutil.copy(folder / "half-journal", f"{path}-journal")
    (folder / "half").unlink()


def of_newer(folder: Path) -> None:
    play_a_little(folder)
    with closing(sqlite3.connect(folder / STORE_FILE)) as db:
        db.execute("pragma user_version = 99")


def removed(folder: Path) -> None:
    play_a_little(folder)
    (folder / STORE_FILE).unlink()


def names(folder: Path) -> set[str]:
    """The endings of what lies in the folder."""
    found = {path.name.removeprefix(STORE_FILE) for path in folder.iterdir() if path.stat().st_size}
    return {ending.rpartition(".")[2] for ending in found if ending.startswith(".")}


ROWS: dict[str, tuple[Callable[[Path], None], type, Fault | None, set[str], int]] = {
    "none": (nothing, Nothing, None, set(), 0),
    "ours": (play_a_little, Ours, None, set(), 3),
    "ours, with a journal": (interrupted, Interrupted, None, set(), 0),
    "damaged": (change("delete from fact where number = 3"), Damaged, Fault.STORE_REPLACED, {"damaged"}, 3),
    "a trace of one": (removed, Damaged, Fault.STORE_REPLACED, {"damaged-mark"}, 0),
    "newer": (of_newer, Newer, None, {"replaced"}, 3),
    "a restored one waits": (a_waiting(RESTORE_NAME), Waiting, None, {"replaced"}, 3),
    "a recovered one waits": (a_waiting(RECOVERED_NAME), Waiting, Fault.STORE_REPLACED, {"damaged"}, 3),
    "one that an older version set aside": (
        a_waiting(f"{STORE_FILE}.2026-11-21T12-00-00.{NEWER}"), SetAside, None, {"replaced"}, 3
    ),
}  # fmt: skip
"""For each what it is taken for, the fault, what is kept of the old one, and the facts in the new one without
faults. In the new one for a damaged one, a fact says that another is lost."""


def facts_in(store: Store) -> int:
    query = "select count(*) from fact where text not like 'fault%'"
    return int(store.connection.execute(query).fetchone()[0])


@pytest.mark.parametrize("name", ROWS)
def test_what_lies_in_the_folder_and_what_becomes_of_it(name: str, tmp_path: Path) -> None:
    make, kind, fault, kept, facts = ROWS[name]
    make(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if not path.name.endswith("-shm")}
    assert type(look(tmp_path, None)) is kind
    after = {path: path.read_bytes() for path in tmp_path.iterdir() if path in before}
    assert after == before, "looking changes nothing"
    store, store_fault = open_or_set_aside(tmp_path, clock)
    assert store is not None
    with closing(store):
        assert (store_fault and store_fault.fault) == fault
        assert facts_in(store) == facts
        assert names(tmp_path) >= kept
    assert type(look(tmp_path, None)) is Ours, "at the next start"


def test_one_that_cannot_be_read_for_now_stays_and_is_read_later(tmp_path: Path) -> None:
    """For now is not for good: a file that another program locks must not be set aside."""
    play_a_little(tmp_path)
    with closing(sqlite3.connect(tmp_path / STORE_FILE, isolation_level=None)) as other:
        other.execute("pragma locking_mode = exclusive")
        other.execute("begin exclusive")
        assert isinstance(look(tmp_path, None), Unreadable)
        store, store_fault = open_or_set_aside(tmp_path, clock)
        assert store is None
        assert store_fault is not None
        assert store_fault.fault is Fault.FORGETS
    assert names(tmp_path) == set()
    store, store_fault = open_or_set_aside(tmp_path, clock)
    assert store is not None
    with closing(store):
        assert store_fault is None
        assert facts_in(store) == 3
