"""The puzzles that are shipped are right, and so is the search that finds them."""

from collections import Counter
from functools import cache
from random import Random

import pytest
from tests.support.fast import fast_among
from tests.unit.odds.puzzle_mining import (
    GAMES,
    MARGIN,
    all_puzzles,
    mine,
    missed_by,
)

from shutthebox.config.profiles import builtin
from shutthebox.config.puzzles import puzzle_of, shipped
from shutthebox.odds.odds import Odds
from shutthebox.odds.puzzles import puzzle_from_text
from shutthebox.odds.worths import OddsError
from shutthebox.rules import turn as turns

PUZZLES = tuple(puzzle_from_text(line, builtin) for line in shipped())


@cache
def odds_of(name: str) -> Odds:
    return Odds(builtin(name))


def test_there_are_five_hundred_and_no_two_ask_the_same() -> None:
    assert len(PUZZLES) == 500
    asked = {(p.game.name, p.open, sum(p.throw), frozenset(a.choice for a in p.answers)) for p in PUZZLES}
    assert len(asked) == 500
    assert Counter(p.game.name for p in PUZZLES) == dict.fromkeys(GAMES, 125)


@pytest.mark.parametrize("game", fast_among(GAMES, GAMES[:1]))
def test_every_answer_is_that_of_the_odds(game: str) -> None:
    """Its worth is computed again, move by move, from the worth of the position that the move leaves."""
    odds, profile = odds_of(game), builtin(game)
    whole = odds.value(turns.start(profile)).score
    for puzzle in (each for each in PUZZLES if each.game.name == game):
        turn = puzzle.turn
        assert turn.awaits_answer
        legal = turns.answers(profile, turn)
        assert sorted(legal) == sorted(answer.choice for answer in puzzle.answers)
        scores = {}
        for shut in legal:
            after = turns.move(profile, turn, shut)
            scores[shut] = float(after.score or 0) if after.outcome else odds.value(after).score
        best = min(scores.values())
        ranked = sorted(scores.values())
        assert scores[puzzle.best] == best
        assert ranked[1] - best >= MARGIN * whole
        assert max(legal) != puzzle.best, "the highest tiles are not the best"
        for answer in puzzle.answers:
            assert answer.cost == pytest.approx(scores[answer.choice] - best, abs=0.0051)


@pytest.mark.slow
def test_every_level_counts_the_rules_that_miss() -> None:
    for puzzle in PUZZLES:
        missed = missed_by(puzzle.game, puzzle.open, [answer.choice for answer in puzzle.answers])
        assert len(missed) == puzzle.level
        assert "highest" in missed


def test_a_line_is_read_back() -> None:
    for line, puzzle in zip(shipped(), PUZZLES, strict=True):
        assert puzzle.to_text() == line


def test_a_day_has_one_puzzle_and_they_come_round() -> None:
    assert puzzle_of(739_000) == puzzle_of(739_500) == PUZZLES[0]
    assert puzzle_of(739_001) == PUZZLES[1]


@pytest.mark.parametrize("game", ["high-rollers", "domino-bag", "double-shutter", "bank", "cards", "young"])
def test_games_without_puzzles(game: str) -> None:
    with pytest.raises(OddsError, match=f"{game} has no puzzles"):
        mine(builtin(game), 1, Random(1))


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_what_is_shipped_is_what_the_search_finds(game: str) -> None:
    found = {(p.open, p.answers): p.level for p in all_puzzles(builtin(game), Random(1))}
    shipped_of_game = [puzzle for puzzle in PUZZLES if puzzle.game.name == game]
    assert [found.get((p.open, p.answers)) for p in shipped_of_game] == [p.level for p in shipped_of_game]
