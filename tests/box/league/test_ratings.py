"""Matches are counted and rated once, in the order of arrival, and a review takes as long as its match."""

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from subprocess import PIPE, Popen
from threading import Event
from typing import Any

import pytest
from sqlalchemy import delete, event, func, insert, select, text, update
from tests.box.league.evenings import DAY_S, NIGHT, NOW_S, Evening
from tests.support.fast import fast_among
from tests.support.generate import random_record
from tests.support.house import house
from tests.support.league import (
    CONDITIONS,
    FakeBox,
    LeagueBox,
    counted_steps,
    played_record,
    tables_scanned,
)
from tests.support.waiting import until

from shutthebox.config.profiles import builtin, builtins
from shutthebox.rules.actions import Moved, Thrown
from shutthebox.rules.profile import Turns
from shutthebox.rules.record import Record, write
from shutthebox.rules.tiles import to_tiles
from shutthebox_league import reviewer
from shutthebox_league.confined import Confined, TooMuchError
from shutthebox_league.players import confirm, waiting_seats
from shutthebox_league.ratings import CONFIRMING_S, MAX_MU, SIGNING_S
from shutthebox_league.reviewer import BY_OLDER_RULES, Reviewer, _review_text
from shutthebox_league.reviewing import review
from shutthebox_league.schema import CATEGORY, MATCH, RATING, REVIEW, SEAT, STANDING
from shutthebox_league.standings import (
    WHOLE_LEAGUE,
    Measure,
    Period,
    categories_played,
    latest_matches,
    standings,
)


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    with closing(Evening(tmp_path)) as opened:
        yield opened


def test_a_match_is_rated_once_when_all_have_signed(evening: Evening) -> None:
    record = played_record(1)
    evening.play(record, "ANN")
    evening.review()
    assert evening.ratings() == {}
    evening.send(evening.box.sign(2, "BOB"))
    evening.review()
    first = evening.ratings()
    assert sorted(first) == ["ANN", "BOB"]
    evening.review()
    assert evening.ratings() == first


def test_a_pub_shows_its_own_players_however_many_others_there_are(evening: Evening) -> None:
    evening.play(played_record(1), "ANN", "BOB")
    LeagueBox(evening.place, "bell", "The Bell").play(played_record(2), "CAT", "DAN")
    evening.review()
    lion, bell = {"ANN", "BOB"}, {"CAT", "DAN"}
    with evening.place.engine.begin() as db:
        ((category, _),) = categories_played(db)
        assert signers(latest_matches(db, 9)) == lion | bell
        with tables_scanned(evening.place.engine) as scanned:
            for pub_id, own in enumerate((lion | bell, lion, bell), WHOLE_LEAGUE):
                found = standings(
                    db, category, Period.EVER, NIGHT, Measure.WINS, highest_wins=False, pub_id=pub_id
                )
                assert {row.initials for row in found} == own
            assert signers(latest_matches(db, 9, pub_id=1)) == lion
            assert signers(latest_matches(db, 9, pub_id=2)) == bell
            assert signers(latest_matches(db, 9, initials="ANN")) == lion
            assert signers(latest_matches(db, 9, ids=[2])) == bell
    assert scanned == [], "a page takes longer in a larger league"


def test_players_who_are_equal_by_a_measure_share_a_place_in_its_table(evening: Evening) -> None:
    """They were numbered by their initials."""
    evening.play(played_record(1), "ZOE", "BOB")
    evening.play(played_record(1), "ANN", "CAT")
    evening.play(played_record(1), "DAN", "EVE")
    evening.review()
    for measure in (Measure.WINS, Measure.SCORE, Measure.RATING):
        table = evening.table(measure=measure)
        assert [row.place for row in table] == [1, 1, 1, 4, 4, 4], measure
        assert [row.initials for row in table[:3]] in (["ANN", "DAN", "ZOE"], ["BOB", "CAT", "EVE"])
    assert {row.place for row in evening.table(measure=Measure.SKILL)} == {None}, "after too few turns"


def signers(matches: Sequence[dict[str, Any]]) -> set[str]:
    return {seat.initials for match in matches for seat in match["seats"]}


@pytest.mark.slow
def test_a_late_match_changes_no_rating_of_before(evening: Evening) -> None:
    evening.play(played_record(1), "ANN", "BOB")
    evening.review()
    before = evening.ratings()
    evening.play(played_record(2), "CAT", "DAN", ended_s=NOW_S - 300 * DAY_S)
    evening.review()
    after = evening.ratings()
    assert {name: after[name] for name in before} == before
    assert sorted(after) == ["ANN", "BOB", "CAT", "DAN"]


