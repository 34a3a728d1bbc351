"""Damage of the store's files is found, said, and costs nothing that was kept before it."""

import shutil
import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings
from tests.support.fast import fast_among
from tests.support.kept import sound
from tests.support.writer import facts_of_all_kinds

from shutthebox.adapters.store.chain import read_mark
from shutthebox.adapters.store.database import Store
from shutthebox.adapters.store.open_store import FILES, open_or_set_aside
from shutthebox.adapters.store.recovery import first_fault
from shutthebox.game.facts import Finished
from shutthebox.game.faults import Fault

VARIANTS = settings().max_examples
SECTOR = 512
ADDED = ("lost ", "fault ")
"""Facts that tell of the damage."""

Files = dict[str, bytes]


def crashed(folder: Path, *, log: bool) -> Files:
    """The files of a box that lost its power: with the facts in its log, or all in the store itself."""
    with closing(Store(folder, lambda: 1_700_000_000.0)) as store:
        store.connection.execute("pragma synchronous = off")
        store.connection.execute("pragma wal_autocheckpoint = 0")
        for number, fact in enumerate(islice(facts_of_all_kinds(Random(3)), 250)):
            store.keep(fact)
            if isinstance(fact, Finished):
                store.keep_health({1: 3, 0: 2}, {1: 5})
            if number == 60:
                store.connection.execute("pragma wal_checkpoint(truncate)")
        if not log:
            store.connection.execute("pragma wal_checkpoint(truncate)")
        names = [name for name in FILES if not name.endswith("-shm")]
        return {name: (folder / name).read_bytes() for name in names}


def told(db: sqlite3.Connection) -> list[str]:
    return [text for (text,) in db.execute("select text from fact order by number")]


def everything(db: sqlite3.Connection) -> str:
    return "\n".join(db.iterdump())


def damaged(content: bytes, rng: Random) -> bytes:
    """With a bit, a byte, a few bytes or a sector changed, or the end cut off."""
    spoilt = bytearray(content)
    at = rng.randrange(len(spoilt))
    match rng.randrange(5):
        case 0:
            spoilt[at] ^= 1 << rng.randrange(8)
        case 1:
            spoilt[at] = rng.randrange(256)
        case 2:
            spoilt[at : at + 8] = rng.randbytes(len(spoilt[at : at + 8]))
        case 3:
            start = at // SECTOR * SECTOR
            spoilt[start : start + SECTOR] = rng.choice((bytes(SECTOR), rng.randbytes(SECTOR)))
        case _:
            del spoilt[at:]
    return bytes(spoilt)


def put(folder: Path, files: Files) -> Path:
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.mark.timeout(120)
@pytest.mark.parametrize("spoilt", fast_among(["log", "store"], ["store"]))
def test_whatever_is_damaged_is_found_or_changes_nothing(spoilt: str, tmp_path: Path) -> None:
    rng = Random(f"{spoilt} damage")
    files = crashed(tmp_path / "source", log=spoilt == "log")
    with closing(sound(put(tmp_path / "whole", files))) as whole:
        truth, all_of_it = told(whole.connection), everything(whole.connection)
    name = FILES[1] if spoilt == "log" else FILES[0]
    found = 0
    for number in range(VARIANTS):
        folder = put(tmp_path / str(number), files | {name: damaged(files[name], rng)})
        store, store_fault = open_or_set_aside(folder, lambda: 0.0)
        assert store is not None
        with closing(store):
            if store_fault is None:
                assert everything(store.connection) == all_of_it, f"variant {number} was not noticed"
                continue
            found += 1
            assert store_fault.fault is Fault.STORE_REPLACED
            assert list(folder.glob("*.damaged*")), "what was there is kept"
            assert first_fault(store.connection, read_mark(store.path)) is None
            kept = [text for text in told(store.connection) if not text.startswith(ADDED)]
            before = [text for text in truth if not text.startswith(ADDED)]
            if spoilt == "log":
                assert kept == before[: len(kept)], "what comes before the damage stays"
            else:
                rest = iter(before)
                assert all(text in rest for text in kept), "nothing is there that was not, and in its order"
        shutil.rmtree(folder)
    assert found > VARIANTS / 3
