"""Estimates, against the exact value of the rule that they play by.

Those rules themselves are worked out by hand in `tests/unit/cli/test_odds.py`.
"""

import random

import pytest
from tests.support.house import house

from shutthebox.config import profiles
from shutthebox.odds.terminal.estimate import estimate, estimated_moves
from shutthebox.odds.terminal.policies import Policy, policy_value
from shutthebox.rules import turn as turns
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Turn

THE_300 = profiles.builtin("the-300")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["traditional", "trac", "open-one", "young", "two-to-go", "domino-bag"])
def test_estimates_are_near_what_they_estimate(name: str) -> None:
    profile = profiles.builtin(name)
    found = estimate(profile, turns.start(profile), rng=random.Random(1), samples=1000)
    assert found.policy is not None
    exact = policy_value(profile, found.policy)
    assert abs(found.value.score - exact.score) <= 4 * found.standard_error.score + 1e-9
    assert abs(found.value.shut - exact.shut) <= 4 * found.standard_error.shut + 1e-9
    assert sum(found.distribution.values()) == pytest.approx(1)


def test_an_estimate_is_the_same_for_the_same_seed() -> None:
    start = turns.start(THE_300)
    told: list[tuple[int, int]] = []

    def make(seed: int) -> object:
        rng = random.Random(seed)
        return estimate(THE_300, start, rng=rng, samples=20, progress=lambda *at: told.append(at))

    assert make(1) == make(1) != make(2)
    assert told[-1] == (26, 26)


@pytest.mark.slow
def test_estimated_moves() -> None:
    thrown = turns.throw(THE_300, turns.start(THE_300), (6, 6, 6, 6))
    found = estimated_moves(THE_300, thrown, rng=random.Random(1), samples=100)
    assert {tiles for tiles, _ in found} == set(turns.answers(THE_300, thrown))
    scores = [each.value.score for _, each in found]
    assert scores == sorted(scores)


def test_an_answer_that_ends_the_turn_has_its_score() -> None:
    profile = house("tiles = [1, 5, 6]")
    thrown = turns.throw(profile, Turn(to_tiles([1, 5, 6]), moves=1), (6, 6))
    ((tiles, found),) = estimated_moves(profile, thrown, rng=random.Random(1))
    assert tiles == to_tiles([1, 5, 6])
    assert (found.value, found.standard_error) == ((0.0, 1.0), (0.0, 0.0))
    assert found.distribution == {0: 1.0}


def test_an_estimate_needs_two_turns() -> None:
    profile = house("tiles = [1]\ndice = 1")
    assert estimate(profile, turns.start(profile), rng=random.Random(1), samples=2).samples == 2
    with pytest.raises(ValueError, match="at least 2 samples"):
        estimate(profile, turns.start(profile), rng=random.Random(1), samples=1)


def test_a_simple_rule_throws_no_die_that_can_do_nothing() -> None:
    """One die never shows 6 here; two make it 3 times in 16."""
    profile = house('tiles = [6]\nsides = 4\none_die = "optional-high"')
    assert policy_value(profile, Policy.HIGHEST).shut == pytest.approx(3 / 16)


def test_a_simple_rule_that_may_pass_throws_no_die_that_can_do_nothing() -> None:
    """Two dice make 6 in 16/3 throws; chance takes the one die every other time."""
    profile = house(
        'tiles = [6]\nsides = 4\none_die = "optional-high"\n'
        'blocked = "passes"\nscore = "throws"\nshut_wins = "no"'
    )
    assert policy_value(profile, Policy.HIGHEST) == pytest.approx((16 / 3, 1))
    assert policy_value(profile, Policy.RANDOM) == pytest.approx((32 / 3, 1))
