"""Events look at some matches of each entrant, however many a box sends."""

from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
from tests.league.test_ratings import NIGHT, NOW_S, Evening
from tests.support.league import played_record

from shutthebox_league import events
from shutthebox_league.categories import usual_category
from shutthebox_league.events import Event, make_event, read_event
from shutthebox_league.formats import Format

ENTRANTS = ("ANN", "BOB", "CAT", "DAN")
DAY_S = 24 * 3600


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    with closing(Evening(tmp_path)) as opened:
        yield opened


def made(evening: Evening, format_: Format, first_night: date = NIGHT) -> int:
    with evening.place.engine.begin() as db:
        return make_event(db, "Cup", format_, usual_category("traditional"), ENTRANTS, first_night, NIGHT)


def read(evening: Evening, number: int) -> Event:
    with evening.place.engine.begin() as db:
        found = read_event(db, number, NIGHT)
    assert found is not None
    return found


def counted(evening: Evening, number: int) -> dict[str, int]:
    return {line.name: line.played for line in read(evening, number).standing.lines}


def test_who_sends_thousands_of_matches_keeps_no_other_match_from_an_event(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "MOST_MATCHES", 3)
    monkeypatch.setattr(events, "_AT_ONCE", 2)
    cups = {format_: made(evening, format_) for format_ in Format}
    for seed in range(6):
        evening.play(played_record(seed), "BOB", "ANN")
    evening.play(played_record(1), "CAT", "DAN")
    for format_, event in cups.items():
        found = counted(evening, event)
        # In the draw of a knockout they meet others.
        assert found["CAT"] == found["DAN"] == (0 if format_ is Format.KNOCKOUT else 1), format_
        assert found["BOB"] <= 3


def test_an_event_may_have_begun_before_it_was_made(evening: Evening) -> None:
    evening.play(played_record(1), "ANN", "BOB", ended_s=NOW_S - 5 * DAY_S)
    evening.play(played_record(2), "ANN", "BOB")
    assert counted(evening, made(evening, Format.LADDER))["ANN"] == 1
    late = made(evening, Format.LADDER)
    evening.play(played_record(3), "ANN", "BOB")
    assert counted(evening, late)["ANN"] == 2
