"""Gpiozero's documented contract of a pin, held against every back end that the box can run on.

Ours runs on a fake kernel everywhere; in the virtual Pi, which has a chip, all of them run.
"""

from __future__ import annotations

import time

import pytest
from gpiozero import InputDevice
from gpiozero.exc import (
    PinFixedPull,
    PinInvalidFunction,
    PinInvalidPin,
    PinPWMFixedValue,
    PinSetInput,
)
from tests.support.benches import Bench, Listener, reached, until

pytestmark = pytest.mark.parametrize("bench", ["gpiod", "gpiod-fake", "lgpio", "rpigpio"], indirect=True)


def test_the_same_pin_is_the_same_object(bench: Bench) -> None:
    pin = bench.factory.pin(17)
    assert pin is bench.factory.pin("GPIO17") is bench.factory.pin("BOARD11") is bench.factory.pin("J8:11")
    assert pin is not bench.factory.pin(27)


@pytest.mark.parametrize("name", [99, "GPIO99", "nonsense", "GND"])
def test_a_pin_that_does_not_exist(bench: Bench, name: object) -> None:
    with pytest.raises(PinInvalidPin):
        bench.factory.pin(name)


@pytest.mark.parametrize(
    ("line", "first", "then", "error"),
    [
        (17, {}, {"function": "sideways"}, PinInvalidFunction),
        (17, {"function": "input"}, {"state": 1}, PinSetInput),
        (17, {"function": "input"}, {"frequency": 100}, PinPWMFixedValue),
        (18, {"function": "output"}, {"pull": "up"}, PinFixedPull),
        (2, {"function": "input", "pull": "up"}, {"pull": "down"}, PinFixedPull),
    ],
    ids=[
        "an unknown function",
        "an input set",
        "PWM on an input",
        "an output pulled",
        "the board's resistor",
    ],
)
def test_what_a_pin_refuses(
    bench: Bench, line: int, first: dict[str, object], then: dict[str, object], error: type[Exception]
) -> None:
    pin = bench.factory.pin(line)
    for name, value in first.items():
        setattr(pin, name, value)
    ((name, value),) = then.items()
    with pytest.raises(error):
        setattr(pin, name, value)


def test_an_output_switches_the_wire(bench: Bench) -> None:
    pin = bench.factory.pin(18)
    pin.function = "output"
    for level in (1, 0, 1):
        pin.state = level
        assert pin.state == level
        assert bench.level(18) == level


@pytest.mark.parametrize("pull", ["up", "down"])
def test_a_pull_moves_an_open_input(bench: Bench, pull: str) -> None:
    pin = bench.factory.pin(17)
    pin.input_with_pull(pull)
    assert (pin.function, pin.pull, pin.state) == ("input", pull, int(pull == "up"))


def test_edges_in_order_with_their_ticks(bench: Bench) -> None:
    bench.drive(17, 0)
    with InputDevice(17, pull_up=False, pin_factory=bench.factory) as device:
        listener = Listener()
        begin = bench.factory.ticks()
        device.pin.edges = "both"
        device.pin.when_changed = listener.changed
        for number, level in enumerate((1, 0, 1, 0), start=1):
            bench.drive(17, level)
            assert reached(listener.seen, number), listener.seen
        end = bench.factory.ticks()
        assert listener.states == [1, 0, 1, 0]
        times = [bench.factory.ticks_diff(ticks, begin) for ticks, _ in listener.seen]
        assert times == sorted(times)
        assert 0 <= times[0] <= times[-1] <= bench.factory.ticks_diff(end, begin)


@pytest.mark.parametrize(("edges", "states"), [("rising", [1, 1]), ("falling", [0, 0])])
def test_only_the_edges_that_are_wanted(bench: Bench, edges: str, states: list[int]) -> None:
    bench.drive(17, 0)
    with InputDevice(17, pull_up=False, pin_factory=bench.factory) as device:
        listener = Listener()
        device.pin.edges = edges
        assert device.pin.edges == edges
        device.pin.when_changed = listener.changed
        for level in (1, 0, 1, 0):
            bench.drive(17, level)
            until(lambda: False, 0.02)
        assert until(lambda: listener.states == states), listener.states


def test_a_callback_is_held_weakly(bench: Bench) -> None:
    device = InputDevice(17, pull_up=True, pin_factory=bench.factory)
    listener = Listener()
    device.pin.when_changed = listener.changed
    assert device.pin.when_changed == listener.changed
    del listener
    bench.drive(17, 0)
    bench.drive(17, 1)
    assert until(lambda: device.pin.when_changed is None)
    device.close()


def test_no_edges_after_the_callback_is_taken_away(bench: Bench) -> None:
    bench.drive(17, 0)
    with InputDevice(17, pull_up=False, pin_factory=bench.factory) as device:
        listener = Listener()
        device.pin.when_changed = listener.changed
        bench.drive(17, 1)
        assert until(lambda: listener.states == [1])
        device.pin.when_changed = None
        bench.drive(17, 0)
        time.sleep(0.1)  # for back ends that poll, or ask for the level only later
        device.pin.when_changed = listener.changed
        time.sleep(0.1)
        bench.drive(17, 1)
        assert until(lambda: listener.states == [1, 1]), listener.states
