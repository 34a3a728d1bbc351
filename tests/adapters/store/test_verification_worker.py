"""The store is compared with its checksums while the box plays."""

import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.waiting import HANG_S

from shutthebox.adapters.store import verification_worker
from shutthebox.adapters.store.database import FILE_NAME, Store
from shutthebox.adapters.store.recovery import first_fault
from shutthebox.adapters.store.verification_worker import VerificationWorker
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began
from shutthebox.rules.actions import Moved, Thrown
from shutthebox.rules.match import begin
from shutthebox.rules.tiles import to_tiles


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with three facts, which nothing has open."""
    with closing(Store(tmp_path, lambda: 0.0)) as made:
        for fact in (Began(begin(builtin("traditional"), 2)), Thrown((3, 5)), Moved(to_tiles([8]))):
            made.keep(fact)
        made.mark_head()
    return tmp_path / FILE_NAME


def found_in(store: Path) -> str | None:
    """What a worker finds that is left alone."""
    worker = VerificationWorker(store)
    worker.start()
    for thread in threading.enumerate():
        if thread.name == "verification":
            thread.join(HANG_S)
            assert not thread.is_alive()
    worker.close()
    return worker.found


def test_what_is_kept_meanwhile_is_no_damage(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Store(store.parent, lambda: 0.0)) as other:

        def keep_and_compare(*args: object, **more: object) -> str | None:
            other.keep(Thrown((1, 2)))
            return first_fault(*args, **more)  # type: ignore[arg-type]

        monkeypatch.setattr(verification_worker, "first_fault", keep_and_compare)
        assert found_in(store) is None


def test_a_file_that_is_gone_is_left_to_those_who_write_to_it(
    store: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store.unlink()
    assert found_in(store) is None
    (message,) = caplog.messages
    assert message.startswith(f"{store}: cannot be compared with its checksums: {store}: no such store; ")


@pytest.mark.parametrize("begin", [VerificationWorker.start, lambda _: None], ids=["begun", "not begun"])
def test_it_ends_in_the_middle_and_says_nothing(
    begin: Callable[[VerificationWorker], None],
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    without_end = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
    monkeypatch.setattr(
        verification_worker, "first_fault", lambda db, mark: db.execute(without_end).fetchone()
    )
    worker = VerificationWorker(store)
    begin(worker)
    worker.close()
    assert worker.found is None
    assert caplog.text == ""
    assert "verification" not in [thread.name for thread in threading.enumerate()]
