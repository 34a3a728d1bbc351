"""The score of a turn, and the best and the worst that a turn of a game can have."""

from dataclasses import replace
from typing import Any

import pytest

from shutthebox.config import profiles
from shutthebox.rules.profile import Profile, Scoring
from shutthebox.rules.score import (
    idle_is_worst,
    score,
    worst_score,
)
from shutthebox.rules.tiles import from_text

THROWS = {"score": Scoring.THROWS}


@pytest.mark.parametrize(
    ("keys", "opened", "behind", "points"),
    [
        ({}, "2,3,9", "-", 14),
        ({"rows": 2}, "2,3,9", "3,9", 26),
        ({"score": Scoring.COUNT}, "2,3,9", "-", 3),
        ({"score": Scoring.COUNT, "rows": 2}, "2,3,9", "3,9", 5),
        ({"score": Scoring.DIGITS}, "2,3,9", "-", 239),
        ({"score": Scoring.DIGITS_REVERSED}, "2,3,9", "-", 932),
        ({"score": Scoring.DIGITS_REVERSED}, "-", "-", 0),
        ({"score": Scoring.SHUT_SUM}, "2,3,9", "-", 31),
        ({"score": Scoring.SHUT_SUM, "rows": 2}, "2,3,9", "3,9", 64),
        ({"score": Scoring.SHUT_SUM, "start_open": (2, 4, 9)}, "2,9", "-", 4),
        (THROWS, "2,3,9", "-", 17),
    ],
    ids=str,
)
def test_points(keys: dict[str, Any], opened: str, behind: str, points: int) -> None:
    profile = replace(Profile("x"), **keys)
    assert score(profile, from_text(opened), 17, from_text(behind)) == points


@pytest.mark.parametrize(
    ("name", "worst", "idle"),
    [
        ("traditional", 45, True),
        ("full-house", 78, True),
        ("missionary", 9, True),
        ("double-shutter", 90, True),
        ("misere", 0, False),
        ("cover-200", 0, True),
        ("open-one", 999, False),
        ("lucky-seven", 7, True),
    ],
)
def test_the_worst_score_of_a_game_and_whether_it_is_that_of_doing_nothing(
    name: str, worst: int, idle: bool
) -> None:
    profile = profiles.builtin(name)
    assert (worst_score(profile), idle_is_worst(profile)) == (worst, idle)
