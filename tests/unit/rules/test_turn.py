"""One turn: its end and its score."""

from dataclasses import replace

import pytest

from shutthebox.config import profiles
from shutthebox.rules import turn as turns
from shutthebox.rules.score import MAX_THROWS
from shutthebox.rules.tiles import from_text
from shutthebox.rules.turn import Outcome, Turn


@pytest.mark.parametrize(
    ("name", "opened", "faces", "outcome", "points"),
    [
        ("traditional", "2,3,5", (1,), Outcome.BLOCKED, 10),
        ("pub", "1,5,9", (2, 2), Outcome.BLOCKED, 15),
        ("digits", "1,4,7,8,9", (1, 1), Outcome.BLOCKED, 14789),
        ("trac-digits", "1,4,7", (3, 3), Outcome.BLOCKED, 147),
        ("trac-reversed", "2,3,9", (5, 5), Outcome.BLOCKED, 932),
        ("missionary", "1,4,7", (1, 1), Outcome.BLOCKED, 3),
        ("cover-200", "7,8,9", (1, 1), Outcome.BLOCKED, 21),
        ("unlucky-seven", "1,2,3,4,5,6,7,8,9", (3, 4), Outcome.ENDED, 45),
        ("two-to-go", "1,2,3,4,5,6,7,8,9", (3, 1), Outcome.LOST, 45),
        ("three-to-go", "1,2,3,4,5,6,7,8,9", (1, 1), Outcome.LOST, 45),
    ],
)
def test_throws_that_end_a_turn(
    name: str, opened: str, faces: tuple[int, ...], outcome: Outcome, points: int
) -> None:
    turn = turns.throw(profiles.builtin(name), Turn(from_text(opened)), faces)
    assert (turn.outcome, turn.score, turn.throw) == (outcome, points, faces)


def test_a_turn_without_end_is_blocked_after_so_many_throws() -> None:
    profile = replace(profiles.builtin("lucky-seven"), dice=1, tiles=(1,), start_open=(1,))
    turn = turns.start(profile)
    while turn.outcome is None:
        turn = turns.throw(profile, turn, (2,))
        turn = turn if turn.outcome else turns.move(profile, turn, 0)
    assert (turn.outcome, turn.throws) == (Outcome.BLOCKED, MAX_THROWS)
