"""What the page about data promises: initials that were forgotten are in no byte of the database."""

import json
import re
from base64 import urlsafe_b64decode
from dataclasses import replace
from datetime import UTC, date
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, func, select, text
from tests.support.league import FakeBox, Place, found_league, played_record, reviewed
from tests.support.postgresql import Postgresql

from shutthebox_league.categories import usual_category
from shutthebox_league.consumer import keep_health
from shutthebox_league.database import open_database
from shutthebox_league.enrolment import revoke
from shutthebox_league.events import make_event
from shutthebox_league.ledger import Ledger
from shutthebox_league.main import main
from shutthebox_league.players import forget, protect, waiting_seats
from shutthebox_league.schema import METADATA, SEAT
from shutthebox_uplink.settings import Enrolment
from shutthebox_uplink.signing import sign_entry

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


class Town:
    """A league in which a player has left traces wherever one can."""

    def __init__(self, folder: Path, url: str = "") -> None:
        self.folder = folder
        self.place: Place = found_league(folder, url, with_broker=False)
        self.ledger = Ledger(self.place.engine, UTC)
        first = self.place.enrol("lion", "The Lion")
        box = FakeBox("1" * 32)
        self.play(first, box, 1, "BYE", "ANN")
        image = replace(box)
        self.play(first, box, 2, "ANN", "BYE")
        self.play(first, image, 3, "BYE", "BOB")  # a chain of an older card
        early = FakeBox("2" * 32)
        early.play(played_record(4))
        self.send(first, early.sign(1, "BYE"), oldest=1)  # held aside
        revoke(self.place.engine, self.place.authority, "lion.1")
        second = self.place.enrol("lion", "The Lion")
        self.play(second, FakeBox("3" * 32), 5, "BYE", "ANN")
        self.send(first, FakeBox("4" * 32).play(played_record(6)))
        self.play(self.place.enrol("bell", "The Bell"), FakeBox("5" * 32), 7, "BYE", "CAT")
        reviewed(self.place.engine)
        with self.place.engine.begin() as db:
            state = {"last_winner": "BYE", "playing": "player 1", "version": "1"}
            keep_health(db, "lion.2", True, json.dumps(state).encode(), 1)
            protect(db, ["BYE"], 1)
            night = date(2026, 9, 20)
            make_event(db, "Cup", "knockout", usual_category("traditional"), ["BYE", "ANN"], night, night)

    def play(self, enrolment: Enrolment, box: FakeBox, seed: int, *signed: str) -> None:
        """A match that both players sign."""
        ended_s = 1_790_000_000 + seed * 1000
        self.send(enrolment, box.play(played_record(seed), ended_s), box.sequence)
        for seat, initials in enumerate(signed, 1):
            self.send(enrolment, box.sign(seat, initials, ended_s), box.sequence)

    def send(self, enrolment: Enrolment, entry: bytes, oldest: int = 1) -> None:
        """A message, whatever becomes of it."""
        self.ledger.take(enrolment.name, sign_entry(entry, oldest, enrolment.name, enrolment.key))

    def bytes(self) -> bytes:
        """All bytes of all files of the database."""
        return b"\n".join(path.read_bytes() for path in sorted(self.folder.glob("league.sqlite3*")))


@pytest.fixture
def town(tmp_path: Path) -> Town:
    return Town(tmp_path)


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
def test_forgotten_initials_are_in_no_row_of_postgresql(tmp_path: Path) -> None:
    server = Postgresql()
    town = Town(tmp_path, server.new_database())

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
    server.stop()


def test_a_landlord_takes_them_off_the_own_pub_only(town: Town) -> None:
    with town.place.engine.begin() as db:
        assert forget(db, "BYE", 1) == 4
        assert db.execute(select(func.count()).where(SEAT.c.initials == "BYE")).scalar() == 1
    town.place.engine.dispose()


def test_health_has_no_initials(town: Town) -> None:
    with town.place.engine.begin() as db:
        (state,) = db.execute(text("select state from health")).scalars()
    assert json.loads(state) == {"playing": "player 1", "version": "1"}
    town.place.engine.dispose()


def test_they_are_found_by_an_index_wherever_they_are(town: Town) -> None:
    """A league has a million messages: to read them all would hold everybody up."""
    engine = open_database(f"sqlite:///{town.folder}/league.sqlite3")
    for table in METADATA.sorted_tables:
        if "initials" in table.c and table.name != "entrant":
            with engine.connect() as db:
                plan = _plan(db, f"select 1 from {table.name} where initials = 'BYE'")
            assert "SEARCH" in plan, plan
            assert "SCAN" not in plan, plan
    engine.dispose()
    town.place.engine.dispose()


def test_what_waits_for_the_landlord_is_found_by_an_index(town: Town) -> None:
    engine = open_database(f"sqlite:///{town.folder}/league.sqlite3")
    statements = list[str]()
    event.listen(engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
    with engine.connect() as db:
        waiting_seats(db, 1)
        plan = _plan(db, statements[-1].replace("?", "1"))
    assert "ix_seat_not_confirmed" in plan
    engine.dispose()
    town.place.engine.dispose()


def _plan(db: Connection, statement: str) -> str:
    return " ".join(str(row) for row in db.execute(text(f"explain query plan {statement}")))
