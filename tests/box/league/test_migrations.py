"""A league of an earlier version is brought up to date: nothing that has been played is lost."""

import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, inspect, select, update
from tests.support.league import first_double_shutter, reviewed
from tests.support.old_league import old_league

from shutthebox.rules.record import write
from shutthebox_league import categories
from shutthebox_league.database import migrate, open_database
from shutthebox_league.errors import LeagueError
from shutthebox_league.events import read_event
from shutthebox_league.notices import notices
from shutthebox_league.schema import CATEGORY, ENTRY, EVENT_GAME, MATCH, PROTECTED, SEAT
from shutthebox_league.standings import Measure, Period, categories_played, standings
from shutthebox_league.tournaments import read_tables

MATCHES = 10


@pytest.fixture
def old(new_database: Callable[[], str], tmp_path: Path) -> Iterator[Engine]:
    engine = open_database(new_database() or f"sqlite:///{tmp_path}/league.sqlite3")
    old_league(engine, MATCHES)
    yield engine
    engine.dispose()


@pytest.mark.slow
def test_a_league_of_an_earlier_version_counts_all_its_matches_again(
    old: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: object) -> int:
        raise KeyError

    with monkeypatch.context() as broken:
        broken.setattr(categories, "category_id", interrupted)
        with pytest.raises(LeagueError):
            migrate(old)
    assert "player" in inspect(old).get_table_names(), "an interrupted one has changed nothing"
    migrate(old)
    reviewed(old)
    with old.begin() as db:
        assert db.execute(select(PROTECTED.c.initials)).scalars().all() == ["ANN"]
        signed = db.execute(select(ENTRY.c.initials, func.count()).group_by(ENTRY.c.initials)).all()
        assert set(map(tuple, signed)) == {(None, MATCHES), ("ANN", MATCHES), ("BOB", MATCHES)}
        assert db.execute(select(func.sum(CATEGORY.c.matches))).scalar() == MATCHES * 9 // 10
        assert db.execute(select(MATCH.c.unreviewed, MATCH.c.unrated).distinct()).one() == ("", "")
        assert not db.execute(select(MATCH.c.id).where(MATCH.c.reviewed_s.is_(None))).all()
        assert db.execute(select(func.count()).where(SEAT.c.counted)).scalar() == 2 * MATCHES
        tables = {category.game: number for number, category in categories_played(db)}
        assert set(tables) == {"traditional", "pub", "tournament-100", "misere"}
        for number in tables.values():
            table = standings(db, number, Period.EVER, date.today(), Measure.WINS, highest_wins=False)
            assert [row.initials for row in table] == ["ANN", "BOB"]
        event = read_event(db, 1, 0)
        assert event is not None
        assert event.category == categories.usual_category("traditional")


@pytest.mark.slow
def test_the_tables_of_a_tournament_are_those_of_before(old: Engine) -> None:
    migrate(old, "0007")
    with old.begin() as db:
        db.exec_driver_sql("update match set commitment = 'cup' where id > 6")
        db.exec_driver_sql("update match set voided = 1 where id = 8")
        db.exec_driver_sql("update seat set confirmed = false where match_id = 9 and seat = 2")
    migrate(old)
    with old.begin() as db:
        found = read_tables(db, "cup")
    ids = {(each.seat, each.highest_wins): {row.match_id for row in each.rows} for each in found}
    assert ids == {(1, False): {7, 9}, (2, False): {7}}


@pytest.mark.slow
def test_a_game_whose_name_means_another_one_today_stays_what_it_was(old: Engine) -> None:
    """The lowest total wins in double shutter as 0.1.0 had it, today's double row."""
    row = {"record": write(first_double_shutter(1)), "game": "double-shutter", "commitment": "cup"}
    with old.begin() as db:
        db.execute(update(MATCH).where(MATCH.c.id.in_((1, 10))).values(row))
        db.exec_driver_sql("update event set game = 'double-shutter'")
    migrate(old, "0007")
    with old.begin() as db:
        # As a league left it that has been through the first migrations already.
        db.execute(update(MATCH).where(MATCH.c.id == 1).values(game="double-shutter"))
    migrate(old)
    with old.begin() as db:
        assert {table.highest_wins for table in read_tables(db, "cup")} == {False}
        games = db.execute(select(MATCH.c.game).where(MATCH.c.commitment == "cup")).scalars().all()
        assert games == ["double-row", "double-row"], "of the one with real dice, too"
        event = read_event(db, 1, 0)
        assert event is not None
        assert event.category == categories.usual_category("double-row")


@pytest.mark.slow
def test_an_event_passes_over_what_was_void_before(old: Engine) -> None:
    migrate(old, "0008")
    game = "insert into event_game (event_id, match_id, who, box_id, waits_for, position, used) values "
    with old.begin() as db:
        db.exec_driver_sql("update match set voided = 1 where id = 1")
        db.exec_driver_sql(f"{game} (1, 1, 'ANN BOB', 1, '', 1, false), (1, 2, 'ANN BOB', 1, '', 2, true)")
    migrate(old)
    with old.begin() as db:
        positions = db.execute(select(EVENT_GAME.c.position).order_by(EVENT_GAME.c.match_id))
        assert positions.scalars().all() == [-1, 2]


@pytest.mark.slow
def test_what_could_not_be_counted_before_is_rated_and_its_seats_say_so(old: Engine) -> None:
    migrate(old, "0011")
    with old.begin() as db:
        db.exec_driver_sql("update match set unrated = 'not counted: KeyError' where id = 1")
        db.exec_driver_sql("update match set unrated = 'not rated: KeyError' where id = 2")
        db.exec_driver_sql("update seat set counted = true")
    migrate(old)
    with old.begin() as db:
        matches = db.execute(select(MATCH.c.id, MATCH.c.unrated).where(MATCH.c.unrated != "")).all()
        seats = db.execute(select(SEAT.c.match_id, SEAT.c.uncounted).where(SEAT.c.uncounted != "")).all()
    assert [tuple(row) for row in matches] == [(2, "not rated: KeyError")]
    assert [tuple(row) for row in seats] == [(1, "KeyError")] * 2


@pytest.mark.slow
def test_an_upgrade_says_which_matches_count_no_more(old: Engine) -> None:
    """An operator who finds empty tables is told why, on every owner's page and for a week."""
    migrate(old, "0003")
    with old.begin() as db:
        db.execute(update(MATCH).where(MATCH.c.id <= 4).values(unranked="older rules"))
    migrate(old)
    with old.begin() as db:
        (said,) = (row.text for row in notices(db, 1, int(time.time())))
    assert said == "4 matches by rules of before are shown with their records, and count in no table."
