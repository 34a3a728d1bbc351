"""The loop's body in virtual time, and the loop itself on the real clock."""

import gc
import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from tests.support.box import MS, BoxUnderTest, S, config_with
from tests.support.waiting import HANG_S

from shutthebox.adapters.display.layout import PROMPT_HEIGHT
from shutthebox.config.schema import Config
from shutthebox.game.effects import Show
from shutthebox.game.mode import Mode
from shutthebox.runtime.runner import RECONCILE_NS
from shutthebox.simulator.hardware.box import Change
from shutthebox.simulator.hardware.virtual_display import VirtualDisplay
from shutthebox.simulator.virtual_box import VirtualBox

Start = Callable[..., BoxUnderTest]


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[BoxUnderTest] = []

    def make(**values: object) -> BoxUnderTest:
        watched = BoxUnderTest(None, config_with(**values))
        started.append(watched)
        return watched

    yield make
    for watched in started:
        watched.box.close()


# -- time --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_box_that_sleeps_goes_on_looking_at_its_levers(start: Start) -> None:
    """Asleep, nothing is due but the next look at all levels."""
    watched = start(box__sleep_min=1)
    watched.wait(90 * S)
    assert watched.show.asleep
    assert watched.box.runner.deadline_ns <= watched.box.now_ns + RECONCILE_NS
    watched.wait(3600 * S)
    watched.press()
    assert not watched.show.asleep
    assert watched.show.mode is Mode.ATTRACT, "any input only wakes"


def test_the_lamp_blinks_for_a_second_when_the_box_is_shut_and_stays_lit(start: Start) -> None:
    watched = start(game__profile="traditional", game__players=1)
    hardware, seen = watched.box.box, list[tuple[float, int]]()

    def look(change: Change) -> None:
        if change is Change.LAMP:
            seen.append((hardware.lamp, watched.box.now_ns))

    hardware.subscribe(look)
    watched.press()
    for faces, shut in (((6, 6), (3, 9)), ((5, 6), (1, 2, 8)), ((5, 6), (4, 7)), ((5, 6), (5, 6))):
        if shut == (5, 6):
            watched.press()  # one die may be thrown from now on, so the box asks how many
        assert hardware.lamp == 1, "the button can be pressed"
        watched.throw(*faces)
        assert hardware.lamp == 0, "there is nothing to press yet"
        seen.clear()
        watched.flip(*shut)
    watched.wait(3 * S)
    assert watched.screen.celebrates
    shown_ns = watched.show.t_ns
    assert seen == [(float(tenth % 2 == 0), shown_ns + tenth * 100 * MS) for tenth in range(11)]


@pytest.mark.slow
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
            collector.join(HANG_S)
            assert not collector.is_alive()
    finally:
        gc.enable()
        box.close()


# -- what is shown -----------------------------------------------------------------------------


def test_what_has_not_changed_is_shown_once_and_a_refusal_as_often_as_it_happens(start: Start) -> None:
    watched = start(game__profile="traditional")

    def shows() -> int:
        count = sum(isinstance(effect, Show) for effect in watched.effects)
        watched.effects.clear()
        return count

    watched.flip(3)
    assert shows() > 0
    watched.flip(4)
    assert shows() == 0, "attract has answered the first lever already"
    watched.lift(3, 4)
    watched.press()
    shows()
    for _ in range(2):
        watched.hold()
        assert shows() >= 1, "it says again why a hold does nothing here"


def test_a_clock_that_counts_on_leaves_every_prompt_its_turn() -> None:
    """The corner changes each second, which is less than a prompt stands."""
    config = config_with(game__profile="golf", game__turn_seconds=30)
    display = VirtualDisplay(config)
    watched = BoxUnderTest(config=config, make=partial(VirtualBox, display=display))
    try:
        watched.press()
        watched.throw(4, 5)
        watched.press()
        assert {"9 to go", "Make 9"} <= set(watched.text.splitlines())
        lines = set()
        for _ in range(8):
            watched.wait(S // 2)
            lines.add(display.look(watched.box.now_ns).crop((0, 64 - PROMPT_HEIGHT, 128, 64)))
        assert len(lines) == 2
    finally:
        watched.box.close()
