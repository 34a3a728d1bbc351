"""A stick that fails at any operation of any job: what is said afterwards is what is there."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.support.command import command
from tests.support.failing_disk import LACKING, FailingDisk, failing_disk
from tests.support.kept import play_a_little
from tests.support.stick import Box, FolderVolume, helped
from tests.support.updates import Card

from shutthebox.adapters.store.backup import last_save
from shutthebox.adapters.store.contents import RESTORE_NAME
from shutthebox.game.stick import Stick, StickJob, StickOutcome
from shutthebox.owner.card import TAKEN
from shutthebox.owner.stick import helper, saving

pytestmark = pytest.mark.skipif(bool(LACKING), reason=LACKING)

JOBS = (StickJob.SAVE, StickJob.SETTINGS, StickJob.TAKE_OVER, StickJob.INSPECT, StickJob.UPDATE)
DONE = {
    StickJob.SAVE: StickOutcome.SAVED,
    StickJob.SETTINGS: StickOutcome.SETTINGS_TAKEN,
    StickJob.TAKE_OVER: StickOutcome.TAKEN_OVER,
    StickJob.UPDATE: StickOutcome.UPDATE_WRITTEN,
    StickJob.INSPECT: None,
}
FAILED_JOBS = {
    StickOutcome.PULLED_OUT, StickOutcome.FULL, StickOutcome.PROTECTED, StickOutcome.UNREADABLE,
    StickOutcome.BAD_SETTINGS, StickOutcome.BAD_UPDATE,
}  # fmt: skip
"""Outcomes after which nothing has changed."""


UNASKED = Stick(outcome=StickOutcome.PULLED_OUT)
"""The stick had gone before its helper heard of the job, which left nothing."""


class PulledVolume(FolderVolume):
    """A stick that has gone at a certain look at it, as systemd's signal says; then it answers no more."""

    def __init__(self, disk: FailingDisk) -> None:
        super().__init__(disk.path)
        self.disk = disk
        self.looks_left: int | None = None

    @property
    def gone(self) -> bool:
        if self.looks_left is not None and not self.pulled.is_set():
            self.looks_left -= 1
            if not self.looks_left:
                self.disk.fail_from(1)
                self.pulled.set()
        return super().gone


class Evening:
    """A card and a stick with something for every job; what was done is there."""

    def __init__(self, card: Card, disk: FailingDisk) -> None:
        self.card, self.disk, self.state = card, disk, card.folder / "state"
        self.restarts = 0
        play_a_little(self.state)
        stick = card.stick
        (stick / "shutthebox/rules").mkdir(parents=True)
        (stick / "shutthebox/shutthebox.toml").write_text("[game]\nplayers = 4\n")
        (stick / "shutthebox/network.toml").write_text("cable = true\n")
        (stick / "shutthebox/rules/friday.toml").write_text('like = "pub"\n')
        (stick / "shutthebox/shutthebox-9.9.9.raucb").write_text("good")
        (stick / "shutthebox-old-2026-01-01").mkdir()
        shutil.copy(self.state / "box.sqlite3", stick / "shutthebox-old-2026-01-01/memory.sqlite3")
        self.before = {path.name for path in stick.iterdir()}

    def done(self, job: StickJob, operation: int | None, error: int = errno.ENODEV) -> tuple[Stick, int]:
        """What is said of a job whose stick fails from this operation on, and how many there were."""
        with self._begun(job, FolderVolume(self.disk.path)) as box:
            self.disk.fail_from(operation, error)
            return box.done(job), self.disk.fail_from(None)

    def pulled(self, job: StickJob, look: int) -> tuple[Stick | None, bool]:
        """What is said of a job whose stick has gone at this look at it, and whether it came to that look."""
        volume = PulledVolume(self.disk)
        try:
            with self._begun(job, volume) as box:
                volume.looks_left = look
                box.socket.ask(job)
                if box.until(lambda stick: stick is None or stick.doing is job) is None:
                    return UNASKED, True
                after = box.until(lambda stick: stick is None or stick.doing is None)
                volume.looks_left = None
                self.disk.fail_from(None)
                return after, volume.pulled.is_set()
        finally:
            # However late the helper had that look: its thread has ended, and the next finds a good stick.
            self.disk.fail_from(None)

    @contextmanager
    def _begun(self, job: StickJob, volume: FolderVolume) -> Iterator[Box]:
        """A box and a helper, as far as the job is offered."""
        with helped(volume, self.state, self.card.folder, self._restart, kept=self.card.kept) as box:
            if job is StickJob.UPDATE:
                box.done(StickJob.INSPECT)
            else:
                box.seen(lambda stick: bool(stick.offers))
            yield box

    def _restart(self) -> None:
        self.restarts += 1

    def was_done(self, job: StickJob) -> bool:
        """Whether the job has left all of what it leaves. Half of it is an error."""
        match job:
            case StickJob.SAVE:
                return self._is_saved()
            case StickJob.SETTINGS:
                return self._are_taken()
            case StickJob.TAKE_OVER:
                waits = (self.state / RESTORE_NAME).exists()
                assert waits == bool(self.restarts)
                return waits
            case StickJob.UPDATE:
                written = self.card.written.exists()
                assert not written or self.card.written.read_text() == "good"
                return written
            case _:
                return False

    def _is_saved(self) -> bool:
        new = [path for path in self.card.stick.iterdir() if path.name not in self.before]
        whole = [path for path in new if not path.name.endswith(".part")]
        for folder in whole:
            assert {file.name for file in folder.iterdir()} >= {"memory.sqlite3", "results.csv", "report.txt"}
            with closing(sqlite3.connect(folder / "memory.sqlite3")) as db:
                assert db.execute("pragma integrity_check").fetchone() == ("ok",)
        assert (last_save(self.state) is not None) <= bool(whole)
        return bool(whole)

    def _are_taken(self) -> bool:
        kept = self.card.kept
        if (kept / TAKEN).exists():  # the next start
            assert command("card", kept / TAKEN, "--to", kept, "--stick").code == 0
        files = (kept / "etc/config.toml", kept / "etc/rules/friday.toml", kept / "network/cable.network")
        assert len({file.exists() for file in files}) == 1, "all or none"
        return files[0].exists()

    def undo(self) -> None:
        """Everything as it was."""
        self.restarts = 0
        for path in self.card.stick.iterdir():
            if path.name not in self.before:
                shutil.rmtree(path)
        for folder in ("etc", "network", "ssh", "card/stick"):
            shutil.rmtree(self.card.kept / folder, ignore_errors=True)
        for file in (self.state / RESTORE_NAME, self.state / "last-save", self.card.written):
            file.unlink(missing_ok=True)


