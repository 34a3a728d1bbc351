"""Exact figures of printed sheets from elsewhere, from an independent solver, to the digits given."""

from dataclasses import replace
from fractions import Fraction

import pytest
from tests.support.fast import fast_among

from shutthebox.config.profiles import builtin
from shutthebox.odds.odds import Odds
from shutthebox.odds.seats import Equilibrium
from shutthebox.odds.worths import Objective
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import MatchFormat, OneDie, Profile, ShutWins, Tie

FIGURES = {
    "below-six": (builtin("below-six"), 11.065909203340, 9.401131582256, 0.502488226994),
    "four-operations": (builtin("four-operations"), 2.701568783227, 46.973260883279, 0.601468951716),
    "three-strikes": (builtin("three-strikes"), 6.143333418449, 21.913316975920, 0.519733384552),
    "blanks": (builtin("blanks"), 14.099281010836, 5.420327775171, 0.499380797385),
    "double-shutter": (
        replace(builtin("double-shutter"), match=MatchFormat.TOTAL, rounds=1),
        19.427223611932,
        7.666318468111,
        None,  # as much work as all the others: `test_equilibrium` has smaller boxes of two rows
    ),
}

QUICK = ("below-six",)


@pytest.mark.parametrize("name", fast_among(FIGURES, QUICK))
def test_the_figures_of_a_sheet(name: str) -> None:
    profile, score, shut, _ = FIGURES[name]
    odds, start = Odds(profile), turns.start(profile)
    assert odds.value(start).score == pytest.approx(score, abs=5e-13)
    assert 100 * odds.value(start, Objective.SHUT).shut == pytest.approx(shut, abs=5e-13)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FIGURES if FIGURES[name][-1] is not None])
def test_the_chance_of_who_begins(name: str) -> None:
    profile, *_, first = FIGURES[name]
    two = replace(profile, shut_wins=ShutWins.ROUND, tie=Tie.SHARE)
    assert Equilibrium(two, 2).chances()[0] == pytest.approx(first, abs=5e-13)


def test_one_die_once_the_highest_tiles_are_shut() -> None:
    twelve = Profile("twelve", tiles=tuple(range(1, 13)), one_die=OneDie.OPTIONAL_SHUT)
    odds, start = Odds(twelve), turns.start(twelve)
    assert float(odds.value(start).score) == pytest.approx(35.0568116435827, abs=5e-13)
    assert float(odds.value(start, Objective.SHUT).shut) == pytest.approx(0.004749909306076153, abs=5e-15)


def test_on_nine_tiles_that_is_when_no_tile_above_6_is_open() -> None:
    nine = Profile("nine", one_die=OneDie.OPTIONAL_SHUT)
    high = replace(nine, one_die=OneDie.OPTIONAL_HIGH)
    assert Odds(nine).ends(turns.start(nine)) == Odds(high).ends(turns.start(high))


def test_the_throw_that_ends_a_turn_is_added() -> None:
    game = Profile("added", one_die=OneDie.OPTIONAL_HIGH, add_throw=True)
    odds, start = Odds(game), turns.start(game)
    assert odds.fractions(start).score == Fraction(208281734323, 13060694016)
    assert odds.fractions(start, Objective.SHUT).shut == Fraction(956177159, 9795520512)
