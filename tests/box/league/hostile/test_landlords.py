"""A landlord with the key of one pub, and a box that no event names, against other pubs and their events."""

import json
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import UTC
from pathlib import Path
from random import Random
from tempfile import TemporaryFile
from typing import Any

import pytest
from sqlalchemy import Connection, Select, func, insert, select
from tests.box.league.evenings import CLOSES_S, NIGHT, Cup, Town, post
from tests.support.league import FakeBox, journal_of, played_record

from shutthebox_league import ratings, voiding
from shutthebox_league.categories import usual_category
from shutthebox_league.errors import LeagueError
from shutthebox_league.events import confirm_by_code, make_event, waiting_for_landlord
from shutthebox_league.formats import Format
from shutthebox_league.players import confirm, export, forget, free, protect
from shutthebox_league.reviewer import Reviewer
from shutthebox_league.schema import CATEGORY, MATCH, PUB, SEAT, STANDING
from shutthebox_league.standings import categories_played
from shutthebox_league.voiding import undo, void_at_pub, void_key, voidings

EVIL = "The Evil Eye"


@pytest.fixture
def cup(new_database: Callable[[], str], tmp_path: Path) -> Iterator[Cup]:
    with closing(Cup(tmp_path, new_database())) as cup:
        yield cup


@pytest.fixture
def towns(new_database: Callable[[], str], tmp_path: Path) -> Iterator[tuple[Town, Town]]:
    """One with a landlord, and one in which only the others play."""
    first, second = (Town(tmp_path / name, new_database()) for name in "ab")
    with closing(first), closing(second):
        yield first, second


def pub_of(cup: Cup, name: str = EVIL) -> int:
    with cup.engine.begin() as db:
        return int(db.execute(select(PUB.c.id).where(PUB.c.name == name)).scalar_one())


def void(cup: Cup, *matches: int) -> int:
    evil = pub_of(cup)
    with cup.engine.begin() as db:
        return void_at_pub(db, evil, matches, cup.now_s, NIGHT)[0]


def put_back(cup: Cup, number: int) -> None:
    evil = pub_of(cup)
    cup.undo(number, evil)


def played_at_evil(cup: Cup) -> int:
    """The event of a match that both entrants have confirmed."""
    event = cup.make(Format.ROUND_ROBIN)
    cup.at("evil")
    cup.play(played_record(1), "ANN", "BOB")
    cup.review()
    for who in ("ANN", "BOB"):
        with cup.engine.begin() as db:
            confirm_by_code(db, event, 1, who, cup.codes[who], cup.now_s)
    return event


@pytest.mark.slow
def test_a_match_that_its_entrants_have_confirmed_is_taken_from_no_event(cup: Cup) -> None:
    event = played_at_evil(cup)
    before = cup.standing(event)
    with pytest.raises(LeagueError, match="match 1 counts for the event Cup; the league's operator can"):
        void(cup, 1)
    status, page = post(cup, b"do=forget&sure=1&initials=ANN", EVIL)
    assert (status, "match 1 counts for the event Cup" in page) == (200, True)
    assert cup.standing(event) == before
    assert cup.place.authority.forgotten() == {}


@pytest.mark.slow
def test_an_event_that_is_over_stays_as_it_is(cup: Cup) -> None:
    """A landlord voided what the pub's own box had sent for it, once everybody had seen the champion."""
    event = cup.make(Format.KNOCKOUT, boxes=("lion", "evil"))
    cup.at("evil")
    for seed in (1, 2):
        cup.play(played_record(seed), "ANN", "DAN")
    cup.review()
    number = void(cup, 1)
    cup.review()
    cup.now_s = CLOSES_S + 1
    before = cup.standing(event)
    with pytest.raises(LeagueError, match="match 2 counts"):
        void(cup, 2)
    with pytest.raises(LeagueError, match="match 1 counts"):
        put_back(cup, number)
    assert cup.standing(event) == before
    cup.undo(number)
    assert cup.standing(event) != before, "the operator can"


@pytest.mark.slow
def test_a_match_that_was_held_back_is_late_for_an_event(cup: Cup) -> None:
    """It was void from its first second, until the landlord knew what the others had played."""
    event = cup.make(Format.ROUND_ROBIN, boxes=("lion", "evil"))
    cup.at("evil")
    cup.play(played_record(1), "ANN", "BOB")
    number = void(cup, 1)
    cup.now_s = CLOSES_S + 1
    put_back(cup, number)
    assert cup.counted(event) == {"ANN": 0, "BOB": 0, "CAT": 0, "DAN": 0}


@pytest.mark.slow
def test_what_many_pubs_play_has_its_table_whatever_one_box_plays(cup: Cup) -> None:
    """Twelve lengths that nobody else plays took the place of everybody's, on every page."""
    for box in ("lion", "evil"):
        cup.at(box)
        cup.play(played_record(1), "ANN", "BOB")
    for rounds in range(2, 14):
        for seed in range(3):
            cup.play(played_record(seed, rounds=rounds), "MAL", "EVE")
    cup.review()
    with cup.engine.begin() as db:
        assert categories_played(db)[0][1].rounds == 1


@pytest.mark.slow
def test_the_log_names_no_match_of_another_pub(cup: Cup) -> None:
    cup.at("lion")
    cup.play(played_record(1), "ANN", "BOB")
    cup.at("evil")
    cup.play(played_record(2), "ANN", "BOB")
    void(cup, 1, 2, 77)
    with cup.engine.begin() as db:
        assert [row.what for row in voidings(db)] == ["match 2"]
    with pytest.raises(LeagueError, match="none of these is a match of this pub"):
        void(cup, 1)


