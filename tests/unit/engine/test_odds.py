"""Odds through the API are those of the package."""

from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from shutthebox import (
    BestPlayer,
    Game,
    Match,
    Odds,
    OddsError,
    SimplePlayer,
    Turn,
    chances_to_win,
    play_match,
    review,
)

TRADITIONAL = Game.from_name("traditional")


def test_the_worth_of_a_turn_is_what_its_throws_lead_to() -> None:
    """The table by its definition: the mean over all throws, of the best move for each."""
    odds = Odds(TRADITIONAL)
    for tiles in [(9,), (1, 2), (1, 2, 3, 4), (2, 5, 8), TRADITIONAL.tiles]:
        turn = Turn.at(TRADITIONAL, tiles)
        by_dice = []
        for dice in turn.legal_dice:
            throws = (
                [(a,) for a in range(1, 7)]
                if dice == 1
                else [(a, b) for a in range(1, 7) for b in range(1, 7)]
            )
            total = Fraction(0)
            for faces in throws:
                after = turn.throw(*faces)
                scores = [odds.exact_value(after.move(*move)).score for move in after.legal_moves]
                total += Fraction(min(scores) if scores else after.score or 0)
            by_dice.append(total / len(throws))
        assert odds.exact_value(turn).score == min(by_dice)
        assert odds.value(turn).score == pytest.approx(float(min(by_dice)))


def test_every_position_of_nine_tiles_has_odds() -> None:
    odds = Odds(TRADITIONAL)
    turns = [
        Turn.at(TRADITIONAL, tiles) for size in range(1, 10) for tiles in combinations(range(1, 10), size)
    ]
    assert len(turns) == 511
    assert all(0 < odds.value(turn, aim="shut").shut < 1 for turn in turns)


def test_moves_are_ranked_by_what_they_cost() -> None:
    ranked = Odds(TRADITIONAL).rank(Turn.start(TRADITIONAL).throw(6, 4))
    assert ranked[0].move == (1, 9)
    assert ranked[0].cost == 0
    assert [move.cost for move in ranked] == sorted(move.cost for move in ranked)
    assert {move.move for move in ranked} == set(Turn.start(TRADITIONAL).throw(6, 4).legal_moves)
    assert Odds(TRADITIONAL).rank(Turn.start(TRADITIONAL)) == ()


def test_a_tile_to_open_again_is_negative() -> None:
    game = Game.from_name("open-one")
    turn = Turn.start(game).throw(6, 3).move(9).throw(6, 2).move(8).throw(6, 1).move(7).throw(6, 5).move(5, 6)
    turn = turn.throw(6, 5)
    ranked = Odds(game).rank(turn)
    assert turn.legal_moves == ((-5,), (-6,), (-7,), (-8,), (-9,))
    assert {move.move for move in ranked} == set(turn.legal_moves)
    assert turn.move(*Odds(game).best_move(turn)).awaits_throw


@pytest.mark.parametrize("ask", ["best_move", "best_dice"])
def test_what_is_not_next_has_no_best(ask: str) -> None:
    turn = Turn.start(TRADITIONAL)
    with pytest.raises(ValueError, match="is next"):
        getattr(Odds(TRADITIONAL), ask)(turn.throw(3, 5) if ask == "best_dice" else turn)


def test_chances_to_win_are_the_published_ones() -> None:
    shared = Game.from_text('like = "traditional"\ntie = "share"')
    assert chances_to_win(shared, 2) == pytest.approx((0.501490, 0.498510), abs=1e-6)
    assert sum(chances_to_win(Game.from_name("high-rollers"), 3)) == pytest.approx(1)
    assert chances_to_win(Game.from_name("bank"), 2) == pytest.approx(
        chances_to_win(Game.from_name("bank"), 2)[:1] * 2
    )
    with pytest.raises(OddsError, match="open-one"):
        chances_to_win(Game.from_name("open-one"), 2)


def test_best_play_makes_no_mistakes_and_others_do() -> None:
    match = Match.start(TRADITIONAL, players=2)
    best = play_match(match, [BestPlayer()] * 2, Random(2))
    assert {decision.points for decision in review(best, for_win=False)} == {0}
    worst = play_match(match, [SimplePlayer("most tiles")] * 2, Random(2))
    costs = review(worst, for_win=False)
    assert max(decision.points for decision in costs) > 1
    assert all((decision.points == 0) == (decision.chosen == decision.best) for decision in costs)


def test_a_game_too_large_for_odds_says_so() -> None:
    with pytest.raises(OddsError, match="too many"):
        Odds(Game.from_name("the-300")).value()
