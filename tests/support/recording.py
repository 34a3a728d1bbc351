"""The writes of a real store, recorded at the kernel, and disks as a power cut leaves them.

A child process keeps facts under strace. Its writes and syncs are then played again on a model of a disk
that promises no more than POSIX does: data written to a file may be there or not,
sector by sector and in any order, until that file has been synced; a name may be there or not
until its folder has been.

    python -m tests.support.recording FOLDER SEED FACTS SYNCHRONOUS
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random

from tests.support import debian
from tests.support.writer import facts

from shutthebox.adapters.store import retention
from shutthebox.adapters.store.open_store import open_or_set_aside

SECTOR = 512

SPOILT = (512, 4096)
"""Bytes that a card may leave as garbage where it was writing: a sector, or a block of eight."""

MARK = "mark"
"""A file into which a byte is written whenever the players would be shown something."""

CHECKPOINT = 12
"""Pages of the log after which it is written back: often, so that many cuts fall into it."""

KEPT = 1
"""Matches that are kept whole: few, so that others are forgotten."""

_CALLS = "openat,close,write,pwrite64,ftruncate,fallocate,fsync,fdatasync,unlink,rename"
_OPEN = re.compile(r"\d+<((?:\\x[0-9a-f]{2})+)>")
_NAME = re.compile(r'"((?:\\x[0-9a-f]{2})+)"')
_LINE = re.compile(r"(\w+)\((.*)\)\s+= (-?\w+)")


def keep(folder: Path, seed: int, count: int, synchronous: str) -> None:
    """Keeps facts; with a mark when the store is open, and after each."""
    retention.KEPT_MATCHES, retention.AT_ONCE = KEPT, 1
    mark = os.open(folder / MARK, os.O_WRONLY | os.O_CREAT)
    store, store_fault = open_or_set_aside(folder / "state", lambda: 0.0)
    assert store_fault is None
    assert store is not None
    store.connection.execute(f"pragma synchronous = {synchronous}")
    store.connection.execute(f"pragma wal_autocheckpoint = {CHECKPOINT}")
    os.write(mark, b".")
    for fact in islice(facts(None, Random(seed)), count):
        store.keep(fact)
        store.write_back()
        os.write(mark, b".")
    os._exit(0)  # the plug: no goodbye


@dataclass
class File:
    """The certain and the possible content of a file.

    Attributes:
        durable: its content when it was last synced.
        pending: writes since then: an offset and data, or a size.
    """

    durable: bytearray = field(default_factory=bytearray)
    pending: list[tuple[int, bytes] | int] = field(default_factory=list)

    def sync(self) -> None:
        for done in self.pending:
            _apply(self.durable, done)
        self.pending.clear()

    def after_cut(self, rng: Random, fate: str) -> bytes:
        """Its content after a cut: with all pending writes, with none, or with some."""
        content = bytearray(self.durable)
        if fate == "all":
            for done in self.pending:
                _apply(content, done)
        elif fate == "some":
            sectors: list[tuple[int, bytes] | int] = []
            for done in self.pending:
                sectors += [done] if isinstance(done, int) else _sectors(*done)
            if rng.random() < 0.5:
                sectors = sectors[: rng.randint(0, len(sectors))]
            for done in sectors:
                if rng.random() < 0.7:
                    _apply(content, done)
            written = [done for done in sectors if not isinstance(done, int)]
            if written and rng.random() < 0.5:  # the sector that was just being written
                size = rng.choice(SPOILT)
                at = rng.choice(written)[0] // size * size
                _apply(content, (at, rng.randbytes(min(size, max(0, len(content) - at)))))
        return bytes(content)


def _apply(content: bytearray, done: tuple[int, bytes] | int) -> None:
    if isinstance(done, int):
        del content[done:]
        content.extend(bytes(done - len(content)))
        return
    at, data = done
    content.extend(bytes(max(0, at - len(content))))
    content[at : at + len(data)] = data


def _sectors(at: int, data: bytes) -> list[tuple[int, bytes]]:
    """A write cut where sectors end."""
    found = []
    while data:
        size = SECTOR - at % SECTOR
        found.append((at, data[:size]))
        at, data = at + size, data[size:]
    return found


@dataclass
class Disk:
    """The store's folder. A name that was made or taken away is sure once the folder is synced."""

    names: dict[str, File] = field(default_factory=dict)
    pending: list[tuple[tuple[str, File | None], ...]] = field(default_factory=list)

    def now(self) -> dict[str, File]:
        names = dict(self.names)
        for changed in self.pending:
            _rename(names, *changed)
        return names

    def sync(self) -> None:
        self.names = self.now()
        self.pending.clear()

    def after_cut(self, rng: Random, fate: str) -> dict[str, bytes]:
        """The files afterwards."""
        names = dict(self.names)
        for changed in self.pending:
            if fate == "all" or (fate == "some" and rng.random() < 0.5):
                _rename(names, *changed)
        return {name: file.after_cut(rng, fate) for name, file in names.items()}


