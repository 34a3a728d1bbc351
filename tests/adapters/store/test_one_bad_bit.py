"""One bad bit in the store's files costs one match at most, wherever it is, and the box says what it costs.

The box starts on files in which a bit was flipped, as an old card may do it, after a pulled plug.
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
from tests.support.writer import facts_of_all_kinds

from shutthebox.adapters.store.database import Store
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.open_store import FILES, open_or_set_aside
from shutthebox.adapters.store.queries import read
from shutthebox.adapters.store.records import kept_match
from shutthebox.adapters.store.recovery import good_part
from shutthebox.adapters.store.retention import FAME
from shutthebox.game.facts import Finished

STORE, LOG = FILES[:2]
PAGE = 4096
FACTS = 258
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
@pytest.mark.parametrize("tries", [4, pytest.param(150, marks=pytest.mark.slow)])
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
