"""The two simple ways to play: which dice, and which tiles."""

import pytest
from tests.odds.test_work import house

from shutthebox.odds.strengths import Strength, simple_answer, simple_dice
from shutthebox.rules import turn as turns
from shutthebox.rules.tiles import to_numbers, to_tiles
from shutthebox.rules.turn import Turn

BEGINNER, REGULAR = Strength.BEGINNER, Strength.REGULAR


@pytest.mark.parametrize(
    ("rules", "still_open", "behind", "regulars"),
    [
        ("", [1, 5], [], 1),
        ("", [1, 6], [], 2),
        ("", [6], [], 1),
        ("", [7], [], 2),
        ("sides = 4", [4], [], 1),
        ("sides = 4", [2, 3], [], 2),
        ("rows = 2", [3], [3], 1),
        ("rows = 2", [4], [4], 2),
    ],
)
def test_a_regular_throws_one_die_once_it_can_shut_all(
    rules: str, still_open: list[int], behind: list[int], regulars: int
) -> None:
    profile = house(f'tiles = 9\none_die = "optional-high"\n{rules}')
    turn = Turn(to_tiles(still_open), moves=1, behind=to_tiles(behind))
    assert simple_dice(profile, turn, REGULAR) == regulars
    assert simple_dice(profile, turn, BEGINNER) == 2


@pytest.mark.parametrize(
    ("rules", "beginners", "regulars"),
    [
        ("", [1, 2, 9], [4, 8]),
        ("max_tiles = 2", [4, 8], [4, 8]),
        # Where open tiles are good, the high ones are kept.
        ('win = "highest"\nshut_wins = "no"', [1, 2, 9], [1, 2, 4, 5]),
        ('win = "highest"\nshut_wins = "no"\nscore = "shut-sum"', [1, 2, 9], [4, 8]),
    ],
)
def test_a_beginner_shuts_the_highest_and_a_regular_the_fewest(
    rules: str, beginners: list[int], regulars: list[int]
) -> None:
    profile = house(f"tiles = 9\n{rules}")
    turn = turns.throw(profile, Turn(to_tiles([1, 2, 4, 5, 8, 9]), moves=1), (6, 6))
    assert list(to_numbers(simple_answer(profile, turn, BEGINNER))) == beginners
    assert list(to_numbers(simple_answer(profile, turn, REGULAR))) == regulars


def test_who_can_only_pass_shuts_nothing() -> None:
    profile = house('tiles = 9\nblocked = "passes"')
    turn = turns.throw(profile, Turn(to_tiles([5, 9]), moves=1), (1, 1))
    assert turn.awaits_answer
    for strength in Strength:
        assert simple_answer(profile, turn, strength) == 0
