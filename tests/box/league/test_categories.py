"""Which matches a league compares: by the rules, not by what a box offers in its menu."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import insert
from tests.box.league.evenings import Evening
from tests.support.generate import random_record
from tests.support.house import on_table
from tests.support.kept import NOON
from tests.support.league import CONDITIONS, counted_steps

from shutthebox.config.profiles import builtin
from shutthebox.outbox_entry import MatchPlayed
from shutthebox.rules.record import Record, write
from shutthebox_league.categories import Category, category_of, profile_of
from shutthebox_league.checking import RefusedError, check_match, read_record
from shutthebox_league.schema import CATEGORY
from shutthebox_league.standings import categories_played

TRAC = builtin("trac-100")


@pytest.mark.parametrize("limit", [1, 120, 150, 99_999])
def test_a_match_to_any_limit_is_ranked_among_its_like(limit: int) -> None:
    played = TRAC.with_limit(limit)
    category = category_of(Record(played, 2, 1))
    assert category == Category("trac-100", 9, 1, limit)
    assert category is not None
    assert profile_of(category) == played


def test_any_number_of_rounds_is_ranked() -> None:
    assert category_of(Record(builtin("golf"), 2, 12)) == Category("golf", 9, 12, 0)


def test_house_rules_are_not_ranked() -> None:
    for profile in (replace(TRAC, sides=8), replace(TRAC, name="pub"), replace(TRAC, name="ours")):
        assert category_of(Record(profile, 2, 1)) is None


def test_a_game_that_seat_1_always_wins_is_refused_but_its_records_are_read() -> None:
    game = on_table('name = "ours"\nlike = "pub"\nblocked = "passes"')
    record = replace(random_record(game, 2, seed=1), conditions=CONDITIONS)
    text = write(record)
    with pytest.raises(RefusedError, match=r"record: blocked: .* whoever begins always wins"):
        check_match(MatchPlayed(1, NOON, NOON + 60, text))
    assert read_record(text) == record


@pytest.mark.slow
def test_a_box_that_plays_to_thousands_of_limits_makes_nobody_wait(tmp_path: Path) -> None:
    """Every visitor waited for all of them to be sorted. Only SQLite counts its steps."""
    steps = []
    with closing(Evening(tmp_path)) as evening, evening.engine.connect() as db:
        for first, last in ((1, 20), (20, 2000)):
            row = {"game": "trac-100", "tiles": 9, "rounds": 1, "matches": 1}
            db.execute(insert(CATEGORY), [{**row, "points": n} for n in range(first, last)])
            with counted_steps(db) as counted:
                assert [category.points for _, category in categories_played(db)] == list(range(1, 13))
            steps.append(len(counted))
    assert steps[1] == steps[0]
