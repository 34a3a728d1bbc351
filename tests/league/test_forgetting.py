"""What the page about data promises: initials that were forgotten are in no byte of the database."""

import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, select, text
from tests.support.league import FakeBox, LeagueBox, Place, found_league, played_record, reviewed
from tests.support.postgresql import Postgresql

from shutthebox_league.categories import usual_category
from shutthebox_league.consumer import keep_health
from shutthebox_league.enrolment import revoke
from shutthebox_league.events import make_event
from shutthebox_league.main import main
from shutthebox_league.players import protect, waiting_seats
from shutthebox_league.schema import METADATA

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


def play(league: LeagueBox, seed: int, *signed: str) -> None:
    """A match that both players sign; nothing is taken for granted of a box with an older card."""
    ended_s = 1_790_000_000 + seed * 1000
    league.take(league.box.play(played_record(seed), ended_s), league.box.sequence)
    for seat, initials in enumerate(signed, 1):
        league.take(league.box.sign(seat, initials, ended_s), league.box.sequence)


class Town:
    """A league in which a player has left traces wherever one can."""

    def __init__(self, folder: Path, url: str = "") -> None:
        self.folder = folder
        self.place: Place = found_league(folder, url, with_broker=False)
        first = LeagueBox(self.place, "lion", "The Lion")
        play(first, 1, "BYE", "ANN")
        image = replace(first.box)
        play(first, 2, "ANN", "BYE")
        first.box = image
        play(first, 3, "BYE", "BOB")  # a chain of an older card
        early = FakeBox("2" * 32)
        early.play(played_record(4))
        first.take(early.sign(1, "BYE"))  # held aside
        revoke(self.place.engine, self.place.authority, "lion.1")
        play(LeagueBox(self.place, "lion", "The Lion"), 5, "BYE", "ANN")
        first.take(FakeBox("4" * 32).play(played_record(6)))
        play(LeagueBox(self.place, "bell", "The Bell"), 7, "BYE", "CAT")
        reviewed(self.place.engine)
        with self.place.engine.begin() as db:
            state = {"last_winner": "BYE", "playing": "player 1", "version": "1"}
            keep_health(db, "lion.2", True, json.dumps(state).encode(), 1)
            protect(db, ["BYE"], 1)
            night = date(2026, 9, 20)
            cup = ("Cup", "ladder", usual_category("traditional"), ["BYE", "ANN"], night, night)
            make_event(db, *cup, boxes=["lion"], zone=UTC)
        reviewed(self.place.engine)

    def bytes(self) -> bytes:
        """All bytes of all files of the database."""
        return b"\n".join(path.read_bytes() for path in sorted(self.folder.glob("league.sqlite3*")))


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
    # The page and the consumers have it open all the time.
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


def test_health_has_no_initials(town: Town) -> None:
    with town.place.engine.begin() as db:
        (state,) = db.execute(text("select state from health")).scalars()
    assert json.loads(state) == {"playing": "player 1", "version": "1"}


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
