"""Bursts of edges, and their player: exact times, on a clock that jumps instead of waiting."""

import threading
from collections.abc import Iterator
from itertools import pairwise
from random import Random

import pytest
from tests.support.waiting import until

from shutthebox.simulator.hardware.bounce import USUAL_BOUNCE_NS, EdgePlayer, bounce_edges

MS = 1_000_000
STANDS_NS = 70 * MS


class JumpingClock(threading.Condition):
    """The player's clock and its condition: a wait for a time is over at once, and it is that time."""

    def __init__(self) -> None:
        super().__init__()
        self.now_ns = 5_000 * MS

    def wait(self, timeout: float | None = None) -> bool:
        if timeout is None:
            return super().wait()
        self.now_ns += round(timeout * 1e9)
        return False


class Played:
    """A player, and all that it has played: time, line, and "down", "up" or the level."""

    def __init__(self, seed: int = 1) -> None:
        self.clock = JumpingClock()
        self.seen: list[tuple[int, int, str | bool]] = []
        self.player = EdgePlayer(
            lambda: self.clock.now_ns,
            Random(seed),
            lambda line, down: self.seen.append((self.clock.now_ns, line, "down" if down else "up")),
            lambda line, level: self.seen.append((self.clock.now_ns, line, level)),
        )
        self.player._changed = self.clock

    def click(self, *moves: tuple[int, bool]) -> None:
        """All of these at the same moment; returns when they are played."""
        with self.clock:
            for line, down in moves:
                self.player.move(line, down, at_present=False)
        player = self.player
        until(lambda: not player._edges and not any(player._waiting.values()))
        self.player.close()

    def moves(self, line: int) -> list[list[tuple[int, bool]]]:
        """The edges of each move of a line, with their times."""
        moves: list[list[tuple[int, bool]]] = []
        for t_ns, moved, what in self.seen:
            if moved == line and isinstance(what, bool):
                moves[-1].append((t_ns, what))
            elif moved == line:
                moves.append([])
        return moves


@pytest.fixture
def played() -> Iterator[Played]:
    played = Played()
    yield played
    played.player.close()


# -- bursts ------------------------------------------------------------------------------


def test_a_contact_closes_up_to_seven_times() -> None:
    lengths = {len(bounce_edges(Random(seed), 5 * MS)) for seed in range(200)}
    assert lengths == {3, 5, 7, 9, 11, 13}


@pytest.mark.parametrize(
    ("duration_ns", "offsets"),
    [
        (0, [[0]]),
        (1, [[0]]),
        (2, [[0, 1, 2]]),
        (3, [[0, 1, 3], [0, 2, 3]]),
        (4, [[0, 1, 2, 3, 4], [0, 1, 4], [0, 2, 4], [0, 3, 4]]),
    ],
)
def test_the_shortest_bursts(duration_ns: int, offsets: list[list[int]]) -> None:
    bursts = [[offset for offset, _ in bounce_edges(Random(seed), duration_ns)] for seed in range(200)]
    assert sorted(map(list, {tuple(burst) for burst in bursts})) == offsets


# -- the player ------------------------------------------------------------------------------


def test_a_move_is_told_before_its_edges_and_bounces_at_once(played: Played) -> None:
    began_ns = played.clock.now_ns
    played.click((4, True))
    assert played.seen[0] == (began_ns, 4, "down")
    (edges,) = played.moves(4)
    assert edges[0] == (began_ns, False)
    assert edges[-1][1] is False
    assert all(t_ns < later and level != other for (t_ns, level), (later, other) in pairwise(edges))
    assert MS // 2 <= edges[-1][0] - began_ns <= USUAL_BOUNCE_NS == 5 * MS


def test_a_position_stands_for_70_ms_after_its_last_edge(played: Played) -> None:
    played.click(*((4, number % 2 == 0) for number in range(7)))
    moves = played.moves(4)
    assert len(moves) == 7
    for move, following in pairwise(moves):
        assert following[0][0] - move[-1][0] == STANDS_NS
    assert [move[-1][1] for move in moves] == [False, True, False, True, False, True, False]


