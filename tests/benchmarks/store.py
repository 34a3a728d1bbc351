"""The cost of a match for the SD card: bytes written and syncs, as the store keeps it and otherwise.

    python tests/benchmarks/store.py [--matches 400]

Random matches of one to three players are kept by the real store in a process of its own. As root
it writes to a fresh ext4 on a loop device, whose own counters say what reaches the card; else the
calls that strace sees are counted, without what the file system adds. The last line compares with
a rollback journal in the same run; the exit code is 1 if the log does not win.
"""

import argparse
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.recording import missing
from tests.support.writer import facts

from shutthebox.adapters.store import retention
from shutthebox.adapters.store.database import Store
from shutthebox.game.facts import Began, PlayersLeft

SECTOR = 512
FULL = "wal_autocheckpoint = 1000"
"""The log is written back when it is full, as SQLite does by itself, instead of after each match."""

A_DAY = 50
"""Matches at a busy bar."""

WAYS = {
    "the store": (),
    "its log full": (FULL,),
    "rollback journal": ("journal_mode = delete",),
}
"""Per way to keep the same matches, pragmas that make it."""


@dataclass(frozen=True)
class Cost:
    """Of so many matches.

    Attributes:
        commits: facts kept, each of which is shown only afterwards.
        calls: syncs asked for.
        asked: bytes that the store gave to the kernel.
        flushes: of the device's cache; None if it could not be measured.
        written: bytes that reached the device; None if it could not be measured.
        size: of the store's files afterwards, bytes.
    """

    commits: int
    calls: int
    asked: int
    flushes: int | None
    written: int | None
    size: int


def keep(folder: Path, matches: int, pragmas: list[str]) -> None:
    """Keeps so many matches, with the old ones being forgotten; prints how many facts."""
    begun = commits = 0
    with closing(Store(folder, time.time)) as store:
        for pragma in pragmas:
            store.connection.execute(f"pragma {pragma}")
            if "journal_mode" in pragma:
                store.check_files = lambda: None  # type: ignore[method-assign]  # it would miss its log
        for fact in facts(None, Random(1)):
            begun += isinstance(fact, Began)
            if begun > matches:
                break
            store.keep(fact)
            if FULL not in pragmas:
                store.write_back()
            commits += 1
            if isinstance(fact, PlayersLeft):
                store.keep_health(dict.fromkeys(range(10), 5), dict.fromkeys(range(10), 8))
                commits += 1
    print(commits)


@contextlib.contextmanager
def card() -> Iterator[tuple[Path, Path | None]]:
    """A folder to write to, and where its device counts, if it has one of its own."""
    with tempfile.TemporaryDirectory(prefix="shutthebox-") as name:
        folder = Path(name)
        image, mount = folder / "card", folder / "mount"
        mount.mkdir()
        with image.open("wb") as file:
            file.truncate(256 << 20)
        device = ""
        try:
            if os.geteuid() == 0:
                run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", str(image))
                device = run("losetup", "-f", "--show", str(image)).strip()
                run("mount", "-o", "noatime", device, str(mount))
            counters = Path("/sys/block") / Path(device).name / "stat" if device else None
            yield mount, counters
        finally:
            if device:
                subprocess.run(["umount", str(mount)], check=False)
                subprocess.run(["losetup", "-d", device], check=False)


def run(*command: str) -> str:
    """What a command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def measure(matches: int, pragmas: tuple[str, ...]) -> Cost:
    """Keeps the matches in one way, in a process of its own."""
    with card() as (folder, counters):
        log = folder.parent / "calls"
        calls = "trace=fsync,fdatasync,pwrite64"
        child = [sys.executable, __file__, "--keep", str(folder / "state"), "--matches", str(matches)]
        os.sync()
        before = counted(counters)
        done = run("strace", "-qq", "-s", "0", "-e", calls, "-o", str(log), *child, *pragmas)
        os.sync()
        after = counted(counters)
        lines = log.read_text().splitlines()
        asked = sum(int(found[1]) for line in lines if (found := re.search(r"^pwrite64.* = (\d+)$", line)))
        return Cost(
            commits=int(done),
            calls=sum("sync(" in line for line in lines),
            asked=asked,
            flushes=after[1] - before[1] if counters else None,
            written=(after[0] - before[0]) * SECTOR if counters else None,
            size=sum(path.stat().st_size for path in (folder / "state").iterdir()),
        )


def counted(counters: Path | None) -> tuple[int, int]:
    """Sectors written to the device, and flushes."""
    if counters is None:
        return 0, 0
    numbers = counters.read_text().split()
    return int(numbers[6]), int(numbers[15])


def main() -> int:
    """Measures each way and prints a line of each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--matches", metavar="N", type=int, default=400)
    parser.add_argument("--keep", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("pragmas", nargs="*", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.keep:
        retention.KEPT_MATCHES = args.matches // 4  # so that forgetting is in the figures
        keep(args.keep, args.matches, args.pragmas)
        return 0
    if lacking := missing():
        print(lacking, file=sys.stderr)
        return 2
    found = {}
    print(f"per match, of {args.matches}:  facts   syncs  KB asked  KB written  flushes  files, KB")
    for name, pragmas in WAYS.items():
        cost = found[name] = measure(args.matches, pragmas)
        reached = "not measured"
        if cost.written is not None and cost.flushes is not None:
            reached = f"{cost.written / args.matches / 1000:11.0f} {cost.flushes / args.matches:8.1f}"
        print(
            f"{name:22} {cost.commits / args.matches:7.1f} {cost.calls / args.matches:7.1f}"
            f" {cost.asked / args.matches / 1000:9.0f} {reached:>20} {cost.size / 1000:10.0f}"
        )
    if found["the store"].written is None:
        print("SKIPPED: what reaches the device; that needs root and loop devices")
    store, rollback = found["the store"], found["rollback journal"]
    a_year = (store.written or store.asked) / args.matches * A_DAY * 365
    print(f"at {A_DAY} matches a day the store writes {a_year / 1e9:.1f} GB a year")
    ratio = (rollback.written or rollback.asked) / (store.written or store.asked)
    syncs = rollback.calls / store.calls
    print(f"a rollback journal writes {ratio:.1f} times as much and syncs {syncs:.1f} times as often")
    return 0 if ratio > 1 and syncs > 1 else 1


if __name__ == "__main__":
    sys.exit(main())
