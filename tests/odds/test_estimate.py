"""Estimates: of turns that end at once, of long ones, and of too few."""

import random

import pytest
from tests.odds.test_work import house

from shutthebox.odds import estimate as estimates
from shutthebox.odds.estimate import estimate, estimated_moves
from shutthebox.rules import turn as turns
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Turn


def test_an_answer_that_ends_the_turn_has_its_score() -> None:
    profile = house("tiles = [1, 5, 6]")
    thrown = turns.throw(profile, Turn(to_tiles([1, 5, 6]), moves=1), (6, 6))
    ((tiles, found),) = estimated_moves(profile, thrown, rng=random.Random(1))
    assert tiles == to_tiles([1, 5, 6])
    assert (found.value, found.standard_error) == ((0.0, 1.0), (0.0, 0.0))
    assert found.distribution == {0: 1.0}


ONE_THROW = "tiles = [1]\ndice = 1"
"""Its turn is over with the first throw."""


def test_long_turns_are_played_out_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """The throws of all turns together, trials included, are limited; those with many moves count as more."""
    profile = house(ONE_THROW)
    start = turns.start(profile)
    assert estimates._most_turns(profile, start) == pytest.approx(estimates.MOST_THROWS / (1 + 1 / 500))
    monkeypatch.setattr(estimates, "MOST_THROWS", 102)
    # 102 turns by their throws, of which three tenths more are trials.
    assert estimate(profile, start, rng=random.Random(1)).samples == 78
    monkeypatch.setattr(estimates, "SAMPLES", 50)
    assert estimate(profile, start, rng=random.Random(1)).samples == 50
    monkeypatch.setattr(estimates, "MOST_THROWS", 1)
    assert estimate(profile, start, rng=random.Random(1)).samples == 2


def test_an_estimate_needs_two_turns() -> None:
    profile = house(ONE_THROW)
    assert estimate(profile, turns.start(profile), rng=random.Random(1), samples=2).samples == 2
    with pytest.raises(ValueError, match="at least 2 samples"):
        estimate(profile, turns.start(profile), rng=random.Random(1), samples=1)
