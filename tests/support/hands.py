"""Hands at the simulated switches in virtual time, for commands that wait for edges at a queue."""

from collections import deque
from collections.abc import Sequence
from queue import Empty
from types import ModuleType, SimpleNamespace
from typing import NamedTuple

import pytest

from shutthebox.adapters.gpio import Edge
from shutthebox.simulator.hardware.box import SimulatedBox

START_NS = 5_000_000_000


class Act(NamedTuple):
    """One thing that a hand does.

    Attributes:
        at_ms: since the start.
        switch: 0 for the dice button; None for Ctrl-C.
        down: whether it closes the contact.
    """

    at_ms: int
    switch: int | None
    down: bool = False


class Hands:
    """A simulated box of three levers, and the time, which passes only where a command waits for an edge.

    Args:
        acts: in the order of their times. After the last of them nobody touches anything.
    """

    def __init__(self, acts: Sequence[Act]) -> None:
        self.now_ns = START_NS
        self.box = SimulatedBox(3, real_time=False, clock_ns=lambda: self.now_ns)
        self._acts = deque(acts)
        self._edges: deque[Edge] = deque()

    @property
    def passed_s(self) -> float:
        """Since the start."""
        return (self.now_ns - START_NS) / 1e9

    def hold(self, monkeypatch: pytest.MonkeyPatch, command: ModuleType) -> None:
        """Lets the command's module have this box, this time and this queue."""
        clock = SimpleNamespace(monotonic_ns=lambda: self.now_ns, monotonic=lambda: self.now_ns / 1e9)
        monkeypatch.setattr(command, "time", clock)
        monkeypatch.setattr(command, "SimpleQueue", lambda: self)
        monkeypatch.setattr(command, "open_factory", lambda backend: self.box.factory)

    # What a command does with its queue.

    def put(self, edge: Edge) -> None:
        self._edges.append(edge)

    def empty(self) -> bool:
        return not self._edges

    def get(self, timeout: float = 0.0) -> Edge:
        assert timeout >= 0
        until_ns = self.now_ns + round(timeout * 1e9)
        while not self._edges:
            if not self._acts or START_NS + self._acts[0].at_ms * 1_000_000 > until_ns:
                self.now_ns = until_ns
                raise Empty
            self._do(self._acts.popleft())
        return self._edges.popleft()

    def _do(self, act: Act) -> None:
        self.now_ns = max(self.now_ns, START_NS + act.at_ms * 1_000_000)
        if act.switch is None:
            raise KeyboardInterrupt
        line = self.box.switch_lines[act.switch]
        self.box.set_level(line, not act.down)
