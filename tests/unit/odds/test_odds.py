"""What the odds of a profile give, in what kind of number, and what they refuse."""

from dataclasses import replace
from fractions import Fraction

import pytest
from tests.support.house import house

from shutthebox.config.profiles import builtin
from shutthebox.odds.model import TurnModel
from shutthebox.odds.odds import Odds, for_points, odds_for_points
from shutthebox.odds.worths import End, OddsError, TooLargeError, difference
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Scoring, ShutWins, Win
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Outcome, Turn

TRADITIONAL = builtin("traditional")


def test_the_ends_of_a_turn_that_is_over() -> None:
    odds = Odds(TRADITIONAL)
    for over, end in (
        (Turn(0, outcome=Outcome.SHUT, score=0), End(0, True)),
        (Turn(0b11, outcome=Outcome.BLOCKED, score=3), End(3, False)),
    ):
        exact, rounded = (list(odds.ends(over, exact=exact).items()) for exact in (True, False))
        assert exact == rounded == [(end, 1)]
        assert isinstance(exact[0][1], Fraction)
        assert isinstance(rounded[0][1], float)
        assert odds.one_die(over) is None
        assert odds.ranked(over) == ()
    thrown = turns.throw(TRADITIONAL, Turn(0b11, moves=1), (3,))
    assert odds.ends(thrown, exact=True) == {End(0, True): 1}, (
        "after the best answer to the throw on the table"
    )


def test_turns_without_a_last_throw_have_no_ends_in_fractions() -> None:
    rules = (
        'tiles = [1, 2]\nblocked = "passes"\nscore = "throws"\nshut_wins = "no"',
        'tiles = [1, 2]\nblocked = "opens-one"\nscore = "throws"\nshut_wins = "no"',
    )
    for text in rules:
        odds = Odds(house(text))
        with pytest.raises(OddsError, match="has no list of ends in fractions"):
            odds.ends(turns.start(odds.rules), exact=True)
        assert sum(odds.ends(turns.start(odds.rules)).values()) == pytest.approx(1)


def test_a_number_of_dice_that_cannot_be_thrown() -> None:
    dominoes = replace(builtin("domino-bag"), tiles=(1, 2, 8), boxes=())
    eight = Turn(to_tiles([1, 8]), moves=1)
    for profile in (TRADITIONAL, replace(TRADITIONAL, tiles=(1, 8), rows=2), dominoes):
        odds = Odds(profile)
        for dice in (0, 1, 3):
            with pytest.raises(ValueError, match=f"{dice} dice can't be thrown"):
                odds.with_dice(eight, dice)
            with pytest.raises(ValueError, match=f"{dice} dice can't be thrown"):
                odds.play().with_dice(eight, dice)
        assert odds.with_dice(eight, 2) == odds.value(eight)


def test_the_largest_rows() -> None:
    for rows, most in ((1, 12), (2, 9)):
        profile = replace(TRADITIONAL, tiles=tuple(range(1, most + 2)), rows=rows, boxes=())
        with pytest.raises(TooLargeError, match=f"{most + 1} tiles are too many .*; {most} are the limit"):
            TurnModel(profile)


def test_few_tiles_of_a_row_that_is_too_large_have_exact_odds() -> None:
    the_300 = builtin("the-300")
    turn = Turn(to_tiles([4, 20]), moves=1)
    with pytest.raises(TooLargeError, match="24 tiles are too many"):
        Odds(the_300)
    few = Odds(replace(the_300, start_open=(4, 20)))
    assert Odds(the_300, turn).fractions(turn) == few.fractions(turns.start(few.rules))


def test_a_race_is_counted_in_throws() -> None:
    young, golf = builtin("young"), builtin("golf")
    counted = for_points(young)
    assert (counted.score, counted.win, counted.shut_wins) == (Scoring.THROWS, Win.LOWEST, ShutWins.NO)
    assert for_points(golf) is golf
    assert odds_for_points(young) is odds_for_points(young)
    assert odds_for_points(young).rules == counted


def test_rounding_alone_makes_no_difference() -> None:
    assert 0.1 + 0.2 != 0.3
    assert difference(0.1 + 0.2, 0.3) == 0
    assert difference(0.5, 0.25) == Fraction(1, 4)
    tiny = Fraction(1, 10**12)
    assert difference(tiny, Fraction(0)) == tiny
