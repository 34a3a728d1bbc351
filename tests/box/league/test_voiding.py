"""What was forged is taken back, reversibly: tables, events and ratings are those of what is left."""

import json
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest
from sqlalchemy import event, func, insert, select
from tests.box.league.evenings import DAY_S, NIGHT, NOW_S, Town
from tests.support.league import FakeBox, played_record

from shutthebox.outbox_entry import MatchPlayed, PlayerSigned, entry_from_bytes
from shutthebox.rules.record import write
from shutthebox_league import ratings, reviewer, voiding
from shutthebox_league.enrolment import revoke
from shutthebox_league.errors import LeagueError
from shutthebox_league.events import waiting_games
from shutthebox_league.formats import Format
from shutthebox_league.main import main
from shutthebox_league.players import confirm, forget, protect
from shutthebox_league.reviewer import Reviewer
from shutthebox_league.schema import CATEGORY, MATCH, PUB, RERATING, SEAT, STANDING
from shutthebox_league.voiding import (
    LANDLORD_S,
    of_match,
    undo,
    undo_all,
    void_at_pub,
    void_entrant,
    void_key,
    void_match,
    voidings,
    voidings_of,
)


@pytest.fixture
def towns(new_database: Callable[[], str], tmp_path: Path) -> Iterator[tuple[Town, Town]]:
    """One that is attacked, and one in which that never happened."""
    first, second = (Town(tmp_path / name, new_database()) for name in "ab")
    with closing(first), closing(second):
        yield first, second


@pytest.fixture
def town(new_database: Callable[[], str], tmp_path: Path) -> Iterator[Town]:
    with closing(Town(tmp_path, new_database())) as opened:
        yield opened


def _attack(towns: tuple[Town, Town]) -> tuple[Town, Town]:
    """Honest matches in both; between them, forged ones in the first."""
    attacked, untouched = towns
    for town in towns:
        town.honest(1)
    attacked.forged()
    untouched.now_s = attacked.now_s
    for town in towns:
        town.honest(10)
    return towns


@pytest.mark.parametrize("first_key", [True, False])
def test_a_name_that_a_stolen_key_put_under_an_earlier_match_is_taken_back(
    town: Town, first_key: bool
) -> None:
    """The match came before the theft, or under another key. A repeated signature harms nobody's."""
    town.play(played_record(1), "ANN", "", ended_s=town.now_s)
    town.play(played_record(2), "BOB", "CAT", ended_s=town.now_s)
    town.review()
    before, chain = town.table(), replace(town.box)
    town.now_s += DAY_S
    if not first_key:
        town.enrolment = town.place.enrol("lion")
        chain = FakeBox(chain.journal)
    from_s = town.now_s if first_key else None
    for match, seat, initials in ((1, 2, "MAL"), (2, 1, "BOB")):
        town.send(chain.add(PlayerSigned(match, NOW_S - 600, 1, seat, initials)))
    town.review()
    assert "MAL" in {row.initials for row in town.table()}
    number, count = town.void_key(town.enrolment.name, from_s)
    assert count == 1
    town.review()
    assert {row.initials for row in town.table()} == {"BOB", "CAT"}
    assert town.undo(number) == 1
    town.review()
    assert {row.initials for row in town.table()} == {"ANN", "BOB", "CAT", "MAL"}
    assert {row.initials for row in before} == {"ANN", "BOB", "CAT"}


def _copied_card(town: Town) -> list[bytes]:
    """The entries of a match that still waits in a box whose card was copied."""
    town.at("lion")
    town.play(played_record(1), "ANN", "BOB", ended_s=town.now_s)
    town.now_s += DAY_S
    return [
        town.box.play(played_record(2)),
        *(town.box.sign(seat, who) for seat, who in ((1, "ANN"), (2, "BOB"))),
    ]


