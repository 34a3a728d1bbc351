"""A league's matches survive its disk, and move to another database: what arrives is what was there."""

import json
import os
import re
import sqlite3
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, delete, func, insert, select
from tests.box.league.traces import Town
from tests.support.league import LeagueBox, found_league, played_record, reviewed
from tests.support.postgresql import Postgresql
from tests.support.small_disk import small_disk
from tests.support.waiting import until

from shutthebox_league.database import open_database
from shutthebox_league.league_health import BACKUP, note_pulse, read_league_health
from shutthebox_league.main import League, main
from shutthebox_league.notices import notice
from shutthebox_league.schema import (
    EVENT_GAME,
    GAP,
    MATCH,
    METADATA,
    PUB,
    PULSE,
    RATING,
    RERATED,
    RERATING,
    STANDING,
    VOID_ON_ARRIVAL,
    VOIDING,
)
from shutthebox_league.voiding import void_again, void_at_pub, voidings

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
            db.execute(insert(VOID_ON_ARRIVAL).values(hash="0" * 64, box="lion", voiding_id=1))
            db.execute(insert(RERATING).values(at=1))
            db.execute(insert(RERATED).values(initials="ANN", mu=25.0, sigma=8.0))
            db.execute(insert(GAP).values(chain_id=1, first=1, last=2, noticed_s=NOW_S))
            game = {"event_id": 1, "match_id": 1, "player": "ANN", "opponent": "BYE", "winner": "ANN"}
            game |= {"player_waits": False, "opponent_waits": False}
            db.execute(insert(EVENT_GAME).values(**game, box_id=1, used=False))

    def run(self, *words: object, status: int = 0) -> None:
        assert main(["--folder", str(self.folder), *map(str, words)]) == status

    def play(self) -> None:
        """Another match, in the database that the league is in now."""
        with closing(League(self.folder)) as league:
            place = type(self.place)(self.folder, league.authority, league.engine, 0)
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


class Restored:
    """A league of two boxes that is put back to an evening before some voidings."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.copy = folder / "league", folder / "copy"
        place = found_league(self.folder, url)
        self.lion, self.evil = LeagueBox(place, "lion"), LeagueBox(place, "evil", "The Evil Eye")
        self.engine = place.engine

    def run(self, *words: object, status: int = 0) -> None:
        assert main(["--folder", str(self.folder), *map(str, words)]) == status

    @property
    def database(self) -> Path:
        return Path(self.engine.url.database or "")

    def lose_database(self) -> None:
        self.engine.dispose()
        if self.engine.dialect.name == "sqlite":
            with self.database.open("r+b") as file:
                file.seek(100)
                file.write(b"torn" * 10_000)
        else:
            with self.engine.begin() as db:
                db.exec_driver_sql("drop schema public cascade")
                db.exec_driver_sql("create schema public")

    def voided(self) -> dict[int, bool]:
        with self.engine.connect().execution_options(reads=True) as db:
            return {row.id: row.voided > 0 for row in db.execute(select(MATCH.c.id, MATCH.c.voided))}

    def winners(self) -> set[str]:
        reviewed(self.engine)
        with self.engine.connect().execution_options(reads=True) as db:
            return {
                *db.execute(select(STANDING.c.initials)).scalars(),
                *db.execute(select(RATING.c.initials)).scalars(),
            }


@pytest.fixture
def town(new_database: Callable[[], str], tmp_path: Path) -> Iterator[Restored]:
    town = Restored(tmp_path, new_database())
    yield town
    town.engine.dispose()


@pytest.mark.slow
@pytest.mark.parametrize("is_lost", [False, True])
def test_what_was_void_or_not_stays_so_over_a_restored_copy(
    town: Restored, is_lost: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in (1, 2):
        town.lion.play(played_record(seed), "ANN", "BOB")
    town.evil.play(played_record(3), "MAL", "ANN")
    town.run("void", "1")
    town.run("backup", town.copy)
    town.run("void", "1", "--undo")
    town.run("void", "2")
    played = [town.evil.box.play(played_record(4))]
    played += [town.evil.box.sign(seat, who) for seat, who in ((1, "MAL"), (2, "ZED"))]
    for entry in played:
        town.evil.send(entry)
    town.run("void", "4")
    town.run("void", "evil.1")
    assert town.winners() == {"ANN", "BOB"}
    capsys.readouterr()
    if is_lost:
        town.lose_database()
    town.run("restore", town.copy)
    said = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "AT", capsys.readouterr().out).splitlines()
    assert said == [
        "match 1, voided AT, counts again: that was undone since",
        "match 2, voided AT, is void again",
        "match 4, voided AT, is void again; 1 of its 1 matches aren't here, and void once they come",
        "key evil.1, voided AT, is void again; 1 of its 2 matches aren't here, and void once they come",
    ]
    assert town.voided() == {1: False, 2: True, 3: True}
    assert town.winners() == {"ANN", "BOB"}
    for entry in played:
        town.evil.send(entry)
    assert town.voided()[4]
    assert town.winners() == {"ANN", "BOB"}
    town.run("void", "evil.1", "--undo")
    assert town.voided() == {1: False, 2: True, 3: False, 4: True}
    town.run("void", "--undo", 3)
    assert town.voided() == {1: False, 2: True, 3: False, 4: False}
    assert town.winners() == {"ANN", "BOB", "MAL", "ZED"}
    capsys.readouterr()
    town.run("restore", town.copy)
    assert len(capsys.readouterr().out.splitlines()) == 2, "the undone ones do not come back"
    assert town.voided() == {1: False, 2: True, 3: False}


@pytest.mark.slow
@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.parametrize("void", [1, 2])
def test_of_two_boxes_with_one_card_only_the_match_that_was_void_is_so_over_a_restored_copy(
    town: Restored, void: int, is_there: bool
) -> None:
    """Both send the same bytes, each under its own key; the other one's match was made void."""
    entry = town.lion.box.play(played_record(1))
    if not is_there:
        town.run("backup", town.copy)
    for box in (town.lion, town.evil):
        box.send(entry)
    if is_there:
        town.run("backup", town.copy)
    town.run("void", void)
    town.run("restore", town.copy)
    if not is_there:
        # As the message says: the box has a new key.
        town.evil.enrolment = town.evil.place.enrol("evil", "The Evil Eye")
        for box in (town.lion, town.evil):
            box.send(entry)
    assert town.voided() == {1: void == 1, 2: void == 2}


