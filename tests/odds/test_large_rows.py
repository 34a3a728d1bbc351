"""Play on the large rows: legal, exact where few tiles are open, and better than the highest first."""

import random
import sys
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

import pytest
from tests.benchmarks.large_rows import highest, margin, played, scores

from shutthebox.config.profiles import builtin, builtins
from shutthebox.config.row_values import row_of
from shutthebox.odds import Odds, TooLargeError
from shutthebox.odds.estimate import estimate, estimated_moves
from shutthebox.odds.large_rows import EXACT_TILES, LOOKED_AT, LargeRow, endgame, is_plain, total_chances
from shutthebox.odds.row_learning import _fit, _positions, _solved, learn
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import legal_moves
from shutthebox.rules.profile import Blocked, Draw, MoveKind, OneDie, Profile, Scoring, ShutWins, Turns, Win
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


@pytest.mark.parametrize("numbers", [range(3, 17), (1, 2, 3, 4, 5, 6, 7, 8, 21, 22, 23, 24)])
def test_the_look_ahead_is_the_best_of_all_small_answers(numbers: Iterable[int]) -> None:
    """Beside a straightforward one, over combinations; the second row needs three tiles for many totals."""
    player = row("the-300")
    open_tiles = to_tiles(numbers)
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


PLAIN = replace(builtin("the-300"), boxes=())


@pytest.mark.parametrize(
    "change",
    [
        {"move": MoveKind.SINGLE},
        {"dice": 2, "draw": Draw.DOMINOES},
        {"one_die": OneDie.OPTIONAL_HIGH},
        {"score": Scoring.COUNT},
        {"blocked": Blocked.PASSES},
        {"turns": Turns.ALTERNATE},
        {"tiles": (*range(1, 24), 25)},
        {"start_open": tuple(range(1, 24))},
        {"rows": 2},
        {"ends_turn_on": frozenset({7})},
        {"dice": 2, "difference": True},
        {"insurance": True},
        {"win": Win.HIGHEST, "shut_wins": ShutWins.NO},
        {"max_tiles": 3},
        {"first_move_must_include": 24},
    ],
)
def test_rules_that_learned_values_do_not_fit(change: dict[str, object]) -> None:
    assert is_plain(PLAIN)
    assert not is_plain(replace(PLAIN, **change))  # type: ignore[arg-type]


def six_tiles(dice: int = 2) -> LargeRow:
    """Six tiles with values that were made up; with one tile open they are those of two."""
    rng = random.Random(dice)
    values = {size: [rng.uniform(-3, 8) for _ in range(7)] for size in range(2, 7)}
    return LargeRow(replace(PLAIN, tiles=(1, 2, 3, 4, 5, 6), dice=dice), values)


def test_the_points_still_shut_are_a_constant_and_the_values_of_the_tiles() -> None:
    values = {2: [5.0, 1.0, 2.0, 3.0], 3: [-50.0, 4.0, 5.0, 6.0]}
    player = LargeRow(replace(PLAIN, tiles=(1, 2, 3), dice=2), values)
    assert player.still_shut(to_tiles([1, 3])) == 9.0
    assert player.still_shut(to_tiles([3])) == 8.0, "the smallest number of tiles that there are values for"
    assert player.still_shut(to_tiles([1, 2, 3])) == 0.0, "never less than none"
    assert player.still_shut(0) == 0.0


