"""What released versions have written can be read: nobody loses a match or a setting by an update."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.support.card_files import any_box
from tests.support.command import printed
from tests.support.frozen import FROZEN, SUMS, digests, make, version

from shutthebox.adapters.store import queries
from shutthebox.adapters.store.open_store import open_or_set_aside
from shutthebox.config.card import read_card
from shutthebox.config.profiles import builtin
from shutthebox.outbox_entry import NO_HASH, entry_from_bytes, hash_of
from shutthebox.rules.record import parse, write
from shutthebox_league.database import migrate, open_database

SETS = sorted(path for path in FROZEN.iterdir() if path.is_dir())
RECORDS = [path for folder in SETS for path in sorted((folder / "records").iterdir())]
MATCHES = 2

frozen = pytest.mark.parametrize("folder", SETS, ids=lambda path: str(path.name))


def test_the_version_of_this_program_has_its_set() -> None:
    assert version() in {folder.name for folder in SETS}, "python -m tests.support.frozen"


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
    engine = open_database(f"sqlite:///{tmp_path}/league.sqlite3")
    try:
        migrate(engine)
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
