"""The chain of facts and its head mark: an altered or missing fact is found, a forgotten one is none."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import hypothesis.strategies as st
import pytest
from hypothesis import given

from shutthebox.adapters.store.chain import (
    Checkpoint,
    Head,
    Mark,
    ReadFact,
    add,
    read_checkpoint,
    read_facts,
    read_mark,
)
from shutthebox.adapters.store.schema import create

TEXTS = ["begin", "throw 3+5", "shut 8", "", "throw é", "next", "leave", "a\nb"]


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as opened:
        create(opened)
        for text in TEXTS:
            add(opened, text)
        yield opened


def facts_of(db: sqlite3.Connection, after: int = 0) -> list[ReadFact]:
    return list(read_facts(db, read_checkpoint(db), after))


def found(db: sqlite3.Connection) -> list[tuple[int, int]]:
    """The facts that are not good, with how many are missing before each."""
    return [(fact.number, fact.missing) for fact in facts_of(db) if not fact.good]


@pytest.mark.parametrize("number", [1, 7])
def test_a_fact_of_another_chain_is_found_behind_it(number: int, db: sqlite3.Connection) -> None:
    (previous,) = db.execute("select previous from fact where number = ?", (number,)).fetchone()
    other = Head(number - 1, previous).after("throw 6+6")
    db.execute("update fact set text = 'throw 6+6', checksum = ? where number = ?", (other.checksum, number))
    assert found(db) == [(number + 1, 0)]


def test_what_the_checkpoint_covers_may_be_forgotten(db: sqlite3.Connection) -> None:
    (head,) = db.execute("select checksum from fact where number = 6").fetchone()
    db.execute("delete from fact where number in (1, 2, 5, 6)")
    Checkpoint(6, head, 2, "{}").write(db)
    assert found(db) == []
    db.execute("update fact set text = 'x' where number = 4")
    assert found(db) == [(4, 0)]
    db.execute("delete from fact where number = 7")
    assert found(db) == [(4, 0)]
    assert [fact.missing for fact in read_facts(db, read_checkpoint(db))] == [0, 0, 1]


@pytest.mark.parametrize("column", ["number", "head", "facts", "sums"])
def test_an_altered_checkpoint_is_found(column: str, db: sqlite3.Connection) -> None:
    assert read_checkpoint(db) == Checkpoint()
    Checkpoint(6, 1, 2, "3").write(db)
    assert read_checkpoint(db) == Checkpoint(6, 1, 2, "3")
    db.execute(f"update checkpoint set {column} = {column} + 1")
    with pytest.raises(ValueError, match="the checkpoint was altered"):
        read_checkpoint(db)


# -- the head mark -----------------------------------------------------------------------------


@pytest.fixture
def mark(tmp_path: Path) -> Mark:
    return Mark(tmp_path / "store")


def test_it_says_what_was_written_last(mark: Mark, tmp_path: Path) -> None:
    assert read_mark(tmp_path / "store") is None
    for number in range(5):
        mark.write(Head(number, number * 7))
        assert read_mark(tmp_path / "store") == Head(number, number * 7)
    assert mark.path.stat().st_mode & 0o777 == 0o600


@given(st.sampled_from([0, 2048]), st.integers(0, 63), st.binary(min_size=1, max_size=64))
def test_a_torn_place_leaves_the_other(place: int, at: int, garbage: bytes) -> None:
    with TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        mark = Mark(store)
        for number in (1, 2):
            mark.write(Head(number, number * 11))
        whole = mark.path.read_bytes()
        spoilt = bytearray(whole)
        spoilt[place + at : place + at + len(garbage)] = garbage
        mark.path.write_bytes(spoilt)
        torn = spoilt[2048 : 2048 + 64] != whole[2048 : 2048 + 64]  # where the latest is
        assert read_mark(store) == (Head(1, 11) if torn else Head(2, 22))


@pytest.mark.parametrize("content", [b"", b"\xff" * 4096, b"1 2 3\n", b"9" * 9000])
def test_garbage_says_nothing(content: bytes, mark: Mark) -> None:
    mark.path.write_bytes(content)
    assert read_mark(mark.path.with_name("store")) is None
    mark.write(Head(3, 33))
    assert read_mark(mark.path.with_name("store")) == Head(3, 33)


def test_it_follows_no_link_and_waits_for_no_pipe(
    mark: Mark, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "letter").write_text("Dear brewery")
    mark.path.symlink_to(tmp_path / "letter")
    for _ in range(3):
        mark.write(Head(1, 1))
    assert (tmp_path / "letter").read_text() == "Dear brewery"
    said = f"{mark.path}: Too many levels of symbolic links; nobody would notice if the store's end got lost"
    assert caplog.messages == [said], "said once"
    mark.path.unlink()
    os.mkfifo(mark.path)
    assert read_mark(tmp_path / "store") is None