def _rename(names: dict[str, File], *changed: tuple[str, File | None]) -> None:
    for name, file in changed:
        names.pop(name, None)
        if file is not None:
            names[name] = file


def missing() -> str | None:
    """One line on what this machine lacks; None if nothing."""
    if (lacking := debian.missing("strace")) is not None:
        return lacking
    done = subprocess.run(["strace", "-e", "trace=none", "true"], capture_output=True, check=False)
    return None if done.returncode == 0 else f"strace may not trace here: {done.stderr.decode().strip()}"


def record(folder: Path, seed: int, count: int, synchronous: str) -> list[str]:
    """The system calls of a child that kept so many facts, a line a call, from strace."""
    log = folder / "calls"
    command = ["strace", "-qq", "-xx", "-y", "-s", "1000000", "-e", f"trace={_CALLS}", "-o", str(log)]
    child = [sys.executable, "-m", "tests.support.recording", str(folder), str(seed), str(count), synchronous]
    subprocess.run(command + child, check=True, cwd=Path(__file__).parents[2], timeout=120)
    return log.read_text().splitlines()


def replay(folder: Path, lines: list[str], start: dict[str, bytes]) -> Iterator[tuple[int, Disk]]:
    """The disk after each call that changed it or made something sure, and the marks until then.

    Args:
        folder: as for `record`.
        lines: its result.
        start: the files that lay in the store's folder before.
    """
    disk = Disk({name: File(bytearray(content)) for name, content in start.items()})
    marks = 0
    for line in lines:
        call = _LINE.match(line)
        if call is None or call[3].startswith("-"):
            continue
        name, args = call[1], call[2]
        where = _NAME.search(args) if name in ("openat", "unlink", "rename") else _OPEN.match(args)
        if where is None:
            continue
        path = Path(_data(where[1]).decode())
        if path == folder / MARK and name == "write":
            marks += 1
            yield marks, disk
        elif path.is_relative_to(folder / "state") and _changed(disk, folder / "state", name, args, path):
            yield marks, disk


def _data(escaped: str) -> bytes:
    return bytes.fromhex(escaped.replace("\\x", ""))


def _changed(disk: Disk, state: Path, call: str, args: str, path: Path) -> bool:
    """Whether a call on the store's folder or a file in it, but for the log's index, mattered."""
    if path.name.endswith("-shm"):
        return False
    names = disk.now()
    match call:
        case "openat":
            if "O_CREAT" not in args or path.name in names:
                return False
            disk.pending.append(((path.name, File()),))
        case "pwrite64":
            data, at = re.findall(r'"([^"]*)", \d+, (\d+)$', args)[0]
            names[path.name].pending.append((int(at), _data(data)))
        case "ftruncate":
            names[path.name].pending.append(int(args.rsplit(", ", 1)[1]))
        case "fsync" | "fdatasync":
            (disk if path == state else names[path.name]).sync()
        case "unlink":
            disk.pending.append(((path.name, None),))
        case "rename":
            after = Path(_data(_NAME.findall(args)[1]).decode()).name
            disk.pending.append(((path.name, None), (after, names[path.name])))
        case "close":
            return False
        case _:
            raise AssertionError(f"the model knows no {call}: {args[:200]}")
    return True


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        keep(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
