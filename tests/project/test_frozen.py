"""What released versions have written can be read: nobody loses a match or a setting by an update."""

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, text
from tests.support.card_files import any_box
from tests.support.command import printed
from tests.support.frozen import FROZEN, SUMS, digests, make

from shutthebox.adapters.store import queries
from shutthebox.adapters.store.database import STORE_FILE
from shutthebox.adapters.store.open_store import open_or_set_aside
from shutthebox.adapters.store.schema import VERSION
from shutthebox.config.card import read_card
from shutthebox.config.profiles import builtin
from shutthebox.outbox_entry import NO_HASH, entry_from_bytes, hash_of
from shutthebox.rules.conditions import RULES_VERSION
from shutthebox.rules.record import parse, write
from shutthebox_league.database import migrate, open_database

SETS = sorted(
    (path for path in FROZEN.iterdir() if path.is_dir()),
    key=lambda path: [int(number) for number in path.name.split(".")],
)
RECORDS = [path for folder in SETS for path in sorted((folder / "records").iterdir())]
MATCHES = 2

frozen = pytest.mark.parametrize("folder", SETS, ids=lambda path: str(path.name))


def test_the_newest_set_has_the_formats_of_this_program(tmp_path: Path) -> None:
    """A format that nobody has frozen could change again unnoticed."""
    store, league, rules = formats_of(SETS[-1])
    shutil.copy(SETS[-1] / "league.sqlite3", tmp_path)
    migrated(tmp_path / "league.sqlite3").dispose()
    freeze = "freeze what this version writes: python -m tests.support.frozen"
    assert (store, rules) == (VERSION, f"rules {RULES_VERSION}"), freeze
    assert league == revision(tmp_path / "league.sqlite3"), freeze


def formats_of(folder: Path) -> tuple[int, str, str]:
    """The versions of the store, of the league's tables, and of the rules."""
    with closing(untouched(folder / "store" / STORE_FILE)) as db:
        (store,) = db.execute("pragma user_version").fetchone()
    found = re.search(r"^version \S+ (rules \d+)$", (folder / "records/box.txt").read_text(), re.MULTILINE)
    assert found
    return store, revision(folder / "league.sqlite3"), found[1]


def revision(league: Path) -> str:
    with closing(untouched(league)) as db:
        return str(*db.execute("select version_num from alembic_version").fetchone())


def untouched(path: Path) -> sqlite3.Connection:
    """Opened so that no log appears beside it."""
    return sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)


def migrated(league: Path) -> Engine:
    engine = open_database(f"sqlite:///{league}")
    migrate(engine)
    return engine


@frozen
def test_nothing_of_it_has_changed(folder: Path) -> None:
    lines = [line.split() for line in (folder / SUMS).read_text().splitlines()]
    assert digests(folder) == {name: digest for digest, name in lines}


@frozen
def test_the_memory_opens_and_has_its_matches(folder: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    shutil.copytree(folder / "store", state)
    store, fault = open_or_set_aside(state, lambda: 2_000_000_000.0)
    assert fault is None
    assert store is not None
    with closing(store):
        assert queries.read(store.connection).matches == MATCHES
    assert [path.name for path in state.iterdir() if "aside" in path.name] == []


@frozen
def test_the_outbox_is_a_chain_of_entries(folder: Path) -> None:
    previous, sequence = NO_HASH, 0
    for path in sorted((folder / "outbox").iterdir()):
        data = path.read_bytes()
        entry = entry_from_bytes(data)
        assert (entry.previous, entry.sequence) == (previous, sequence + 1)
        assert entry.to_bytes() == data
        previous, sequence = hash_of(data), entry.sequence
    assert sequence == 3 * MATCHES, "each match, and two signatures"


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_record_is_read_to_its_end(path: Path) -> None:
    found = path.read_text(encoding="utf-8")
    assert write(parse(found, path.name, builtin)) == found


@frozen
def test_a_linked_match_is_still_proved(folder: Path) -> None:
    assert "false" not in printed("verify", folder / "records/linked.txt")


@frozen
def test_the_league_has_its_matches_after_the_migrations(folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / "league.sqlite3", tmp_path)
    engine = migrated(tmp_path / "league.sqlite3")
    try:
        with engine.connect() as db:
            assert db.execute(text("select count(*) from match")).scalar() == MATCHES
    finally:
        engine.dispose()
    with closing(sqlite3.connect(tmp_path / "league.sqlite3")) as db:
        assert db.execute("pragma integrity_check").fetchone() == ("ok",)


@frozen
def test_the_card_is_taken_as_it_is(folder: Path) -> None:
    card = read_card(folder / "card", any_box)
    assert card.mistakes == ()
    assert set(card.texts) == {
        path.relative_to(folder / "card").as_posix()
        for path in (folder / "card").rglob("*")
        if path.is_file()
    }


@pytest.mark.slow
def test_the_command_makes_a_whole_set(tmp_path: Path) -> None:
    make(tmp_path / "made")
    kinds = {path.parts[0] for path in map(Path, digests(tmp_path / "made"))}
    assert kinds == {"card", "league.sqlite3", "outbox", "records", "store"}
    assert {path.name for path in (tmp_path / "made/records").iterdir()} == {path.name for path in RECORDS}
