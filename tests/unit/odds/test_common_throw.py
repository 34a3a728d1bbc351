"""One throw for everyone: each seat's chance to win, against the oracle and an independent solver."""

from dataclasses import replace
from typing import Any

import pytest
from tests.support.fast import fast_among
from tests.unit.odds.plain import match_oracle

from shutthebox.odds.common_throw import CommonRound
from shutthebox.odds.worths import TooLargeError
from shutthebox.rules.profile import (
    Doubles,
    First,
    MoveKind,
    OneDie,
    Operation,
    Profile,
    Scoring,
    ShutWins,
    Tie,
    Turns,
    Win,
)

NINE = Profile("nine", turns=Turns.TOGETHER, own_throws=1, tie=Tie.SHARE)
SHORT = replace(NINE, tiles=(1, 2, 3, 4), sides=3)

KEYS: list[dict[str, Any]] = [
    {},
    {"own_throws": 0},
    {"own_throws": 2},
    {"shut_wins": ShutWins.NO},
    {"shut_wins": ShutWins.MATCH},
    {"tie": Tie.PLAY_OFF, "tiles": (1, 2)},
    {"tie": Tie.REPLAY_ALL, "first": First.ROTATES, "tiles": (1, 3)},
    {"one_die": OneDie.OPTIONAL_HIGH, "one_die_at": 3},
    {"one_die": OneDie.FORCED_SUM, "one_die_at": 5},
    {"strikes": 2, "tiles": (1, 2, 3)},
    {"doubles": Doubles.ENDS_TURN, "ends_turn_on": frozenset({5})},
    {"operations": (Operation.SUM, Operation.PRODUCT)},
    {"move": MoveKind.FACES},
    {"first_move_must_include": 2},
    {"score": Scoring.DIGITS},
    {"score": Scoring.SHUT_SUM, "win": Win.HIGHEST, "shut_wins": ShutWins.NO},
    {"dice": 1, "sides": 4},
]


@pytest.mark.parametrize("keys", fast_among(KEYS, [KEYS[10]]), ids=str)
@pytest.mark.timeout(60)  # plain recursion over every position
def test_best_play_is_that_of_the_oracle(keys: dict[str, Any]) -> None:
    profile = replace(SHORT, **keys)
    assert CommonRound(profile).wins() == pytest.approx(match_oracle(profile, 2), abs=1e-9)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_chance_of_who_begins_with_nine_tiles() -> None:
    assert CommonRound(NINE).wins()[0] == pytest.approx(0.498554243743, abs=5e-13)


def test_whoever_can_copy_every_answer_is_as_good() -> None:
    copied = replace(NINE, own_throws=0, tiles=(1, 2, 3, 4, 5, 6))
    assert CommonRound(copied).wins() == pytest.approx((0.5, 0.5), abs=1e-12)


@pytest.mark.slow
def test_longer_rows_are_refused_soon() -> None:
    for tiles, dice in ((12, 2), (24, 4)):
        too_large = replace(NINE, tiles=tuple(range(1, tiles + 1)), dice=dice)
        with pytest.raises(TooLargeError, match="nine: what two players can have left of"):
            CommonRound(too_large)
