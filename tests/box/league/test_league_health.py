"""Whoever watches over a league is told when it needs somebody, and nothing that is secret."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import update
from starlette.requests import Request
from tests.support.league import LeagueBox, found_league, in_a_thread, open_door, played_record
from tests.support.waiting import until

from shutthebox_league import __version__
from shutthebox_league.health import keep_health
from shutthebox_league.league_health import (
    BACKUP,
    BACKUP_S,
    DOOR,
    OFFLINE_S,
    REVIEWER,
    SILENT_S,
    LeagueHealth,
    note_failure,
    note_pulse,
    read_league_health,
)
from shutthebox_league.page.app import application
from shutthebox_league.reviewer import Reviewer
from shutthebox_league.schema import KEY, MATCH

NOW_S = 1_790_000_000


@pytest.fixture
def lion(new_database: Callable[[], str], tmp_path: Path) -> Iterator[LeagueBox]:
    lion = LeagueBox(found_league(tmp_path, new_database()), wall_clock_s=lambda: NOW_S)
    yield lion
    lion.close()


def health(lion: LeagueBox, after_s: int = 0) -> LeagueHealth:
    with lion.engine.connect().execution_options(reads=True) as db:
        return read_league_health(db, NOW_S + after_s)


def test_each_part_that_fails_is_a_fault_and_a_pub_that_has_closed_is_none(lion: LeagueBox) -> None:
    assert health(lion) == LeagueHealth(
        ("the boxes' matches are not taken", "the reviewer is not running"),
        __version__, door=False, reviewer=False, backlog=0, last_match_age_s=None, boxes=1,
        boxes_offline=1, backup_age_s=None,
    )  # fmt: skip
    lion.place.enrol("crown", "The Crown")
    lion.play(played_record(1))
    with lion.engine.begin() as db:
        for part in (DOOR, REVIEWER, BACKUP):
            note_pulse(db, part, NOW_S)
        keep_health(db, lion.enrolment.name, b"{}", NOW_S)
    assert health(lion, 7) == LeagueHealth(
        (), __version__, door=True, reviewer=True, backlog=1, last_match_age_s=7, boxes=2,
        boxes_offline=1, backup_age_s=7,
    )  # fmt: skip
    assert health(lion, OFFLINE_S).boxes_offline == 2
    assert len(health(lion, SILENT_S + 1).faults) == 2
    assert "the latest back-up is too old" in health(lion, BACKUP_S + 1).faults
    with lion.engine.begin() as db:
        note_failure(db, BACKUP)
        db.execute(update(MATCH).values(reviewed_s=NOW_S))
    assert health(lion).faults == ("the latest back-up failed",)
    assert (health(lion).backlog, health(lion, 9).backup_age_s) == (0, 9)
    with lion.engine.begin() as db:
        note_pulse(db, BACKUP, NOW_S)
        db.execute(update(KEY).where(KEY.c.name == "crown.1").values(revoked_s=NOW_S))
    assert (health(lion).faults, health(lion).boxes, health(lion).boxes_offline) == ((), 1, 0)


def test_door_and_reviewer_tell_that_they_work(tmp_path: Path) -> None:
    place = found_league(tmp_path)

    def now() -> LeagueHealth:
        with place.engine.connect().execution_options(reads=True) as db:
            return read_league_health(db, int(time.time()))

    with open_door(place):
        until(lambda: now().door)
        assert now().faults == ("the reviewer is not running",)
        reviewer, ends = Reviewer(place.engine, UTC), threading.Event()
        with in_a_thread(lambda: reviewer.run(ends), ends.set):
            until(lambda: not now().faults)
    place.engine.dispose()


def test_the_numbers_are_prometheus_metrics(lion: LeagueBox) -> None:
    families = text_string_to_metric_families(health(lion).to_prometheus().decode())
    found = {sample.name: sample.value for family in families for sample in family.samples}
    assert found == {
        f"shutthebox_league_{name}": value
        for name, value in {
            "healthy": 0, "door": 0, "reviewer": 0, "backlog": 0, "boxes": 1, "boxes_offline": 1
        }.items()
    }  # fmt: skip


def test_a_database_that_is_away_is_a_line_too(tmp_path: Path) -> None:
    place = found_league(tmp_path)
    app = application(place.engine, UTC, place.authority, secure=False)
    (route,) = (route for route in app.routes if getattr(route, "path", "") == "/health")
    place.engine.dispose()
    (tmp_path / "league.sqlite3").unlink()
    (tmp_path / "league.sqlite3").mkdir()
    answer = route.endpoint(Request({"type": "http"}))  # type: ignore[attr-defined]
    assert answer.status_code == 503
    assert json.loads(answer.body)["faults"] == ["the database can't be reached"]
    place.engine.dispose()
