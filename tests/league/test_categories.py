"""Which matches a league compares: by the rules, not by what a box offers in its menu."""

from dataclasses import replace

import pytest

from shutthebox.config.profiles import builtin
from shutthebox.rules.record import Record
from shutthebox_league.categories import Category, category_of, profile_of

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