def test_every_line_has_a_time_of_its_own(played: Played) -> None:
    began_ns = played.clock.now_ns
    played.click((4, True), (5, True), (4, False), (6, True), (5, False))
    assert [t_ns for t_ns, _, _ in played.seen] == sorted(t_ns for t_ns, _, _ in played.seen)
    for line, moves in ((4, 2), (5, 2), (6, 1)):
        assert len(played.moves(line)) == moves
        assert played.moves(line)[0][0][0] == began_ns
    for line in (4, 5):
        first, second = played.moves(line)
        assert second[0][0] - first[-1][0] == STANDS_NS


def test_a_later_move_waits_only_as_long_as_the_position_has_to_stand(played: Played) -> None:
    began_ns = played.clock.now_ns
    with played.clock:
        played.player.move(4, True, at_present=False)
    until(lambda: played.moves(4) and not played.player._edges)
    with played.clock:
        played.clock.now_ns = began_ns + 500 * MS
        played.player.move(4, False, at_present=False)
    until(lambda: len(played.moves(4)) == 2 and not played.player._edges)
    assert played.moves(4)[1][0] == (began_ns + 500 * MS, True)


@pytest.mark.parametrize(
    ("longest_ns", "shortest_ns"), [(5 * MS, MS // 2), (MS // 2, MS // 2), (200, 200), (0, 0)]
)
def test_a_contact_bounces_no_longer_than_it_is_set(longest_ns: int, shortest_ns: int) -> None:
    lasted = []
    for seed in range(8):
        played = Played(seed)
        played.player.longest_ns = longest_ns
        played.click((4, True), (4, False))
        assert [move[-1][1] for move in played.moves(4)] == [False, True]
        lasted += [move[-1][0] - move[0][0] for move in played.moves(4)]
    assert shortest_ns <= min(lasted) <= max(lasted) <= longest_ns
    assert (max(lasted) - min(lasted)) * 2 >= longest_ns - shortest_ns


def test_a_contact_bounces_for_half_a_millisecond_at_least() -> None:
    lasted = set()
    for seed in range(8):
        played = Played(seed)
        played.player.longest_ns = 500_001
        played.click((4, True), (4, False))
        lasted |= {move[-1][0] - move[0][0] for move in played.moves(4)}
    assert lasted == {500_000, 500_001}


def test_a_burst_ends_open_only_if_it_is_told_so() -> None:
    assert bounce_edges(Random(0), 0) == bounce_edges(Random(0), 0, settled=False) == [(0, False)]
    assert bounce_edges(Random(0), 0, settled=True) == [(0, True)]


@pytest.mark.parametrize(("clicks", "moves"), [(1, 1), (7, 7), (8, 8), (9, 7), (10, 8), (11, 7), (1001, 7)])
def test_of_many_clicks_at_once_the_last_eight_positions_count(
    played: Played, clicks: int, moves: int
) -> None:
    played.click(*((4, number % 2 == 0) for number in range(clicks)))
    assert len(played.moves(4)) == moves
    asked, stands = clicks % 2 == 0, played.moves(4)[-1][-1][1]
    assert stands == asked, "the last click decides"


def test_nothing_moves_to_where_it_is_or_is_going(played: Played) -> None:
    with played.clock:
        played.player.move(4, True, at_present=True)
        played.player.move(5, False, at_present=False)
        assert played.player._thread is None, "nothing to play"
        played.player.move(6, True, at_present=False)
        played.player.move(6, True, at_present=False)
    until(lambda: played.moves(6) and not played.player._edges)
    played.click((6, True), (4, False))
    assert (len(played.moves(6)), played.moves(4), played.moves(5)) == (1, [], [])


def test_once_closed_nothing_is_played(played: Played) -> None:
    played.player.close()
    played.click((4, True))
    assert (played.seen, played.player._thread) == ([], None)
