"""Every state in which a pulled plug can leave the files: no fact that was kept is lost.

SQLite writes a commit to the log, syncs it, and only then tells us; at a checkpoint it writes
the store itself, whose content the synced log still has. So between two facts any part of what
differs in the log may be on the disk, and after them any part of what differs in the store. The
disk writes sectors in any order, and may spoil one that it was writing: without psow=0 that one
could hold the end of the commit before.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from tests.support.writer import facts

from shutthebox.adapters.store.open_store import FILES, open_or_set_aside
from shutthebox.adapters.store.records import kept_match
from shutthebox.game.facts import Began, Finished, Left

pytestmark = pytest.mark.slow

SECTOR = 512
HEADER = 32
FACTS = 160


@dataclass(frozen=True)
class Disk:
    """Both files after a fact was kept, and the texts of the running match's actions then."""

    store: bytes
    log: bytes
    matches: int
    actions: tuple[str, ...]


def record(folder: Path, seed: int) -> Iterator[Disk]:
    store, _ = open_or_set_aside(folder, lambda: 0.0)
    assert store is not None
    with closing(store):
        # Often enough that the log starts over many times; by itself it does after 1,000 pages.
        store.connection.execute("pragma wal_autocheckpoint = 12")
        matches, actions = 0, list[str]()
        for _, fact in zip(range(FACTS), facts(None, Random(seed)), strict=False):
            store.keep(fact)
            match fact:
                case Began():
                    matches, actions = matches + 1, []
                case Finished() | Left():
                    pass
                case action:
                    actions.append(action.to_text())  # type: ignore[union-attr]
            contents = [(folder / name).read_bytes() for name in FILES[:2]]
            yield Disk(contents[0], contents[1], matches, tuple(actions))


def mixed(before: bytes, after: bytes, rng: Random) -> bytes:
    """Some sectors as they were, some as they are to be, up to one that is garbage."""
    size = max(len(before), len(after))
    old, new = before.ljust(size, b"\0"), after.ljust(size, b"\0")
    differing = [at for at in range(0, size, SECTOR) if old[at : at + SECTOR] != new[at : at + SECTOR]]
    if not differing:
        return after
    written = bytearray(old)
    in_order = rng.random() < 0.5
    count = rng.randrange(len(differing))
    some = differing[:count] if in_order else rng.sample(differing, count)
    for at in some:
        written[at : at + SECTOR] = new[at : at + SECTOR]
    torn = rng.choice(differing)
    if rng.random() < 0.3:  # the sector that was being written
        written[torn : torn + SECTOR] = rng.randbytes(len(written[torn : torn + SECTOR]))
    grown = len(after) > len(before)
    return bytes(written[: rng.randrange(len(before), size + 1)] if grown else written)


def assert_nothing_lost(folder: Path, store: bytes, log: bytes, allowed: tuple[Disk, ...]) -> None:
    folder.mkdir()
    for name, content in zip(FILES, (store, log), strict=False):
        (folder / name).write_bytes(content)
    found, store_fault = open_or_set_aside(folder, lambda: 0.0)
    assert store_fault is None, store_fault
    assert found is not None
    with closing(found):
        (matches,) = found.connection.execute("select count(*) from match").fetchone()
        actions: tuple[str, ...] = ()
        if matches:
            kept = kept_match(found.connection, matches, "test").actions
            actions = tuple(action.to_text() for action in kept)
    assert (matches, actions) in {(disk.matches, disk.actions) for disk in allowed}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("seed", range(8))
def test_torn_and_reordered_writes(seed: int, tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    rng = Random(f"{seed} disk")
    history = list(record(tmp_path / "source", seed))
    assert any(len(after.log) <= len(before.log) for before, after in pairwise(history)), "the log restarts"
    for number, (before, after) in enumerate(pairwise(history)):
        old_log = before.log
        if old_log[:HEADER] != after.log[:HEADER]:
            # The log starts over: SQLite syncs its new head before it writes anything behind it.
            old_log = after.log[:HEADER] + old_log[HEADER:]
            head = mixed(before.log, old_log, rng)
            assert_nothing_lost(tmp_path / f"head {number}", before.store, head, (before, after))
        log = mixed(old_log, after.log, rng)
        assert_nothing_lost(tmp_path / f"log {number}", before.store, log, (before, after))
        if len(after.log) > len(before.log) and after.log.startswith(before.log):
            cut = after.log[: rng.randrange(len(before.log), len(after.log) + 1)]
            garbage = rng.randbytes(rng.randrange(5000))
            assert_nothing_lost(tmp_path / f"cut {number}", before.store, cut + garbage, (before, after))
        if after.store != before.store:
            store = mixed(before.store, after.store, rng)
            assert_nothing_lost(tmp_path / f"store {number}", store, after.log, (after,))