@pytest.fixture
def evening(card: Card, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Evening]:
    monkeypatch.setattr(helper, "LOOK_S", 0.05)
    monkeypatch.setattr(saving, "report", lambda state: "report\n")
    with failing_disk(card.stick, tmp_path / "mounted") as disk:
        yield Evening(card, disk)


def slow_but(*quick: object, among: Sequence[object]) -> list[object]:
    """All of these, for `make test-all`; a few for every run."""
    return [one if one in quick else pytest.param(one, marks=pytest.mark.slow) for one in among]


def check(job: StickJob, after: Stick | None, evening: Evening, where: str) -> None:
    """Compares what is said with what is there."""
    assert after is not None, f"nothing is said {where}"
    done = evening.was_done(job)
    if after.outcome is DONE[job]:
        assert done or job is StickJob.INSPECT, f"{after} {where}"
    elif after.outcome is not StickOutcome.UNSURE:
        assert after.outcome in FAILED_JOBS, f"{after} {where}"
        assert not done, f"{after} {where}"


FAILING = (
    *((errno.ENODEV, job) for job in JOBS),
    *((errno.EIO, job) for job in JOBS),
    *((error, StickJob.SAVE) for error in (errno.ENOSPC, errno.EROFS)),
)
"""A stick that is full, or can't be written, fails only whoever writes."""


@pytest.mark.slow
@pytest.mark.parametrize(("error", "job"), FAILING, ids=lambda value: errno.errorcode.get(value, value))
def test_what_is_said_of_a_job_whose_stick_fails_at_any_operation_is_true(
    error: int, job: StickJob, evening: Evening
) -> None:
    operation = operations = 1
    while operation <= operations:
        after, operations = evening.done(job, operation, error)
        check(job, after, evening, f"from operation {operation} of {operations}")
        evening.undo()
        operation += 1
    after, _ = evening.done(job, None)
    assert after.outcome is DONE[job]
    assert operations > 3, "it was walked"


@pytest.mark.parametrize("job", slow_but(StickJob.SETTINGS, among=JOBS))
def test_what_is_said_of_a_job_whose_stick_is_pulled_out_at_any_moment_is_true(
    job: StickJob, evening: Evening
) -> None:
    look, was_pulled = 1, True
    while was_pulled:
        after, was_pulled = evening.pulled(job, look)
        check(job, after, evening, f"at look {look}")
        evening.undo()
        look += 1
    assert after is not None
    assert after.outcome is DONE[job]
