"""An event counts what came in time from where its owner has said, and a look at it costs the same."""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, timedelta
from pathlib import Path

import pytest
from sqlalchemy import event as sqlalchemy_event
from sqlalchemy import func, insert, select, update
from tests.box.league.evenings import CLOSES_S, ENTRANTS, NIGHT, NOW_S, Cup
from tests.support.fast import fast_among
from tests.support.league import FakeBox, counted_steps, journal_of, played_record

from shutthebox_league import events
from shutthebox_league.categories import usual_category
from shutthebox_league.enrolment import revoke
from shutthebox_league.errors import LeagueError
from shutthebox_league.events import (
    MAX_AT_ONCE,
    confirm_by_code,
    confirm_by_landlord,
    events_changed,
    make_event,
    note_match,
    read_event,
    recompute_event,
    waiting_for_landlord,
    waiting_games,
)
from shutthebox_league.formats import Format
from shutthebox_league.players import confirm, protect
from shutthebox_league.schema import EVENT_GAME, MATCH, PUB

DAY_S = 24 * 3600


@pytest.fixture
def cup(new_database: Callable[[], str], tmp_path: Path) -> Iterator[Cup]:
    with closing(Cup(tmp_path, new_database())) as opened:
        yield opened


@pytest.mark.slow
def test_thousands_of_matches_at_a_box_that_is_not_named_keep_no_match_out(
    cup: Cup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "WAITING", 2)
    cups = {format_: cup.make(format_) for format_ in Format}
    cup.at("evil")
    for seed in range(4):
        cup.play(played_record(seed), "BOB", "ANN")
    cup.at("lion")
    cup.play(played_record(1), "CAT", "DAN")
    for format_, number in cups.items():
        found = cup.counted(number)
        # In the draw of a knockout they meet others.
        assert found["CAT"] == found["DAN"] == (0 if format_ is Format.KNOCKOUT else 1), format_
        assert found["ANN"] == found["BOB"] == 0
        with cup.engine.begin() as db:
            waiting = waiting_games(db, number, 1000)
            kept = db.execute(select(func.count()).where(EVENT_GAME.c.event_id == number)).scalar()
        # The box's latest, beside those that count.
        assert len(waiting) == 2
        assert kept == len(waiting) + (2 if format_ is Format.BEST_OF_NIGHT else 1)


@pytest.mark.slow
def test_what_a_named_box_has_forged_is_void_after_revoke_and_the_true_matches_count(cup: Cup) -> None:
    """A card was stolen from a pub of the event: true matches of the pairs were refused as second ones."""
    number = cup.make(Format.ROUND_ROBIN, boxes=("lion", "evil"))
    cup.at("evil")
    for pair in (("ANN", "DAN"), ("BOB", "CAT")):
        cup.play(played_record(1), *pair)
    cup.review()
    cup.at("lion")
    cup.play(played_record(2), "ANN", "DAN")
    (true,) = cup.rows("select max(id) from match")[0]
    before = cup.read(number)
    assert true in before.matches
    revoke(cup.engine, cup.place.authority, "evil.1")
    cup.void_key("evil.1")
    after = cup.read(number)
    assert list(after.matches) == [true]
    assert cup.counted(number) == {"ANN": 1, "DAN": 1, "BOB": 0, "CAT": 0}


@pytest.mark.slow
def test_no_box_hides_the_matches_of_another_that_wait_for_a_word(cup: Cup) -> None:
    """The lists have an end, and the latest were those of whoever sent most."""
    number = cup.make(Format.LADDER)
    with cup.engine.begin() as db:
        (pub,) = db.execute(select(PUB.c.id).where(PUB.c.name == "The Red Lion")).one()
        protect(db, ["ANN"], pub)
    enrolment = cup.place.enrol("bell", "The Bell")
    cup.enrolment, cup.box = enrolment, FakeBox(journal_of(enrolment.name))
    cup.play(played_record(1), "ANN", "BOB")
    cup.at("evil")
    for seed in range(3):
        cup.play(played_record(seed), "ANN", "BOB")
    cup.review()
    with cup.engine.begin() as db:
        for waiting in (waiting_games(db, number, 2), waiting_for_landlord(db, pub, cup.now_s, 2)):
            assert {row.match_id for row in waiting} == {1, 4}


