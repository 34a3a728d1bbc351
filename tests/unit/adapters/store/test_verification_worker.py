"""The store is compared with its checksums while the box plays."""

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.waiting import HANG_S

from shutthebox.adapters.store import verification_worker
from shutthebox.adapters.store.chain import Head
from shutthebox.adapters.store.database import Store
from shutthebox.adapters.store.recovery import first_fault
from shutthebox.adapters.store.verification_worker import VerificationWorker
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began
from shutthebox.rules.actions import Moved, Thrown
from shutthebox.rules.match import begin
from shutthebox.rules.tiles import to_tiles


@pytest.fixture
def kept(store: Store) -> Path:
    """The file of a store with three facts."""
    for fact in (Began(begin(builtin("traditional"), 2)), Thrown((3, 5)), Moved(to_tiles([8]))):
        store.keep(fact)
    return store.path


def test_what_is_kept_meanwhile_is_no_damage(
    store: Store, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, goes_on = threading.Event(), threading.Event()

    def compare(db: sqlite3.Connection, mark: Head | None) -> str | None:
        begun.set()
        assert goes_on.wait(HANG_S)
        return first_fault(db, mark)

    monkeypatch.setattr(verification_worker, "first_fault", compare)
    worker = VerificationWorker(kept)
    worker.start()
    assert begun.wait(HANG_S)
    store.keep(Thrown((1, 2)))
    goes_on.set()
    worker._thread.join(HANG_S)
    assert worker.found is None


def test_a_file_that_is_gone_is_left_to_those_who_write_to_it(
    kept: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept.unlink()
    worker = VerificationWorker(kept)
    worker.start()
    worker._thread.join(HANG_S)
    assert worker.found is None
    (message,) = caplog.messages
    assert message.startswith(f"{kept}: can't be compared with its checksums: {kept}: no such store; ")


@pytest.mark.parametrize("begin", [VerificationWorker.start, lambda _: None], ids=["begun", "not begun"])
def test_it_ends_in_the_middle_and_says_nothing(
    begin: Callable[[VerificationWorker], None],
    kept: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    without_end = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
    monkeypatch.setattr(
        verification_worker, "first_fault", lambda db, mark: db.execute(without_end).fetchone()
    )
    worker = VerificationWorker(kept)
    begin(worker)
    worker.close()
    assert worker.found is None
    assert caplog.text == ""
    assert "verification" not in [thread.name for thread in threading.enumerate()]
