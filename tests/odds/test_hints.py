"""Hints: the best answer, the best number of dice, and which tile to open."""

from dataclasses import replace

import pytest

from shutthebox.config import profiles
from shutthebox.odds import Odds
from shutthebox.odds.hints import hint
from shutthebox.rules import turn as turns
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Turn

TRADITIONAL = profiles.builtin("traditional")


def test_hints() -> None:
    odds = Odds(TRADITIONAL)
    before = hint(odds, turns.start(TRADITIONAL))
    assert (before.dice, before.dice_cost, before.moves) == (2, None, ())
    thrown = turns.throw(TRADITIONAL, turns.start(TRADITIONAL), (6, 6))
    advice = hint(odds, thrown)
    assert advice.best == to_tiles([3, 9])
    assert advice.dice is None
    assert not advice.opens
    assert advice.value == advice.moves[0].value
    few = hint(odds, Turn(to_tiles([1, 2]), moves=1))
    assert few.dice == 1
    assert few.dice_cost is not None
    assert few.dice_cost > 0
    blocked = turns.throw(TRADITIONAL, Turn(to_tiles([1, 2]), moves=1), (6, 6))
    with pytest.raises(ValueError, match="over"):
        hint(odds, blocked)


def test_a_hint_which_tile_to_open() -> None:
    profile = replace(profiles.builtin("open-one"), tiles=(1, 2, 3, 4))
    advice = hint(Odds(profile), turns.throw(profile, Turn(0b11, moves=1), (6, 6)))
    assert advice.opens
    assert advice.best in (0b100, 0b1000)
