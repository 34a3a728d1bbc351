"""Fixed rules and estimates: against a plain recursion, each other, and best play."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.odds.test_work import house
from tests.support.fast import fast_among

from shutthebox.config import profiles
from shutthebox.odds.estimate import estimate, estimated_moves
from shutthebox.odds.odds import Odds
from shutthebox.odds.policies import Policy, policy_value
from shutthebox.odds.worths import TooLargeError
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Profile
from shutthebox.rules.turn import Outcome, Turn

TRADITIONAL = profiles.builtin("traditional")
THE_300 = profiles.builtin("the-300")


@pytest.mark.parametrize(
    "name",
    fast_among(
        ["traditional", "digits", "misere", "open-one", "young", "domino-bag"], ["digits", "misere", "young"]
    ),
)
def test_best_play_is_best(name: str) -> None:
    profile = profiles.builtin(name)
    odds, start = Odds(profile), turns.start(profile)
    best = odds.value(start).score
    for policy in Policy:
        score = policy_value(profile, policy).score
        assert score <= best + 1e-9 if profile.win == "highest" else score >= best - 1e-9


@pytest.mark.parametrize(
    "name",
    fast_among(
        ["traditional", "trac", "open-one", "young", "two-to-go", "domino-bag"],
        ["trac", "two-to-go", "young"],
    ),
)
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
        return estimate(THE_300, start, rng=rng, samples=200, progress=lambda *at: told.append(at))

    assert make(1) == make(1) != make(2)
    assert told[-1] == (260, 260)


def test_large_rows_have_no_exact_odds() -> None:
    with pytest.raises(TooLargeError, match="24 tiles"):
        Odds(THE_300)


def test_estimated_moves() -> None:
    thrown = turns.throw(THE_300, turns.start(THE_300), (6, 6, 6, 6))
    found = estimated_moves(THE_300, thrown, rng=random.Random(1), samples=400)
    assert {tiles for tiles, _ in found} == set(turns.answers(THE_300, thrown))
    scores = [each.value.score for _, each in found]
    assert scores == sorted(scores)


FEW_TILES = {
    "a choice of dice": 'tiles = [1, 2, 4, 6]\none_die = "optional-high"',
    "one die that can do nothing": 'tiles = [2, 3, 6]\none_die = "optional-high"\nsides = 4\nmove = "exact"',
    "passing": 'tiles = [1, 2, 5]\nblocked = "passes"',
    "passing by throws": 'tiles = [1, 5]\nblocked = "passes"\nscore = "throws"\nshut_wins = "no"',
    "a lost turn by throws": (
        'tiles = [1, 2, 3]\nscore = "throws"\nshut_wins = "no"\nfirst_move_must_include = 2\nlost_score = 60'
    ),
    "opening": 'tiles = [1, 3, 4]\nblocked = "opens-one"\nscore = "throws"\nshut_wins = "no"',
    "opening for points": 'tiles = [1, 2, 3]\nblocked = "opens-one"\nends_turn_on = [4, 7]',
    "two rows": 'tiles = [1, 2, 4]\nrows = 2\none_die = "optional-high"\nsides = 4',
    "insurance": "tiles = [1, 2, 3]\ninsurance = true\nsides = 4",
}


def by_rule(profile: Profile, policy: Policy, plain: Any) -> tuple[float, float]:
    """Score and chance to shut of a rule's play, from the last throw back, by the rules themselves."""

    def options(thrown: Turn) -> list[Turn]:
        moves, opened = turns.answers(profile, thrown), turns.reopenings(profile, thrown)
        if opened:
            return [turns.reopen(profile, thrown, (opened & -opened).bit_length())]
        fewest = min((move.bit_count() for move in moves), default=0)
        chosen = {
            Policy.HIGHEST: [max(moves, default=0)],
            Policy.LOWEST: [min(moves, default=0)],
            Policy.FEWEST: [max((move for move in moves if move.bit_count() == fewest), default=0)],
            Policy.RANDOM: list(moves or (0,)),
        }[policy]
        return [turns.move(profile, thrown, move) for move in chosen]

    def events(turn: Turn, dice: int) -> list[tuple[float, Turn]]:
        thrown = [(turns.throw(profile, turn, faces), weight) for faces, weight in plain.throws(turn, dice)]
        whole = sum(weight for _, weight in thrown)
        return [
            (weight / whole / len(after), each)
            for at, weight in thrown
            for after in [[at] if at.outcome else options(at)]
            for each in after
        ]

    def does_something(turn: Turn, dice: int) -> bool:
        return any(after.open != turn.open or after.behind != turn.behind for _, after in events(turn, dice))

    def chosen_dice(turn: Turn) -> list[int]:
        allowed = list(dice_allowed(profile, turn.open, turn.behind))
        if policy is Policy.RANDOM:
            return allowed
        return ([dice for dice in allowed if does_something(turn, dice)] or allowed)[-1:]

    def same(turn: Turn) -> Turn:
        return turn if turn.outcome else replace(turn, throws=1, moves=1, drawn=0)

    start = turns.start(profile)
    follow: dict[Turn, list[tuple[float, Turn]]] = {}
    waiting = [start]
    while waiting:
        turn = waiting.pop()
        if turn not in follow:
            dice = chosen_dice(turn)
            follow[turn] = [(p / len(dice), same(each)) for n in dice for p, each in events(turn, n)]
            waiting += [each for _, each in follow[turn] if each.outcome is None]
    counts = profile.score == "throws"

    def over(turn: Turn) -> tuple[float, float]:
        score = turn.score or 0
        if counts and turn.outcome is not Outcome.LOST:
            score = 1
        return float(score), float(turn.outcome is Outcome.SHUT)

    values = dict.fromkeys(follow, (0.0, 0.0))
    change = 1.0
    while change > 1e-13:
        change = 0.0
        for turn, after in follow.items():
            worths = [
                (p, over(each) if each.outcome else (counts + values[each][0], values[each][1]))
                for p, each in after
            ]
            new = sum(p * score for p, (score, _) in worths), sum(p * shut for p, (_, shut) in worths)
            change = max(change, *(abs(a - b) / max(1.0, b) for a, b in zip(values[turn], new, strict=True)))
            values[turn] = new
    return values[start]


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("rules", FEW_TILES.values(), ids=FEW_TILES)
def test_other_rules_against_the_last_throw_back(
    policy: Policy, rules: str, oracle: Callable[..., Any]
) -> None:
    profile = house(rules)
    plain = oracle(profile, "score")
    assert policy_value(profile, policy) == pytest.approx(
        by_rule(profile, policy, plain), rel=1e-9, abs=1e-12
    )
