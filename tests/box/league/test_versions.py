"""A league whose boxes have rules of different versions."""

from dataclasses import replace

import pytest
from tests.support.league import CONDITIONS, played_record
from tests.support.private_action import VOID

from shutthebox.config.profiles import builtin
from shutthebox.outbox_entry import MatchPlayed
from shutthebox.rules.conditions import RULES_VERSION
from shutthebox.rules.profile import OneDie
from shutthebox.rules.record import Record, parse_to_end, write
from shutthebox_league.categories import category_of
from shutthebox_league.checking import check_match, why_unranked


def by_rules(version: int) -> Record:
    conditions = CONDITIONS._replace(versions=(f"1.0.0 rules {version}", f"1.1.0 rules {RULES_VERSION}"))
    return replace(played_record(5), conditions=conditions)


@pytest.mark.parametrize(
    ("version", "unranked"), [(1, ""), (RULES_VERSION, ""), (RULES_VERSION + 1, "other rules")]
)
def test_a_match_by_earlier_rules_counts_and_one_by_later_rules_does_not(version: int, unranked: str) -> None:
    played = MatchPlayed(1, 1_789_000_000, 1_790_000_000, write(by_rules(version)))
    assert check_match(played).unranked == unranked


def test_a_match_with_an_action_that_is_not_ranked_says_which() -> None:
    record = played_record(5)
    end = parse_to_end(write(record), "record", builtin)[1]
    assert why_unranked(record, end) == ""
    assert why_unranked(replace(record, actions=(*record.actions, VOID)), end) == "with void"


def test_other_rules_under_a_builtin_games_name_are_house_rules() -> None:
    record = played_record(5)
    assert category_of(record) is not None
    other = replace(record.profile, one_die=OneDie.NEVER)
    assert category_of(replace(record, profile=other)) is None
