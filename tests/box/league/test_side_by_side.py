"""Nothing is lost or counted twice where two transactions change the same match at once."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, insert, select, text
from tests.box.league.evenings import NIGHT, Town, post
from tests.support.league import played_record
from tests.support.waiting import HANG_S, until

import shutthebox_league
from shutthebox.outbox_entry import hash_of
from shutthebox_league import ratings
from shutthebox_league.database import in_transaction, lock_books, open_database
from shutthebox_league.health import keep_health
from shutthebox_league.notices import notice
from shutthebox_league.page.app import application
from shutthebox_league.players import confirm, forget
from shutthebox_league.ratings import SIGNING_S
from shutthebox_league.schema import MATCH, RERATED, SEAT, STANDING, VOID_ON_ARRIVAL, VOIDING
from shutthebox_league.voiding import void_key

_WAITING = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"


@contextmanager
def meanwhile(engine: Engine, statement: str, do: Callable[[], object]) -> Iterator[None]:
    """Once a statement has been made that begins so, does something else, until it's done or has to wait."""
    thread = threading.Thread(target=do)
    watch = open_database(engine.url.render_as_string(hide_password=False))

    def waits() -> bool:
        if engine.dialect.name != "postgresql":
            return False
        with watch.begin() as db:
            return db.exec_driver_sql(_WAITING).first() is not None

    def begin(_db: Any, _cursor: Any, said: str, *_: Any) -> None:
        if thread.ident is None and " ".join(said.lower().replace('"', "").split()).startswith(statement):
            thread.start()
            until(lambda: not thread.is_alive() or waits())

    event.listen(engine, "after_cursor_execute", begin)
    yield
    event.remove(engine, "after_cursor_execute", begin)
    assert thread.ident is not None, f"{statement}: it was never said"
    thread.join(HANG_S)
    assert not thread.is_alive()
    watch.dispose()


@pytest.fixture
def town(new_database: Callable[[], str], tmp_path: Path) -> Iterator[Town]:
    with closing(Town(tmp_path, new_database())) as opened:
        yield opened


@pytest.mark.slow
def test_a_match_that_is_made_void_as_it_is_rated_changes_no_rating(town: Town) -> None:
    town.play(played_record(1), "MAL", "ANN")

    def void() -> None:
        town.void(1)

    with meanwhile(town.engine, "select match.id from match where match.due_s <=", void):
        town.review()
    assert town.ratings() == {}


@pytest.fixture
def on_postgresql(postgresql: Any, tmp_path: Path) -> Iterator[Town]:
    """SQLite has one writer at a time."""
    with closing(Town(tmp_path, postgresql.new_database())) as opened:
        yield opened


@pytest.mark.slow
def test_a_match_that_is_rated_as_others_are_made_void_is_rated_once(on_postgresql: Town) -> None:
    town = on_postgresql
    town.play(played_record(1), "DAN", "EVE")
    town.review()
    before = town.ratings()
    town.forged()
    town.at("lion")
    town.play(played_record(2, players=3), "DAN", "EVE")
    town.review()
    town.now_s += SIGNING_S
    with (
        meanwhile(town.engine, "update match set due_s", town.review),
        town.engine.begin() as db,
    ):
        void_key(db, "evil.1", None, town.now_s, NIGHT)
    town.review()
    after = town.ratings()
    assert set(after) == {"DAN", "EVE"}
    own = (SEAT.c.match_id == 6) & SEAT.c.initials.is_not(None)
    with town.engine.begin() as db:
        seats = db.execute(select(SEAT.c.initials, SEAT.c.mu, SEAT.c.sigma).where(own)).all()
    assert {row.initials: (row.mu, row.sigma) for row in seats} == before


