"""Fixed rules and estimates: against a plain recursion, each other, and best play."""

import random
from collections.abc import Collection, Mapping
from typing import Any

import pytest
from tests.odds.plain import TurnOracle, Value, alone, answers, throws
from tests.support.fast import fast_among
from tests.support.house import house

from shutthebox.config import profiles
from shutthebox.odds.estimate import estimate, estimated_moves
from shutthebox.odds.policies import Policy, policy_value
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Turn

TRADITIONAL = profiles.builtin("traditional")
THE_300 = profiles.builtin("the-300")


@pytest.mark.parametrize(
    "name",
    fast_among(
        ["traditional", "trac", "open-one", "young", "two-to-go", "domino-bag"],
        ["two-to-go"],
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


class ByRule(TurnOracle):
    """Plays by a simple rule instead of its best."""

    def __init__(self, profile: Profile, policy: Policy) -> None:
        self.policy = policy
        self.able: dict[Turn, list[int]] = {}
        self.chances: dict[Turn, float] = {}
        super().__init__(profile, [turns.start(profile)])

    def best_answer(self, match: Match, values: Mapping[int, Value]) -> Value:
        opens = min(values) & ~match.turn.open
        if opens or self.policy is Policy.LOWEST:
            return values[min(values)]
        if self.policy is Policy.RANDOM:
            return mean(values.values())
        best = max(values, key=lambda shut: (self.mark(match, shut), shut))
        return values[best]

    def mark(self, match: Match, shut: int) -> float:
        """What the rule looks at first; the highest tiles are next."""
        match self.policy:
            case Policy.FEWEST:
                return -shut.bit_count()
            case Policy.MOST:
                return shut.bit_count()
            case Policy.NEXT_CHANCE:
                return self.next_chance(match, shut)
            case _:
                return 0

    def next_chance(self, match: Match, shut: int) -> float:
        """The chance that the throw after these tiles shuts something."""
        before = match.turn
        turn = Turn(before.open & ~(shut & ~before.behind), moves=1, behind=before.behind & ~shut)
        if turn not in self.chances:
            self.chances[turn] = self.chance(alone(match.game, turn)) if turn.open else 1
        return self.chances[turn]

    def chance(self, after: Match) -> float:
        """The same of a match that awaits that throw."""
        found = list(throws(after, self.dice_thrown(after)))
        able = [weight for faces, weight in found if turns.answers(after.rules, after.throw(faces).turn)]
        return sum(able) / sum(weight for _, weight in found)

    def best_dice(self, match: Match, values: Mapping[int, Value]) -> Value:
        if self.policy is Policy.RANDOM:
            return mean(values.values())
        return values[self.dice_thrown(match)]

    def dice_thrown(self, match: Match) -> int:
        """The fewest dice that may be thrown, if these can do anything."""
        if match.turn not in self.able:
            allowed = dice_allowed(match.rules, match.turn.open, match.turn.behind)
            self.able[match.turn] = [dice for dice in allowed if does_something(match, dice)] or [*allowed]
        return self.able[match.turn][-1]


def does_something(match: Match, dice: int) -> bool:
    """Whether any throw of so many dice shuts or opens a tile."""
    before = match.turn
    afters = [after.turn for faces, _ in throws(match, dice) for _, after in answers(match.throw(faces))]
    return any(after.open != before.open or after.behind != before.behind for after in afters)


def mean(values: Collection[Value]) -> Value:
    """Of choices that are equally likely."""
    worth: Any = sum(value.worths[0] for value in values)
    good: Any = sum(value.good for value in values)
    return Value((worth / len(values),), good / len(values))


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("name", fast_among(FEW_TILES, ["opening for points"]))
def test_a_simple_rule_against_the_oracle(policy: Policy, name: str) -> None:
    profile = house(FEW_TILES[name])
    oracle = ByRule(profile, policy)
    known = oracle.pair(oracle.value(alone(profile, turns.start(profile))))
    assert policy_value(profile, policy) == pytest.approx(tuple(map(float, known)), rel=1e-9, abs=1e-9)