@pytest.mark.slow
def test_a_box_that_plays_for_many_events_hides_no_game_of_another(cup: Cup) -> None:
    """The other landlord was shown 50 of hers, and could speak for no one else's."""
    for _ in range(14):
        cup.make(Format.ROUND_ROBIN)
    lion = pub_of(cup, "The Red Lion")
    cup.protect(["ANN", "BOB"], lion)
    enrolment = cup.place.enrol("bell", "The Bell")
    cup.enrolment, cup.box = enrolment, FakeBox(journal_of(enrolment.name))
    cup.play(played_record(1), "ANN", "BOB")
    cup.review()
    cup.at("evil")
    for seed in range(2, 22):
        cup.play(played_record(seed), "ANN", "BOB")
    cup.review()
    with cup.engine.begin() as db:
        assert 1 in [row.match_id for row in waiting_for_landlord(db, lion, cup.now_s)]


@pytest.mark.slow
def test_an_event_has_no_name_that_only_looks_like_another(cup: Cup) -> None:
    night = (NIGHT, NIGHT)
    cup_of = (Format.KNOCKOUT, usual_category("traditional"), ("ANN", "BOB"))
    for name in ("Autumn cuр", "Аutumn cup", "Autumn cup Осень"):
        with pytest.raises(LeagueError, match="Cyrillic and Latin letters"), cup.engine.begin() as db:
            make_event(db, name, *cup_of, *night, boxes=(), zone=UTC)
    for name in ("Осень", "秋 cup", "Autumn cup 2"):
        with cup.engine.begin() as db:
            make_event(db, name, *cup_of, *night, boxes=(), zone=UTC)


@pytest.mark.slow
def test_an_export_of_whom_a_box_has_signed_for_all_month_takes_little_memory(cup: Cup) -> None:
    """It took as much as all records together; a box may send 64 MB of them a day."""
    cup.at("evil")
    cup.play(played_record(1), "ANN", "BOB")
    cup.review()
    with cup.engine.begin() as db:
        match, seat = (db.execute(select(table)).mappings().first() for table in (MATCH, SEAT))
        assert match is not None
        assert seat is not None
        for number in range(2, 300):
            record = f"{number}" * 30_000
            db.execute(insert(MATCH), {**match, "id": number, "number": number, "record": record})
            db.execute(insert(SEAT), {**seat, "match_id": number})
    with (tmp := TemporaryFile("w+")), cup.engine.connect().execution_options(reads=True) as db:
        tracemalloc.start()
        try:
            export(db, "ANN", tmp)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert tmp.tell() > 20_000_000
        assert peak < 5_000_000
        tmp.seek(0)
        assert len(json.load(tmp)["matches"]) == 299


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_whatever_a_landlord_has_done_goes_with_the_matches_of_the_box(
    towns: tuple[Town, Town], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Standings, ratings and the event are those of the others in the end; another pub's always are."""
    monkeypatch.setattr(ratings, "_AT_A_TIME", 2)
    monkeypatch.setattr(voiding, "A_DAY", 1000)
    town, honest = towns
    dice, players, evil = Random(seed), ("ANN", "BOB", "CAT", "MAL", "DAN"), pub_of(town)
    reviewer = Reviewer(town.engine, UTC, lambda: town.now_s)

    def any_match(db: Connection) -> int:
        return dice.choice([0, *map(int, db.execute(select(MATCH.c.id)).scalars())])

    acts: tuple[Callable[[Connection], object], ...] = (
        lambda db: void_at_pub(db, evil, [any_match(db), any_match(db)], town.now_s, NIGHT),
        lambda db: undo(db, dice.randint(1, 5), evil, town.now_s),
        lambda db: protect(db, dice.sample(players, 2), evil),
        lambda db: free(db, dice.sample(players, 2), evil),
        lambda db: confirm(db, [(any_match(db), 1)], evil, town.now_s, right=dice.random() < 0.5),
        lambda db: forget(db, dice.choice(players), evil, town.now_s),
    )
    for number in range(30):
        match dice.randrange(5):
            case 0:
                pair = dice.sample(players[:3], 2)
                for each in towns:
                    each.at("lion")
                    each.play(played_record(number), *pair)
            case 1:
                town.at("evil")
                town.play(played_record(100 + number), *dice.sample(players, 2))
            case 2 | 3:
                with suppress(LeagueError), town.engine.begin() as db:
                    dice.choice(acts)(db)
            case _:
                reviewer.work()
        for each in towns:
            each.now_s += 60
    elsewhere = select(STANDING).where(STANDING.c.pub_id == pub_of(town, "The Red Lion"))
    town.review()
    honest.review()
    assert _rows(town, elsewhere) == _rows(honest, elsewhere)
    with town.engine.begin() as db:
        forget(db, dice.choice(players[:3]), evil, town.now_s)
        pubs = select(func.count(STANDING.c.pub_id.distinct())).where(
            STANDING.c.category_id == CATEGORY.c.id, STANDING.c.period == "ever", STANDING.c.pub_id != 0
        )
        counts = db.execute(select(CATEGORY.c.pubs, pubs.scalar_subquery())).all()
        assert [row[0] for row in counts] == [row[1] for row in counts]
    with suppress(LeagueError), town.engine.begin() as db:
        void_key(db, "evil.1", None, town.now_s, NIGHT)
    found, wanted = town.seen(), honest.seen()
    assert found[:2] == wanted[:2]
    assert found[2] == {who: pytest.approx(rating) for who, rating in wanted[2].items()}
    assert found[3] == wanted[3]


def _rows(town: Town, query: Select[Any]) -> list[tuple[Any, ...]]:
    with town.engine.begin() as db:
        return [tuple(row) for row in db.execute(query.order_by(*STANDING.primary_key))]