@pytest.mark.slow
@pytest.mark.parametrize("by", fast_among(["code", "landlord"], ["code"]))
def test_a_match_elsewhere_counts_by_the_word_of_both_or_of_their_landlord(cup: Cup, by: str) -> None:
    number = cup.make(Format.LADDER)
    with cup.engine.begin() as db:
        pubs = {row.name: row.id for row in db.execute(select(PUB))}
        protect(db, ["ANN", "BOB"], pubs["The Red Lion"])
        protect(db, ["ANN", "BOB"], pubs["The Evil Eye"])
    cup.at("evil")
    cup.play(played_record(1), "ANN", "BOB")
    with cup.engine.begin() as db:
        # They are protected at that pub, so its landlord says that the match counts at all.
        assert confirm(db, [(1, 1), (1, 2)], pubs["The Evil Eye"], cup.now_s, right=True) == 2
    assert cup.counted(number)["ANN"] == 0
    with cup.engine.begin() as db:
        assert waiting_for_landlord(db, pubs["The Evil Eye"], cup.now_s) == [], "no box of it is named"
        evil = [(number, 1, "ANN"), (number, 1, "BOB")]
        assert confirm_by_landlord(db, pubs["The Evil Eye"], evil, cup.now_s) == 0
    for initials, code in (("ANN", "guess"), ("BOB", cup.codes["ANN"]), ("EVE", "")):
        with pytest.raises(LeagueError), cup.engine.begin() as db:
            confirm_by_code(db, number, 1, initials, code, cup.now_s)
    for initials in ("ANN", "BOB"):
        assert cup.counted(number)["ANN"] == 0
        with cup.engine.begin() as db:
            if by == "code":
                confirm_by_code(db, number, 1, initials, cup.codes[initials], cup.now_s)
            else:
                game = (number, 1, initials)
                assert confirm_by_landlord(db, pubs["The Red Lion"], [game], cup.now_s) == 1
    assert cup.counted(number)["ANN"] == 1


@pytest.mark.slow
def test_nothing_that_comes_after_an_event_has_closed_changes_it(cup: Cup) -> None:
    """Played in its nights, says the clock of the box: a match, a signature, a word."""
    numbers = [cup.make(format_) for format_ in Format]
    cup.play(played_record(1), "ANN", "BOB")
    cup.play(played_record(2), "CAT")
    cup.at("evil")
    cup.play(played_record(3), "ANN", "CAT")
    before = [cup.read(number) for number in numbers]
    codes = dict(cup.codes)
    cup.now_s = CLOSES_S + 1
    with pytest.raises(LeagueError), cup.engine.begin() as db:
        confirm_by_code(db, numbers[-1], 3, "ANN", codes["ANN"], cup.now_s)
    cup.at("lion")
    cup.send(cup.box.sign(2, "DAN"))
    cup.play(played_record(4), "BOB", "CAT")
    for number, was in zip(numbers, before, strict=True):
        found = cup.read(number)
        assert (found.matches, found.standing and found.standing.lines) == (
            was.matches, was.standing and was.standing.lines
        )  # fmt: skip


@pytest.mark.slow
def test_no_match_has_thousands_of_events_to_go_through(cup: Cup) -> None:
    """With 2,000 of them one match held the lock of all matches for 28 s."""
    for _ in range(MAX_AT_ONCE):
        cup.make(Format.LADDER)
    with pytest.raises(LeagueError, match=f"is in {MAX_AT_ONCE} events of this game then"):
        cup.make(Format.LADDER, NIGHT - timedelta(days=3))
    with cup.engine.begin() as db:
        others = ("Cup", Format.LADDER, usual_category("traditional"), ("EVE", "FAY"), NIGHT, NIGHT)
        later = (*others[:3], ENTRANTS, NIGHT + timedelta(days=1), NIGHT + timedelta(days=1))
        for event in (others, later):
            make_event(db, *event, boxes=[], zone=UTC)


@pytest.mark.slow
def test_a_match_that_comes_late_but_in_time_counts_after_the_earlier_ones(cup: Cup) -> None:
    number = cup.make(Format.ROUND_ROBIN)
    cup.play(played_record(1), "ANN", "BOB")
    first = cup.read(number)
    cup.now_s = CLOSES_S
    cup.play(played_record(2), "BOB", "ANN", ended_s=NOW_S - 3600)
    second = cup.read(number)
    assert second.standing == first.standing, "the first that came is the pair's"
    cup.play(played_record(3), "CAT", "DAN", ended_s=NOW_S - 3600)
    assert cup.counted(number)["CAT"] == 1


@pytest.mark.slow
def test_an_event_may_have_begun_before_it_was_made(cup: Cup) -> None:
    cup.play(played_record(1), "ANN", "BOB", ended_s=NOW_S - 5 * DAY_S)
    cup.play(played_record(2), "ANN", "BOB")
    assert cup.counted(cup.make(Format.LADDER))["ANN"] == 1
    late = cup.make(Format.LADDER)
    cup.play(played_record(3), "ANN", "BOB")
    assert cup.counted(late)["ANN"] == 2


