"""Bouncing contacts: bursts from a seeded generator, and a thread that plays them."""

import heapq
import threading
from collections import deque
from collections.abc import Callable
from random import Random

DWELL_NS = 70_000_000
"""The shortest time between two moves of a contact.

A tap on a touchpad ends after a few milliseconds; a finger on a real button stays longer than any settle
window.
"""

# The most queued changes of one contact; beyond this, a finger can't move the lever.
_MAX_WAITING = 8

USUAL_BOUNCE_NS = 5_000_000
"""How long a contact bounces at most, by default."""

_LEAST_BOUNCE_NS = 500_000


def bounce_edges(rng: Random, duration_ns: int, *, settled: bool = False) -> list[tuple[int, bool]]:
    """Generates one burst; the same generator state gives the same burst.

    Args:
        rng: where the chatter comes from.
        duration_ns: from the first edge to the last; 0 is a clean contact.
        settled: the final level, False (low) for a contact that closes.

    Returns:
        (offset in ns, level), offsets rising from 0 to ``duration_ns``, levels alternating,
        the first and the last at ``settled``.

    Raises:
        ValueError: ``duration_ns`` is negative.
    """
    if duration_ns < 0:
        raise ValueError(f"a bounce can't last {duration_ns} ns")
    pairs = min(rng.randint(1, 6), duration_ns // 2)
    if not pairs:
        return [(0, settled)]
    offsets = [0, *sorted(rng.sample(range(1, duration_ns), 2 * pairs - 1)), duration_ns]
    return [(offset, settled == (index % 2 == 0)) for index, offset in enumerate(offsets)]


class EdgePlayer:
    """Moves contacts in real time: one thread, started by the first move, one heap of edges.

    Args:
        clock_ns: the time in ns, never going back.
        rng: of the chatter.
        moved: called with a BCM line and whether its contact begins to move down, before its edges.
        set_level: called with every edge: the BCM line and its level. Both run in the player's thread.

    Attributes:
        longest_ns: how long a contact bounces at most; 0 is a clean contact.
    """

    def __init__(
        self,
        clock_ns: Callable[[], int],
        rng: Random,
        moved: Callable[[int, bool], None],
        set_level: Callable[[int, bool], None],
    ) -> None:
        self.longest_ns = USUAL_BOUNCE_NS
        self._clock_ns = clock_ns
        self._rng = rng
        self._moved = moved
        self._set_level = set_level
        self._changed = threading.Condition()
        self._edges: list[tuple[int, int, int, bool, bool]] = []  # due, order, line, level, first
        self._order = 0
        self._waiting: dict[int, deque[bool]] = {}  # positions (down) that a line has yet to take
        self._heading: dict[int, bool] = {}  # the one that it is taking, or took last
        self._free_at_ns: dict[int, int] = {}  # when a line may move again
        self._thread: threading.Thread | None = None
        self._closed = False

    def move(self, line: int, down: bool, *, at_present: bool) -> None:
        """Queues a change unless the line is, or will be, there already."""
        with self._changed:
            waiting = self._waiting.setdefault(line, deque())
            last = waiting[-1] if waiting else self._heading.get(line, at_present)
            if self._closed or down == last:
                return
            if len(waiting) >= _MAX_WAITING:
                waiting.pop()  # back and forth: drop both
                return
            waiting.append(down)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="simulated-contacts", daemon=True)
                self._thread.start()
            self._changed.notify()

    def close(self) -> None:
        """Stops the thread; queued moves are dropped."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                edge = self._next_edge()
            if edge is None:
                return
            _, _, line, level, first = edge
            if first:
                self._moved(line, not level)
            self._set_level(line, level)

    def _next_edge(self) -> tuple[int, int, int, bool, bool] | None:
        """Waits for the next edge that is due; None once closed. Holds the condition."""
        while not self._closed:
            now = self._clock_ns()
            self._begin_moves(now)
            if self._edges and self._edges[0][0] <= now:
                return heapq.heappop(self._edges)
            starts = (self._free_at_ns[line] for line, moves in self._waiting.items() if moves)
            due = min((*starts, *(edge[0] for edge in self._edges[:1])), default=None)
            self._changed.wait(None if due is None else max(due - now, 0) / 1_000_000_000)
        return None

    def _begin_moves(self, now: int) -> None:
        for line, moves in self._waiting.items():
            if moves and self._free_at_ns.get(line, now) <= now:
                self._heading[line] = down = moves.popleft()
                lasts_ns = self._rng.randint(min(_LEAST_BOUNCE_NS, self.longest_ns), self.longest_ns)
                burst = bounce_edges(self._rng, lasts_ns, settled=not down)
                for index, (offset_ns, level) in enumerate(burst):
                    self._order += 1
                    heapq.heappush(self._edges, (now + offset_ns, self._order, line, level, index == 0))
                self._free_at_ns[line] = now + burst[-1][0] + DWELL_NS
