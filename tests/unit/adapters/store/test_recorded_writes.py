"""Every prefix of the writes that a store made, as a power cut may leave them: nothing shown is lost.

Nothing is trusted to be synced: only the calls that strace saw count.
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from tests.support import recording
from tests.support.writer import facts

from shutthebox.adapters.store import retention
from shutthebox.adapters.store.database import Store
from shutthebox.adapters.store.open_store import open_or_set_aside

FACTS = 40
LACKING = recording.missing()

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(LACKING is not None, reason=f"NO RECORDED WRITES ARE CUT: {LACKING}"),
    pytest.mark.timeout(120),
]


@pytest.fixture
def folder() -> Iterator[Path]:
    """In memory, where syncs cost nothing: the cuts are a model's, not the machine's."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as name:
        yield Path(name)


def dump(db: sqlite3.Connection) -> str:
    return "\n".join(db.iterdump())


def history(folder: Path, seed: int) -> list[str]:
    """All that a store holds after each fact, kept without any cut."""
    with closing(Store(folder, lambda: 0.0)) as store:
        store.connection.execute("pragma synchronous = off")
        found = [dump(store.connection)]
        for fact in islice(facts(None, Random(seed)), FACTS):
            store.keep(fact)
            found.append(dump(store.connection))
        return found


def cut(files: dict[str, bytes], folder: Path, allowed: list[str]) -> str | None:
    """The fault of a box that starts on these files; None if there is none."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    store, store_fault = open_or_set_aside(folder, lambda: 0.0)
    if store is None:
        return f"it does not start: {store_fault}"
    with closing(store):
        if store_fault is not None:
            return f"it does not go on: {store_fault}"
        found = dump(store.connection)
    return None if found in allowed else "it holds something else than was shown"


def cut_everywhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch, seed: int, synchronous: str
) -> tuple[int, list[str]]:
    """The number of cuts, and the faults after them."""
    for name in ("truth", "state"):
        (folder / name).mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(retention, "KEPT_MATCHES", recording.KEPT)
        patch.setattr(retention, "AT_ONCE", 1)
        truth = history(folder / "truth", seed)
    assert 'INSERT INTO "checkpoint"' in truth[-1], "old matches have been forgotten"
    lines = recording.record(folder, seed, FACTS, synchronous)
    rng, cuts, wrong = Random(f"{seed} cuts"), 0, list[str]()
    marks = 0
    for number, (marks, disk) in enumerate(recording.replay(folder, lines, {})):
        # Until the store is open it holds what it did, the next fact may be there already.
        allowed = truth[max(marks - 1, 0) : marks + 1]
        for fate in ("all", "none", "some"):
            fault = cut(disk.after_cut(rng, fate), folder / "cut", allowed)
            cuts += 1
            if fault is not None:
                wrong.append(f"seed {seed}, call {number}, {marks} marks, {fate}: {fault}")
    assert marks == FACTS + 1
    return cuts, wrong


def test_nothing_that_was_shown_is_lost(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cuts, wrong = cut_everywhere(folder, monkeypatch, 1, "full")
    assert not wrong, wrong[:5]
    assert cuts > 900


def test_it_would_be_found_out_if_the_store_did_not_sync(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cuts, wrong = cut_everywhere(folder, monkeypatch, 0, "off")
    assert len(wrong) > cuts / 10
    assert not any(" all: " in fault for fault in wrong), "a killed process is no power cut"
