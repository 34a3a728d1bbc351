"""Rules of printed sheets from elsewhere, case by case."""

import pytest
from tests.support.house import house, on_table

from shutthebox.config.profiles import builtin
from shutthebox.rules import turn as turns
from shutthebox.rules.match import begin
from shutthebox.rules.moves import dice_allowed, totals
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import from_text, to_numbers, to_tiles
from shutthebox.rules.turn import Outcome, Turn, why_not_move


@pytest.mark.parametrize(
    ("keys", "opened", "dice"),
    [
        ('one_die = "forced-sum"\none_die_at = 5', (1, 5), (2,)),
        ('one_die = "forced-sum"\none_die_at = 5', (2, 3), (1,)),
        ('one_die = "optional-high"\none_die_at = 5', (1, 6), (2,)),
        ('one_die = "optional-high"\none_die_at = 5', (1,), (2, 1)),
        ('one_die = "optional-high"\none_die_at = 9', (8, 9), (2, 1)),
        ('one_die = "optional-shut"', (1, 9), (2,)),
        ('one_die = "optional-shut"', (1, 6), (2, 1)),
        ('tiles = 12\none_die = "forced-shut"', (6, 12), (1,)),
        ('tiles = 12\none_die = "forced-shut"\none_die_tiles = [1, 12]', (6, 12), (2,)),
        ('rows = 2\nback = "reversed"\none_die = "forced-shut"', (1,), (2,)),
        ('rows = 2\nback = "reversed"\none_die = "forced-shut"', (9,), (1,)),
        ('one_die = "optional-tiles"', (1, 2), (2,)),
        ('one_die = "optional-tiles"', (1,), (2, 1)),
        ('one_die = "forced-tiles"\none_die_at = 3', (7, 8, 9), (1,)),
        ('rows = 2\none_die = "forced-front"', (1, 5), (1,)),
        ('rows = 2\none_die = "forced-front"', (1, 6), (2,)),
    ],
)
def test_a_die_is_left_out_where_the_sheet_says(
    keys: str, opened: tuple[int, ...], dice: tuple[int, ...]
) -> None:
    assert dice_allowed(house(keys), to_tiles(opened)) == dice


def test_another_rule_for_one_die_does_not_inherit_the_limit() -> None:
    assert house('like = "below-six"').one_die_at == 5
    assert house('like = "below-six"\none_die = "optional-sum"').one_die_limit == 6


FOUR = 'operations = ["sum", "difference", "product", "quotient"]'


@pytest.mark.parametrize(
    ("keys", "faces", "read"),
    [
        (FOUR, (6, 2), (8, 4, 12, 3)),
        (FOUR, (2, 5), (7, 3, 10)),
        (FOUR, (3, 3), (6, 9, 1)),
        ('operations = ["sum", "difference"]\ndice = 3', (6, 2, 1), (9, 7, 5, 3)),
        ('operations = ["difference", "sum"]', (4, 4), (8,)),
        ('operations = ["difference"]', (4, 4), ()),
        (FOUR + '\none_die = "optional-high"', (5,), (5,)),
    ],
)
def test_what_a_throw_may_be_read_as(keys: str, faces: tuple[int, ...], read: tuple[int, ...]) -> None:
    assert totals(house(keys), faces) == read


def test_4_and_5_added_or_multiplied_on_twelve_tiles() -> None:
    profile = house('tiles = 12\noperations = ["sum", "product"]')
    thrown = turns.throw(profile, turns.start(profile), (4, 5))
    found = {to_numbers(move) for move in turns.answers(profile, thrown)}
    assert {(9, 11), (8, 12), (9,), (1, 9, 10)} <= found
    assert (10,) not in found


@pytest.mark.parametrize(
    ("keys", "ending", "going_on"),
    [
        ('operations = ["product"]\nends_turn_on = [6]', [(2, 3), (1, 6)], [(3, 3), (2, 4), (1, 5)]),
        ('operations = ["difference"]\nends_turn_on = [3]', [(2, 5), (6, 3)], [(1, 2), (3, 3)]),
        ('operations = ["quotient"]\nends_turn_on = [2]', [(6, 3), (1, 2)], [(1, 1), (5, 2)]),
        # With several results, the sum counts.
        ('operations = ["sum", "product"]\nends_turn_on = [6]', [(2, 4), (3, 3)], [(2, 3), (1, 6)]),
        ("difference = true\nends_turn_on = [2]", [(1, 1)], [(4, 2), (6, 4)]),
        ('doubles = "doubled"\nends_turn_on = [8, 24]', [(2, 2), (6, 2), (6, 6)], [(4, 4)]),
        ('draw = "dominoes"\nbag = 28\noperations = ["product"]\nends_turn_on = [0]', [(0, 0)], [(0, 3)]),
    ],
)
def test_a_total_that_ends_the_turn_is_what_the_throw_is_read_as(
    keys: str, ending: list[tuple[int, ...]], going_on: list[tuple[int, ...]]
) -> None:
    profile = house(f'{keys}\nblocked = "passes"\ntiles = 12')
    start = turns.start(profile)
    assert all(turns.throw(profile, start, throw).outcome is Outcome.ENDED for throw in ending)
    assert all(turns.throw(profile, start, throw).outcome is None for throw in going_on)


