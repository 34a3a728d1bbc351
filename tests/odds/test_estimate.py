"""Estimates: the same turns, played out by the rules themselves with the same lots, give the same figures."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from statistics import mean, stdev

import pytest
from tests.odds.test_work import house

from shutthebox.config.profiles import builtin
from shutthebox.odds import estimate as estimates
from shutthebox.odds.estimate import Estimate, estimate, estimated_moves
from shutthebox.odds.policies import Policy, choose
from shutthebox.odds.worths import Objective, TooLargeError
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Draw, Profile
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Outcome, Turn

RULES = (Policy.HIGHEST, Policy.FEWEST, Policy.LOWEST)

GAMES = {
    "plain": "tiles = 9",
    "a choice of dice": 'tiles = 8\none_die = "optional-high"',
    "three dice": "tiles = 14\ndice = 3",
    "gaps": "tiles = [1, 2, 4, 6, 7, 10, 11, 13]\ndice = 3\nsides = 5",
    "faces": 'tiles = 9\nmove = "faces"',
    "two tiles": "tiles = 9\nmax_tiles = 2",
    "subtracting": "tiles = 9\ndifference = true",
    "highest wins": 'tiles = 9\nwin = "highest"\nshut_wins = "no"',
    "an end": "tiles = 9\nends_turn_on = [7, 11]",
    "a first tile": "tiles = 9\nfirst_move_must_include = 9\nlost_score = 70",
    "passing": 'tiles = [1, 3, 9]\nblocked = "passes"',
    "passing tiles that cannot be shut": 'tiles = [2, 3, 4]\nblocked = "passes"\nmove = "exact"\nsides = 3',
    "opening": 'tiles = 4\nblocked = "opens-one"\nscore = "throws"\nshut_wins = "no"',
    "opening some": (
        'tiles = 9\nstart_open = [2, 4]\nblocked = "opens-one"\nscore = "throws"\nshut_wins = "no"'
    ),
    "passing to an end": (
        'tiles = 3\ndice = 3\nsides = 2\nblocked = "passes"\nends_turn_on = [6]\nscore = "digits"'
    ),
    "dominoes": 'tiles = 9\ndraw = "dominoes"',
    "dominoes until the bag is empty": 'tiles = [1, 2, 11, 12]\ndraw = "dominoes"\nblocked = "passes"',
}


def out(profile: Profile, turn: Turn, policy: Policy, lots: random.Random) -> Turn:
    """The end of a turn that is played out."""
    while turn.outcome is None:
        if turn.awaits_answer:
            answers = turns.answers(profile, turn)
            opened = turns.reopenings(profile, turn)
            if opened:
                turn = turns.reopen(profile, turn, (opened & -opened).bit_length())
            else:
                turn = turns.move(profile, turn, choose(policy, answers)[0] if answers else 0)
        elif profile.draw is Draw.DOMINOES:
            turn = turns.throw(profile, turn, lots.choice(list(turns.bag(turn))))
        else:
            dice = dice_allowed(profile, turn.open)[-1]
            turn = turns.throw(profile, turn, tuple(lots.randint(1, profile.sides) for _ in range(dice)))
    return turn


def is_summed_up(found: Estimate, ends: Sequence[Turn]) -> bool:
    """Whether the figures are those of these turns."""
    scores, shut = [end.score or 0 for end in ends], [end.outcome is Outcome.SHUT for end in ends]
    share, count = mean(map(int, shut)), len(ends)
    figures = (*found.value, *found.standard_error)
    expected = (
        mean(scores),
        share,
        stdev(scores) / math.sqrt(count),
        math.sqrt(share * (1 - share) / count),
    )
    assert figures == pytest.approx(expected)
    assert found.distribution == {score: times / count for score, times in sorted(Counter(scores).items())}
    assert list(found.distribution) == sorted(found.distribution)
    return found.samples == count


@pytest.mark.parametrize("objective", [Objective.SCORE, Objective.SHUT])
@pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES)
def test_an_estimate_sums_up_turns_played_by_the_best_simple_rule(rules: str, objective: Objective) -> None:
    profile, lots = house(rules), random.Random(5)
    start = turns.start(profile)
    sign = 1 if profile.highest_wins else -1
    goodness = {}
    for policy in RULES:
        ends = [out(profile, start, policy, lots) for _ in range(3)]
        score, shut = sum(sign * (end.score or 0) for end in ends), sum(e.outcome == "shut" for e in ends)
        goodness[policy] = (shut, score) if objective is Objective.SHUT else (score, shut)
    best = max(RULES, key=lambda policy: goodness[policy])
    ends = [out(profile, start, best, lots) for _ in range(30)]
    found = estimate(profile, start, objective, rng=random.Random(5), samples=30)
    assert found.policy is best
    assert is_summed_up(found, ends)


@pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES)
def test_an_estimate_of_a_throw_on_the_table_begins_with_its_answer(rules: str) -> None:
    profile = house(rules)
    lots = random.Random(3)
    start = turns.start(profile)
    dice = dice_allowed(profile, start.open)[0]
    faces = (1, 2) if profile.draw is Draw.DOMINOES else (1, 2, 2)[:dice]
    thrown = turns.throw(profile, start, faces)
    if thrown.outcome is not None:
        with pytest.raises(ValueError, match="not over"):
            estimate(profile, thrown, rng=lots, samples=2)
        return
    trials = {policy: [out(profile, thrown, policy, lots) for _ in range(2)] for policy in RULES}
    sign = 1 if profile.highest_wins else -1
    best = max(
        RULES,
        key=lambda policy: (
            sum(sign * (end.score or 0) for end in trials[policy]),
            sum(end.outcome == "shut" for end in trials[policy]),
        ),
    )
    ends = [out(profile, thrown, best, lots) for _ in range(4)]
    assert is_summed_up(estimate(profile, thrown, rng=random.Random(3), samples=4), ends)


@pytest.mark.parametrize("objective", [Objective.SCORE, Objective.SHUT])
@pytest.mark.parametrize("name", ["traditional", "misere", "domino-bag"])
def test_every_answer_is_played_out_with_the_same_lots(name: str, objective: Objective) -> None:
    profile, rng, told = builtin(name), random.Random(8), []
    thrown = turns.throw(profile, turns.start(profile), (2, 4))
    found = estimated_moves(
        profile, thrown, objective, rng=rng, samples=130, progress=lambda *at: told.append(at)
    )
    seed = random.Random(8).getrandbits(64)
    assert sorted(shut for shut, _ in found) == sorted(turns.answers(profile, thrown))
    assert told == [(number, 4) for number in (1, 2, 3, 4)]
    for shut, each in found:
        lots, after = random.Random(seed), turns.move(profile, thrown, shut)
        assert is_summed_up(each, [out(profile, after, Policy.HIGHEST, lots) for _ in range(32)])
    sign = 1 if profile.highest_wins else -1
    order = [(sign * each.value.score, each.value.shut) for _, each in found]
    if objective is Objective.SHUT:
        order = [(shut, score) for score, shut in order]
    assert order == sorted(order, reverse=True)


def test_an_answer_that_ends_the_turn_has_its_score() -> None:
    profile = house("tiles = [1, 5, 6]")
    thrown = turns.throw(profile, Turn(to_tiles([1, 5, 6]), moves=1), (6, 6))
    ((tiles, found),) = estimated_moves(profile, thrown, rng=random.Random(1))
    assert tiles == to_tiles([1, 5, 6])
    assert (found.value, found.standard_error) == ((0.0, 1.0), (0.0, 0.0))
    assert found.distribution == {0: 1.0}


@pytest.mark.parametrize(("samples", "whole", "step"), [(200, 260, 2), (201, 261, 2), (20, 26, 1), (2, 8, 1)])
def test_progress_is_told_every_hundredth_part_and_at_the_end(samples: int, whole: int, step: int) -> None:
    profile, told = house("tiles = 2"), list[tuple[int, int]]()
    found = estimate(
        profile,
        turns.start(profile),
        rng=random.Random(1),
        samples=samples,
        progress=lambda *at: told.append(at),
    )
    assert found.samples == samples
    assert [count for count, _ in told] == [*range(step, whole, step), whole]
    assert {of for _, of in told} == {whole}


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


def test_moves_are_ranked_while_each_can_be_played_out_twenty_times(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = house("tiles = [1, 2, 3]\nsides = 2\nends_turn_on = [2, 4]")
    thrown = turns.throw(profile, turns.start(profile), (1, 2))
    whole = estimates.MOST_THROWS / estimates._most_turns(profile, thrown)

    def samples(turns_played: float, most: int) -> list[int]:
        monkeypatch.setattr(estimates, "MOST_THROWS", turns_played * whole)
        monkeypatch.setattr(estimates, "SAMPLES", most)
        return [each.samples for _, each in estimated_moves(profile, thrown, rng=random.Random(1))]

    assert samples(100.5, 70) == [35, 35]
    assert samples(60.5, 70) == [30, 30]
    assert samples(40.5, 39) == samples(39.5, 40) == [20, 20]
    with pytest.raises(TooLargeError, match="2 moves are too many"):
        samples(39.5, 39)
    asked = estimated_moves(profile, thrown, rng=random.Random(1), samples=2)
    assert [each.samples for _, each in asked] == [20, 20]


def test_an_estimate_needs_two_turns() -> None:
    profile = house(ONE_THROW)
    assert estimate(profile, turns.start(profile), rng=random.Random(1), samples=2).samples == 2
    with pytest.raises(ValueError, match="at least 2 samples"):
        estimate(profile, turns.start(profile), rng=random.Random(1), samples=1)
