"""Every reader of what others have written: one line of complaint at worst, and soon."""

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from shutthebox import config, profiles
from shutthebox.errors import ShutTheBoxError
from shutthebox.game.effects import Began
from shutthebox.platform.setaside import open_or_set_aside
from shutthebox.platform.store import FILE_NAME, Store
from shutthebox.profiles import builtin
from shutthebox.rules import record
from shutthebox.rules.actions import Moved, Thrown
from shutthebox.rules.match import begin
from shutthebox.simulator import scenario

SAMPLES = {
    "config": config.default_text(),
    "profile": 'name = "house"\ntiles = [1, 2, 3, 4]\ndice = 2\nmatch = "total"\nrounds = 3\n',
    "scenario": "config game.players 2\nseed 4\ndice 3 5 | 6\n@1.5 press\n+0.2 flip 3 8\nbounce 3 down 12ms\n"
    'glitch 3 200us\nlose-edges 0.02\noled off\nexpect verdict lift 4\nexpect text "3 to go"\nwait 2\n',
    "record": record.write(record.Record(builtin("pub"), 2, 1, (Thrown((3, 5)), Moved(0b10000000)))),
}


def read_scenario(path: Path) -> object:
    return scenario.read(path)


READERS: dict[str, Callable[[Path], object]] = {
    "config": config.read,
    "profile": profiles.read,
    "scenario": read_scenario,
    "record": lambda path: record.parse(path.read_bytes().decode("latin-1"), "fuzz", builtin),
}


@st.composite
def contents(draw: st.DrawFn, sample: str) -> bytes:
    """Any bytes, or a good file with a few places spoilt."""
    if draw(st.integers(0, 4)) == 0:
        return draw(st.binary(max_size=300))
    text = bytearray(sample.encode())
    pieces = st.one_of(
        st.binary(max_size=6),
        st.sampled_from([b"[" * 3000, b"9" * 5000, b"1e999", b"nan", b"-1", b"0", b"'", b"\n", b"\0", b"="]),
        st.text(max_size=5).map(lambda piece: piece.encode("utf-8", "replace")),
    )
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        text[at : at + draw(st.integers(0, 12))] = draw(pieces)
    return bytes(text)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", READERS)
def test_text_files(kind: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file.toml"

        @settings(max_examples=200, deadline=2000, database=None)
        @given(contents(SAMPLES[kind]))
        def read(content: bytes) -> None:
            path.write_bytes(content)
            with suppress(ShutTheBoxError):
                READERS[kind](path)

        read()


VALUES: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-2, 12),
    st.floats(),
    st.binary(max_size=20),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.sampled_from(["1/0", "nan", "[" * 3000, "9" * 5000, "next", "shut 1", "throw 1+1", '"a"', "1e999999"]),
)
COLUMNS = [
    (table, column)
    for table, columns in {
        "match": ("id", "began_s", "profile", "players", "rounds", "left", "settled"),
        "action": ("match", "number", "text"),
        "result": ("match", "player", "score", "owes", "won", "initials"),
        "throws": ("dice", "sides", "die", "value", "count"),
        "lever": ("number", "chatter"),
        "setting": ("key", "value"),
    }.items()
    for column in columns
]


def begun(folder: Path) -> None:
    with closing(Store(folder, lambda: 0.0)) as store:
        store.keep(Began(begin(builtin("pub"), 2)))
        store.keep(Thrown((3, 5)))
        store.connection.execute("insert into result values (1, 0, 3, '1/2', 1, 'ABC')")
        store.keep_health({1: 3}, {3: 4})
        store.connection.execute("insert into setting values ('game.players', '3')")


@pytest.mark.timeout(60)
@settings(max_examples=100, deadline=3000, database=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.sampled_from(COLUMNS), VALUES), min_size=1, max_size=3))
def test_rows_of_the_store(changes: list[tuple[tuple[str, str], Any]]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        begun(folder)
        with closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None)) as db:
            for (table, column), value in changes:
                with suppress(sqlite3.Error):  # what the table itself does not take
                    db.execute(f'update {table} set "{column}" = ?', (value,))
        opened_and_used(folder)


@pytest.mark.timeout(60)
@settings(max_examples=100, deadline=3000, database=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.integers(0, 2**20), st.binary(min_size=1, max_size=40)), min_size=1, max_size=4))
def test_bytes_of_the_store(changes: list[tuple[int, bytes]]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        begun(folder)
        content = bytearray((folder / FILE_NAME).read_bytes())
        for at, piece in changes:
            place = at % len(content)
            content[place : place + len(piece)] = piece
        (folder / FILE_NAME).write_bytes(content)
        opened_and_used(folder)


def opened_and_used(folder: Path) -> None:
    """It opens, or a new one does, and a match can be kept in it."""
    store, _ = open_or_set_aside(folder, lambda: 0.0)
    assert store is not None
    with closing(store):
        store.running_match()
        store.ledger()
        store.choices()
        store.keep(Began(begin(builtin("pub"), 2)))
        store.keep(Thrown((3, 5)))
