"""Damage of the store's files is found, said, and costs little: one bad bit one match at most.

The box starts on files that an old card has spoilt, after a pulled plug.
"""

import errno
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from tests.support.fast import fast_among
from tests.support.writer import facts_of_all_kinds

from shutthebox.adapters.store.chain import read_mark
from shutthebox.adapters.store.contents import FILES
from shutthebox.adapters.store.database import Store
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.open_store import open_or_set_aside
from shutthebox.adapters.store.queries import read
from shutthebox.adapters.store.records import kept_match
from shutthebox.adapters.store.recovery import first_fault, good_part
from shutthebox.adapters.store.retention import FAME
from shutthebox.game.facts import Finished

STORE, LOG = FILES[:2]
PAGE, SECTOR = 4096, 512
FACTS = 258
VARIANTS = settings().max_examples
ADDED = ("lost ", "fault [0,")
"""Facts that tell of the damage."""

Files = dict[str, bytes]

WHERE = {
    "the schema": (STORE, 0, PAGE),
    "the facts and the tables": (STORE, PAGE, None),
    "the log": (LOG, 0, None),
}


@cache
def made() -> tuple[Files, tuple[str, ...]]:
    """The files of a box that lost its power in the middle of a match, and the facts in them."""
    with TemporaryDirectory() as name, closing(Store(Path(name), lambda: 1_700_000_000.0)) as store:
        store.connection.execute("pragma synchronous = off")
        for fact in islice(facts_of_all_kinds(Random(3)), FACTS):
            store.keep(fact)
            if isinstance(fact, Finished):
                store.keep_health({1: 3, 0: 2}, {1: 5})
            store.write_back()
        assert store.running_match() is not None
        texts = tuple(told(store.connection))
        return {file: (Path(name) / file).read_bytes() for file in FILES if not file.endswith("-shm")}, texts


def told(db: sqlite3.Connection) -> list[str]:
    return [text for (text,) in db.execute("select text from fact order by number")]


def with_bad_bit(where: str, bit: int) -> Files:
    file, start, end = WHERE[where]
    files, _ = made()
    spoilt = bytearray(files[file])
    place = start + bit // 8 % (len(spoilt[:end]) - start)
    spoilt[place] ^= 1 << bit % 8
    return files | {file: bytes(spoilt)}


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder in memory, where syncs cost nothing."""
    shm = Path("/dev/shm")
    with TemporaryDirectory(dir=shm if os.access(shm, os.W_OK) else None) as name:
        yield Path(name)


def restart(folder: Path, files: Files) -> tuple[Store, str]:
    """The store of a box that starts on these files, and what it says about them, empty for nothing."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    store, fault = open_or_set_aside(folder, lambda: 0.0)
    assert store is not None
    return store, fault.text if fault else ""


def matches(texts: tuple[str, ...]) -> list[int]:
    """For each fact, the match in which it was kept."""
    found, match = list[int](), 0
    for text in texts:
        match += text.startswith("begin ")
        found.append(match)
    return found


def cost(kept: list[str]) -> list[int]:
    """The places of the facts that are lost; nothing is there that was not, and all in its order."""
    _, truth = made()
    rest, lost = iter([text for text in kept if not text.startswith(ADDED)]), list[int]()
    following = next(rest, None)
    for place, text in enumerate(truth):
        if text == following:
            following = next(rest, None)
        elif not text.startswith(ADDED):
            lost.append(place)
    assert following is None, "a fact is there that was not"
    return lost


@pytest.mark.timeout(600)
@pytest.mark.parametrize("tries", [2, pytest.param(150, marks=pytest.mark.slow)])
@pytest.mark.parametrize("where", WHERE)
def test_it_costs_one_match_and_the_box_says_so(where: str, tries: int, memory: Path) -> None:
    rng, (_, truth) = Random(where), made()
    match_of, costs = matches(truth), list[int]()
    for _ in range(tries):
        bit = rng.randrange(2**32)
        store, said = restart(memory / "state", with_bad_bit(where, bit))
        with closing(store):
            kept = told(store.connection)
            lost = cost(kept)
            hit = {match_of[place] for place in lost}
            assert len(hit) <= 1, f"bit {bit}: {said}"
            counted = re.search(r"(\d+) facts are lost", said)
            assert len(lost) == (int(counted[1]) if counted else 0), f"bit {bit}: {said}"
            if any(text.startswith("lost ") for text in kept):
                check_gap(store, *hit)
            costs.append(len(lost))
    print(f"{where}: {sum(map(bool, costs))} bits of {tries} cost facts, {max(costs)} at most")
    if where != "the facts and the tables":
        assert not any(costs), "no fact is only there"


def check_gap(store: Store, match: int) -> None:
    """A match with a gap says how much is lost; it is neither ranked nor gone on with."""
    conditions = kept_match(store.connection, match, "").conditions
    assert conditions is not None
    assert conditions.lost
    assert read(store.connection).with_gaps == 1
    famous = "select count(*) from result where won and initials is not null and match <> ?"
    (whole,) = store.connection.execute(famous, (match,)).fetchone()
    assert len(read(store.connection).fame) == min(whole, FAME)
    (latest,) = store.connection.execute("select max(id) from match").fetchone()
    if match == latest:
        with pytest.raises(StoreError, match="of its facts are lost"):
            store.running_match()


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_card_that_does_not_give_a_page_back_costs_what_was_on_it(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for a bad sector, which no test can have."""
    files, truth = made()
    pages, whole, costs = len(files[STORE]) // PAGE, os.pread, list[int]()
    for bad in range(pages):

        def pread(file: int, size: int, at: int, bad: int = bad) -> bytes:
            name = Path(f"/proc/self/fd/{file}").readlink().name
            if name == STORE and at // PAGE == bad:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return whole(file, size, at)

        with monkeypatch.context() as patch:
            patch.setattr(os, "pread", pread)
            (memory / STORE).write_bytes(files[STORE])
            (memory / LOG).write_bytes(files[LOG])
            costs.append(len(truth) - good_part(memory / STORE, None).facts)
    assert costs[0] == 0
    assert sum(costs) < len(truth) * 1.2


# -- any damage --------------------------------------------------------------------------------


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


@pytest.mark.timeout(120)
@pytest.mark.parametrize("spoilt", fast_among(["log", "store"], ["store"]))
def test_whatever_is_damaged_is_found_or_changes_nothing(spoilt: str, memory: Path) -> None:
    rng = Random(f"{spoilt} damage")
    files = crashed(memory / "source", log=spoilt == "log")
    whole, said = restart(memory / "state", files)
    with closing(whole):
        truth, all_of_it = told(whole.connection), everything(whole.connection)
    assert not said
    name = LOG if spoilt == "log" else STORE
    found = 0
    for number in range(VARIANTS):
        store, said = restart(memory / "state", files | {name: damaged(files[name], rng)})
        with closing(store):
            if not said:
                assert everything(store.connection) == all_of_it, f"variant {number} was not noticed"
                continue
            found += 1
            assert list((memory / "state").glob("*.damaged*")), "what was there is kept"
            assert first_fault(store.connection, read_mark(store.path)) is None
            kept = [text for text in told(store.connection) if not text.startswith(ADDED)]
            before = [text for text in truth if not text.startswith(ADDED)]
            if spoilt == "log":
                assert kept == before[: len(kept)], "what comes before the damage stays"
            else:
                rest = iter(before)
                assert all(text in rest for text in kept), "nothing is there that was not, and in its order"
    assert found > VARIANTS / 3
