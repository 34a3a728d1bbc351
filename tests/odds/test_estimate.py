"""Estimates: of turns that end at once, of long ones, and of too few."""

import random

import pytest
from tests.odds.test_work import house

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


def test_an_estimate_needs_two_turns() -> None:
    profile = house(ONE_THROW)
    assert estimate(profile, turns.start(profile), rng=random.Random(1), samples=2).samples == 2
    with pytest.raises(ValueError, match="at least 2 samples"):
        estimate(profile, turns.start(profile), rng=random.Random(1), samples=1)
