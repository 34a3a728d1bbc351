"""Hints: the best answer, the best number of dice, and which tile to open."""

from dataclasses import replace

import pytest

from shutthebox.config import profiles
from shutthebox.odds import Objective, Odds
from shutthebox.odds.equilibrium import Equilibrium
from shutthebox.odds.hints import hint
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import OneDie, Tie
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


@pytest.mark.parametrize("objective", [Objective.SCORE, Objective.SHUT])
@pytest.mark.parametrize("name", ["traditional", "misere", "digits"])
def test_what_the_other_number_of_dice_costs(name: str, objective: Objective) -> None:
    profile = replace(profiles.builtin(name), tiles=(1, 2, 3, 4, 6, 8), one_die=OneDie.OPTIONAL_HIGH)
    odds, found = Odds(profile), set()
    for tiles in range(1, 1 << 6):
        turn = Turn(to_tiles(n for i, n in enumerate(profile.tiles) if tiles >> i & 1), moves=1)
        advice = hint(odds, turn, objective)
        assert (advice.value, advice.moves, advice.best, advice.opens) == (
            odds.value(turn, objective),
            (),
            0,
            False,
        )
        assert advice.dice == odds.best_dice(turn, objective)
        if turn.open >= to_tiles([8]):
            assert (advice.dice, advice.dice_cost) == (2, None)
            continue
        found.add(advice.dice)
        one, two = (odds.with_dice(turn, dice, objective) for dice in (1, 2))
        part = 1 if objective is Objective.SHUT else 0
        assert advice.dice_cost is not None
        assert advice.dice_cost == pytest.approx(abs(one[part] - two[part]), abs=1e-12)
        assert advice.dice_cost >= 0
    assert found == {1, 2}


def test_the_best_move_to_win_where_it_is_another() -> None:
    shared = replace(TRADITIONAL, tie=Tie.SHARE)
    odds, play = Odds(shared), Equilibrium(shared, 2).seat(scores=(4,))
    others = 0
    for a in range(1, 7):
        for b in range(1, 7):
            for open_tiles in (shared.starting, to_tiles([1, 2, 3, 4, 5, 7, 8])):
                thrown = turns.throw(shared, Turn(open_tiles, moves=1), (a, b))
                if thrown.outcome is not None:
                    continue
                advice = hint(odds, thrown, play=play)
                assert advice.moves == odds.ranked(thrown)
                assert advice.to_win == play.ranked(thrown)
                chances = {each.tiles: each.chance for each in advice.to_win}
                if chances[advice.best] > max(chances.values()) - 1e-9:
                    assert advice.best_to_win is None
                else:
                    assert chances[advice.best_to_win or 0] == max(chances.values())
                    others += 1
                assert hint(odds, thrown).best_to_win is None
    assert others > 0
