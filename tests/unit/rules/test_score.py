"""The score of a turn, and the best and the worst that a turn of a game can have."""

from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from shutthebox.rules.orders import for_seat
from shutthebox.rules.profile import Doubles, Operation, Profile, Scoring, Win
from shutthebox.rules.score import (
    best_score,
    final_score,
    lost_score,
    untouched_score,
    worst_score,
)
from shutthebox.rules.tiles import from_text
from shutthebox.rules.turn import Turn

THROWS = {"score": Scoring.THROWS}


class Bounds(NamedTuple):
    """Of a turn; `untouched` is that in which nothing is shut, `late` that of one whose time is over.

    The late one has 2, 3 and 9 open, and has thrown 7 times, 3 and 2 at last.
    """

    best: int
    worst: int
    untouched: int
    late: int


BOUNDS: list[tuple[dict[str, Any], Bounds]] = [
    ({}, Bounds(0, 45, 45, late=14)),
    ({"start_open": (2, 3, 9)}, Bounds(0, 14, 14, late=14)),
    ({"rows": 2}, Bounds(0, 90, 90, late=14)),
    ({"score": Scoring.COUNT, "rows": 2}, Bounds(0, 18, 18, late=3)),
    ({"score": Scoring.DIGITS}, Bounds(0, 123456789, 123456789, late=239)),
    ({"score": Scoring.DIGITS_REVERSED}, Bounds(0, 987654321, 987654321, late=932)),
    ({"add_throw": True}, Bounds(0, 57, 45, late=14 + 5)),
    ({"add_throw": True, "operations": (Operation.DIFFERENCE,)}, Bounds(0, 50, 45, late=14 + 1)),
    ({"add_throw": True, "doubles": Doubles.DOUBLED}, Bounds(0, 69, 45, late=14 + 5)),
    ({"win": Win.HIGHEST}, Bounds(45, 0, 45, late=0)),
    ({"score": Scoring.SHUT_SUM}, Bounds(0, 45, 0, late=45)),
    ({"score": Scoring.SHUT_SUM, "win": Win.HIGHEST}, Bounds(45, 0, 0, late=31)),
    (THROWS, Bounds(1, 9, 0, late=9)),
    ({**THROWS, "rows": 2}, Bounds(1, 18, 0, late=18)),
    ({**THROWS, "start_open": (2, 3, 9)}, Bounds(1, 3, 0, late=3)),
    ({**THROWS, "insurance": True}, Bounds(1, 999, 0, late=999)),
    ({**THROWS, "win": Win.HIGHEST}, Bounds(9, 1, 0, late=7)),
]


@pytest.mark.parametrize(("keys", "bounds"), BOUNDS, ids=str)
def test_bounds(keys: dict[str, Any], bounds: Bounds) -> None:
    profile = replace(Profile("x"), **keys)
    late = final_score(profile, Turn(from_text("2,3,9"), throws=7, throw=(3, 2)), timed_out=True)
    assert Bounds(best_score(profile), worst_score(profile), untouched_score(profile), late) == bounds
    assert lost_score(profile) == bounds.worst
    assert lost_score(replace(profile, lost_score=60)) == 60


def test_a_turn_lost_on_its_first_move_costs_every_seat_the_same() -> None:
    game = Profile("x", start_open=(1, 2, 3, 4, 9), first_move_must_include=3, handicap=(0, 5, (2, 9)))
    assert [lost_score(for_seat(game, seat)) for seat in range(3)] == [19] * 3
