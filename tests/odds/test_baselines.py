"""Fixed rules and estimates: against a plain recursion, each other, and best play."""

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from tests.support.fast import fast_among

from shutthebox.config import profiles
from shutthebox.odds import Objective, Odds, TooLargeError
from shutthebox.odds.baselines import Policy, policy_value
from shutthebox.odds.estimate import estimate, estimated_moves
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Blocked, Profile
from shutthebox.rules.turn import Outcome, Turn

TRADITIONAL = profiles.builtin("traditional")
THE_300 = profiles.builtin("the-300")


def plain(profile: Profile, policy: Policy, oracle: Callable[..., Any]) -> tuple[float, float]:
    """A policy's expected score and chance to shut, by recursion."""
    throws = oracle(profile, "score").throws

    def chosen(moves: tuple[int, ...]) -> list[int]:
        if policy is Policy.HIGHEST:
            return [max(moves)]
        if policy is Policy.LOWEST:
            return [min(moves)]
        if policy is Policy.FEWEST:
            fewest = min(move.bit_count() for move in moves)
            return [max(move for move in moves if move.bit_count() == fewest)]
        return list(moves)

    @cache
    def value(turn: Turn) -> tuple[float, float]:
        allowed = dice_allowed(profile, turn.open)
        dice = allowed if policy is Policy.RANDOM else allowed[-1:]
        score = shut = 0.0
        for number in dice:
            found = list(throws(turn, number))
            whole = sum(weight for _, weight in found) * len(dice)
            for faces, weight in found:
                thrown = turns.throw(profile, turn, faces)
                if thrown.outcome:
                    score += weight / whole * (thrown.score or 0)
                    continue
                moves = chosen(turns.answers(profile, thrown))
                for move in moves:
                    after = turns.move(profile, thrown, move)
                    if after.outcome:
                        points, done = float(after.score or 0), float(after.outcome is Outcome.SHUT)
                    else:
                        points, done = value(after)
                    score += weight / whole / len(moves) * points
                    shut += weight / whole / len(moves) * done
        return score, shut

    return value(turns.start(profile))


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("name", ["traditional", "two-to-go", "trac-free", "unlucky-seven", "cover-200"])
def test_against_recursion(policy: Policy, name: str, oracle: Callable[..., Any]) -> None:
    profile = profiles.builtin(name)
    profile = replace(profile, tiles=profile.tiles[:6])
    assert policy_value(profile, policy) == pytest.approx(plain(profile, policy, oracle))


@pytest.mark.parametrize("policy", Policy)
def test_dominoes_against_recursion(policy: Policy, oracle: Callable[..., Any]) -> None:
    profile = replace(profiles.builtin("domino-bag"), tiles=(1, 2, 3, 4, 5))
    assert policy_value(profile, policy) == pytest.approx(plain(profile, policy, oracle))


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
    found = estimate(profile, turns.start(profile), rng=random.Random(1), samples=3000)
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
    found = estimated_moves(THE_300, thrown, rng=random.Random(1), samples=2000)
    assert {tiles for tiles, _ in found} == set(turns.answers(THE_300, thrown))
    scores = [each.value.score for _, each in found]
    assert scores == sorted(scores)


def test_estimates_for_other_rules() -> None:
    for profile in (
        replace(THE_300, blocked=Blocked.OPENS_ONE, tiles=tuple(range(1, 15)), dice=2),
        replace(THE_300, first_move_must_include=24, ends_turn_on=frozenset({4})),
        replace(profiles.builtin("domino-bag"), blocked=Blocked.PASSES, tiles=(1, 2, 3, 4)),
    ):
        found = estimate(profile, turns.start(profile), Objective.SHUT, rng=random.Random(1), samples=50)
        assert found.samples == 50
