"""Glicko-2 gives the figures of its author's example; the league rates every night once, in order."""

from datetime import UTC
from pathlib import Path

import pytest
from sqlalchemy import select, update
from tests.support.league import FakeBox, found_league, played_record

from shutthebox_league.glicko2 import Rating, rate
from shutthebox_league.ledger import Ledger
from shutthebox_league.ratings import rate_new
from shutthebox_league.reviewing import review, review_some
from shutthebox_league.schema import MATCH, RATING, SEAT
from shutthebox_uplink.signing import sign_entry

DAY_S = 24 * 3600


def test_the_example_of_its_author() -> None:
    opponents = [(Rating(1400, 30), 1.0), (Rating(1550, 100), 0.0), (Rating(1700, 300), 0.0)]
    found = rate(Rating(1500, 200, 0.06), opponents)
    assert (round(found.rating, 2), round(found.deviation, 2)) == (1464.05, 151.52)
    assert found.volatility == pytest.approx(0.05999, abs=1e-5)


def test_a_night_without_a_match_makes_a_rating_less_certain() -> None:
    rating = Rating(1600, 50, 0.06)
    assert rate(rating, []) == rating.idle(1)
    assert rating.idle(10).deviation > rating.idle(1).deviation > 50
    assert rating.idle(10**6).deviation == 350


def test_a_late_match_changes_its_night_and_the_ones_after(tmp_path: Path) -> None:
    place = found_league(tmp_path, with_broker=False)
    ledger = Ledger(place.engine, UTC, lambda: 1_800_000_000.0)

    def play(box: str, night: int, seed: int) -> None:
        enrolment, fake = place.enrol(box), FakeBox(f"{seed:032x}")
        ended_s = 1_790_000_000 + night * DAY_S
        entries = [
            fake.play(played_record(seed), ended_s),
            fake.sign(1, "ANN", ended_s),
            fake.sign(2, "BOB", ended_s),
        ]
        for entry in entries:
            assert (
                ledger.take(enrolment.name, sign_entry(entry, 1, enrolment.name, enrolment.key)).kind
                == "committed"
            )

    def ratings() -> list[tuple[str, float]]:
        with place.engine.begin() as db:
            rows = db.execute(
                select(RATING.c.initials, RATING.c.rating).order_by(RATING.c.night, RATING.c.initials)
            )
            return [(row.initials, row.rating) for row in rows]

    play("one", 2, 1)
    play("two", 5, 2)
    assert rate_new(place.engine)
    assert not rate_new(place.engine)
    in_time = ratings()
    assert [initials for initials, _ in in_time] == ["ANN", "BOB"] * 2
    play("three", 1, 3)
    assert rate_new(place.engine)
    late = ratings()
    assert len(late) == 6
    assert late[2:] != in_time
    with place.engine.begin() as db:
        db.execute(update(MATCH).values(rated=False))
    assert rate_new(place.engine)
    assert ratings() == late
    # Unconfirmed initials and matches that are not ranked count for nothing.
    with place.engine.begin() as db:
        db.execute(update(SEAT).where(SEAT.c.initials == "BOB").values(confirmed=False))
        db.execute(update(MATCH).values(rated=False))
    assert rate_new(place.engine)
    assert ratings() == []
    place.engine.dispose()


def test_luck_and_decisions_add_up_to_the_score(tmp_path: Path) -> None:
    place = found_league(tmp_path, with_broker=False)
    enrolment, box = place.enrol("lion"), FakeBox("1" * 32)
    ledger = Ledger(place.engine, UTC)
    for seed in range(3):
        message = sign_entry(box.play(played_record(seed, careless=True)), 1, enrolment.name, enrolment.key)
        assert ledger.take(enrolment.name, message).kind == "committed"
    assert review_some(place.engine, 5, most=2) == 2
    assert review_some(place.engine, 5, most=2) == 1
    assert review_some(place.engine, 5) == 0
    with place.engine.begin() as db:
        seats = db.execute(select(SEAT).where(SEAT.c.turns > 0)).all()
    assert seats
    start = float(review(played_record(0))[0].points.initial)
    for seat in seats:
        assert seat.turns * start + seat.luck_sum + seat.given_away_sum == pytest.approx(seat.score_sum)
        assert seat.score_sum == seat.total
        assert seat.given_away_sum >= 0
    place.engine.dispose()