@pytest.mark.parametrize("dice", [1, 2, 3])
def test_every_look_ahead_and_answer_of_a_short_row(dice: int) -> None:
    """Beside straightforward ones, at every position; answers of up to three tiles come first."""
    player = six_tiles(dice)
    for tiles in range(1, 64):
        ahead = 0.0
        for total, chance in total_chances(dice, 6).items():
            throw = [total // dice + (i < total % dice) for i in range(dice)]
            moves = legal_moves(player.profile, tiles, tuple(throw))
            few = [move for move in moves if move.bit_count() <= 3]
            after = {move: player.still_shut(tiles & ~move) for move in few or moves}
            best = max(after.values(), default=None)
            answer = player.answer(tiles, throw)
            assert answer == 0 if best is None else after[answer] == best
            if few:
                ahead += chance * (total + max(player.still_shut(tiles & ~move) for move in few))
        assert player.looked_ahead(tiles) == pytest.approx(ahead)


def test_the_look_ahead_leaves_out_what_hardly_ever_falls() -> None:
    player = row("cards")
    open_tiles = to_tiles([*range(9, 13), *range(40, 52)])
    expected = 0.0
    for total, chance in total_chances(9, 6).items():
        after = [
            player.still_shut(open_tiles & ~to_tiles(some))
            for size in (1, 2, 3)
            for some in combinations(to_numbers(open_tiles), size)
            if sum(some) == total
        ]
        if after and chance >= 1e-4:
            expected += chance * (total + max(after))
    assert player.looked_ahead(open_tiles) == pytest.approx(expected, rel=1e-12)


def test_the_best_eight_are_ranked_by_their_look_ahead() -> None:
    player = row("the-300")
    turn = turns.throw(player.profile, turns.start(player.profile), (6, 5, 4, 5))
    moves = [move for move in turns.answers(player.profile, turn) if move.bit_count() <= 3]
    moves.sort(key=lambda move: -player.still_shut(turn.open & ~move))
    left = {move: turn.open & ~move for move in moves[:8]}
    scores = {move: sum_of(tiles) - player.looked_ahead(tiles) for move, tiles in left.items()}
    best = min(scores.values())
    found = player.ranked(turn)
    assert [each.tiles for each in found] == sorted(scores, key=lambda move: scores[move])
    for each in found:
        assert each.value == (scores[each.tiles], 0.0)
        assert each.cost == scores[each.tiles] - best
    assert player.best(turn) == found[0].tiles


def test_ten_tiles_are_played_exactly_and_eleven_are_not() -> None:
    player = row("the-300")
    for numbers, exact in ((range(1, 11), True), (range(1, 12), False)):
        turn = turns.throw(player.profile, Turn(to_tiles(numbers), moves=1), (2, 2, 3, 3))
        ranked = player.ranked(turn)
        assert (len(ranked) == len(turns.answers(player.profile, turn))) == exact
        assert any(each.value.shut for each in ranked) == exact
    blocked = turns.throw(player.profile, Turn(to_tiles([24]), moves=1), (2, 2, 3, 3))
    assert player.best(blocked) == 0


def test_what_is_known_of_best_play_is_kept() -> None:
    known = row("the-300").best_play
    assert known is not None
    assert (round(known.score, 6), known.exact) == (142.647143, True)


def test_linear_equations_are_solved() -> None:
    rng = random.Random(9)
    for size in (1, 2, 5, 9):
        lines = [[float(rng.randint(-3, 3)) for _ in range(size)] for _ in range(size)]
        for i, line in enumerate(lines):
            line[i - 1] += 9.0  # one solution; a zero may stand where the first pivot would be
        solution = [float(rng.randint(-9, 9)) for _ in range(size)]
        right = [sum(a * b for a, b in zip(line, solution, strict=True)) for line in lines]
        matrix = [[*line, value] for line, value in zip(lines, right, strict=True)]
        assert _solved(matrix) == pytest.approx(solution, abs=1e-9)
    assert _solved([[0.0, 2.0, 6.0], [4.0, 0.0, 8.0]]) == [2.0, 3.0]


def test_fitted_values_have_the_least_squares() -> None:
    """A small step with any value makes the sum larger: five positions hold each tile to its value before."""
    rng, before = random.Random(4), [3.0, 1.0, -1.0, 0.5, 2.0]
    samples = [(to_numbers(tiles), rng.uniform(0, 20)) for tiles in range(1, 16) for _ in range(tiles % 3)]
    found = list(_fit(samples, 4, before))

    def squares(values: list[float]) -> float:
        misses = sum((values[0] + sum(values[i] for i in numbers) - y) ** 2 for numbers, y in samples)
        held = sum((new - old) ** 2 for new, old in zip(values[1:], before[1:], strict=True))
        return misses + 5 * held + 1e-6 * (values[0] - before[0]) ** 2

    least = squares(found)
    for i in range(5):
        for step in (-1e-3, 1e-3):
            assert squares([value + step * (at == i) for at, value in enumerate(found)]) > least


def test_positions_to_learn_from_are_those_of_whole_turns_and_beyond() -> None:
    player = six_tiles()
    found = _positions(player, random.Random(3), 40)
    assert found[6] == [(1, 2, 3, 4, 5, 6)] * 40
    assert set(found) == {1, 2, 3, 4, 5, 6}, "beyond the end of a turn tiles are shut by lot"
    for size, positions in found.items():
        assert len(positions) <= 40
        assert all(len(numbers) == size for numbers in positions)


def learned(profile: Profile, positions: int) -> list[str]:
    """The lines of ``row_values.txt``: numbers of open tiles, and values in tenths of a point."""
    values = learn(profile, random.Random(1), positions)
    return [
        " ".join([str(size), *(f"{10 * value:.0f}" for value in values[size])]) for size in sorted(values)
    ]


@pytest.mark.skipif(
    sys.version_info >= (3, 12), reason="NOT CHECKED: learned with sums that Python 3.11 rounds"
)
def test_the_lines_of_a_game_can_be_made_again() -> None:
    """From Python 3.12 on `sum` rounds less, and what is learned hangs on the last digit."""
    assert learned(replace(PLAIN, tiles=tuple(range(1, 12)), dice=2), 8) == [
        "8 239 4 4 1 -3 -1 0 5 1 -3 -4 -3",
        "9 282 1 4 0 -3 0 2 7 1 -5 -4 -3",
        "10 347 1 4 0 -3 0 2 8 1 -6 -4 -3",
        "11 415 1 4 0 -3 0 2 8 1 -6 -4 -3",
    ]
