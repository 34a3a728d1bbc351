"""The loop's body in virtual time, and the loop itself on the real clock."""

import gc
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from shutthebox.config.schema import Config, with_value
from shutthebox.game.effects import Effect, Show
from shutthebox.game.mode import Mode
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.runtime.runner import RECONCILE_NS
from shutthebox.simulator.virtual_box import VirtualBox

MS = 1_000_000
S = 1_000 * MS


@dataclass
class Watched:
    """A box with everything that it did, in order."""

    box: VirtualBox = field(init=False)
    done: list[tuple[Effect | SwitchChanged, int]] = field(default_factory=list)

    def observe(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        self.done.append((what, t_ns))

    @property
    def show(self) -> Show:
        return next(what for what, _ in reversed(self.done) if isinstance(what, Show))

    def wait(self, lasts_ns: int) -> None:
        self.box.run_until(self.box.now_ns + lasts_ns)

    def throw(self, *faces: int) -> None:
        """Queues a throw, presses, and waits for the dice to stop."""
        self.box.dice.queue.append(faces)
        self.box.press(100 * MS)
        self.wait(S)

    def flip(self, *levers: int) -> None:
        for lever in levers:
            self.box.set_lever(lever, True)
        self.wait(100 * MS)


Start = Callable[..., Watched]


def config_with(**values: object) -> Config:
    config = with_value(Config(), "game.setup", "usual", "test")
    for key, value in values.items():
        config = with_value(config, key.replace("__", "."), value, "test")
    return config


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[Watched] = []

    def make(*, down: tuple[int, ...] = (), state: Path | None = None, **values: object) -> Watched:
        watched = Watched()
        watched.box = VirtualBox(config_with(**values), state, observers=[watched.observe])
        if down:
            # The levers stood so before the daemon started.
            for lever in down:
                watched.box.box.factory.set_level(watched.box.box.lever_line(lever), False)
            watched.box.cut_power()
            watched.done.clear()
        started.append(watched)
        return watched

    yield make
    for watched in started:
        watched.box.close()


# -- time --------------------------------------------------------------------------------------


def test_a_box_that_sleeps_goes_on_looking_at_its_levers(start: Start) -> None:
    """Asleep, nothing is due but the next look at all levels."""
    watched = start(box__sleep_min=1)
    watched.wait(90 * S)
    assert watched.show.asleep
    assert watched.box.runner.deadline_ns <= watched.box.now_ns + RECONCILE_NS
    watched.wait(3600 * S)
    watched.box.press(100 * MS)
    watched.wait(100 * MS)
    assert not watched.show.asleep
    assert watched.show.mode is Mode.ATTRACT, "any input only wakes"


def test_time_never_stands_still(start: Start) -> None:
    watched = start()
    for _ in range(200):
        deadline = watched.box.runner.deadline_ns
        watched.box.run_until(deadline)
        assert watched.box.runner.deadline_ns > deadline


def test_nothing_of_a_daemon_that_lost_its_power_waits_for_the_garbage_collector() -> None:
    """gpiozero's devices close when they are collected, and wait for a lock that opening pins holds."""
    box = VirtualBox(Config(), advised=False)
    gc.collect()
    gc.disable()
    try:
        box.cut_power()
        with box.box.factory._res_lock:
            collector = threading.Thread(target=gc.collect, daemon=True)
            collector.start()
            collector.join(timeout=5)
            assert not collector.is_alive()
    finally:
        gc.enable()
        box.close()