@pytest.mark.slow
def test_a_run_that_one_reviewer_gives_up_leaves_nothing_that_another_adds_to_it(
    on_postgresql: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run would begin with ratings of this one."""
    town = on_postgresql
    monkeypatch.setattr(ratings, "_AT_A_TIME", 1)
    town.honest(1)
    town.void(1)
    in_transaction(town.engine, ratings.rate_again)
    with (
        meanwhile(
            town.engine,
            "update rerating set at",
            lambda: in_transaction(town.engine, ratings.give_up_rating_again),
        ),
        town.engine.begin() as db,
    ):
        lock_books(db)
        ratings.rate_again(db)
    with town.engine.begin() as db:
        assert not ratings.has_changed(db)
        assert not db.execute(select(RERATED)).all()


@pytest.mark.slow
def test_who_is_forgotten_while_a_match_is_counted_is_in_no_table(on_postgresql: Town) -> None:
    town = on_postgresql
    town.play(played_record(1), "ANN", "BOB")

    def forget_ann() -> None:
        with town.engine.begin() as db:
            forget(db, "ANN", None, town.now_s + 60)

    with meanwhile(town.engine, "select seat.match_id, seat.seat, seat.place", forget_ann):
        town.review()
    with town.engine.begin() as db:
        assert "ANN" not in db.execute(select(STANDING.c.initials)).scalars().all()


@pytest.mark.slow
def test_who_is_forgotten_while_a_signature_is_filed_has_signed_nothing(on_postgresql: Town) -> None:
    town = on_postgresql
    town.send(town.box.play(played_record(1), town.now_s))

    def forget_ann() -> None:
        with town.engine.begin() as db:
            forget(db, "ANN", None, town.now_s + 60)

    with meanwhile(town.engine, "select forgotten.", forget_ann):
        town.send(town.box.sign(1, "ANN", town.now_s))
    with town.engine.begin() as db:
        assert db.execute(select(SEAT.c.seat).where(SEAT.c.initials == "ANN")).first() is None


@pytest.mark.slow
def test_a_match_is_due_once_it_is_confirmed_and_signed_whichever_was_first(on_postgresql: Town) -> None:
    town = on_postgresql
    town.protect(["ANN"], 1)
    town.send(town.box.play(played_record(1), town.now_s))
    town.send(town.box.sign(1, "ANN", town.now_s))

    def sign() -> None:
        town.send(town.box.sign(2, "BOB", town.now_s))

    with (
        meanwhile(town.engine, "select seat.match_id, seat.initials, seat.confirmed", sign),
        town.engine.begin() as db,
    ):
        assert confirm(db, [(1, 1)], 1, town.now_s, right=True) == 1
    with town.engine.begin() as db:
        assert db.execute(select(MATCH.c.due_s)).scalar_one() <= town.now_s


@pytest.mark.slow
def test_a_landlord_does_not_have_to_confirm_again_after_a_deadlock(on_postgresql: Town) -> None:
    town = on_postgresql
    town.protect(["ANN"], 1)
    town.play(played_record(1), "ANN", "BOB")
    both = list[str]()

    def in_the_other_order() -> None:
        with town.engine.begin() as db:
            # So that the page is the one that notices.
            db.execute(text("set local deadlock_timeout = '1h'"))
            db.execute(select(SEAT.c.seat).with_for_update()).all()
            db.execute(select(MATCH.c.id).with_for_update()).all()
            both.append("locked")

    with meanwhile(town.engine, "select match.id from match where match.id in", in_the_other_order):
        status, page = post(town, b"do=confirm&seat=1-1")
    assert both == ["locked"]
    assert (status, "Counted: 1." in page) == (200, True)


def _fifty(first: str) -> bytes:
    """A form that deletes fifty initials."""
    some = "+".join(f"{first}{a}{b}" for a in "ABCDE" for b in "ABCDEFGHIJ")
    return f"do=forget&sure=1&initials={some}".encode()


@pytest.mark.slow
def test_a_landlord_who_deletes_players_has_as_many_left_after_a_deadlock(
    on_postgresql: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutthebox_league.page.owner._CHANGE_EVERY_S", 0.0)
    town = on_postgresql
    town.play(played_record(1), "AAA", "BOB")
    both = list[str]()

    def in_the_other_order() -> None:
        with town.engine.begin() as db:
            # So that the page is the one that notices.
            db.execute(text("set local deadlock_timeout = '1h'"))
            db.execute(select(SEAT.c.seat).with_for_update()).all()
            lock_books(db)
            both.append("locked")

    app = application(town.engine, UTC, town.place.authority, secure=False)
    with meanwhile(town.engine, "lock table chain", in_the_other_order):
        assert "Removed: AAA from 1 matches" in post(town, _fifty("A"), app=app)[1]
    assert both == ["locked"]
    assert "Removed" in post(town, _fifty("B"), app=app)[1]


@pytest.mark.slow
def test_a_clock_that_is_put_forward_lets_no_landlord_delete_more(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutthebox_league.page.owner._CHANGE_EVERY_S", 0.0)
    app = application(town.engine, UTC, town.place.authority, secure=False)
    for first in "AB":
        assert "Removed" in post(town, _fifty(first), app=app)[1]
    tomorrow_s = time.time() + 24 * 3600
    monkeypatch.setattr(time, "time", lambda: tomorrow_s)
    assert "initials a day" in post(town, _fifty("C"), app=app)[1]


@pytest.mark.slow
def test_a_match_that_comes_again_as_its_voiding_is_undone_counts(on_postgresql: Town) -> None:
    town = on_postgresql
    entry = town.box.play(played_record(1), town.now_s)
    with town.engine.begin() as db:
        db.execute(insert(VOIDING).values(id=1, uid="1", what="match 1", made_s=town.now_s))
        box = town.enrolment.name.partition(".")[0]
        db.execute(insert(VOID_ON_ARRIVAL).values(hash=hash_of(entry), box=box, voiding_id=1))

    def undo_it() -> None:
        town.undo(1)

    with meanwhile(town.engine, "select void_on_arrival.hash", undo_it):
        town.send(entry)
    with town.engine.begin() as db:
        assert db.execute(select(MATCH.c.voided)).scalar_one() == 0


def _notes(db: Connection) -> None:
    notice(db, "lion.1", "later", "too many", 1)


def _hears(db: Connection) -> None:
    keep_health(db, "lion.1", b"{}", 1)


@pytest.mark.slow
@pytest.mark.parametrize("do", [_notes, _hears])
def test_workers_that_hear_from_a_box_for_the_first_time_at_once_go_on(
    on_postgresql: Town, do: Callable[[Connection], None]
) -> None:
    """The second one died."""
    engine = on_postgresql.engine

    def waits() -> bool:
        with engine.begin() as db:
            return db.exec_driver_sql(_WAITING).first() is not None

    with ThreadPoolExecutor(1) as other:
        with engine.begin() as db:
            do(db)
            second = other.submit(in_transaction, engine, do)
            until(lambda: second.done() or waits())
        second.result(HANG_S)


_OF_ITS_OWN = {"database.py", "enrolment.py", "backup.py", "copying.py"}
"""Enrolment has a lock of its own; a copy takes the whole database."""


def test_whoever_changes_rows_beside_others_tries_again_after_a_deadlock() -> None:
    folder = Path(shutthebox_league.__file__).parent
    found = {path.name for path in folder.rglob("*.py") if "engine.begin()" in path.read_text("utf-8")}
    assert found <= _OF_ITS_OWN, "it calls `database.change` instead"