def _enrol_again(town: Town, waiting: list[bytes]) -> None:
    """The stolen key is revoked from the day of the theft, and the box has a new one."""
    revoke(town.engine, town.place.authority, "lion.1")
    town.void_key("lion.1", town.now_s)
    town.enrolment = town.place.enrol("lion")
    for entry in waiting:
        assert town.take(entry, 4).kind == "committed"
    town.review()


@pytest.mark.parametrize("signed", [("ANN", "BOB"), ("MAL", "ANN")])
def test_a_waiting_match_that_a_thief_sent_first_counts_once_under_the_new_key(
    town: Town, signed: tuple[str, str]
) -> None:
    waiting = _copied_card(town)
    thief = FakeBox(town.box.journal, 3, entry_from_bytes(waiting[0]).previous, 1)
    town.send(thief.play(played_record(2)))
    for seat, initials in enumerate(signed, 1):
        town.send(thief.sign(seat, initials))
    town.review()
    _enrol_again(town, waiting)
    found = town.table(), town.ratings()
    assert {row.initials: row.matches for row in found[0]} == {"ANN": 2, "BOB": 2}
    # Neither sending it once more nor trusting the old key again makes it count twice.
    town.enrolment = town.place.enrol("lion")
    for entry in waiting:
        town.take(entry, 4)
    with town.engine.begin() as db:
        undo_all(db, "key lion.1", town.now_s)
    town.review()
    assert (town.table(), town.ratings()) == found


def test_nobody_who_has_copied_a_card_crowds_out_the_match_that_waits_on_it(town: Town) -> None:
    waiting = _copied_card(town)
    began_s = entry_from_bytes(waiting[0]).content.began_s
    thief = FakeBox(town.box.journal, 3, entry_from_bytes(waiting[0]).previous)
    for seed in range(20):
        town.send(thief.add(MatchPlayed(2, began_s, began_s + 600, write(played_record(100 + seed)))))
    for entry in waiting:
        assert town.take(entry, 4).kind == "committed"
    with town.engine.begin() as db:
        query = select(SEAT.c.initials).join(MATCH, MATCH.c.id == SEAT.c.match_id).order_by(SEAT.c.seat)
        seats = db.execute(query.where(MATCH.c.record == write(played_record(2)))).scalars().all()
    assert seats == ["ANN", "BOB"]


@pytest.mark.slow
def test_forged_matches_of_a_key_leave_no_trace_and_come_back_if_it_was_wrong(
    towns: tuple[Town, Town],
) -> None:
    attacked, untouched = _attack(towns)
    before = attacked.seen()
    number, count = attacked.void_key("evil.1")
    assert count == 4
    found, wanted = attacked.seen(), untouched.seen()
    assert found[:4] == wanted[:4]
    assert "MAL" not in found[2]
    assert attacked.undo(number) == 4
    assert attacked.seen() == before
    with pytest.raises(LeagueError):
        attacked.undo(number)


@pytest.mark.slow
def test_a_match_counts_while_no_voiding_covers_it(town: Town) -> None:
    town.honest(1)
    town.forged()
    before = town.seen()
    with town.engine.begin() as db:
        first, _ = void_match(db, 4, town.now_s, NIGHT)
        second, _ = void_key(db, "evil.1", None, town.now_s, NIGHT)
        assert len(voidings_of(db, 4)) == 2
        undo(db, first, None, town.now_s)
        assert db.execute(select(MATCH.c.voided).where(MATCH.c.id == 4)).scalar() == 1
    assert "MAL" not in town.seen()[2]
    town.undo(second)
    assert town.seen() == before


@pytest.mark.slow
def test_an_entrants_matches_that_an_event_has_taken_can_be_void(town: Town) -> None:
    town.honest(1)
    with town.engine.begin() as db:
        _, count = void_entrant(db, town.event, "ANN", town.now_s, NIGHT)
    assert count == 2
    assert town.counted(town.event) == {"ANN": 0, "BOB": 1, "CAT": 1, "DAN": 0}