@pytest.mark.slow
def test_a_match_that_some_have_not_signed_is_rated_after_an_hour(evening: Evening) -> None:
    evening.play(played_record(3, players=3), "ANN", "BOB")
    evening.review()
    assert evening.ratings() == {}
    evening.now_s += SIGNING_S
    evening.review()
    assert sorted(evening.ratings()) == ["ANN", "BOB"]


@pytest.mark.slow
def test_protected_initials_count_when_they_are_confirmed_or_never(evening: Evening) -> None:
    evening.protect(["PIN"])
    for seed in (4, 5):
        evening.play(played_record(seed), "PIN", "BOB")
    evening.now_s += SIGNING_S
    evening.review()
    assert evening.ratings() == {}
    assert [row.initials for row in evening.table()] == ["BOB"]
    with evening.place.engine.begin() as db:
        assert confirm(db, [(1, 1)], 1, evening.now_s, right=True)
    evening.review()
    first = evening.ratings()
    assert sorted(first) == ["BOB", "PIN"]
    evening.now_s += CONFIRMING_S
    evening.review()
    assert evening.ratings() == first, "the other match had nobody to rate BOB against"
    assert {row.initials: row.matches for row in evening.table()} == {"BOB": 2, "PIN": 1}


def test_a_match_that_is_signed_at_the_last_moment_waits_for_the_landlord(evening: Evening) -> None:
    """The signature comes after the reviewer has seen that the match is due, and before it locks it."""
    evening.protect(["PIN"])
    evening.play(played_record(1, players=3), "ANN", "BOB")
    evening.now_s += SIGNING_S
    seen = list[str]()

    def sign(*given: Any) -> None:
        if "due_s <= " in given[2] and not seen:
            seen.append(given[2])
            evening.send(evening.box.sign(3, "PIN"))

    event.listen(evening.engine, "after_cursor_execute", sign)
    evening.review()
    assert seen
    assert evening.ratings() == {}
    evening.now_s += CONFIRMING_S
    evening.review()
    assert sorted(evening.ratings()) == ["ANN", "BOB"]


@pytest.mark.slow
def test_tables_of_nine_are_rated(evening: Evening) -> None:
    names = [f"A{letter}Z" for letter in "ABCDEFGHI"]
    for seed in range(3):
        evening.play(played_record(seed, players=9), *names)
    evening.review()
    assert sorted(evening.ratings()) == names


@pytest.mark.slow
def test_a_pub_that_forgets_somebody_leaves_what_other_pubs_have(evening: Evening) -> None:
    evening.play(played_record(1), "BYE", "ANN")
    evening.enrolment, evening.box = evening.place.enrol("bell", "The Bell"), FakeBox("2" * 32)
    evening.play(played_record(2), "BYE", "ANN")
    evening.review()
    before = evening.ratings()
    assert evening.forget("BYE", 2) == 1
    assert {row.initials: row.matches for row in evening.table()} == {"ANN": 2, "BYE": 1}
    assert "BYE" in evening.ratings()
    assert evening.forget("BYE", 1) == 1
    assert [row.initials for row in evening.table()] == ["ANN"]
    assert evening.ratings() == {"ANN": before["ANN"]}, "nobody else's has changed"


@pytest.mark.slow
def test_sums_are_those_of_the_seats(evening: Evening) -> None:
    for seed in range(6):
        evening.play(played_record(seed, careless=True), "ANN", "BOB")
        if seed % 2:
            evening.review()
    evening.review()
    with evening.place.engine.begin() as db:
        seats = db.execute(
            select(
                SEAT.c.initials, func.count().label("matches"), func.sum(SEAT.c.total).label("total"),
                func.sum(SEAT.c.turns).label("turns"), func.sum(SEAT.c.given_away_sum).label("given_away"),
            ).group_by(SEAT.c.initials)
        ).all()  # fmt: skip
    for period in Period:
        for measure in Measure:
            table = {row.initials: row for row in evening.table(period, measure)}
            for seat in seats:
                row = table[seat.initials]
                assert row.matches == seat.matches
                assert row.score == pytest.approx(seat.total / seat.matches)
                assert row.given_away == pytest.approx(seat.given_away / seat.turns)


