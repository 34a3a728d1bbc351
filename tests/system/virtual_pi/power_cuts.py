"""Runs inside the guest: cuts the power of a card on which the real store has been written.

The store keeps facts on ext4, under which dm-log-writes notes every write and flush that reaches
the card, with a mark after each fact that the players would have been shown. Then the card is made
anew as a cut at many points would have left it: everything up to the last flush, of what came
after it some sectors and some not. Each is mounted, and the store opened.

    python3 power_cuts.py SYNCHRONOUS FACTS CUTS

Prints one JSON document.
"""

import json
import shutil
import sqlite3
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

from tests.support.writer import facts

from shutthebox.adapters.store.database import Store
from shutthebox.adapters.store.open_store import open_or_set_aside

WORK = Path("/var/tmp/power-cuts")
MOUNT = WORK / "mount"
UDEV = ("systemd-udevd-kernel.socket", "systemd-udevd-control.socket", "systemd-udevd.service")
MEBIBYTE = 1 << 20
CARD, LOG = 10 * MEBIBYTE, 256 * MEBIBYTE
SECTOR = 512
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8
SHOWN = "shown"
"""How our marks begin; dm-log-writes makes one of its own at the end."""

MAGIC = 0x6A736677736872


@dataclass(frozen=True)
class Entry:
    """One thing that reached the card: a write to a sector, a flush, both, or a mark."""

    sector: int
    flags: int
    data: bytes

    @property
    def mark(self) -> bool:
        return bool(self.flags & MARK) and self.data.startswith(SHOWN.encode())


def run(*command: object) -> str:
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def file(name: str, size: int) -> Path:
    path = WORK / name
    with path.open("wb") as made:
        made.truncate(size)
    return path


def write(synchronous: str, count: int) -> tuple[bytes, Path]:
    """Keeps facts on a fresh card; returns the card before, and the log of what it was told."""
    card, log = file("card", CARD), file("log", LOG)
    run(
        "mkfs.ext4",
        "-q",
        "-b",
        4096,
        "-N",
        64,
        "-J",
        "size=4",
        "-E",
        "lazy_itable_init=0,lazy_journal_init=0",
        card,
    )
    before = card.read_bytes()
    devices = [run("losetup", "-f", "--show", path).strip() for path in (card, log)]
    run("dmsetup", "create", "logged", "--table", f"0 {CARD // SECTOR} log-writes {' '.join(devices)}")
    try:
        run("mount", "-o", "noatime", "/dev/mapper/logged", MOUNT)
        store, store_fault = open_or_set_aside(MOUNT / "state", lambda: 0.0)
        assert store is not None, store_fault
        # Often enough that many cuts fall into a checkpoint.
        store.connection.execute("pragma wal_autocheckpoint = 12")
        store.connection.execute(f"pragma synchronous = {synchronous}")
        run("dmsetup", "message", "logged", 0, f"mark {SHOWN}")
        for number, fact in enumerate(islice(facts(None, Random(1)), count)):
            store.keep(fact)
            store.write_back()
            run("dmsetup", "message", "logged", 0, f"mark {SHOWN}{number}")
        store.close()
        run("umount", MOUNT)
    finally:
        subprocess.run(["umount", str(MOUNT)], check=False, capture_output=True)
        run("dmsetup", "remove", "logged")
        for device in devices:
            run("losetup", "-d", device)
    return before, log


def entries(log: Path) -> Iterator[Entry]:
    """The notes of dm-log-writes; their layout is that of the kernel's dm-log-writes.c."""
    with log.open("rb") as raw:
        magic, version, count, size = struct.unpack("<QQQI", raw.read(28))
        assert (magic, version) == (MAGIC, 1)
        at = size
        for _ in range(count):
            raw.seek(at)
            sector, sectors, flags, length = struct.unpack("<QQQQ", raw.read(32))
            at += size
            data = raw.read(length) if flags & MARK else b""
            if sectors and not flags & DISCARD:
                raw.seek(at)
                data = raw.read(sectors * size)
                at += sectors * size
            yield Entry(sector * size, flags, data)