@pytest.mark.slow
def test_an_entrants_matches_elsewhere_stay_when_those_of_an_event_are_void(town: Town) -> None:
    """They wait for the entrant's word, and may have been played by a namesake."""
    cup = town.make(Format.LADDER)
    town.honest(1)
    town.at("evil")
    town.play(played_record(4), "ANN", "BOB")
    town.review()
    with town.engine.begin() as db:
        assert {row.match_id for row in waiting_games(db, cup)} == {4}
        first, _ = void_match(db, 1, town.now_s, NIGHT)
        _, count = void_entrant(db, cup, "ANN", town.now_s, NIGHT)
        undo(db, first, None, town.now_s)
        void = db.execute(select(MATCH.c.id).where(MATCH.c.voided > 0)).scalars().all()
    assert (count, sorted(void)) == (2, [1, 3]), "one of them by both"


@pytest.mark.slow
def test_from_a_date_means_when_a_match_came_and_not_what_it_says(town: Town) -> None:
    town.at("evil")
    town.play(played_record(1), "ANN", "BOB")
    stolen_s = town.now_s = NOW_S + 3600
    town.play(played_record(2), "MAL", "BOB", ended_s=NOW_S - 10 * 24 * 3600)
    with town.engine.begin() as db:
        _, count = void_key(db, "evil.1", stolen_s, town.now_s, NIGHT)
        assert db.execute(select(MATCH.c.id).where(MATCH.c.voided > 0)).scalars().all() == [2]
    assert count == 1


@pytest.mark.slow
def test_a_match_that_is_void_before_it_was_signed_counted_or_rated_stays_out(town: Town) -> None:
    town.at("evil")
    town.send(town.box.play(played_record(1), NOW_S))
    with town.engine.begin() as db:
        protect(db, ["BOB"], None)
        number, _ = void_match(db, 1, town.now_s, NIGHT)
    town.send(town.box.sign(1, "ANN", NOW_S))
    town.send(town.box.sign(2, "BOB", NOW_S))
    town.now_s += 24 * 3600
    assert town.seen()[:3] == ([], [], {})
    assert town.undo(number) == 1
    assert {row[4] for row in town.seen()[0]} == {"ANN"}, "BOB still waits for the landlord"


@pytest.mark.slow
def test_a_player_who_was_forgotten_keeps_the_ratings_of_others_where_they_are(town: Town) -> None:
    town.honest(1)
    town.at("lion")
    town.play(played_record(30), "DAN", "ANN")
    town.review()
    town.forget("DAN")
    before = town.ratings()
    number = town.void(1)
    town.review()
    assert town.ratings() != before
    town.undo(number)
    town.review()
    assert town.ratings() == before


@pytest.mark.slow
@pytest.mark.parametrize("pub", [None, 1])
def test_a_void_match_is_put_back_for_the_others_of_a_player_who_was_forgotten_meanwhile(
    town: Town, pub: int | None
) -> None:
    """A seat with neither a name nor a rating isn't rated, so the others would lose the match."""
    town.honest(1)
    town.play(played_record(30), "DAN", "EVE")
    town.play(played_record(31), "EVE", "BOB")
    before = town.seen()[2]
    number = town.void(4)
    town.review()
    town.forget("DAN", pub)
    town.review()
    town.undo(number)
    del before["DAN"]
    assert town.seen()[2] == before


@pytest.mark.slow
def test_what_a_landlord_forged_and_then_deleted_costs_nobody_the_own_rating(
    towns: tuple[Town, Town],
) -> None:
    """Nothing tells whose the forged seats were, once the operator has heard of it."""
    attacked, untouched = _attack(towns)
    attacked.delete_forged()
    attacked.void_key("evil.1")
    assert attacked.seen()[:3] == untouched.seen()[:3]


