"""A league's matches survive its disk, and move to another database: what arrives is what was there."""

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, insert, select
from tests.league.test_forgetting import Town
from tests.support.league import LeagueBox, played_record
from tests.support.postgresql import Postgresql
from tests.support.small_disk import small_disk
from tests.support.waiting import until

from shutthebox_league.database import open_database
from shutthebox_league.league_health import BACKUP, note_pulse, read_league_health
from shutthebox_league.main import League, main
from shutthebox_league.notices import notice
from shutthebox_league.schema import EVENT_GAME, GAP, METADATA, PULSE, RERATED, RERATING

NOW_S = 1_790_000_000


class Filled(Town):
    """A league with something in every table, and the commands of its operator."""

    def __init__(self, folder: Path, url: str = "") -> None:
        super().__init__(folder, url)
        self.url = url
        self.run("tournament", "Spring cup", "--closes", "2030-01-01")
        self.run("void", "1")
        self.run("forget", "ZZZ")
        with self.place.engine.begin() as db:
            note_pulse(db, BACKUP, NOW_S)
            notice(db, "lion.2", "later", "more than it may", NOW_S)
            db.execute(insert(RERATING).values(at=1))
            db.execute(insert(RERATED).values(initials="ANN", mu=25.0, sigma=8.0))
            db.execute(insert(GAP).values(chain_id=1, first=1, last=2, noticed_s=NOW_S))
            game = {"event_id": 1, "match_id": 1, "who": "ANN BYE", "winner": "ANN"}
            db.execute(insert(EVENT_GAME).values(**game, box_id=1, waits_for="", used=False))

    def run(self, *words: object, status: int = 0) -> None:
        assert main(["--folder", str(self.folder), *map(str, words)]) == status

    def play(self) -> None:
        """Another match, in the database that the league is in now."""
        with closing(League(self.folder)) as league:
            place = type(self.place)(self.folder, league.authority, None, league.engine)
            LeagueBox(place, "new", "The New").play(played_record(9), "ANN")


def rows(engine: Engine) -> dict[str, list[Any]]:
    with engine.connect().execution_options(reads=True) as db:
        return {
            name: sorted(map(repr, db.execute(select(table)).all()))
            for name, table in METADATA.tables.items()
        }


@pytest.fixture
def filled(new_database: Callable[[], str], tmp_path: Path) -> Iterator[Filled]:
    filled = Filled(tmp_path / "league", new_database())
    yield filled
    filled.place.engine.dispose()


@pytest.mark.slow
def test_a_restored_copy_has_every_row_and_the_league_goes_on(filled: Filled, tmp_path: Path) -> None:
    before = rows(filled.place.engine)
    assert [name for name, found in before.items() if not found] == []
    filled.run("backup", tmp_path / "copy")
    filled.play()
    assert rows(filled.place.engine) != before
    filled.run("restore", tmp_path / "copy")
    assert rows(filled.place.engine) == before
    filled.play()