@pytest.mark.slow
def test_totals_of_other_boxes_and_lengths_are_in_other_tables(evening: Evening) -> None:
    evening.play(played_record(1), "ANN", "BOB")
    evening.play(played_record(2, rounds=5), "ANN", "CAT")
    evening.play(played_record(3, tiles=12), "ANN", "DAN")
    evening.review()
    with evening.place.engine.begin() as db:
        played = [(category.tiles, category.rounds) for _, category in categories_played(db)]
    assert sorted(played) == [(9, 1), (9, 5), (12, 1)]
    assert all(len(evening.table(number=number)) == 2 for number in range(3))


@pytest.mark.slow
def test_the_same_initials_in_two_pubs_are_one_player(evening: Evening) -> None:
    """As the guide says: three letters are too few to tell people apart, and a player may go to both."""
    bell = LeagueBox(evening.place, "bell", "The Bell", wall_clock_s=lambda: evening.now_s)
    evening.play(played_record(1), "ANN", "BOB")
    bell.play(played_record(2), "ANN", "CAT")
    evening.review()
    assert {row.initials: row.matches for row in evening.table()} == {"ANN": 2, "BOB": 1, "CAT": 1}
    assert set(evening.ratings()) == {"ANN", "BOB", "CAT"}


@pytest.mark.slow
def test_initials_count_at_one_seat_of_a_match(evening: Evening) -> None:
    evening.play(played_record(1), "ANN", "ANN")
    evening.now_s += SIGNING_S
    evening.review()
    assert [(row.initials, row.matches) for row in evening.table()] == [("ANN", 1)]
    assert evening.ratings() == {}


@pytest.mark.slow
def test_a_seat_that_counts_keeps_its_name(evening: Evening) -> None:
    evening.play(played_record(1), "ANN", "BOB")
    evening.review()
    evening.send(evening.box.sign(1, "EVE"))
    evening.review()
    assert [row.initials for row in evening.table()] in (["ANN", "BOB"], ["BOB", "ANN"])


@pytest.mark.slow
def test_luck_and_decisions_add_up_to_the_score(evening: Evening) -> None:
    for seed in range(3):
        evening.play(played_record(seed, careless=True))
    evening.review()
    with evening.place.engine.begin() as db:
        seats = db.execute(select(SEAT).where(SEAT.c.turns > 0)).all()
        assert db.execute(select(func.count()).select_from(REVIEW)).scalar() == 3
    assert seats
    start = float(review(played_record(0))[0].balance.initial)
    for seat in seats:
        assert seat.turns * start + seat.luck_sum + seat.given_away_sum == pytest.approx(seat.score_sum)
        assert seat.score_sum == seat.total
        assert seat.given_away_sum >= 0


def test_nobody_is_blamed_for_dice_of_their_own_that_only_show_a_total() -> None:
    game = house('tiles = 3\none_die = "optional-high"\nshut_wins = "no"')
    three = Thrown((3,))
    actions = (three, Moved(to_tiles([3])), three, Moved(to_tiles([1, 2])))
    chosen = {
        real_dice: [
            decision.chosen
            for turn in review(Record(game, 1, 1, actions, CONDITIONS._replace(real_dice=real_dice)))
            for decision in turn.decisions
            if decision.throw is None
        ]
        for real_dice in (False, True)
    }
    assert chosen == {False: [1, 1], True: []}


@pytest.mark.slow
def test_a_record_that_newer_rules_cannot_read_stops_nothing(evening: Evening) -> None:
    evening.play(played_record(1), "ANN", "BOB")
    with evening.place.engine.begin() as db:
        db.execute(update(MATCH).values(record="shut-the-box record 1\nwritten long ago\n"))
    evening.play(played_record(2), "ANN", "BOB")
    evening.review()
    with evening.place.engine.begin() as db:
        found = db.execute(select(MATCH.c.unreviewed).order_by(MATCH.c.id)).scalars().all()
    assert found == [BY_OLDER_RULES, ""]
    assert evening.table()[0].matches == 2


@pytest.mark.parametrize(
    "name", fast_among([game.name for game in builtins()], ["traditional", "young", "the-300"])
)
def test_every_game_is_reviewed_or_its_page_says_why_not(name: str) -> None:
    game = builtin(name)
    record = replace(random_record(game, 2, seed=1), conditions=CONDITIONS)
    why, sums = json.loads(_review_text(write(record)).partition(b"\n")[0])
    assert bool(sums) != bool(why)
    assert len(why) <= 100
    reviewed = game.turns in (Turns.WHOLE, Turns.TUG) and len(game.tiles) <= 12
    assert bool(sums) is reviewed