def test_a_single_die_ends_the_turn_by_its_face() -> None:
    profile = house('one_die = "optional-sum"\noperations = ["product"]\nends_turn_on = [5]')
    assert turns.throw(profile, Turn(from_text("2,3"), moves=1), (5,)).outcome is Outcome.ENDED


def play(profile: Profile, *throws: tuple[tuple[int, ...], str]) -> Turn:
    """A turn of these throws, each with the tiles shut for it ("-": none, "": the turn is over)."""
    turn = turns.start(profile)
    for faces, shut in throws:
        turn = turns.throw(profile, turn, faces)
        turn = turns.move(profile, turn, from_text(shut)) if shut else turn
    return turn


def test_a_double_ends_the_turn_though_a_move_exists() -> None:
    turn = play(house('doubles = "ends-turn"'), ((4, 5), "9"), ((3, 3), ""))
    assert (turn.outcome, turn.score) == (Outcome.ENDED, 36)


def test_a_double_counts_twice() -> None:
    profile = house('doubles = "doubled"')
    thrown = turns.throw(profile, turns.start(profile), (5, 5))
    found = {to_numbers(move) for move in turns.answers(profile, thrown)}
    assert {(3, 8, 9), (4, 7, 9)} <= found
    assert all(sum(move) == 20 for move in found)
    assert not turns.answers(profile, turns.throw(profile, Turn(from_text("1,2,3")), (5, 5)))


def test_the_second_throw_without_a_move_ends_the_turn() -> None:
    turn = play(house("strikes = 2"), ((1, 1), "2"), ((1, 1), "-"), ((2, 1), "3"), ((1, 1), ""))
    assert (turn.outcome, turn.score, turn.throws) == (Outcome.BLOCKED, 40, 4)


def test_in_rotation_a_strike_is_the_others_turn() -> None:
    match = begin(house('strikes = 2\nturns = "alternate"\nmove = "exact"'), 2)
    match = match.throw((1, 1)).move(2).throw((1, 2)).move(4).throw((1, 1))
    assert (match.player, match.stage) == (0, Stage.ANSWER)
    match = match.move(0)
    assert (match.player, match.round.rows[0].misses_left, match.round.rows[1].misses_left) == (1, 0, 1)


SOLD = builtin("double-shutter")


def test_6_and_4_shut_the_1_and_the_9_behind_it() -> None:
    thrown = turns.throw(SOLD, turns.start(SOLD), (6, 4))
    both = from_text("1,10")
    assert both in turns.answers(SOLD, thrown)
    assert not any(move & both == from_text("10") for move in turns.answers(SOLD, thrown))
    after = turns.move(SOLD, thrown, both)
    assert after.open == after.behind == from_text("2,3,4,5,6,7,8,9")


def test_the_8_behind_the_2_is_not_a_2() -> None:
    turn = play(SOLD, ((6, 4), "1,10"), ((1, 1), "2"), ((1, 1), ""))
    assert (turn.outcome, turn.score) == (Outcome.BLOCKED, 120)


def test_equal_numbers_in_front_are_separate_tiles() -> None:
    # The 4 in front, and the 4 behind the 6.
    turn = Turn(from_text("4,6"), behind=from_text("4"), moves=1)
    assert turns.answers(SOLD, turns.throw(SOLD, turn, (5, 3))) == (from_text("4,6"),)


def test_a_blank_counts_nothing_and_matches_no_tile() -> None:
    blanks = builtin("blanks")
    turn = play(blanks, ((0, 5), "5"), ((1, 1), "2"), ((0, 2), ""))
    assert (turn.outcome, turn.score) == (Outcome.BLOCKED, 38)