def truth(count: int) -> list[str]:
    """All that a store holds after each fact, kept without any cut."""
    with closing(Store(WORK / "truth", lambda: 0.0)) as store:
        store.connection.execute("pragma synchronous = off")
        found = [dump(store.connection)]
        for fact in islice(facts(None, Random(1)), count):
            store.keep(fact)
            found.append(dump(store.connection))
        return found


def dump(db: sqlite3.Connection) -> str:
    return "\n".join(db.iterdump())


def put(card: bytearray, entry: Entry) -> None:
    if entry.flags & MARK or entry.flags & DISCARD:
        return
    card[entry.sector : entry.sector + len(entry.data)] = entry.data


def cut(before: bytes, log: list[Entry], rng: Random, cuts: int) -> Iterator[tuple[int, int, bytearray]]:
    """Cards after a cut: the number of entries before it, marks among them, and the content."""
    marks = [number for number, entry in enumerate(log) if entry.mark]
    # Then it is unmounted, for which ext4 writes its superblock in place: whether that may be torn
    # is no question to the store.
    points = sorted(rng.choices(range(marks[0], marks[-1] + 1), k=cuts))
    sure, card = 0, bytearray(before)
    for point in points:
        noted = log[: point + 1]
        flushed = max((n for n, entry in enumerate(noted) if entry.flags & FLUSH), default=0)
        for entry in noted[sure : flushed + 1]:
            put(card, entry)
        sure = max(sure, flushed + 1)
        after = bytearray(card)
        kept = rng.choice((0.0, 0.3, 0.7, 1.0))
        for entry in noted[sure:]:
            if entry.flags & FUA:
                put(after, entry)
                continue
            for at in range(0, len(entry.data), SECTOR):
                if rng.random() < kept:
                    put(after, Entry(entry.sector + at, entry.flags, entry.data[at : at + SECTOR]))
        yield point, sum(entry.mark for entry in noted), after


def opened(card: bytearray, allowed: list[str]) -> str | None:
    """The fault of a box that starts with this card; None if there is none."""
    image = WORK / "cut"
    image.write_bytes(card)
    mounted = subprocess.run(["mount", "-o", "loop,noatime", str(image), str(MOUNT)], capture_output=True)
    if mounted.returncode:
        return f"it can't be mounted: {mounted.stderr.decode().strip()}"
    try:
        store, store_fault = open_or_set_aside(MOUNT / "state", lambda: 0.0)
        if store is None:
            return f"it does not start: {store_fault}"
        with closing(store):
            if store_fault is not None:
                return f"it does not go on: {store_fault}"
            return None if dump(store.connection) in allowed else "it holds something else than was shown"
    finally:
        run("umount", MOUNT)


def main() -> None:
    synchronous, count, cuts = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    shutil.rmtree(WORK, ignore_errors=True)
    MOUNT.mkdir(parents=True)
    before, path = write(synchronous, count)
    log, shown = list(entries(path)), truth(count)
    wrong, slowest = [], 0.0
    # It would look at every loop device that comes and goes.
    run("systemctl", "stop", *UDEV)
    for point, marks, card in cut(before, log, Random(2), cuts):
        start = time.monotonic()
        fault = opened(card, shown[max(marks - 1, 0) : marks + 1])
        slowest = max(slowest, time.monotonic() - start)
        print(f"{point}: {time.monotonic() - start:.1f} s, {fault}", file=sys.stderr, flush=True)
        if fault is not None:
            wrong.append(f"entry {point}, {marks} marks: {fault}")
    run("systemctl", "start", *UDEV)
    marks = sum(entry.mark for entry in log)
    flushes = sum(bool(entry.flags & FLUSH) for entry in log)
    written = sum(len(entry.data) for entry in log if not entry.flags & MARK)
    report = {
        "cuts": cuts,
        "wrong": wrong,
        "marks": marks,
        "entries": len(log),
        "flushes": flushes,
        "written": written,
        "slowest_s": round(slowest, 1),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