@pytest.mark.slow
def test_a_match_that_cannot_be_counted_or_rated_is_marked_and_passed_over(evening: Evening) -> None:
    evening.play(played_record(1), "ANN", "BOB")
    evening.play(played_record(2), "CAT", "DAN")
    with evening.place.engine.begin() as db:
        db.execute(text("insert into rating values ('ANN', 'no number', 1, 1)"))
    evening.review()
    with evening.place.engine.begin() as db:
        found = db.execute(select(MATCH.c.unrated).order_by(MATCH.c.id)).scalars().all()
    assert found[0].startswith("not rated: ")
    assert found[1] == ""
    assert {"CAT", "DAN"} <= set(evening.ratings())


def test_a_seat_that_cannot_be_counted_costs_the_others_of_its_match_nothing(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object) -> None:
        raise ArithmeticError

    with monkeypatch.context() as broken:
        broken.setattr(reviewer, "count_seat", fail)
        evening.play(played_record(1), "ANN")
        evening.review()
    evening.send(evening.box.sign(2, "BOB"))
    evening.review()
    assert [row.initials for row in evening.table()] == ["BOB"]


def test_forged_matches_drive_no_rating_beyond_what_can_be_rated(evening: Evening) -> None:
    with evening.place.engine.begin() as db:
        high = {"mu": MAX_MU, "sigma": 8.0, "at_least": MAX_MU}
        db.execute(insert(RATING), [{"initials": initials, **high} for initials in ("ANN", "BOB")])
    evening.play(played_record(1), "ANN", "BOB")
    evening.review()
    means = [mu for mu, _ in evening.ratings().values()]
    assert max(means) == MAX_MU > min(means)


@pytest.mark.slow
def test_a_review_that_may_be_long_is_waited_for_by_its_like_and_by_nobody_else(evening: Evening) -> None:
    lion, second, third = evening, *(LeagueBox(evening.place, name) for name in ("axe", "bull"))
    long = played_record(1, game="tournament-100", players=9, limit=4000)
    ours = replace(builtin("traditional"), name="ours", lost_score=60)
    lion.play(long)
    second.play(played_record(2))
    third.play(replace(random_record(ours, 2, seed=1), conditions=CONDITIONS))
    working = Reviewer(evening.place.engine, UTC, lambda: evening.now_s)
    done: list[bool] = []
    while not any(done):
        working.work()
        with evening.place.engine.begin() as db:
            times = db.execute(select(MATCH.c.reviewed_s).order_by(MATCH.c.id)).scalars().all()
        done = [at is not None for at in times]
    assert done == [False, False, True]
    over = Event()
    over.set()
    working.run(over)  # ends the reviews that go on


