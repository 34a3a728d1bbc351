"""What is synced before what: a new file before it takes its name, and its folder after that.

Of SQLite's own files see `test_recorded_writes`.
"""

from contextlib import closing
from pathlib import Path

import pytest
from tests.support.damage import KEPT, change, clock, play_a_little
from tests.support.kept import keep_an_evening
from tests.support.syncs import spy_on_syncs
from tests.support.versions import take_next_version

from shutthebox.adapters.store.backup import back_up, put_beside
from shutthebox.adapters.store.database import STORE_FILE, open_to_read
from shutthebox.adapters.store.open_store import open_or_set_aside


@pytest.fixture
def steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    return spy_on_syncs(tmp_path, monkeypatch)


def test_a_backup_and_its_way_back(tmp_path: Path, steps: list[str]) -> None:
    play_a_little(tmp_path)
    del steps[:]
    with closing(open_to_read(tmp_path / STORE_FILE)) as db:
        back_up(db, tmp_path / "copy")
    assert steps == ["sync .shutthebox-*.part", ".shutthebox-*.part -> copy", "sync ."]
    del steps[:]
    put_beside(tmp_path / "copy", tmp_path)
    assert steps == ["sync .shutthebox-*.part", ".shutthebox-*.part -> box.sqlite3.restore", "sync ."]


@pytest.mark.parametrize("waits", ["recovered", "restore"])
def test_a_store_that_is_built_again(
    waits: str, tmp_path: Path, steps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged one, and one of an earlier version: before a name is given away the other file is whole."""
    kept = KEPT
    if waits == "recovered":
        change("update fact set text = 'throw 1+1' where number = 2")(tmp_path)
    else:
        keep_an_evening(tmp_path)
        take_next_version(monkeypatch)
        kept = kept.replace("damaged", "replaced")
    del steps[:]
    store, _ = open_or_set_aside(tmp_path, clock)
    assert store is not None
    assert steps == [
        "sync .shutthebox-*.part",
        f".shutthebox-*.part -> box.sqlite3.{waits}",
        "sync .",
        f"box.sqlite3 -> {kept}",
        f"box.sqlite3-wal -> {kept}-wal",
        f"box.sqlite3-shm -> {kept}-shm",
        f"box.sqlite3-mark -> {kept}-mark",
        "sync .",
        f"box.sqlite3.{waits} -> box.sqlite3",
        "sync .",
        "sync box.sqlite3-mark",
    ]
    del steps[:]
    store.close()
    assert steps == ["sync box.sqlite3-mark"]
