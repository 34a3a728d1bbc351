"""Events name the next pairing until somebody has won."""

from collections.abc import Callable, Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.fast import fast_among

from shutthebox_league.formats import Game, Standing, best_of_night, knockout, ladder, round_robin, swiss

NAMES = [first + second + "X" for first in "ABCD" for second in "ABCD"]
Rule = Callable[[Sequence[str], Sequence[Game]], Standing]


def play_out(rule: Rule, count: int, better: Callable[[str, str], bool]) -> tuple[Standing, list[Game]]:
    entrants, games = NAMES[:count], list[Game]()
    while upcoming := rule(entrants, games).next:
        first, second = upcoming[0]
        games.append(Game(first, second, first if better(first, second) else second))
        assert len(games) <= count * count
    return rule(entrants, games), games


@pytest.mark.parametrize("count", fast_among(range(2, 13), [2, 3, 8, 11]))
@pytest.mark.parametrize("rule", [round_robin, swiss, knockout])
@pytest.mark.parametrize("backwards", [False, True])
def test_if_the_better_always_wins_the_best_is_champion(rule: Rule, count: int, backwards: bool) -> None:
    standing, games = play_out(rule, count, (lambda a, b: a > b) if backwards else (lambda a, b: a < b))
    best = max(NAMES[:count]) if backwards else NAMES[0]
    assert standing.champions == (standing.lines[0].name,) == (best,)
    assert {line.name for line in standing.lines} == set(NAMES[:count])
    if rule is knockout:
        assert len(games) == count - 1
    if rule is round_robin:
        assert {game.pair for game in games} == {frozenset(pair) for pair in combinations(NAMES[:count], 2)}


@given(count=st.integers(2, 12), seed=st.randoms(use_true_random=False))
def test_swiss_pairs_nobody_twice(count: int, seed) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    _, games = play_out(swiss, count, lambda a, b: seed.random() < 0.5)
    repeated = len(games) - len({game.pair for game in games})
    # With few entrants and a bye there may be no other pairing.
    assert repeated == 0 or count <= 5


def test_the_best_two_seeds_of_a_knockout_meet_in_the_final() -> None:
    _, games = play_out(knockout, 8, lambda a, b: a < b)
    assert games[-1].pair == {NAMES[0], NAMES[1]}
    assert games[0].pair == {NAMES[0], NAMES[7]}


def test_after_a_draw_a_knockout_pair_plays_again() -> None:
    entrants = NAMES[:2]
    drawn = [Game(NAMES[0], NAMES[1], None)]
    assert knockout(entrants, drawn).next == ((NAMES[0], NAMES[1]),)
    assert knockout(entrants, [*drawn, Game(NAMES[0], NAMES[1], NAMES[1])]).champions == (NAMES[1],)


def test_a_match_that_was_not_paired_changes_nothing() -> None:
    entrants = NAMES[:4]
    stray = [Game(NAMES[0], NAMES[2], NAMES[2])]
    assert knockout(entrants, stray).lines == knockout(entrants, []).lines
    assert swiss(entrants, stray).lines == swiss(entrants, []).lines


def test_a_ladder_is_climbed_one_rung_at_a_time() -> None:
    entrants = NAMES[:3]
    assert ladder(entrants, []).next == ((NAMES[1], NAMES[0]), (NAMES[2], NAMES[1]))
    jump = ladder(entrants, [Game(NAMES[2], NAMES[0], NAMES[2])])
    assert [line.name for line in jump.lines] == entrants
    climbed = ladder(entrants, [Game(NAMES[2], NAMES[1], NAMES[2]), Game(NAMES[2], NAMES[0], NAMES[2])])
    assert [line.name for line in climbed.lines] == [NAMES[2], NAMES[0], NAMES[1]]


@pytest.mark.parametrize(("highest", "best"), [(False, 1), (True, 0)])
def test_the_best_of_the_night_has_the_best_total(highest: bool, best: int) -> None:
    entrants = NAMES[:3]
    running = best_of_night(entrants, {NAMES[0]: 30, NAMES[1]: 7}, highest=highest, over=False)
    assert running.lines[0].name == NAMES[best]
    assert (running.next, running.champions) == (((NAMES[2], ""),), ())
    over = best_of_night(entrants, {NAMES[0]: 30, NAMES[1]: 7}, highest=highest, over=True)
    assert (over.next, over.champions) == ((), (NAMES[best],))


def test_a_swiss_tie_is_broken_by_the_points_of_those_whom_somebody_has_met() -> None:
    def stronger(first: str, second: str) -> bool:
        return first < second

    standing, games = play_out(swiss, 7, stronger)
    points = {line.name: line.points or 0 for line in standing.lines}
    for line in standing.lines:
        met = [next(iter(game.pair - {line.name})) for game in games if line.name in game.pair]
        assert line.ties[0] == sum(points[other] for other in met)
    ranks = [(line.points, *line.ties) for line in standing.lines]
    assert ranks == sorted(ranks, reverse=True)
    assert len({line.points for line in standing.lines}) < len(ranks), "there are ties"


@pytest.mark.parametrize(
    ("results", "order"),
    [
        # Each of the first three has two points; who has beaten the others of them is worth more.
        ({"ab": "a", "bc": "b", "ca": "c", "ad": "a", "bd": "b", "cd": "c"}, "abcd"),
        ({"ab": "b", "ac": "a", "ad": "a", "bc": "c", "bd": "d", "cd": "c"}, "acbd"),
    ],
)
def test_a_round_robins_tie_is_broken_by_whom_somebody_has_beaten(
    results: dict[str, str], order: str
) -> None:
    games = [Game(pair[0], pair[1], winner) for pair, winner in results.items()]
    lines = round_robin("abcd", games).lines
    assert "".join(line.name for line in lines) == order
    for line in lines:
        beaten = [next(iter(set(pair) - {line.name})) for pair, won in results.items() if won == line.name]
        assert line.ties == (sum(other.points or 0 for other in lines if other.name in beaten),)


def placed(standing: Standing) -> list[tuple[int, str]]:
    return [(line.place, line.name) for line in standing.lines]


def test_equals_share_a_place_and_the_one_after_them_is_counted_on() -> None:
    entrants = NAMES[:4]
    totals = dict(zip(entrants, (7, 3, 7, 9), strict=True))
    night = best_of_night(entrants, totals, highest=False, over=True)
    assert placed(night) == [(1, NAMES[1]), (2, NAMES[0]), (2, NAMES[2]), (4, NAMES[3])]


@pytest.mark.parametrize("rule", [round_robin, swiss])
def test_of_those_who_only_drew_nobody_wins_by_the_order_of_entry(rule: Rule) -> None:
    entrants, games = NAMES[:3], list[Game]()
    while upcoming := rule(entrants, games).next:
        games.append(Game(*upcoming[0], None))
    standing = rule(entrants, games)
    assert len(standing.champions) > 1
    assert standing.champions == tuple(line.name for line in standing.lines if line.place == 1)


def test_losers_of_one_round_of_a_knockout_share_a_place() -> None:
    standing, _ = play_out(knockout, 8, lambda a, b: a < b)
    assert [line.place for line in standing.lines] == [1, 2, 3, 3, 5, 5, 5, 5]
    assert standing.champions == (NAMES[0],)


def test_two_with_the_best_total_of_the_night_have_both_won() -> None:
    night = best_of_night(NAMES[:3], {NAMES[1]: 7, NAMES[2]: 7}, highest=False, over=True)
    assert night.champions == (NAMES[1], NAMES[2])
