"""Advice: the best first, what the rest costs, and in which unit."""

from dataclasses import replace

import pytest
from tests.support.house import house
from tests.support.positions import with_rows

from shutthebox.config import profiles
from shutthebox.odds.advice import advise
from shutthebox.odds.odds import Odds
from shutthebox.odds.options import Unit
from shutthebox.odds.pick import pick
from shutthebox.odds.seats import Equilibrium
from shutthebox.odds.worths import OddsError
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match, begin
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import OneDie, Profile, Tie
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Turn

TRADITIONAL = profiles.builtin("traditional")


def alone(profile: Profile, turn: Turn) -> Match:
    """A match of one player in this turn."""
    match = with_rows(begin(profile, 1), turn)
    return match._replace(stage=Stage.ANSWER if turn.throw else Stage.THROW)


@pytest.mark.parametrize(
    ("game", "unit"),
    [
        pytest.param("traditional", Unit.POINTS, marks=pytest.mark.slow),
        pytest.param("golf", Unit.POINTS, marks=pytest.mark.slow),
        ("young", Unit.THROWS),
        pytest.param("open-one", Unit.THROWS, marks=pytest.mark.slow),
        ("bank", Unit.STAKES),
        pytest.param("high-rollers", Unit.CHANCE, marks=pytest.mark.slow),
    ],
)
def test_what_is_played_for_is_the_unit(game: str, unit: Unit) -> None:
    advice = advise(begin(profiles.builtin(game), 2).throw((6, 3)))
    assert advice.unit is unit
    assert advice.options[0].cost == 0
    costs = [option.cost for option in advice.options]
    assert costs == sorted(costs)


def test_rules_without_odds_have_no_advice() -> None:
    for profile, players in (("the-300", 1), ("high-rollers", 4)):
        with pytest.raises(OddsError):
            advise(begin(profiles.builtin(profile), players))


def test_a_throw_that_can_only_be_passed_has_no_options() -> None:
    profile = replace(profiles.builtin("young"), tiles=(5, 9))
    assert advise(begin(profile, 1).throw((1, 1))).options == ()


def test_which_tile_to_open() -> None:
    profile = replace(profiles.builtin("open-one"), tiles=(1, 2, 3, 4))
    advice = advise(alone(profile, turns.throw(profile, Turn(0b11, moves=1), (6, 6))))
    assert {option.choice for option in advice.options} == {0b100, 0b1000}


@pytest.mark.parametrize("name", ["traditional", "misere", "digits"])
def test_what_the_other_number_of_dice_costs(name: str) -> None:
    profile = replace(profiles.builtin(name), tiles=(1, 2, 3, 4, 6, 8), one_die=OneDie.OPTIONAL_HIGH)
    odds, found = Odds(profile), set()
    for tiles in range(1, 1 << 6):
        turn = Turn(to_tiles(n for i, n in enumerate(profile.tiles) if tiles >> i & 1), moves=1)
        advice = advise(alone(profile, turn))
        assert advice.best == odds.best_dice(turn)
        if turn.open >= to_tiles([8]):
            assert [option.choice for option in advice.options] == [2]
            continue
        found.add(advice.best)
        one, two = (odds.with_dice(turn, dice).score for dice in (1, 2))
        assert {option.choice for option in advice.options} == {1, 2}
        assert advice.options[1].cost == pytest.approx(abs(one - two), abs=1e-12)
    assert found == {1, 2}


def test_the_best_move_to_win_where_it_is_another() -> None:
    shared = replace(TRADITIONAL, tie=Tie.SHARE)
    odds, play = Odds(shared), Equilibrium(shared, 2).seat(scores=(4,))
    match = begin(shared, 2)
    first = match.round.rows[0]._replace(outcome=turns.Outcome.BLOCKED, score=4)
    others = 0
    for a in range(1, 7):
        for b in range(1, 7):
            for open_tiles in (shared.starting, to_tiles([1, 2, 3, 4, 5, 7, 8])):
                thrown = turns.throw(shared, Turn(open_tiles, moves=1), (a, b))
                if thrown.outcome is not None:
                    continue
                advice = advise(
                    with_rows(match, first, thrown)._replace(player=1, totals=(4, 0), stage=Stage.ANSWER)
                )
                assert [option.choice for option in advice.options] == [
                    each.tiles for each in odds.ranked(thrown)
                ]
                chances = {tiles: chance.main for tiles, _, chance in play.ranked(thrown)}
                assert [option.choice for option in advice.to_win] == list(chances)
                best = max(chances.values())
                assert advice.best is not None
                if chances[advice.best] > best - 1e-9:
                    assert advice.best_to_win is None
                else:
                    assert chances[advice.best_to_win or 0] == best
                    others += 1
    assert others > 0


TOGETHER = 'turns = "together"\ntiles = 4\nshut_wins = "no"\nsides = 4'


@pytest.mark.parametrize("one_die", ["optional-tiles", "forced-tiles"])
def test_advice_on_one_row_of_several_keeps_to_the_dice_for_everyone(one_die: str) -> None:
    profile = house(f'{TOGETHER}\none_die = "{one_die}"\none_die_at = 2')
    few, many = Turn(to_tiles([1, 2]), throws=1, moves=1), Turn(to_tiles([1, 2, 3]), throws=1, moves=1)
    for others, dice in ((many, [2]), (few, [1] if one_die == "forced-tiles" else [2, 1])):
        match = with_rows(begin(profile, 2), few, others)
        assert sorted((option.choice for option in advise(match).options), reverse=True) == dice


def test_what_a_row_is_worth_does_not_depend_on_the_other_rows() -> None:
    profile = house(f'{TOGETHER}\none_die = "optional-tiles"\none_die_at = 2')
    few, many = Turn(to_tiles([1, 2]), throws=1, moves=1), Turn(to_tiles([1, 2, 3]), throws=1, moves=1)
    found = {
        pick(profile).turn.worth(with_rows(begin(profile, 2), few, others), few) for others in (few, many)
    }
    assert len(found) == 1
