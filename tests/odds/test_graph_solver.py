"""Rules that open tiles again: against value iteration over the rules."""

from dataclasses import replace
from functools import cache
from itertools import combinations, product
from typing import TypeAlias

import pytest

from shutthebox.config import profiles
from shutthebox.odds.odds import Odds
from shutthebox.odds.worths import Objective, OddsError
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import MoveKind, OneDie, Profile, Scoring, Win
from shutthebox.rules.score import MAX_THROWS, score
from shutthebox.rules.tiles import to_numbers, to_tiles
from shutthebox.rules.turn import Outcome, Turn

OPEN_ONE = profiles.builtin("open-one")

Choices: TypeAlias = list[tuple[int, float | None]]
"""Positions of which one is chosen, with their worth if the turn is over there."""


def iterated(profile: Profile, objective: str, throws: int = MAX_THROWS) -> float:
    """The deciding worth of a turn, played back from its last throw; without tie-breaks."""
    shut = objective == "shut"
    best = 1 if shut or profile.win is Win.HIGHEST else -1
    counts = profile.score is Scoring.THROWS and not shut

    def over(turn: Turn) -> float:
        return float(turn.outcome is Outcome.SHUT) if shut else best * float(turn.score or 0)

    starting = to_numbers(profile.starting)
    sizes = range(1, len(starting) + 1)
    rows = [to_tiles(chosen) for size in sizes for chosen in combinations(starting, size)]
    # Cut off before the first throw of all.
    worth = {tiles: 0.0 if shut else best * float(score(profile, tiles, 0)) for tiles in rows}
    # What each throw of each number of dice can lead to.
    tree: dict[int, list[list[Choices]]] = {}
    first: list[list[Choices]] = []
    for tiles in (0, *rows):
        turn = Turn(tiles, moves=int(tiles != 0)) if tiles else turns.start(profile)
        rolls = []
        for dice in dice_allowed(profile, turn.open):
            events: list[Choices] = []
            for faces in product(range(1, profile.sides + 1), repeat=dice):
                thrown = turns.throw(profile, turn, faces)
                if thrown.outcome:
                    events.append([(0, over(thrown))])
                    continue
                moves = turns.answers(profile, thrown)
                after = [turns.move(profile, thrown, move) for move in moves]
                if not after:
                    opened = to_numbers(turns.reopenings(profile, thrown))
                    after = [turns.reopen(profile, thrown, tile) for tile in opened]
                after = after or [turns.move(profile, thrown, 0)]
                events.append([(each.open, over(each) if each.outcome else None) for each in after])
            rolls.append(events)
        if tiles:
            tree[tiles] = rolls
        else:
            first = rolls
    cost = best if counts else 0

    def mean(events: list[Choices]) -> float:
        return sum(
            max(cost + worth[tiles] if end is None else end for tiles, end in after) for after in events
        ) / len(events)

    for _ in range(throws - 1):
        new = {tiles: max(map(mean, rolls)) for tiles, rolls in tree.items()}
        change = max(abs(new[tiles] - worth[tiles]) for tiles in new)
        worth = new
        if change < 1e-13:
            break
    value = max(map(mean, first))
    return value if shut else best * value


CASES = [
    replace(OPEN_ONE, tiles=(1, 2, 3, 4)),
    replace(OPEN_ONE, tiles=(1, 2, 3), dice=1),
    replace(OPEN_ONE, tiles=(2, 5, 9)),
    replace(OPEN_ONE, tiles=(1, 3, 5, 6), ends_turn_on=frozenset({7})),
    replace(OPEN_ONE, tiles=(1, 2, 3, 4), ends_turn_on=frozenset({4}), score=Scoring.SUM),
    replace(OPEN_ONE, tiles=(1, 2, 3, 4), first_move_must_include=2, score=Scoring.SUM),
    replace(OPEN_ONE, tiles=(1, 2, 3, 4), first_move_must_include=2, lost_score=40),
    replace(OPEN_ONE, tiles=(1, 2, 4), move=MoveKind.FACES),
    replace(OPEN_ONE, tiles=(1, 2, 4, 8), start_open=(1, 4, 8), move=MoveKind.SINGLE),
    # The 9 cannot be shut, so that nothing but the limit of throws ends the turn.
    replace(OPEN_ONE, tiles=(1, 2, 9), dice=1, score=Scoring.SUM),
    replace(OPEN_ONE, tiles=(1, 2, 9), dice=1, score=Scoring.SUM, win=Win.HIGHEST),
    replace(OPEN_ONE, tiles=(1, 9), dice=1),
    replace(OPEN_ONE, tiles=(1, 2, 4), one_die=OneDie.OPTIONAL_HIGH, ends_turn_on=frozenset({6})),
    replace(OPEN_ONE, tiles=(1, 2), dice=1, sides=2, win=Win.HIGHEST, score=Scoring.SUM),
]


@pytest.mark.parametrize("profile", CASES, ids=range(len(CASES)))
@pytest.mark.parametrize("objective", [Objective.SCORE, Objective.SHUT])
def test_against_iteration(profile: Profile, objective: Objective) -> None:
    value = Odds(profile).value(turns.start(profile), objective)
    expected = iterated(profile, objective.value)
    found = value.shut if objective is Objective.SHUT else value.score
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("profile", CASES[:-1], ids=range(len(CASES) - 1))
def test_ends_agree_with_values(profile: Profile) -> None:
    odds, start = Odds(profile), turns.start(profile)
    for objective in (Objective.SCORE, Objective.SHUT):
        ends = odds.ends(start, objective)
        assert sum(ends.values()) == pytest.approx(1, abs=1e-9)
        mean = sum(end.score * chance for end, chance in ends.items())
        assert mean == pytest.approx(odds.value(start, objective).score, rel=1e-9, abs=1e-9)


@cache
def nine_tiles() -> Odds:
    return Odds(OPEN_ONE)


def test_an_iteration_gives_no_fractions() -> None:
    with pytest.raises(OddsError, match="nine digits"):
        nine_tiles().fractions(turns.start(OPEN_ONE))


def test_nine_tiles() -> None:
    odds, start = nine_tiles(), turns.start(OPEN_ONE)
    assert odds.value(start).score == pytest.approx(13.1526968342866)
    assert odds.value(start).shut == pytest.approx(1, abs=1e-9)


def test_a_blocked_player_is_told_which_tile_to_open() -> None:
    profile = OPEN_ONE
    blocked = turns.throw(profile, Turn(0b11, moves=1), (6, 6))
    ranked = nine_tiles().ranked(blocked)
    assert len(ranked) == 7
    assert all(option.tiles & ~0b11 and option.cost >= 0 for option in ranked)
