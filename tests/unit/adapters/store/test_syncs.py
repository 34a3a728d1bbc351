"""What is synced before what: a new file before it takes its name, and its folder after that.

Of SQLite's own files see `test_recorded_writes`.
"""

import os
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.support.damage import KEPT, change, clock, play_a_little
from tests.support.kept import keep_an_evening
from tests.support.versions import take_next_version

from shutthebox.adapters.store.backup import back_up, put_beside
from shutthebox.adapters.store.database import STORE_FILE, open_to_read
from shutthebox.adapters.store.open_store import open_or_set_aside


@pytest.fixture
def steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happens from now on in this folder, step by step; it happens all the same."""
    found: list[str] = []

    def name(path: Any, folder: int | None = None) -> str:
        whole = Path(path) if folder is None else Path(f"/proc/self/fd/{folder}").readlink() / path
        return re.sub("[0-9a-f]{32}", "*", str(whole.relative_to(tmp_path)).removeprefix("box."))

    def spy(function: str, told: Callable[..., str | None]) -> None:
        real = getattr(os, function)

        def does(*args: Any, **more: Any) -> None:
            if (step := told(*args, **more)) is not None:
                found.append(step)
            real(*args, **more)

        monkeypatch.setattr(os, function, does)

    def moved(
        old: Any, new: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None, **_: Any
    ) -> str:
        return f"{name(old, src_dir_fd)} -> {name(new, dst_dir_fd)}"

    def synced(descriptor: int) -> str | None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        return f"sync {name(path)}" if path.is_relative_to(tmp_path) else None

    spy("fsync", synced)
    for function in ("rename", "replace", "link"):
        spy(function, moved)
    return found


def test_a_backup_and_its_way_back(tmp_path: Path, steps: list[str]) -> None:
    play_a_little(tmp_path)
    del steps[:]
    with closing(open_to_read(tmp_path / STORE_FILE)) as db:
        back_up(db, tmp_path / "copy")
    assert steps == ["sync .shutthebox-*.part", ".shutthebox-*.part -> copy", "sync ."]
    del steps[:]
    put_beside(tmp_path / "copy", tmp_path)
    assert steps == ["sync .shutthebox-*.part", ".shutthebox-*.part -> sqlite3.restore", "sync ."]


@pytest.mark.parametrize("waits", ["recovered", "restore"])
def test_a_store_that_is_built_again(
    waits: str, tmp_path: Path, steps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged one, and one of an earlier version: before a name is given away the other file is whole."""
    kept = KEPT.removeprefix("box.")
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
        f".shutthebox-*.part -> sqlite3.{waits}",
        "sync .",
        f"sqlite3 -> {kept}",
        f"sqlite3-wal -> {kept}-wal",
        f"sqlite3-shm -> {kept}-shm",
        f"sqlite3-mark -> {kept}-mark",
        "sync .",
        f"sqlite3.{waits} -> sqlite3",
        "sync .",
        "sync sqlite3-mark",
    ]
    del steps[:]
    store.close()
    assert steps == ["sync sqlite3-mark"]