def test_after_the_double_blank_the_player_draws_again() -> None:
    turn = play(builtin("blanks"), ((0, 0), "-"), ((0, 5), "5"))
    assert (turn.outcome, turn.throws, turn.moves) == (None, 2, 1)
    ends = house('like = "blanks"\nends_turn_on = [0]')
    assert turns.throw(ends, turns.start(ends), (0, 0)).outcome is Outcome.ENDED
    match = begin(house('like = "blanks"\nturns = "alternate"'), 2).throw((0, 0)).move(0)
    assert match.player == 0


@pytest.mark.parametrize(
    ("keys", "opened", "faces", "goes_on"),
    [
        # A 1 needs a blank and a 1; a 2 that only a double shows is a 4 where doubles count twice.
        ('tiles = 1\ndraw = "dominoes"\nbag = 28', "1", (2, 3), True),
        ('tiles = 1\ndraw = "dominoes"', "1", (2, 3), False),
        ('tiles = 2\ndoubles = "doubled"', "2", (2, 3), False),
        ('tiles = 4\ndoubles = "doubled"', "2,4", (2, 3), True),
    ],
)
def test_a_passed_throw_goes_on_just_while_some_throw_can_shut_a_tile(
    keys: str, opened: str, faces: tuple[int, ...], *, goes_on: bool
) -> None:
    turn = turns.throw(on_table(f'{keys}\nblocked = "passes"'), Turn(from_text(opened), moves=1), faces)
    assert (turn.outcome is None) == goes_on


def test_a_double_that_leaves_no_difference_still_shows_its_face_in_klappenspiel() -> None:
    profile = house('operations = ["difference"]\nmove = "knipsen"')
    assert turns.answers(profile, turns.throw(profile, turns.start(profile), (2, 2))) == (from_text("2"),)


def test_a_chinese_set_has_eleven_dominoes_twice() -> None:
    assert len(turns.BAGS[32]) == 32
    assert turns.BAGS[32].count((5, 6)) == 2
    assert turns.BAGS[32].count((3, 4)) == 1


def test_a_throw_without_a_total_says_so() -> None:
    profile = house('operations = ["quotient"]\nblocked = "passes"')
    thrown = turns.throw(profile, turns.start(profile), (5, 2))
    said = why_not_move(profile, thrown, from_text("5"))
    assert said == "5+2 makes no total here, so nothing can be shut for it"


@pytest.mark.parametrize(
    ("keys", "opened", "faces", "score"),
    [
        ("", (1, 8), (5, 2), 9 + 7),
        ('score = "count"', (1, 8), (5, 2), 2 + 7),
        ("ends_turn_on = [7]", (1, 6), (5, 2), 7 + 7),
        ('doubles = "ends-turn"', (1, 6), (5, 5), 7 + 10),
        ('doubles = "doubled"', (1, 6), (5, 5), 7 + 20),
        ('operations = ["product"]', (1, 6), (5, 2), 7 + 10),
        ('operations = ["difference"]', (1, 6), (5, 2), 7 + 3),
        ('operations = ["quotient"]', (1, 6), (5, 2), 7),
        ('operations = ["sum", "difference"]', (1, 6), (6, 6), 7 + 12),
        ('one_die = "optional-high"', (1, 6), (2,), 7 + 2),
        ('rows = 2\nback = "reversed"\nrow_points = [2, 1]', (1, 8), (5, 3), 9 + 2 + 8),
    ],
)
def test_the_throw_that_ends_a_turn_is_added_to_its_score(
    keys: str, opened: tuple[int, ...], faces: tuple[int, ...], score: int
) -> None:
    turn = turns.throw(house(f"add_throw = true\n{keys}"), Turn(to_tiles(opened), moves=1), faces)
    assert turn.outcome is not None
    assert turn.score == score


def test_a_lost_turn_scores_the_worst_with_a_throw_and_the_throw_that_lost_it() -> None:
    keys = "add_throw = true\nfirst_move_must_include = 2"
    assert turns.throw(house(keys), turns.start(house(keys)), (3, 1)).score == 45 + 12 + 4
    dearer = house(f"{keys}\nlost_score = 100")
    assert turns.throw(dearer, turns.start(dearer), (3, 1)).score == 104


def test_time_over_counts_as_the_throw_on_the_table_and_a_shut_box_scores_0() -> None:
    game = house("add_throw = true\nturn_seconds = 60")
    thrown = begin(game, 2).throw((6, 5))
    assert thrown.out_of_time().turn.score == 45 + 11
    assert thrown.move(to_tiles([5, 6])).out_of_time().turn.score == 34, "no throw is on the table"
    assert turns.move(game, turns.throw(game, Turn(to_tiles([9]), moves=1), (5, 4)), to_tiles([9])).score == 0
