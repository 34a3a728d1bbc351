"""The tables of tournaments of equal dice."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import insert, select, update
from tests.box.league.evenings import NIGHT, NOW_S, Evening
from tests.support.league import counted_steps, played_record

from shutthebox.rules.equal_dice import Tournament
from shutthebox_league import tournaments
from shutthebox_league.errors import LeagueError
from shutthebox_league.players import confirm, protect
from shutthebox_league.schema import MATCH, SEAT
from shutthebox_league.tournaments import SHOWN, add_tournament, read_tables
from shutthebox_league.voiding import undo, void_at_pub

CUP = Tournament("Cup", "a" * 64)
CLOSES_S = NOW_S + 86400


class Hall(Evening):
    """A league with a tournament."""

    def __init__(self, folder: Path, url: str = "") -> None:
        super().__init__(folder, url)
        with self.engine.begin() as db:
            add_tournament(db, CUP, CLOSES_S, NOW_S)

    def take_part(self, seed: int, *signed: str, game: str = "traditional") -> None:
        self.play(played_record(seed, game=game, careless=True, equal_dice=CUP), *signed)

    def tables(self) -> dict[tuple[int, bool], list[str | None]]:
        with self.engine.begin() as db:
            found = read_tables(db, CUP.commitment)
        return {(each.seat, each.highest_wins): [row.initials for row in each.rows] for each in found}


@pytest.fixture
def hall(new_database: Callable[[], str], tmp_path: Path) -> Iterator[Hall]:
    with closing(Hall(tmp_path, new_database())) as opened:
        yield opened


@pytest.mark.slow
def test_what_is_void_or_waits_for_a_landlord_is_in_no_table(hall: Hall) -> None:
    hall.take_part(1, "ANN", "BOB")
    assert hall.tables() == {(1, False): ["ANN"], (2, False): ["BOB"]}
    voiding = hall.void(1)
    assert hall.tables() == {}
    with hall.engine.begin() as db:
        undo(db, voiding, None, hall.now_s)
        protect(db, ["PIN"], None)
    assert hall.tables() == {(1, False): ["ANN"], (2, False): ["BOB"]}
    hall.take_part(2, "PIN", "CAT")
    assert hall.tables()[1, False] == ["ANN"]
    with hall.engine.begin() as db:
        assert confirm(db, [(2, 1)], 1, hall.now_s, right=True)
    assert sorted(map(str, hall.tables()[1, False])) == ["ANN", "PIN"]


def test_a_landlord_takes_nobody_out_of_a_closed_tournament_or_back_in(hall: Hall) -> None:
    """A bad loser could void a guest's win, or a cheat hide a match until the throws are known."""
    for seed in range(2):
        hall.take_part(seed, "ANN", "BOB")
    with hall.engine.begin() as db:
        voiding, _ = void_at_pub(db, 1, [1], hall.now_s, NIGHT)
    hall.now_s = CLOSES_S
    hall.take_part(2, "ANN", "BOB")
    for change in (
        lambda db: void_at_pub(db, 1, [2], hall.now_s, NIGHT),
        lambda db: undo(db, voiding, 1, hall.now_s),
    ):
        with pytest.raises(LeagueError, match="counts for the tournament Cup"), hall.engine.begin() as db:
            change(db)
    assert hall.tables() == {(1, False): ["ANN"], (2, False): ["BOB"]}
    with hall.engine.begin() as db:
        void_at_pub(db, 1, [3], hall.now_s, NIGHT)
        undo(db, voiding, None, hall.now_s)
    assert hall.tables()[1, False] == ["ANN", "ANN"]


@pytest.mark.slow
def test_every_table_has_its_best_first(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournaments, "SHOWN", 2)
    for seed in range(3):
        hall.take_part(seed, "ANN", "BOB")
        hall.take_part(seed, "CAT", "DAN", game="misere")
    with hall.engine.begin() as db:
        of_seat = select(SEAT.c.total).where(SEAT.c.seat == 1, SEAT.c.match_id % 2 == 1)
        lowest = sorted(db.execute(of_seat).scalars())
        assert len(set(lowest)) > 1
        found = read_tables(db, CUP.commitment)
    assert [(each.seat, each.highest_wins) for each in found] == [
        (seat, highest) for seat in (1, 2) for highest in (False, True)
    ]
    assert [row.total for row in found[0].rows] == lowest[:2]
    assert {row.initials for row in found[1].rows} == {"CAT"}
    totals = [row.total for row in found[1].rows]
    assert totals == sorted(totals, reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize("new_database", ["sqlite"], indirect=True)
def test_a_look_takes_as_long_however_many_have_played(hall: Hall) -> None:
    """A visitor waited 230 ms with 300,000 matches. Only SQLite counts its steps."""
    hall.take_part(1, "ANN", "BOB")
    steps = []
    with hall.engine.connect() as db:
        match, seat = (db.execute(select(table)).mappings().first() for table in (MATCH, SEAT))
        assert match is not None
        assert seat is not None
        for first, last in ((2, SHOWN + 2), (SHOWN + 2, 20 * SHOWN)):
            db.execute(insert(MATCH), [{**match, "id": n, "number": n} for n in range(first, last)])
            db.execute(insert(SEAT), [{**seat, "match_id": n, "total": n} for n in range(first, last)])
            db.execute(update(SEAT).where(SEAT.c.match_id % 2 == 1).values(confirmed=False))
            with counted_steps(db) as counted:
                read_tables(db, CUP.commitment)
            steps.append(len(counted))
    assert steps[1] <= 3 * steps[0]
