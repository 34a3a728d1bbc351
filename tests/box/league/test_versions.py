"""A league whose boxes have rules of different versions."""

from dataclasses import replace
from random import Random

import pytest
from tests.support.chance import next_action
from tests.support.league import CONDITIONS, first_double_shutter, played_record

from shutthebox.config.profiles import builtin
from shutthebox.outbox_entry import MatchPlayed
from shutthebox.rules.actions import Action, Thrown, apply
from shutthebox.rules.conditions import RULES_VERSION
from shutthebox.rules.match import begin
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import OneDie, Profile
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
    assert category_of(first_double_shutter(5)) == category_of(now)
    assert category_of(now) is not None
    sold = played_record(5, game="double-shutter")
    assert category_of(sold) not in (None, category_of(now))


YOUNG = builtin("young")
YOUNG_BEFORE = replace(YOUNG, one_die=OneDie.OPTIONAL_HIGH)


def of_young(profile: Profile, seed: int, *, one_die: bool) -> Record:
    """A match of players who choose at random, and throw one die whenever they may, or never."""
    random, match, actions = Random(seed), begin(profile, 2), list[Action]()
    while match.stage is not Stage.FINISHED:
        action = next_action(match, random)
        if isinstance(action, Thrown):
            single = one_die and 1 in dice_allowed(match.rules, match.turn.open)
            action = Thrown(tuple(random.randint(1, 6) for _ in range(1 if single else 2)))
        actions.append(action)
        match = apply(match, action)
    return Record(profile, 2, 1, tuple(actions), CONDITIONS)


def test_young_of_before_and_of_now_are_compared_where_no_single_die_was_thrown() -> None:
    then, now = (of_young(profile, 5, one_die=False) for profile in (YOUNG_BEFORE, YOUNG))
    for record in (then, now):
        assert check_match(MatchPlayed(1, 1_789_000_000, 1_790_000_000, write(record))).unranked == ""
    assert category_of(then) == category_of(now)


def test_young_of_before_with_a_single_die_is_a_match_by_other_rules() -> None:
    matches = (of_young(YOUNG_BEFORE, seed, one_die=True) for seed in range(100))
    single = next(record for record in matches if any(len(action.faces) == 1 for action in record.actions))
    assert category_of(single) is None


def test_other_rules_under_the_name_of_young_are_house_rules() -> None:
    other = of_young(replace(YOUNG, one_die=OneDie.OPTIONAL_SUM), 5, one_die=False)
    assert category_of(other) is None