@pytest.mark.slow
def test_a_table_of_a_restored_league_is_reviewed_under_the_number_of_one_that_took_too_long(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(text: str) -> bytes:
        raise MemoryError

    working = Reviewer(evening.engine, UTC, lambda: evening.now_s)
    with monkeypatch.context() as broken:
        broken.setattr(reviewer, "_review_text", fail)
        evening.play(played_record(1))
        while working.work():
            pass
    with evening.engine.begin() as db:
        db.execute(update(CATEGORY).values(rounds=5))
    evening.play(played_record(2, rounds=5))
    while working.work():
        pass
    with evening.engine.begin() as db:
        found = db.execute(select(MATCH.c.category_id, MATCH.c.unreviewed).order_by(MATCH.c.id)).all()
    assert found[0].category_id == found[1].category_id
    assert found[0].unreviewed.startswith("a review was begun")
    assert found[1].unreviewed == ""


@pytest.mark.slow
def test_a_review_from_before_a_restore_is_kept_for_no_other_match(evening: Evening) -> None:
    """The restored league has another match of that number, or none."""
    working = Reviewer(evening.engine, UTC, lambda: evening.now_s)
    for seed in (1, 2):
        evening.play(played_record(seed), "ANN", "BOB")
        working.work()
        with evening.engine.begin() as db:
            own = MATCH.c.reviewed_s.is_(None)
            if seed == 1:
                db.execute(update(MATCH).where(own).values(record=write(played_record(seed, rounds=5))))
            else:
                db.execute(delete(MATCH).where(own))
        while working.work():
            pass
    with evening.engine.begin() as db:
        assert set(db.execute(select(SEAT.c.turns)).scalars()) == {5}


@pytest.mark.slow
def test_sums_of_nights_long_ago_are_let_go(evening: Evening) -> None:
    evening.play(played_record(1), "ANN", "BOB")
    evening.review()
    evening.now_s += 30 * DAY_S
    evening.review()
    with evening.place.engine.begin() as db:
        assert "night" not in db.execute(select(STANDING.c.period)).scalars().all()
    assert len(evening.table()) == 2


@pytest.mark.slow
def test_what_is_due_is_found_by_an_index(evening: Evening) -> None:
    """However many matches there are, the reviewer looks for work several times a second."""
    with tables_scanned(evening.place.engine) as scanned:
        evening.play(played_record(1), "ANN", "BOB")
        evening.review()
    assert scanned == []


def calls_of_a_review(limit: int) -> tuple[int, int]:
    """How many functions a review calls, and how many actions its match has."""
    record = played_record(1, game="tournament-100", players=9, limit=limit)
    review(record)
    count = 0

    def called(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        review(record)
    finally:
        sys.setprofile(None)
    return count, len(record.actions)


@pytest.mark.slow
def test_a_review_grows_with_the_match_and_no_faster() -> None:
    short, long = calls_of_a_review(50), calls_of_a_review(300)
    assert long[1] > 4 * short[1]
    assert long[0] / long[1] < 1.2 * short[0] / short[1]


def _hog(text: str) -> bytes:
    kept = list[bytes]()
    while text == "memory":
        kept.append(bytes(10**7))
    while text == "time":
        pass
    if text == "niceness":
        return b"%d" % os.getpriority(os.PRIO_PROCESS, 0)
    return b"done"


@pytest.mark.slow
@pytest.mark.parametrize("what", ["memory", "time"])
def test_a_review_that_takes_too_much_is_ended(what: str) -> None:
    with pytest.raises(TooMuchError):
        confined(what)
    result, cpu_s = confined("")
    assert result == b"done"
    assert 0 < cpu_s < 1


def test_a_review_ends_with_its_reviewer() -> None:
    """Otherwise a reviewer that was killed, and started again, would work twice as much with every time."""
    command = (
        "import time; from shutthebox_league.confined import Confined;"
        "process = Confined(lambda text: time.sleep(600), '', 60, 10**9);"
        "print(process._process.pid, flush=True); time.sleep(600)"
    )
    with Popen([sys.executable, "-c", command], stdout=PIPE, text=True) as running:
        assert running.stdout is not None
        review_pid = int(running.stdout.readline())
        stat = Path(f"/proc/{review_pid}/stat")
        until(lambda: stat.read_text().split()[2] == "S")
        running.kill()
        until(lambda: not stat.exists() or stat.read_text().split()[2] == "Z")


def test_a_review_is_behind_everything_else() -> None:
    niceness, _ = confined("niceness")
    assert int(niceness) > os.getpriority(os.PRIO_PROCESS, 0)


def confined(what: str) -> tuple[bytes, float]:
    process = Confined(_hog, what, 1, 10**8)
    while (found := process.result()) is None:
        time.sleep(0.005)
    return found


@pytest.mark.slow
def test_a_landlords_page_passes_over_what_waits_for_nobody_or_for_another(evening: Evening) -> None:
    """Only SQLite counts its steps."""
    steps = []
    evening.protect(["PIN"])
    evening.play(played_record(1), "PIN", "BOB")
    with evening.engine.begin() as db:
        match, *_ = db.execute(select(MATCH)).mappings().all()
        seats = db.execute(select(SEAT)).mappings().all()
        for first, last in ((2, 10), (11, 1000)):
            numbers = range(first, last)
            db.execute(insert(MATCH), [{**match, "id": n, "number": n} for n in numbers])
            others = [
                {**seat, "match_id": n, "confirmed": n % 2 == 0, "pub_id": n % 2 + 1}
                for n in numbers
                for seat in seats
            ]
            db.execute(insert(SEAT), others)
            with counted_steps(db) as counted:
                assert [row.match_id for row in waiting_seats(db, 1)] == [1]
            steps.append(len(counted))
    assert steps[1] == steps[0]
