"""gpiozero's buttons on hold threads that sleep."""

from __future__ import annotations

import gc
import time

import pytest
from gpiozero import Button
from gpiozero.threads import _threads_shutdown
from tests.support.benches import Bench, comes_to_rest, until

from gpiozero_gpiod.hold import SleepingHoldThread

pytestmark = pytest.mark.parametrize("bench", ["gpiod", "gpiod-fake"], indirect=True)


@pytest.fixture
def button(bench: Bench) -> Button:
    bench.drive(17, 1)
    made = Button(17, hold_time=0.05, pin_factory=bench.factory)
    bench.drive(17, 1)
    return made


def test_a_button_that_is_held_fires_once(bench: Bench, button: Button) -> None:
    held: list[float] = []
    button.when_held = lambda: held.append(time.monotonic())
    begin = time.monotonic()
    bench.drive(17, 0)
    assert until(lambda: held)
    assert held[0] - begin >= 0.05
    assert button.is_held
    assert button.held_time is not None
    time.sleep(0.2)
    assert len(held) == 1
    bench.drive(17, 1)
    assert until(lambda: not button.is_held)
    bench.drive(17, 0)
    assert until(lambda: len(held) == 2), "and once more the next time"
    button.close()


def test_a_button_that_repeats_fires_until_it_is_let_go(bench: Bench, button: Button) -> None:
    held: list[float] = []
    button.hold_repeat = True
    button.when_held = lambda: held.append(time.monotonic())
    bench.drive(17, 0)
    assert until(lambda: len(held) >= 3)
    bench.drive(17, 1)
    assert until(lambda: not button.is_pressed)
    assert isinstance(button._hold_thread, SleepingHoldThread)
    assert comes_to_rest(button._hold_thread)
    count = len(held)
    time.sleep(0.2)
    assert len(held) == count
    button.close()


def test_closing_ends_the_thread_even_while_the_button_is_held(bench: Bench, button: Button) -> None:
    """gpiozero's own would wait for the rest of the hold."""
    button.hold_time = 3600
    bench.drive(17, 0)
    assert until(lambda: button.is_pressed)
    thread = button._hold_thread
    button.close()
    assert not thread.is_alive()


def test_the_program_ends_though_a_button_is_open(bench: Bench, button: Button) -> None:
    """What gpiozero does at exit: it tells all threads to stop, then joins each for ten seconds."""
    thread = button._hold_thread
    _threads_shutdown()
    assert not thread.is_alive()
    button.close()


def test_a_button_that_is_forgotten_takes_its_thread_along(bench: Bench) -> None:
    thread = Button(27, pin_factory=bench.factory)._hold_thread
    gc.collect()
    assert until(lambda: not thread.is_alive())
