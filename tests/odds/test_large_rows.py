"""Play on the large rows: legal, exact where few tiles are open, and better than the highest first."""

import random
from dataclasses import replace
from itertools import combinations

import pytest
from tests.benchmarks.large_rows import highest, margin, played, scores

from shutthebox.config.profiles import builtin, builtins
from shutthebox.config.row_values import row_of
from shutthebox.odds import Odds, TooLargeError
from shutthebox.odds.estimate import estimate, estimated_moves
from shutthebox.odds.large_rows import EXACT_TILES, LOOKED_AT, LargeRow, endgame, is_plain, total_chances
from shutthebox.odds.row_learning import learn
from shutthebox.rules import turn as turns
from shutthebox.rules.tiles import sum_of, to_numbers, to_tiles
from shutthebox.rules.turn import Turn

GAMES = ("the-300", "double-eighteen", "cards")


def row(name: str) -> LargeRow:
    found = row_of(builtin(name))
    assert found is not None
    return found


def test_the_games_that_values_were_learned_for() -> None:
    assert {profile.name for profile in builtins() if row_of(profile)} == set(GAMES)


@pytest.mark.parametrize(
    "change",
    [
        {"max_tiles": 2},
        {"tiles": tuple(range(2, 26))},
        {"start_open": (1, 2, 3)},
        {"first_move_must_include": 2},
        {"ends_turn_on": frozenset({7})},
        {"sides": 8},
    ],
)
def test_other_rules_on_the_same_row_have_none(change: dict[str, object]) -> None:
    assert row_of(replace(builtin("the-300"), **change)) is None  # type: ignore[arg-type]


def test_house_rules_of_the_same_kind_have_them() -> None:
    assert row_of(replace(builtin("the-300"), name="friday", rounds=3)) is not None


@pytest.mark.parametrize("name", GAMES)
def test_it_plays_legally_to_the_end(name: str) -> None:
    player = row(name)
    for number in range(5):
        score, asked = played(player.profile, player.best, random.Random(number))
        assert 0 <= score < sum_of(player.profile.starting)
        assert len(asked) > 5


@pytest.mark.parametrize("name", GAMES)
def test_few_tiles_are_played_exactly(name: str) -> None:
    """The same numbers as a row of their own have the same odds."""
    profile, rng = builtin(name), random.Random(4)
    numbers = tuple(sorted(rng.sample(range(1, 25), 8)))
    own = replace(profile, tiles=numbers, boxes=())
    start = turns.start(own)
    turn = Turn(start.open, moves=1)
    assert endgame(profile, start.open).value(turn) == Odds(own).value(start)
    # Each worth is that of the position that the answer leaves.
    throw = tuple(rng.choices(range(1, 7), k=profile.dice))
    thrown = turns.throw(profile, turn, throw)
    for each in row(name).ranked(thrown):
        after = turns.move(profile, thrown, each.tiles)
        assert each.value.score == pytest.approx(
            float(after.score or 0) if after.outcome else Odds(own).value(after).score
        )


def test_every_answer_is_legal_and_the_best_is_first() -> None:
    player = row("the-300")
    turn = turns.throw(player.profile, turns.start(player.profile), (6, 5, 4, 5))
    ranked = player.ranked(turn)
    assert len(ranked) == LOOKED_AT
    assert {each.tiles for each in ranked} <= set(turns.answers(player.profile, turn))
    assert ranked[0].cost == 0
    assert [each.cost for each in ranked] == sorted(each.cost for each in ranked)
    assert player.ranked(turns.start(player.profile)) == ()


def test_an_answer_of_many_tiles_where_there_is_no_other() -> None:
    player = row("the-300")
    open_tiles = to_tiles([1, 2, 3, 4, 5, 17, 18, 19, 20, 21, 22, 23, 24])
    assert open_tiles.bit_count() > EXACT_TILES
    turn = turns.throw(player.profile, Turn(open_tiles, moves=1), (4, 4, 4, 3))
    assert [to_numbers(each.tiles) for each in player.ranked(turn)] == [(1, 2, 3, 4, 5)]


def test_the_look_ahead_is_the_best_of_all_small_answers() -> None:
    """Beside a straightforward one, over combinations."""
    player = row("the-300")
    open_tiles = to_tiles(range(3, 17))
    expected = 0.0
    for total, chance in total_chances(4, 6).items():
        after = [
            player.still_shut(open_tiles & ~to_tiles(some))
            for size in (1, 2, 3)
            for some in combinations(to_numbers(open_tiles), size)
            if sum(some) == total
        ]
        if after:
            expected += chance * (total + max(after))
    assert player.looked_ahead(open_tiles) == pytest.approx(expected)
    assert player.looked_ahead(0) == 0


def test_chances_of_totals() -> None:
    chances = total_chances(2, 6)
    assert chances[7] == pytest.approx(1 / 6)
    assert sum(chances.values()) == pytest.approx(1)


def test_learning_gives_the_same_values_for_the_same_seed() -> None:
    small = replace(builtin("the-300"), tiles=tuple(range(1, 14)), dice=3)
    values = learn(small, random.Random(1), positions=30)
    assert values == learn(small, random.Random(1), positions=30)
    assert set(values) == set(range(EXACT_TILES - 2, 14))
    assert all(len(numbers) == 14 for numbers in values.values())


def test_learned_play_is_close_to_the_exact_one() -> None:
    """On 12 tiles, where there are exact odds."""
    profile = replace(builtin("traditional"), one_die=builtin("the-300").one_die, tiles=tuple(range(1, 13)))
    assert is_plain(profile)
    exact = Odds(profile)
    player = LargeRow(profile, learn(profile, random.Random(1), positions=60))
    start = turns.start(profile)
    for throw in ((6, 6), (5, 4), (1, 2), (6, 4), (5, 6)):
        thrown = turns.throw(profile, start, throw)
        worth = {each.tiles: each.cost for each in exact.ranked(thrown)}
        assert worth[player.best(thrown)] < 0.5
        assert worth[player.best(thrown)] <= worth[max(worth)] + 0.1


def test_estimates_play_by_learned_values() -> None:
    player = row("the-300")
    start = turns.start(player.profile)
    found = estimate(player.profile, start, rng=random.Random(1), samples=300, row=player)
    assert found.policy is None
    assert found.samples == 300
    assert found.value.score == pytest.approx(145, abs=4 * found.standard_error.score)
    thrown = turns.throw(player.profile, start, (6, 5, 4, 5))
    moves = estimated_moves(player.profile, thrown, rng=random.Random(1), samples=160, row=player)
    assert {shut for shut, _ in moves} == {each.tiles for each in player.ranked(thrown)}


def test_exact_odds_are_for_small_rows() -> None:
    with pytest.raises(TooLargeError):
        Odds(builtin("the-300"))


def test_what_is_known_of_best_play() -> None:
    best = {name: row(name).best_play for name in GAMES}
    assert all(best.values())
    assert {name for name, known in best.items() if known and known.exact} == {"the-300"}


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("name", "count", "least"),
    [("the-300", 2000, 1.0), ("double-eighteen", 300, 5.0), ("cards", 150, 12.0)],
)
def test_it_beats_the_highest_first(name: str, count: int, least: float) -> None:
    """By a margin that is above 0 with 99 % confidence."""
    player = row(name)
    ours, theirs = scores(player.profile, player.best, count), scores(player.profile, highest, count)
    gain, sure = margin(ours, theirs)
    assert sure > 0
    assert gain > least
