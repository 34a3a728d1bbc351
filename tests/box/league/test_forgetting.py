"""What the page about data promises: initials that were forgotten are in no byte of the database."""

import json
import re
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, insert, select, text
from tests.box.league.traces import Town, play
from tests.support.league import FakeBox, LeagueBox, found_league, played_record, reviewed
from tests.support.postgresql import Postgresql

from shutthebox_league.authority import Authority
from shutthebox_league.checking import CLOCK_AHEAD_S
from shutthebox_league.initials import digest_of
from shutthebox_league.main import main
from shutthebox_league.players import forget, forgotten_among, waiting_seats
from shutthebox_league.schema import ENTRY, METADATA, PUB, SEAT, STANDING
from shutthebox_league.standings import WHOLE_LEAGUE

BYE = b"BYE"
_BASE64 = re.compile(rb"[A-Za-z0-9_+/-]{24,}")


def holds(data: bytes) -> bool:
    """Whether initials are anywhere in these bytes, in the messages among them too.

    Keys, hashes and messages are blanked, because any three letters are somewhere in them.
    """
    for run in _BASE64.findall(data.replace(b"+", b"-").replace(b"/", b"_")):
        for start in range(4):  # A message may go on in another page of the file.
            whole = run[start : start + (len(run) - start) // 4 * 4]
            if BYE in urlsafe_b64decode(whole) and b'"' in urlsafe_b64decode(whole):
                return True
    return BYE in _BASE64.sub(b"", data)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    town = Town(tmp_path_factory.mktemp("town"))
    yield town
    town.place.engine.dispose()


@pytest.mark.slow
def test_forgotten_initials_are_in_no_byte_of_the_database(
    town: Town, capsys: pytest.CaptureFixture[str]
) -> None:
    assert holds(town.bytes())
    assert main(["--folder", str(town.folder), "forget", "bye"]) == 0
    assert capsys.readouterr().out == "BYE was removed from 5 matches.\n"
    # The page and the door have it open all the time.
    assert not holds(town.bytes())
    town.place.engine.dispose()
    assert not holds(town.bytes())


@pytest.mark.slow
def test_forgotten_initials_are_in_no_row_of_postgresql(tmp_path: Path, postgresql: Postgresql) -> None:
    town = Town(tmp_path, postgresql.new_database())

    def rows() -> bytes:
        with town.place.engine.begin() as db:
            return "".join(
                f"{[bytes(each) if isinstance(each, memoryview) else each for each in row]}"
                for table in METADATA.sorted_tables
                for row in db.execute(select(table))
            ).encode()

    assert holds(rows())
    assert main(["--folder", str(town.folder), "forget", "BYE"]) == 0
    assert not holds(rows())
    town.place.engine.dispose()


@pytest.mark.slow
def test_health_has_no_initials(town: Town) -> None:
    with town.place.engine.begin() as db:
        (state,) = db.execute(text("select state from health")).scalars()
    assert json.loads(state) == {"playing": "player 1", "version": "1"}


@pytest.mark.slow
def test_they_are_found_by_an_index_wherever_they_are(town: Town) -> None:
    """A league has a million messages: to read them all would hold everybody up."""
    statements = list[str]()
    event.listen(town.place.engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
    with town.place.engine.connect() as db:
        for table in METADATA.sorted_tables:
            if "initials" in table.c and table.name != "entrant":
                plan = _plan(db, f"select 1 from {table.name} where initials = 'BYE'")
                assert "SEARCH" in plan, plan
                assert "SCAN" not in plan, plan
        waiting_seats(db, 1)
        assert "ix_seat_not_confirmed" in _plan(db, statements[-1].replace("?", "1"))


def _plan(db: Connection, statement: str) -> str:
    return " ".join(str(row) for row in db.execute(text(f"explain query plan {statement}")))


@pytest.fixture
def lion(new_database: Callable[[], str], tmp_path: Path) -> Iterator[LeagueBox]:
    with closing(LeagueBox(found_league(tmp_path, new_database()))) as opened:
        yield opened


def names(lion: LeagueBox) -> list[str | None]:
    reviewed(lion.engine)
    with lion.engine.begin() as db:
        return list(db.execute(select(SEAT.c.initials).order_by(SEAT.c.match_id, SEAT.c.seat)).scalars())


@pytest.mark.slow
def test_a_restored_card_under_a_new_key_brings_no_forgotten_player_back(lion: LeagueBox) -> None:
    image = replace(lion.box)
    play(lion, 1, "BYE", "ANN")
    assert main(["--folder", str(lion.place.folder), "forget", "BYE"]) == 0
    lion.enrolment, lion.box = lion.place.enrol("lion", "The Red Lion"), image
    play(lion, 1, "BYE", "ANN")
    play(lion, 2, "BYE", "ANN")
    assert names(lion) == [None, "ANN", None, "ANN"]
    with lion.engine.begin() as db:
        assert "BYE" not in db.execute(select(ENTRY.c.initials)).scalars().all()
    ended_s = int(time.time()) + 700
    lion.send(lion.box.play(played_record(3), ended_s))
    lion.send(lion.box.sign(1, "BYE", ended_s))
    assert names(lion)[-2:] == ["BYE", None], "who plays again, or has the same letters"


@pytest.mark.slow
def test_a_back_up_from_before_forgets_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = ("--folder", str(tmp_path / "league"))
    with closing(LeagueBox(found_league(tmp_path / "league"))) as lion:
        play(lion, 1, "BYE", "ANN")
        play(lion, 2, "ANN", "SHY")
        copy = str(tmp_path / "copy")
        assert main([*folder, "backup", copy]) == 0
        assert main([*folder, "forget", "BYE"]) == 0
        with lion.engine.begin() as db:
            digest, (pub,) = digest_of("SHY"), db.execute(select(PUB.c.id)).one()
            forget(db, "SHY", pub, 1_790_100_000)
        lion.place.authority.note_forgotten([digest], pub, 1_790_100_000)
        capsys.readouterr()
        assert main([*folder, "restore", copy]) == 0
        assert "2 players are forgotten again, in 2 seats of matches" in capsys.readouterr().out
        assert names(lion) == [None, "ANN", "ANN", None]


@pytest.mark.slow
def test_a_player_is_given_what_is_stored(lion: LeagueBox, capsys: pytest.CaptureFixture[str]) -> None:
    play(lion, 1, "BYE", "ANN")
    reviewed(lion.engine)
    capsys.readouterr()
    assert main(["--folder", str(lion.place.folder), "export", "bye"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [match["pub"] for match in found["matches"]] == ["The Red Lion"]
    assert found["matches"][0]["record"].startswith("shut-the-box record")
    assert len(found["rating"]) == len(found["signed messages"]) == 1
    assert {row["period"] for row in found["standings"]} >= {"season", "ever"}
    # A new table that has initials is exported, too.
    assert {table.name for table in METADATA.sorted_tables if "initials" in table.c} == EXPORTED


EXPORTED = {"seat", "standing", "rating", "rerated", "entrant", "protected", "entry", "aside"}


@pytest.mark.slow
def test_a_card_whose_clock_is_years_ahead_brings_nobody_back(lion: LeagueBox) -> None:
    def play_in_2100(*signed: str) -> None:
        box, began_s = lion.box, 4_102_444_800
        lion.send(box.play(played_record(1), began_s + 600))
        for seat, initials in enumerate(signed, 1):
            lion.send(box.sign(seat, initials, began_s + 600))

    play_in_2100("BYE", "ANN")
    assert main(["--folder", str(lion.place.folder), "forget", "BYE"]) == 0
    # Its memory as it was, under a new key.
    lion.enrolment, lion.box = lion.place.enrol("lion"), FakeBox("5" * 32)
    play_in_2100("BYE", "ANN")
    assert "BYE" not in names(lion)


def test_the_forgotten_are_refused_where_they_asked_for_it_and_nobody_else(tmp_path: Path) -> None:
    now_s, lion, bell = 1_790_000_000, 1, 2
    before_s, ahead_s = now_s - 1, now_s + CLOCK_AHEAD_S + 1
    engine = found_league(tmp_path).engine
    with engine.begin() as db:
        forget(db, "BYE", lion, now_s)
        forget(db, "OUT", None, now_s)
        wanted = {
            (initials, pub, began_s)
            for initials in ("ANN", "BYE", "OUT")
            for pub in (lion, bell)
            for began_s in (before_s, now_s, ahead_s)
        }
        found = forgotten_among(db, wanted, now_s)
        assert forgotten_among(db, set(), now_s) == set()
    engine.dispose()
    gone = ("BYE", lion), ("OUT", lion), ("OUT", bell)
    assert found == {(*who, began_s) for who in gone for began_s in (before_s, ahead_s)}


def test_a_landlord_who_forgets_all_day_does_not_fill_the_disk(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    (tmp_path / "keys").mkdir()
    for time_s in range(1000, 1050):
        authority.note_forgotten([digest_of("BYE")], 1, time_s)
    assert len((tmp_path / "keys" / "forgotten").read_text().splitlines()) == 1
    assert authority.forgotten() == {(digest_of("BYE"), 1): 1000}


@pytest.mark.slow
def test_who_has_played_to_thousands_of_limits_is_forgotten_as_soon(lion: LeagueBox) -> None:
    """A landlord's box kept every match waiting for half a minute."""
    asked, counts = list[str](), list[int]()
    event.listen(lion.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
    sums = {
        "wins": 1,
        "total_sum": 9.0,
        "turns": 0,
        "luck_sum": 0.0,
        "given_away_sum": 0.0,
        "mean_total": 9.0,
    }
    row = {**sums, "period": "ever", "first": date(1970, 1, 1), "initials": "BYE"}
    for many in (1, 50):
        with lion.engine.begin() as db:
            rows = [
                {
                    **row,
                    "category_id": number,
                    "pub_id": pub,
                    "matches": 1 + number % 2 * (pub == WHOLE_LEAGUE),
                }
                for number in range(1, many + 1)
                for pub in (WHOLE_LEAGUE, 1)
            ]
            db.execute(insert(STANDING), rows)
            asked.clear()
            forget(db, "BYE", 1, 1_790_000_000)
            counts.append(len(asked))
            left = db.execute(select(STANDING)).all()
            assert {each.category_id for each in left} == set(range(1, many + 1, 2))
            assert {(each.pub_id, each.matches, each.mean_total) for each in left} == {(WHOLE_LEAGUE, 1, 0.0)}
            forget(db, "BYE", None, 1_790_000_000)
            assert not db.execute(select(STANDING)).all()
    assert counts[0] == counts[1]
