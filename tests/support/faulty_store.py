"""A box in virtual time whose store can't be used for a while, from one of its starts on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from enum import StrEnum
from pathlib import Path

from tests.support.permissions import obeying_permissions

from shutthebox.adapters.store.database import STORE_FILE
from shutthebox.simulator.hardware import disk
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.simulator.virtual_link import NEVER_NS


class StoreTrouble(StrEnum):
    """What is wrong with a box's store when the box starts."""

    HELD = "another program holds it"
    FULL = "the disk is full"
    READ_ONLY = "it can't be written"
    DAMAGED = "it's damaged, and the disk is full"
    SLOW = "the disk is slower than the watchdog"


class FaultyBox(VirtualBox):
    """A box whose store may be in trouble.

    Attributes:
        trouble: now; None while all is well.
    """

    trouble: StoreTrouble | None = None
    _holder: sqlite3.Connection | None = None

    def begin_trouble(self, trouble: StoreTrouble) -> None:
        """Spoils the store of a box that's unplugged, or that hasn't opened it."""
        assert self._state is not None, "the box has a memory"
        self.trouble, path = trouble, self._state / STORE_FILE
        if trouble is StoreTrouble.HELD:
            self._holder = sqlite3.connect(path, isolation_level=None, timeout=0)
            self._holder.execute("pragma locking_mode = exclusive")
            self._holder.execute("begin exclusive")
        elif trouble is StoreTrouble.DAMAGED:
            # Nothing that was played is lost: these tables follow from the facts.
            with closing(sqlite3.connect(path, isolation_level=None)) as db:
                db.execute("update match set players = players + 1")

    def end_trouble(self) -> None:
        """All is well again."""
        self.trouble = None
        if self._holder is not None:
            self._holder.close()
            self._holder = None

    def plug_in(self) -> None:
        """Starts the daemon on the store as it is."""
        with self.store_as_it_is():
            super().plug_in()

    @property
    def is_hung(self) -> bool:
        """Whether it waits for its disk, and does nothing else."""
        return self.trouble is StoreTrouble.SLOW

    @property
    def deadline_ns(self) -> int:
        """When the runner is due."""
        return NEVER_NS if self.is_hung else super().deadline_ns

    def pass_time(self, now_ns: int) -> None:
        """As any box, with the store as it is."""
        with self.store_as_it_is():
            super().pass_time(now_ns)

    def close(self) -> None:
        """Shuts the daemon down, with all well again."""
        self.end_trouble()
        super().close()

    @contextmanager
    def store_as_it_is(self) -> Iterator[None]:
        """What is wrong with this box's disk isn't wrong with the other one's."""
        match self.trouble:
            case StoreTrouble.FULL | StoreTrouble.DAMAGED:
                disk.fill(True)
                try:
                    yield
                finally:
                    disk.fill(False)
            case StoreTrouble.READ_ONLY:
                with _read_only(self._state):
                    yield
            case _:
                yield


@contextmanager
def _read_only(folder: Path | None) -> Iterator[None]:
    assert folder is not None, "the box has a memory"
    paths = [folder, *folder.iterdir()]
    modes = [path.stat().st_mode for path in paths]
    try:
        for path in paths:
            path.chmod(0o555 if path.is_dir() else 0o444)
        with obeying_permissions():
            yield
    finally:
        for path, mode in zip(paths, modes, strict=True):
            with suppress(FileNotFoundError):
                path.chmod(mode)