@pytest.mark.slow
def test_a_ladder_goes_on_step_by_step_and_begins_again_without_what_is_void(
    cup: Cup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "_AT_A_TIME", 2)
    number = cup.make(Format.LADDER, boxes=("lion", "evil"))
    for seed in range(5):
        cup.play(played_record(seed), "ANN", "BOB")
    honest = cup.read(number)
    cup.at("evil")
    for seed in range(5, 12):
        cup.play(played_record(seed), "ANN", "BOB")
        cup.review()
    assert cup.counted(number)["ANN"] == 12
    cup.void_key("evil.1")
    assert cup.read(number).standing == honest.standing


@pytest.mark.slow
def test_a_ladder_made_again_shows_the_table_of_before_until_it_ends(
    cup: Cup, monkeypatch: pytest.MonkeyPatch
) -> None:
    """100,000 games in one transaction kept every match waiting for half a second."""
    monkeypatch.setattr(events, "_AT_A_TIME", 2)
    number = cup.make(Format.LADDER)
    for seed in range(5):
        cup.play(played_record(seed), "ANN", "BOB")
    before = cup.standing(number)
    cup.void(1)
    for _ in range(2):
        with cup.engine.begin() as db:
            recompute_event(db, number)
            found = read_event(db, number, cup.now_s)
        assert found is not None
        assert found.standing == before
    assert cup.counted(number)["ANN"] == 4


@pytest.mark.slow
def test_a_look_at_an_event_reads_no_matches_but_those_it_shows(cup: Cup) -> None:
    number = cup.make(Format.LADDER)
    for seed in range(3):
        cup.play(played_record(seed), "ANN", "BOB")
    cup.review()
    asked = list[str]()
    sqlalchemy_event.listen(cup.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
    cup.read(number)
    with cup.engine.begin() as db:
        asked.clear()
        read_event(db, number, cup.now_s)
    assert len(asked) <= 3
    assert not any(table in statement for statement in asked for table in ("event_game", "seat", "match."))


@pytest.mark.slow
@pytest.mark.parametrize("new_database", ["sqlite"], indirect=True)
def test_a_look_at_what_waits_passes_over_no_game_that_counts(cup: Cup) -> None:
    """A ladder of 100,000 games took 30 ms longer for every visitor. Only SQLite counts its steps."""
    number = cup.make(Format.LADDER)
    cup.play(played_record(1), "ANN", "BOB")
    cup.review()
    steps = []
    with cup.engine.connect() as db:
        (match_id,) = db.execute(select(EVENT_GAME.c.match_id)).scalars()
        game = {"event_id": number, "match_id": match_id, "box_id": 1, "used": False}
        game |= {"player_waits": False, "opponent_waits": False}
        for first, last in ((1, 10), (11, 1000)):
            games = [{**game, "player": f"{n:03}", "position": n} for n in range(first, last)]
            db.execute(insert(EVENT_GAME), games)
            with counted_steps(db) as counted:
                assert waiting_games(db, number) == []
            steps.append(len(counted))
    assert steps[1] <= 2 * steps[0]


@pytest.mark.slow
@pytest.mark.parametrize("new_database", ["sqlite"], indirect=True)
@pytest.mark.parametrize("format_", list(Format))
def test_a_match_that_counts_passes_over_no_earlier_ones(cup: Cup, format_: Format) -> None:
    """Of 100,000 that were void, each later match read them all. Only SQLite counts its steps."""
    number = cup.make(format_)
    cup.play(played_record(1), "ANN", "BOB")
    cup.review()
    steps = []
    for first, last in ((2, 10), (11, 1000)):
        with cup.engine.begin() as db:
            match, game = (db.execute(select(each)).mappings().first() for each in (MATCH, EVENT_GAME))
            assert match is not None
            assert game is not None
            numbers = range(100 * first, 100 * last, 100)
            db.execute(insert(MATCH), [{**match, "id": n, "number": n} for n in numbers])
            games = [{**game, "match_id": n, "position": n, "used": False} for n in numbers]
            db.execute(insert(EVENT_GAME), games)
            half = (MATCH.c.id >= 50 * (first + last)) | (MATCH.c.id == 1)
            db.execute(update(MATCH).where(half, MATCH.c.voided == 0).values(voided=1))
            events_changed(db, half)
        while cup.rows("select 1 from event where stale"):
            cup.review()
        cup.play(played_record(first), "ANN", "BOB")
        with cup.engine.begin() as db:
            new = db.execute(select(MATCH).order_by(MATCH.c.id.desc())).first()
            assert new is not None
            with counted_steps(db) as counted:
                note_match(db, new)
                recompute_event(db, number)
            steps.append(len(counted))
    assert steps[1] <= 2 * steps[0]
