"""Work is counted before it is done: every game of the sheets is within it, hostile house rules are not."""

import random

import pytest
from tests.support.fast import fast_among
from tests.support.house import on_table

from shutthebox.config.profiles import builtin, builtins
from shutthebox.odds.model import TurnModel
from shutthebox.odds.odds import Odds
from shutthebox.odds.row import TileRow
from shutthebox.odds.terminal import estimate as estimates
from shutthebox.odds.terminal.estimate import estimate, estimated_moves
from shutthebox.odds.throw_classes import MAX_ENTRIES, throws_of
from shutthebox.odds.worths import Objective, TooLargeError
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Blocked, Draw, Scoring

SHEETS = [
    max(boxes, key=lambda box: box.starting)
    for profile in builtins()
    if profile.draw is Draw.DICE
    and (
        boxes := [
            box
            for count in profile.allowed_boxes
            if (box := profile.for_box(count)) and box.starting.bit_count() <= 12
        ]
    )
]
"""Each game on the largest box for which it has odds."""


@pytest.mark.slow
def test_the_sheets_are_well_within() -> None:
    assert len(SHEETS) > 30
    for profile in SHEETS:
        row = TileRow(profile.starting)
        # "Plus and minus", whose three dice have four totals a throw, is the largest: a ninth.
        assert len(throws_of(profile, row, profile.dice).classes) * row.size < MAX_ENTRIES / 8
        if profile.blocked is Blocked.OPENS_ONE:
            TurnModel(profile)


HOSTILE = {
    "positions that come round": 'blocked = "opens-one"\ndice = 9\nsides = 20',
    "many answers that come round": 'blocked = "opens-one"\nmove = "faces-free"\ndice = 5',
    "many kinds of throws": 'move = "faces"\ndice = 6\nsides = 20',
    "many answers to a throw": 'move = "faces-free"\ndice = 4\nsides = 12',
}


@pytest.mark.parametrize("text", fast_among(HOSTILE.values(), list(HOSTILE.values())[3:]))
def test_what_would_take_too_long_is_refused_before_it_is_begun(text: str) -> None:
    """Or the test would not end within its minute."""
    with pytest.raises(TooLargeError):
        Odds(on_table(f"tiles = 12\n{text}"))


@pytest.mark.slow
def test_a_turn_of_many_throws_has_its_value_but_no_list_of_ends() -> None:
    odds = Odds(
        on_table('tiles = 12\ndice = 2\nsides = 20\nmove = "exact"\nblocked = "passes"\nscore = "throws"')
    )
    turn = turns.start(odds.rules)
    assert odds.value(turn, Objective.SCORE).score > 5
    with pytest.raises(TooLargeError, match="too many throws"):
        odds.distribution(turn, Objective.SCORE)


LONG = 'tiles = 20\nblocked = "opens-one"\nscore = "throws"'
"""A turn of it is cut off at its 999th throw."""


@pytest.mark.slow
def test_an_estimate_of_long_turns_plays_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimates, "MAX_SAMPLED_THROWS", 7_000)
    profile = on_table(LONG)
    assert profile.score is Scoring.THROWS
    throws = 0

    class Counted(random.Random):
        def randint(self, a: int, b: int) -> int:
            nonlocal throws
            throws += 1
            return super().randint(a, b)

    found = estimate(profile, turns.start(profile), rng=Counted(1))
    assert 2 <= found.samples < 10
    assert throws / 2 < 3 * 7_000, "two dice a throw; at least two turns for each rule"
    asked = estimate(profile, turns.start(profile), rng=random.Random(1), samples=12)
    assert asked.samples == 12, "who says how many gets as many"


def test_too_many_moves_to_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = builtin("cards")
    turn = turns.throw(profile, turns.start(profile), (2,) * 9)
    assert len(turns.answers(profile, turn)) > 5
    monkeypatch.setattr(estimates, "MAX_SAMPLED_THROWS", 20)
    monkeypatch.setattr(estimates, "SAMPLES", 20)
    with pytest.raises(TooLargeError, match="moves are too many to rank"):
        estimated_moves(profile, turn, rng=random.Random(1))
