"""Hints, and the exact sum of start, luck and what was given away."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from shutthebox.config import profiles
from shutthebox.odds import Odds
from shutthebox.odds.hints import hint
from shutthebox.odds.turn_account import PlayedThrow, account
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Draw, Profile
from shutthebox.rules.tiles import to_numbers, to_tiles
from shutthebox.rules.turn import Turn

TRADITIONAL = profiles.builtin("traditional")
NAMES = ["traditional", "digits", "misere", "cover-200", "trac-free", "two-to-go", "young", "unlucky-seven"]


def play(profile: Profile, rng: random.Random, best: Odds | None = None) -> tuple[list[PlayedThrow], Turn]:
    """A turn played at random, or by the book."""
    turn, steps = turns.start(profile), []
    while turn.outcome is None and turn.throws < 300:
        dice = best.best_dice(turn) if best else rng.choice(dice_allowed(profile, turn.open))
        faces = tuple(rng.randint(1, profile.sides) for _ in range(dice))
        if profile.draw is Draw.DOMINOES:
            faces = rng.choice(turns.bag(turn))
        turn = turns.throw(profile, turn, faces)
        shut, opened = 0, None
        if turn.outcome is None:
            answers = turns.answers(profile, turn)
            tiles = to_numbers(turns.reopenings(profile, turn))
            if answers:
                shut = best.ranked(turn)[0].tiles if best else rng.choice(answers)
                turn = turns.move(profile, turn, shut)
            elif tiles:
                opened = to_numbers(best.ranked(turn)[0].tiles)[0] if best else rng.choice(tiles)
                turn = turns.reopen(profile, turn, opened)
            else:
                turn = turns.move(profile, turn, 0)
        steps.append(PlayedThrow(faces, shut, opened))
    return steps, turn


def signed(profile: Profile) -> int:
    return -1 if profile.win == "highest" else 1


@pytest.mark.parametrize("name", NAMES)
def test_the_parts_add_up_exactly(name: str) -> None:
    profile = profiles.builtin(name)
    odds, rng = Odds(profile), random.Random(4)
    for _ in range(30):
        steps, turn = play(profile, rng)
        parts = account(odds, steps)
        assert parts.start == odds.points(turns.start(profile))
        assert all(cost >= 0 for cost in parts.costs)
        assert parts.given_away == sum(parts.costs)
        assert parts.score == turn.score
        assert parts.start + parts.luck + signed(profile) * parts.given_away == turn.score
        floats = float(parts.start) + float(parts.luck) + signed(profile) * float(parts.given_away)
        assert floats == pytest.approx(turn.score, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize(
    "profile",
    [
        replace(profiles.builtin("open-one"), tiles=(1, 2, 3, 4)),
        replace(profiles.builtin("domino-bag"), tiles=(1, 2, 3, 4, 5)),
        replace(profiles.builtin("young"), score=profiles.builtin("open-one").score),
    ],
    ids=["opens-one", "dominoes", "throws"],
)
def test_the_parts_add_up_for_other_solvers(profile: Profile) -> None:
    odds, rng = Odds(profile), random.Random(5)
    for _ in range(20):
        steps, turn = play(profile, rng)
        parts = account(odds, steps)
        assert all(cost >= -1e-9 for cost in parts.costs)
        assert parts.start + parts.luck + parts.given_away == parts.score
        assert turn.outcome is None or parts.score == turn.score


def test_the_book_gives_nothing_away() -> None:
    odds, rng = Odds(TRADITIONAL), random.Random(6)
    for _ in range(50):
        steps, _ = play(TRADITIONAL, rng, odds)
        parts = account(odds, steps)
        assert parts.given_away == 0
        assert parts.worst is None


def test_luck_evens_out() -> None:
    odds, rng = Odds(TRADITIONAL), random.Random(7)
    luck = [account(odds, play(TRADITIONAL, rng)[0]).luck for _ in range(1500)]
    spread = (sum(float(each) ** 2 for each in luck) / len(luck)) ** 0.5
    assert abs(float(sum(luck))) / len(luck) < 4 * spread / len(luck) ** 0.5


def test_dice_can_be_the_mistake() -> None:
    odds, few = Odds(TRADITIONAL), Turn(to_tiles([1, 2]), moves=1)
    parts = account(odds, [PlayedThrow((6, 6))], few)
    assert parts.worst == 0
    assert parts.given_away == odds.points_with(few, 2) - odds.points(few) > 0
    assert account(odds, [PlayedThrow((3,))], few).given_away == 0


def test_a_total_needs_the_number_of_dice() -> None:
    odds, few = Odds(TRADITIONAL), Turn(to_tiles([1, 2, 3]), moves=1)
    assert account(odds, [PlayedThrow((3,), to_tiles([3]), dice=2)], few).given_away > 0


def test_an_unfinished_turn() -> None:
    odds = Odds(TRADITIONAL)
    parts = account(odds, [PlayedThrow((6, 6))])
    thrown = turns.throw(TRADITIONAL, turns.start(TRADITIONAL), (6, 6))
    assert parts.score == odds.points(thrown)
    assert parts.given_away == 0
    assert account(odds, []).luck == Fraction(0)


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