@pytest.mark.slow
def test_a_seat_whose_name_was_deleted_is_signed_no_more(town: Town) -> None:
    """Its landlord could take a rival's wins with it, or give a friend the strength of who sat there."""
    town.honest(1)
    town.forged()
    evil = town.delete_forged()
    before = town.seen()
    town.at("evil")
    town.send(town.box.sign(1, "BOB", NOW_S))
    town.send(town.box.sign(2, "FRD", NOW_S))
    assert town.seen() == before
    with town.engine.begin() as db:
        number, _ = void_at_pub(db, evil, [7], town.now_s, NIGHT)
    assert town.seen()[0] == before[0]
    town.undo(number, evil)
    town.send(town.box.sign(2, "FRD", NOW_S))
    assert town.seen() == before


@pytest.mark.slow
def test_void_and_undo_leave_the_count_of_a_table_where_it_was(town: Town) -> None:
    """Anybody could lead the front page by it: a match counts that somebody was counted in, named or not."""
    town.protect(["BOB"])
    town.at("lion")
    town.play(played_record(1), "BOB")
    town.play(played_record(2), "CAT", "DAN")
    town.play(played_record(3), "CAT", "BOB")
    with town.engine.begin() as db:
        assert confirm(db, [(1, 1), (3, 2)], 1, town.now_s, right=False) == 2
    town.review()
    with town.engine.begin() as db:
        forget(db, "DAN", None, town.now_s)
        forget(db, "CAT", 1, town.now_s)
    before = town.seen()[1]
    for match_id in (1, 2, 3, 1):
        number = town.void(match_id)
        town.review()
        town.undo(number)
        assert town.seen()[1] == before, match_id
    town.protect(["BOB", "EVE"])
    for seed, initials in ((4, "BOB"), (5, "EVE")):
        town.play(played_record(seed), initials)
    with town.engine.begin() as db:
        made = [void_match(db, match_id, town.now_s, NIGHT)[0] for match_id in (4, 5)]
        confirm(db, [(4, 1)], 1, town.now_s, right=False)
        forget(db, "EVE", None, town.now_s)
        for number in made:
            undo(db, number, None, town.now_s)
    assert town.seen()[1] == before, "what nobody had confirmed counted for nothing before"


