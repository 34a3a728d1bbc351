"""Decisions in words."""

from dataclasses import replace
from fractions import Fraction

import pytest

from shutthebox.config.profiles import builtin
from shutthebox.odds.coach import Decision, review
from shutthebox.odds.review_text import decision_text
from shutthebox.rules.actions import Moved, Thrown
from shutthebox.rules.match import begin
from shutthebox.rules.tiles import to_tiles

OPEN, NINE, ONE_EIGHT = to_tiles([1, 2, 8, 9]), to_tiles([9]), to_tiles([1, 8])


def decision(
    throw: tuple[int, ...] | None, chosen: int, best: int, points: float, win: float | None
) -> Decision:
    return Decision(
        player=1,
        round=3,
        open=OPEN,
        number=0,
        throw=throw,
        chosen=chosen,
        best=best,
        points=Fraction(points),
        win=None if win is None else Fraction(win),
        stake=Fraction(2),
    )


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (decision((6, 3), NINE, NINE, 0, 0), "player 2, round 3, 1,2,8,9 open, 6+3: 9 is best"),
        (
            decision((6, 3), ONE_EIGHT, NINE, 0.375, None),
            "player 2, round 3, 1,2,8,9 open, 6+3: 1+8, 9 is better; costs 0.38 points",
        ),
        (
            decision((6, 3), ONE_EIGHT, NINE, 0.25, 0.0625),
            "player 2, round 3, 1,2,8,9 open, 6+3: 1+8, 9 is better; costs 6.25 % and 0.25 points",
        ),
        (decision(None, 1, 1, 0, None), "player 2, round 3, 1,2,8,9 open: 1 die is best"),
        (
            decision(None, 2, 1, 1.5, None),
            "player 2, round 3, 1,2,8,9 open: 2 dice, 1 die is better; costs 1.50 points",
        ),
        (
            decision(None, 1, 2, 1.5, None),
            "player 2, round 3, 1,2,8,9 open: 1 die, 2 dice are better; costs 1.50 points",
        ),
    ],
)
def test_a_decision_in_words(made: Decision, text: str) -> None:
    assert decision_text(made, str) == text


def test_tiles_of_two_rows_go_by_what_they_bear() -> None:
    """The 5 and the 1 behind it, not a lever 10 that a box of five doesn't have."""
    match = begin(replace(builtin("double-shutter"), tiles=(1, 2, 3, 4, 5), boxes=()), 1)
    (found,) = review(match, [Thrown((3, 3)), Moved(to_tiles([5, 10]))], for_win=False).decisions
    assert "3+3: 5+1, 1+5 is better" in decision_text(found, str)
