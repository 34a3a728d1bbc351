"""The published figures, to the last digit of their fractions."""

from dataclasses import replace
from fractions import Fraction

import pytest

from shutthebox.config import profiles
from shutthebox.odds.odds import Odds
from shutthebox.odds.worths import Objective
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import OneDie, Profile
from shutthebox.rules.tiles import to_tiles

TRADITIONAL = profiles.builtin("traditional")
TWO_DICE = replace(TRADITIONAL, one_die=OneDie.NEVER)


def best(profile: Profile) -> tuple[Fraction, Fraction]:
    odds, start = Odds(profile), turns.start(profile)
    assert odds.exact
    return odds.fractions(start).score, odds.fractions(start, Objective.SHUT).shut


def test_two_dice_only() -> None:
    assert best(TWO_DICE) == (Fraction(27323400707, 2448880128), Fraction(466473281, 6530347008))


def test_traditional() -> None:
    assert best(TRADITIONAL) == (Fraction(431363714383, 39182082048), Fraction(956177159, 9795520512))


@pytest.mark.parametrize(
    ("name", "score", "shut"),
    [
        ("jouhet", 11.021121, 0.09761372),
        ("thai", 13.760077, 0.07998740),
    ],
)
def test_rounded(name: str, score: float, shut: float) -> None:
    profile = profiles.builtin(name)
    found = best(profile)
    assert float(found[0]) == pytest.approx(score, abs=5e-7)
    assert float(found[1]) == pytest.approx(shut, abs=5e-9)


def test_six_tiles_one_die() -> None:
    """The chance is that of The Fiddler, 13 September 2024, too, by vamshij.com."""
    profile = Profile("six", tiles=(1, 2, 3, 4, 5, 6), dice=1)
    score, shut = best(profile)
    assert float(score) == pytest.approx(8.851337, abs=5e-7)
    assert shut == Fraction(145, 1944)


@pytest.mark.parametrize(
    ("name", "total", "tiles"),
    [
        ("traditional", 10, (1, 9)),
        ("traditional", 11, (2, 9)),
        ("traditional", 12, (3, 9)),
        ("digits", 10, (4, 6)),
        ("digits", 11, (5, 6)),
        ("digits", 12, (5, 7)),
    ],
)
def test_the_best_first_move_depends_on_the_score(name: str, total: int, tiles: tuple[int, ...]) -> None:
    profile = profiles.builtin(name)
    thrown = turns.throw(profile, turns.start(profile), (6, total - 6))
    ranked = Odds(profile).ranked(thrown)
    assert ranked[0].tiles == to_tiles(tiles)
    assert ranked[0].cost == 0
    assert all(other.cost > 0 for other in ranked[1:])
