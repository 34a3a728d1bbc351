"""A stick for tests: a folder in place of a mounted file system, and the box at the other end of the wire."""

from __future__ import annotations

import contextlib
import queue
import shlex
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from shutthebox.adapters.stick_socket import StickSocket
from shutthebox.game.inputs import StickReported
from shutthebox.game.stick import Stick, StickJob
from shutthebox.owner.stick.helper import Helper
from shutthebox.owner.stick.volume import Volume


def put_program(path: Path, script: str) -> None:
    """Puts a program there, in place of one of the system: lines for a shell."""
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def put_python_program(path: Path, script: str) -> None:
    """The same with lines for this Python, whose path may have spaces, which none after #! may have.

    To the shell the first line is `exec`, to Python it begins a text that isn't used.
    """
    put_program(path, f"""'''exec' {shlex.quote(sys.executable)} "$0" "$@"\n' '''\n{script}""")


class FolderVolume(Volume):
    """A folder that takes itself for a stick: the kernel of a build machine may have no FAT."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.folder = folder
        self.pulled = threading.Event()
        self.refuses: OSError | None = None

    @property
    def gone(self) -> bool:
        return self.pulled.is_set()

    @property
    def protected(self) -> bool:
        return False

    def mount(self) -> Path:
        if self.refuses is not None:
            raise self.refuses
        return self.folder

    def unmount(self) -> None:
        pass

    @contextmanager
    def writable(self) -> Iterator[Path]:
        if self.refuses is not None:
            raise self.refuses
        yield self.folder


class Box:
    """The daemon's end of the wire: every report in order."""

    def __init__(self, path: Path) -> None:
        self.reports: queue.SimpleQueue[StickReported] = queue.SimpleQueue()
        self.path, self.socket = path, StickSocket(path, self.reports.put)
        self.latest: Stick | None = None

    def until(self, condition: Callable[[Stick | None], bool]) -> Stick | None:
        """The first report of which this is true."""
        while True:
            self.latest = stick = self.reports.get(timeout=60).stick
            if condition(stick):
                return stick

    def seen(self, condition: Callable[[Stick], bool] = lambda stick: True) -> Stick:
        """The first report of a stick of which this is true."""
        stick = self.until(lambda stick: stick is not None and condition(stick))
        assert stick is not None
        return stick

    def done(self, job: StickJob) -> Stick:
        """Asks for a job once it is offered, and waits for its end."""
        offer = StickJob.UPDATE if job is StickJob.INSPECT else job
        if self.latest is None or offer not in self.latest.offers:
            self.seen(lambda stick: offer in stick.offers)
        self.socket.ask(job)
        self.seen(lambda stick: stick.doing is job)
        return self.seen(lambda stick: stick.doing is None)


@contextmanager
def helped(
    volume: Volume,
    state: Path,
    at: Path,
    restarts: Callable[[], None] = lambda: None,
    *,
    kept: Path | None = None,
    is_card: bool = False,
) -> Iterator[Box]:
    """A box with a helper for this stick beside it, in a thread."""
    box = Box(at / "wire")
    helper = Helper(volume, at / "wire", state, "en", restarts, kept=kept, is_card=is_card)
    thread = threading.Thread(target=helper.serve)
    thread.start()
    try:
        yield box
    finally:
        if isinstance(volume, FolderVolume):
            volume.pulled.set()
        box.socket.close()
        thread.join(60)
        assert not thread.is_alive()


@contextmanager
def wire(path: Path) -> Iterator[socket.socket]:
    """A helper's end of the wire, by hand."""
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as end:
        end.settimeout(30)
        end.connect(str(path))
        yield end
