"""The puzzles that are shipped are right, and so is the search that finds them."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random

import pytest
from tests.odds.puzzle_mining import (
    GAMES,
    MARGIN,
    RULES,
    all_puzzles,
    mine,
    missed_by,
)

from shutthebox.config.profiles import builtin
from shutthebox.config.puzzles import puzzle_of, shipped
from shutthebox.odds.odds import Odds
from shutthebox.odds.puzzles import Puzzle, puzzle_from_text
from shutthebox.odds.worths import OddsError
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles
from shutthebox.rules.turn import Turn

PUZZLES = tuple(puzzle_from_text(line, builtin) for line in shipped())


@cache
def odds_of(name: str) -> Odds:
    return Odds(builtin(name))


def test_there_are_five_hundred_and_no_two_ask_the_same() -> None:
    assert len(PUZZLES) == 500
    asked = {(p.profile.name, p.open, sum(p.throw), frozenset(a.choice for a in p.answers)) for p in PUZZLES}
    assert len(asked) == 500
    assert Counter(p.profile.name for p in PUZZLES) == dict.fromkeys(GAMES, 125)


def test_every_level_is_there() -> None:
    levels = Counter(p.level for p in PUZZLES)
    assert set(levels) == {2, 3, 4, 5}
    assert min(levels.values()) > 40


@pytest.mark.parametrize("game", GAMES)
def test_every_answer_is_that_of_the_odds(game: str) -> None:
    """Its worth is computed again, move by move, from the worth of the position that the move leaves."""
    odds, profile = odds_of(game), builtin(game)
    whole = odds.value(turns.start(profile)).score
    for puzzle in (each for each in PUZZLES if each.profile.name == game):
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


def test_every_level_counts_the_rules_that_miss() -> None:
    for puzzle in PUZZLES:
        missed = missed_by(puzzle.profile, puzzle.open, [answer.choice for answer in puzzle.answers])
        assert len(missed) == puzzle.level
        assert "highest" in missed


def test_the_rules() -> None:
    """9 tiles of which 1, 2, 3, 4, 5 and 9 are open, and 9 is thrown."""
    profile, open_tiles = builtin("traditional"), to_tiles([1, 2, 3, 4, 5, 9])
    answers = sorted(map(to_tiles, [(9,), (4, 5), (1, 3, 5), (2, 3, 4)]))
    chosen = {name: [*map(to_numbers, rule(profile, open_tiles, answers))] for name, rule in RULES.items()}
    assert chosen == {
        "highest": [(9,)],
        "fewest": [(9,)],
        "lowest": [(2, 3, 4)],
        "most": [(1, 3, 5)],
        "safest": [(9,)],
    }


def test_a_rule_that_allows_the_best_answer_among_others_does_not_miss_it() -> None:
    puzzles = [puzzle for puzzle in PUZZLES if len(safest(puzzle)) > 1 and puzzle.best in safest(puzzle)]
    assert puzzles
    for puzzle in puzzles:
        answers = [answer.choice for answer in puzzle.answers]
        assert "safest" not in missed_by(puzzle.profile, puzzle.open, answers)


def safest(puzzle: Puzzle) -> list[Tiles]:
    """The answers that leave the best chance that the next throw has an answer, thrown out one by one."""
    safe = {
        answer.choice: chance_to_answer(puzzle.profile, puzzle.open & ~answer.choice)
        for answer in puzzle.answers
    }
    return [tiles for tiles, chance in safe.items() if chance == max(safe.values())]


def chance_to_answer(profile: Profile, left: Tiles) -> Fraction:
    if not left:
        return Fraction(1)
    chances = []
    for dice in dice_allowed(profile, left):
        throws = list(product(range(1, 7), repeat=dice))
        answered = [turns.throw(profile, Turn(left, moves=1), each).outcome is None for each in throws]
        chances.append(Fraction(sum(answered), len(throws)))
    return max(chances)


def test_a_position_is_one_that_play_comes_to() -> None:
    """Tile 1 alone cannot have been shut by two dice."""
    sums = [puzzle for puzzle in PUZZLES if puzzle.profile.name in ("traditional", "digits")]
    assert all(0x1FF & ~puzzle.open != 1 for puzzle in sums)
    assert all(puzzle.open.bit_count() > 1 for puzzle in PUZZLES)


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
    shipped_of_game = [puzzle for puzzle in PUZZLES if puzzle.profile.name == game]
    assert [found.get((p.open, p.answers)) for p in shipped_of_game] == [p.level for p in shipped_of_game]
