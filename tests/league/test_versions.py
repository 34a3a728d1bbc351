"""A league whose boxes have rules of different versions."""

from dataclasses import replace

import pytest
from tests.support.league import CONDITIONS, played_record

from shutthebox.outbox_entry import MatchPlayed
from shutthebox.rules.conditions import RULES_VERSION
from shutthebox.rules.record import Record, write
from shutthebox_league.categories import category_of
from shutthebox_league.checking import check_match


def by_rules(version: int) -> Record:
    conditions = CONDITIONS._replace(versions=(f"0.0.9 rules {version}", f"0.1.0 rules {RULES_VERSION}"))
    return replace(played_record(5), conditions=conditions)


@pytest.mark.parametrize(
    ("version", "unranked"), [(1, ""), (RULES_VERSION, ""), (RULES_VERSION + 1, "other rules")]
)
def test_a_match_by_earlier_rules_counts_and_one_by_later_rules_does_not(version: int, unranked: str) -> None:
    played = MatchPlayed(1, 1_789_000_000, 1_790_000_000, write(by_rules(version)))
    assert check_match(played).unranked == unranked


def test_a_match_of_two_rows_counts_under_the_name_that_the_game_has_now() -> None:
    now = played_record(5, game="double-row")
    then = replace(now, profile=replace(now.profile, name="double-shutter"))
    assert category_of(then) == category_of(now)
    assert category_of(now) is not None
    sold = played_record(5, game="double-shutter")
    assert category_of(sold) not in (None, category_of(now))
