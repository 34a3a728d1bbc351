"""A league whose boxes have rules of different versions."""

from dataclasses import replace

import pytest
from tests.support.league import CONDITIONS, played_record

from shutthebox.outbox_entry import MatchPlayed
from shutthebox.rules.conditions import RULES_VERSION
from shutthebox.rules.profile import OneDie
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


def test_other_rules_under_a_builtin_games_name_are_house_rules() -> None:
    record = played_record(5)
    assert category_of(record) is not None
    other = replace(record.profile, one_die=OneDie.NEVER)
    assert category_of(replace(record, profile=other)) is None
