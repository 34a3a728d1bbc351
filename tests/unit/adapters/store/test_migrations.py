"""A store that an earlier version of the program has made is continued."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.kept import LEFT_4, keep_an_evening, sound
from tests.support.versions import NEXT, take_next_version

from shutthebox.adapters.store.chain import read_mark
from shutthebox.adapters.store.database import STORE_FILE, Store
from shutthebox.adapters.store.queries import read
from shutthebox.adapters.store.records import kept_match
from shutthebox.adapters.store.recovery import first_fault
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Chosen
from shutthebox.game.stored_match import KeptMatch
from shutthebox.rules.actions import Moved, Thrown
from shutthebox.rules.match import begin


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A folder with a store: a match that was won and signed, and one on the table."""
    keep_an_evening(tmp_path)
    return tmp_path


def test_a_store_of_an_earlier_version_is_continued(earlier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later program, whose tables have a column more, has all of it, and goes on."""
    with closing(Store(earlier, lambda: 0.0)) as played:
        before = read(played.connection)
    take_next_version(monkeypatch)
    for thrown in range(2):
        with closing(sound(earlier)) as store:
            running = (Thrown((3, 5)), Moved(0b10000000), Thrown((1, 1)))[: 1 + 2 * thrown]
            assert store.running_match() == KeptMatch(begin(builtin("pub"), 2), running)
            assert store.choices() == (Chosen("box.language", "fr"),)
            assert store.connection.execute("pragma user_version").fetchone() == (NEXT,)
            assert store.connection.execute("select cleaned from lever").fetchall() == [(0,)]
            found = read(store.connection)
            assert replace(found, throws=before.throws, dice=before.dice) == before
            assert kept_match(store.connection, 1, "test").actions == LEFT_4
            assert first_fault(store.connection, read_mark(store.path)) is None
            store.keep(Moved(0b10000000))
            store.keep(Thrown((1, 1)))


def test_a_reader_of_the_earlier_store_harms_neither(earlier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads on in the renamed file, and leaves the log of the new one alone when it ends."""
    take_next_version(monkeypatch)
    with closing(sqlite3.connect(earlier / STORE_FILE, isolation_level=None)) as reader:
        reader.execute("begin")
        before = reader.execute("select * from fact").fetchall()
        store = sound(earlier)
        store.keep(Moved(0b10000000))
        assert reader.execute("select * from fact").fetchall() == before
    with closing(store):
        store.keep(Thrown((1, 1)))
        store.check_files()
        running = store.running_match()
        assert running is not None
        assert len(running[1]) == 3