@pytest.mark.slow
def test_the_timer_keeps_the_latest_copies_and_health_tells_of_a_failure(
    filled: Filled, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copies = tmp_path / "copies"

    def faults() -> tuple[str, ...]:
        with filled.place.engine.connect().execution_options(reads=True) as db:
            pulse = db.execute(select(PULSE).where(PULSE.c.name == BACKUP)).one()
            return read_league_health(db, pulse.seen_s).faults[2:]

    filled.run("backup", "--keep", "2", copies, status=2)
    assert "No such file or directory" in capsys.readouterr().err
    assert faults() == ("the latest back-up failed",)
    copies.mkdir()
    (copies / ".shutthebox-killed").mkdir()
    for name in ("mine", "league-20260101T000000Z.sqlite3", "league-20260102T000000Z.sqlite3"):
        (copies / name).touch()
    filled.run("backup", "--keep", "2", copies)
    old, new, mine = sorted(copies.iterdir())
    assert (old.name, mine.name) == ("league-20260102T000000Z.sqlite3", "mine")
    assert new.stat().st_mode & 0o777 == 0o600
    assert faults() == ()
    filled.run("restore", new)


@pytest.mark.slow
def test_a_full_disk_leaves_the_copies_of_before(
    filled: Filled, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with small_disk(tmp_path / "full", "100k") as disk:
        (disk / "league-20260101T000000Z.sqlite3").touch()
        filled.run("backup", "--keep", "1", disk, status=2)
        assert [path.name for path in disk.iterdir()] == ["league-20260101T000000Z.sqlite3"]
    said = capsys.readouterr().err
    assert re.search(r"/full: too full: a copy takes \d\.\d MB, and 0\.1 are free\n$", said)


@pytest.mark.slow
def test_a_database_that_is_damaged_is_no_copy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The disk has lost a page; a copy of that would push out the good ones."""
    filled = Filled(tmp_path / "league")
    filled.place.engine.dispose()
    path = filled.folder / "league.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma wal_checkpoint(truncate)")
        (page,) = db.execute("select rootpage from sqlite_master where name = 'ix_seat_initials'").fetchone()
        (size,) = db.execute("pragma page_size").fetchone()
    with path.open("r+b") as file:
        file.seek(page * size - 200)
        file.write(bytes(100))
    filled.run("backup", tmp_path / "copy", status=2)
    assert re.search("damaged|malformed", capsys.readouterr().err)
    assert not (tmp_path / "copy").exists()


@pytest.mark.slow
def test_a_league_moves_to_postgresql_and_back(
    tmp_path: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    server = request.getfixturevalue("postgresql")
    filled, url = Filled(tmp_path / "league"), server.new_database()
    before = rows(filled.place.engine)
    with closing(League(filled.folder)):
        filled.run("move", url, status=2)
    assert "systemctl stop" in capsys.readouterr().err, "a consumer would go on in the old database"
    filled.run("move", url)
    assert json.loads((filled.folder / "keys/league.json").read_text())["database"] == url
    with closing(League(filled.folder)) as league:
        assert league.engine.dialect.name == "postgresql"
        assert rows(league.engine) == before
    filled.play()
    filled.run("move", f"sqlite:///{filled.folder}/league.sqlite3", status=2)
    assert "allowed is an empty one" in capsys.readouterr().err
    back = f"sqlite:///{filled.folder}/back.sqlite3"
    with closing(League(filled.folder)) as league:
        before = rows(league.engine)
    filled.run("move", back)
    with closing(League(filled.folder)) as league:
        assert league.engine.dialect.name == "sqlite"
        assert rows(league.engine) == before
    filled.play()
    filled.place.engine.dispose()


@pytest.mark.slow
def test_a_league_whose_disk_is_lost_comes_back_from_postgresqls_archived_log(tmp_path: Path) -> None:
    server = Postgresql()
    try:
        filled = Filled(tmp_path / "league", server.new_database())
        server.archive()
        filled.play()
        with filled.place.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
            before = rows(filled.place.engine)
            (segment,) = db.exec_driver_sql("select pg_walfile_name(pg_switch_wal())").one()
            archived = "select last_archived_wal from pg_stat_archiver"
            until(lambda: (db.exec_driver_sql(archived).scalar() or "") >= segment)
        filled.place.engine.dispose()
        server.lose_the_disk()
        assert rows(filled.place.engine) == before
        recovering = "select pg_is_in_recovery()"
        with filled.place.engine.connect() as db:
            until(lambda: not db.exec_driver_sql(recovering).scalar())
        filled.place.engine.dispose()
        filled.run("void", "2")
    finally:
        server.stop()


@pytest.mark.slow
def test_a_database_that_has_anything_takes_no_league(
    tmp_path: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    filled = Filled(tmp_path / "league")
    settings = (filled.folder / "keys/league.json").read_bytes()
    for statement in ("create table accounts (id int)", "create table pub (id int)"):
        engine = open_database(request.getfixturevalue("postgresql").new_database())
        with engine.begin() as db:
            db.exec_driver_sql(statement)
        url = engine.url.render_as_string(hide_password=False)
        capsys.readouterr()
        filled.run("move", url, status=2)
        assert capsys.readouterr().err.count("\n") == 1
        engine.dispose()
    assert (filled.folder / "keys/league.json").read_bytes() == settings
    filled.place.engine.dispose()