@pytest.mark.slow
def test_a_landlord_reaches_the_own_pubs_latest_matches_some_times_a_day(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(voiding, "A_DAY", 3)
    monkeypatch.setattr(voiding, "AT_ONCE", 2)
    town.honest(1)
    town.forged()
    with town.engine.begin() as db:
        pubs = {row.name: row.id for row in db.execute(select(PUB))}
    evil, red = pubs["The Evil Eye"], pubs["The Red Lion"]
    with pytest.raises(LeagueError), town.engine.begin() as db:
        void_at_pub(db, evil, [1, 2, 3], town.now_s, NIGHT)
    with pytest.raises(LeagueError, match="2 matches are allowed at a time"), town.engine.begin() as db:
        void_at_pub(db, evil, [4, 5, 6], town.now_s, NIGHT)
    with town.engine.begin() as db:
        number, count = void_at_pub(db, evil, [1, 4], town.now_s, NIGHT)
    assert count == 1
    with pytest.raises(LeagueError, match="void already"), town.engine.begin() as db:
        void_at_pub(db, evil, [4], town.now_s, NIGHT)
    with pytest.raises(LeagueError), town.engine.begin() as db:
        undo(db, number, red, town.now_s)
    with pytest.raises(LeagueError), town.engine.begin() as db:
        void_at_pub(db, red, [1], town.now_s + LANDLORD_S + 3600, NIGHT)
    with pytest.raises(LeagueError, match="two weeks"), town.engine.begin() as db:
        undo(db, number, evil, town.now_s + LANDLORD_S + 3600)
    with town.engine.begin() as db:
        undo(db, number, evil, town.now_s)
        void_at_pub(db, evil, [4], town.now_s, NIGHT)
        with pytest.raises(LeagueError, match="changes of this kind a day"):
            void_at_pub(db, evil, [5], town.now_s, NIGHT)
        assert [row.pub for row in voidings(db)] == ["The Evil Eye"] * 2


@pytest.mark.slow
def test_the_operators_commands_void_list_and_undo(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(Town(tmp_path)) as town:
        town.honest(1)
        town.forged()

    def run(words: str, status: int = 0) -> str:
        assert main(["--folder", str(tmp_path), *words.split()]) == status
        return "".join(capsys.readouterr())

    event = town.event
    for words, said in (
        ("void 4", "Voiding 1: 1 matches no longer count. `void --undo 1` puts them back."),
        ("revoke evil.1 --from 2026-01-01", "Voiding 2: 4 matches"),
        (f"void {event} ann", "Voiding 3: 2 matches"),
        ("void --undo 3", "2 matches count again, unless something else voids them."),
        ("void 4", "Voiding 4: 1 matches"),
        ("void 4 --undo", "2 matches count again"),
        (f"void {event} ann", "Voiding 5: "),
        (f"void {event} ann --undo", "2 matches count again"),
        ("void evil.1 --undo", "4 matches count again"),
        ("list", "pubs:\nThe Evil Eye  /pub/the-evil-eye\n"),
        ("list keys", "evil.1  The Evil Eye  enrolled "),
        ("list boxes", "lion  The Red Lion"),
        ("list events", "1  Cup  ladder"),
        ("list voidings", "key evil.1 from 2026-01-01: 4 matches, by the operator"),
    ):
        assert said in run(words), words
    listed = json.loads(run("list --json"))
    assert all(voiding["undone_s"] for voiding in listed["voidings"])
    assert json.loads(run("list pubs --json")) == listed["pubs"]
    for wrong in (
        "99",
        "no.1",
        "9 ANN",
        "",
        "4 --from 2026-01-01",
        "--undo 3",
        "1 ?",
        "4 --undo",
        "no.1 --undo",
    ):
        assert run(f"void {wrong}", status=2).count("\n") == 1, wrong


def test_the_operators_undo_leaves_what_a_landlord_has_voided(town: Town) -> None:
    town.forged()
    with town.engine.begin() as db:
        evil = int(db.execute(select(PUB.c.id).where(PUB.c.name == "The Evil Eye")).scalar_one())
        void_at_pub(db, evil, [1], town.now_s, NIGHT)
        void_match(db, 1, town.now_s, NIGHT)
        assert undo_all(db, of_match(1), town.now_s) == 1
        assert [row.pub for row in voidings_of(db, 1)] == ["The Evil Eye"]


def test_what_is_made_void_while_ratings_are_made_again_costs_nobody_the_own_rating(
    towns: tuple[Town, Town],
) -> None:
    """A landlord makes some void every day. Meanwhile others play, and look at the ratings."""
    attacked, untouched = towns
    for town in towns:
        town.honest(1)
    attacked.forged()
    before = attacked.ratings()
    working = Reviewer(attacked.engine, UTC, lambda: attacked.now_s)
    attacked.void_key("evil.1")
    working.work()
    assert attacked.ratings() == before, "nobody sees the ratings of weeks ago"
    for town in towns:
        town.at("lion")
        town.play(played_record(20), "NEW", "ANN")
    attacked.void(1)
    attacked.send(attacked.box.play(played_record(21), NOW_S))
    working.work()
    assert "NEW" in attacked.ratings()
    untouched.void(1)
    assert attacked.seen()[2] == untouched.seen()[2]


@pytest.mark.slow
def test_two_reviewers_that_rate_again_leave_the_ratings_of_one(
    towns: tuple[Town, Town], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One stops in the middle, as on a busy machine. The other knew of a voiding that the first did not."""
    monkeypatch.setattr(ratings, "_AT_A_TIME", 2)
    for town in towns:
        town.honest(1)
        town.honest(10)
    both, one = towns
    first, second = (Reviewer(both.engine, UTC, lambda: both.now_s) for _ in range(2))

    both.void(2)
    first.work()
    both.void(1)
    while second.work():
        pass
    both.void(6)
    while first.work():
        pass
    for match_id in (2, 1, 6):
        one.void(match_id)
    assert both.seen()[2] == one.seen()[2]


@pytest.mark.slow
def test_what_could_not_be_counted_is_rated_and_counts_once_it_was_void_and_put_back(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it is in the standings before, and nothing stays in them if it's void again."""

    def fail(*given: object) -> None:
        raise ArithmeticError

    town.honest(1)
    before = town.seen()
    town.at("evil")
    with monkeypatch.context() as broken:
        broken.setattr(reviewer, "count_seat", fail)
        town.play(played_record(100, careless=True), "MAL", "ANN")
        town.review()
    uncounted = town.seen()
    assert uncounted[:2] == before[:2], "nor has its review been added"
    assert "MAL" in uncounted[2]
    for match_id, after in ((1, uncounted), (4, None), (4, None)):
        number = town.void(match_id)
        void = town.seen()
        town.undo(number)
        if after:
            assert town.seen()[:3] == after[:3], "it's rated again, too"
        else:
            assert void[:2] == before[:2]
            assert {row[4] for row in town.seen()[0]} == {"ANN", "BOB", "CAT", "MAL"}


def test_a_match_put_back_behind_a_run_is_rated_without_what_stays_void(
    towns: tuple[Town, Town], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had been rated after a match that is void now: nobody's rating keeps anything of that."""
    monkeypatch.setattr(ratings, "_AT_A_TIME", 1)
    for town in towns:
        town.honest(1)
        town.void(1)
    undone, never_void = towns
    second = undone.void(2)
    working = Reviewer(undone.engine, UTC, lambda: undone.now_s)
    for _ in range(2):
        working.work()
    with undone.engine.begin() as db:
        assert db.execute(select(RERATING.c.at)).scalar() == 2, "the run is past both"
        undo(db, second, None, undone.now_s)
    assert undone.seen()[2] == never_void.seen()[2]


def test_voidings_that_come_together_cost_one_rating_of_what_came_since(town: Town) -> None:
    town.honest(1)
    town.forged()
    asked = list[str]()
    event.listen(town.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
    for match_id in (7, 4, 5, 6):
        town.void(match_id)
    asked.clear()
    town.review()
    slices = [
        statement for statement in asked if "order by match.rated" in statement.lower().replace('"', "")
    ]
    assert len(slices) == 2, "all of them, and the end"
    assert sorted(town.ratings()) == ["ANN", "BOB", "CAT"]


def test_a_player_who_is_forgotten_while_ratings_are_made_again_stays_so(town: Town) -> None:
    town.honest(1)
    town.forged()
    working = Reviewer(town.engine, UTC, lambda: town.now_s)
    town.void(4)
    working.work()
    town.forget("MAL")
    while working.work():
        pass
    assert sorted(town.ratings()) == ["ANN", "BOB", "CAT"]


@pytest.mark.slow
def test_a_player_forgotten_at_a_pub_while_ratings_are_made_again_keeps_nothing_of_its_matches(
    towns: tuple[Town, Town], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The register does so after a restore: the rating was what it had been with them."""
    monkeypatch.setattr(ratings, "_AT_A_TIME", 2)
    during, before = towns
    for town in towns:
        town.honest(1)
        town.forged()
        town.honest(10)
    before.delete_forged()
    for town in towns:
        town.void(2)
    reviewer = Reviewer(during.engine, UTC, lambda: during.now_s)
    for _ in range(2):
        reviewer.work()
    with during.engine.begin() as db:
        assert ratings.has_changed(db)
    during.delete_forged()
    found, expected = (sorted(town.seen()[2].items()) for town in (during, before))
    assert [initials for initials, _ in found] == [initials for initials, _ in expected]
    for (_, rating), (_, right) in zip(found, expected, strict=True):
        assert rating == pytest.approx(right)


@pytest.mark.slow
def test_a_void_of_many_matches_asks_the_database_as_often_as_one_of_few(town: Town) -> None:
    """SQLite takes no match from a box meanwhile."""
    asked = list[str]()
    town.honest(1)
    town.forged()
    for seed, other in enumerate(("DAN", "EVE", "FAY", "GUS")):
        town.play(played_record(200 + seed), "MAL", other)
    town.review()
    event.listen(town.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
    counts = []
    for match in (MATCH.c.id == 4, MATCH.c.id >= 4):
        with town.engine.begin() as db:
            matches = db.execute(select(func.count()).where(match)).scalar_one()
            asked.clear()
            voiding._void(db, match, "test", None, town.now_s, NIGHT)
            counts.append((matches, len(asked)))
    assert counts[1][0] > 4 * counts[0][0]
    assert counts[1][1] <= counts[0][1] + 2


@pytest.mark.slow
def test_an_undo_of_many_matches_asks_the_database_as_often_as_one_of_few(town: Town) -> None:
    """They haven't been rated yet: half have been signed, half wait for that."""
    asked = list[str]()
    for seed in range(1, 13):
        town.play(played_record(seed), *(("ANN", "BOB") if seed % 2 else ()))
    counts = []
    event.listen(town.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
    for match in (MATCH.c.id <= 2, MATCH.c.id > 2):
        with town.engine.begin() as db:
            number, _ = voiding._void(db, match, "test", None, town.now_s, NIGHT)
            asked.clear()
            undo(db, number, None, town.now_s + 60)
            counts.append(len(asked))
    assert counts[0] == counts[1]
    with town.engine.begin() as db:
        due = db.execute(select(MATCH.c.due_s - town.now_s).order_by(MATCH.c.id)).scalars().all()
    assert due == [60, 60 + ratings.SIGNING_S] * 6


@pytest.mark.slow
def test_a_void_of_many_matches_takes_as_much_memory_as_one_of_some(town: Town) -> None:
    """A hostile key sent tables of nine, each with a limit that nobody else plays to: 745 MB for 6,000."""
    town.play(played_record(1, players=9), *(f"A{letter}Z" for letter in "ABCDEFGHI"))
    town.review()
    with town.engine.begin() as db:
        (category,) = db.execute(select(CATEGORY).where(CATEGORY.c.matches > 0)).mappings()
        own = STANDING.c.category_id == category["id"]
        match, seats, sums = (
            db.execute(query).mappings().all() for query in (select(MATCH), select(SEAT), select(STANDING))
        )
        numbers = range(1000, 1300)
        db.execute(insert(CATEGORY), [{**category, "id": n, "points": n} for n in numbers])
        db.execute(insert(MATCH), [{**match[0], "id": n, "number": n, "category_id": n} for n in numbers])
        db.execute(insert(SEAT), [{**seat, "match_id": n} for n in numbers for seat in seats])
        db.execute(insert(STANDING), [{**row, "category_id": n} for n in numbers for row in sums])
    peaks = list[int]()
    tracemalloc.start()
    for last in (1050, 1050, 1300):  # The first one makes the statements.
        with town.engine.connect() as db:
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            voiding._void(db, MATCH.c.id.between(1000, last), "test", None, town.now_s, NIGHT)
            peaks.append(tracemalloc.get_traced_memory()[1] - before)
    tracemalloc.stop()
    assert peaks[2] < 1.5 * peaks[1]
    with town.engine.begin() as db:
        voiding._void(db, MATCH.c.id >= 1000, "test", None, town.now_s, NIGHT)
        assert not db.execute(select(STANDING).where(~own)).all()
        assert db.execute(select(func.sum(CATEGORY.c.matches), func.sum(CATEGORY.c.pubs))).one() == (1, 1)