@pytest.mark.slow
def test_a_register_of_long_voidings_takes_little_memory(town: Restored) -> None:
    """A door that opens, and each enrolment, took 58 MB for one of 300,000 matches."""
    authority, many = town.evil.place.authority, 100_000
    with town.engine.begin() as db:
        db.execute(insert(VOIDING).values(id=1, uid="1", what="key evil.1", made_s=NOW_S))
        row = {"box": "evil", "voiding_id": 1}
        db.execute(insert(VOID_ON_ARRIVAL), [{**row, "hash": f"{number:064x}"} for number in range(many)])
    for _ in range(2):  # once to write it, once to read it
        tracemalloc.start()
        try:
            assert void_again(town.engine, authority) == []
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 5_000_000
    with town.engine.begin() as db:
        db.execute(delete(VOID_ON_ARRIVAL))
        db.execute(delete(VOIDING))
    assert len(void_again(town.engine, authority)) == 1
    with town.engine.begin() as db:
        assert db.execute(select(func.count()).select_from(VOID_ON_ARRIVAL)).scalar() == many


@pytest.mark.slow
def test_a_landlord_has_the_own_voidings_over_a_restored_copy(town: Restored) -> None:
    town.evil.play(played_record(1))
    town.run("backup", town.copy)
    with town.engine.begin() as db:
        pub = db.execute(select(PUB.c.id).where(PUB.c.name == "The Evil Eye")).scalar_one()
        void_at_pub(db, pub, [1], NOW_S, date(2026, 9, 20))
    # The page was ended before it could note it.
    town.run("restore", town.copy)
    with town.engine.begin() as db:
        (again,) = voidings(db, pub_id=pub)
        assert (again.what, again.matches, again.undone_s) == ("match 1", 1, None)


@pytest.mark.slow
def test_an_operator_whose_register_is_lost_is_told_so(
    town: Restored, capsys: pytest.CaptureFixture[str]
) -> None:
    town.lion.play(played_record(1))
    town.run("backup", town.copy)
    town.run("void", 1)
    register, lost = town.folder / "keys" / "voidings", "No voidings are noted outside the database."
    register.unlink()
    town.lose_database()
    capsys.readouterr()
    town.run("restore", town.copy)
    if town.engine.dialect.name == "sqlite":
        assert capsys.readouterr().out.startswith(lost)
    assert town.voided() == {1: False}


@pytest.mark.slow
def test_an_operator_is_told_to_move_away_what_is_no_database(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The fault was said of the copy, which is good."""
    town = Restored(tmp_path, "")
    town.lion.play(played_record(1))
    town.run("backup", town.copy)
    town.engine.dispose()
    town.database.write_bytes(b"not a database" * 1000)
    town.run("restore", town.copy, status=2)
    said = capsys.readouterr().err
    assert said.startswith(f"shutthebox-league: {town.database}: file is not a database, so it can't be")
    town.database.unlink()
    town.run("restore", town.copy)
    assert town.voided() == {1: False}
    town.engine.dispose()


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
    for name in (".shutthebox-killed", ".shutthebox-running"):
        (copies / name).mkdir()
    os.utime(copies / ".shutthebox-killed", (NOW_S - 2 * 24 * 3600,) * 2)
    for name in ("mine", "league-20260101T000000Z.sqlite3", "league-20260102T000000Z.sqlite3"):
        (copies / name).touch()
    filled.run("backup", "--keep", "2", copies)
    running, old, new, mine = sorted(copies.iterdir())
    assert running.name == ".shutthebox-running", "somebody may be making another copy there"
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
@pytest.mark.postgresql
def test_a_league_moves_to_postgresql_and_back(
    tmp_path: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    server = request.getfixturevalue("postgresql")
    filled, url = Filled(tmp_path / "league"), server.new_database()
    before = rows(filled.place.engine)
    with closing(League(filled.folder)):
        filled.run("move", url, status=2)
    assert "systemctl stop" in capsys.readouterr().err, "the door would go on in the old database"
    filled.run("move", url)
    assert json.loads((filled.folder / "keys/league.json").read_text())["database"] == url
    with closing(League(filled.folder)) as league:
        assert league.engine.dialect.name == "postgresql"
        assert rows(league.engine) == before
    filled.play()
    filled.run("move", f"sqlite:///{filled.folder}/league.sqlite3", status=2)
    assert "use an empty one" in capsys.readouterr().err
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
@pytest.mark.postgresql
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
@pytest.mark.postgresql
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
