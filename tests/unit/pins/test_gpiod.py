"""Our factory on libgpiod, beyond the contract that it shares with the others.

Each test runs on the fake kernel everywhere, and on a real one in the virtual Pi.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import gpiod
import mock
import pytest
from gpiod.line import Bias, Direction
from gpiozero import LED, PWMLED, Button, Device, DigitalInputDevice, GPIOPinInUse, InputDevice, OutputDevice
from gpiozero.devices import _devices_shutdown
from gpiozero.exc import (
    BadPinFactory,
    PinEdgeDetectUnsupported,
    PinInvalidPin,
)
from tests.support.benches import HANG_S, Bench, FakeBench, Listener, comes_to_rest, reached, until

from gpiozero_gpiod import GpiodFactory, PinBusy, PinClosed
from gpiozero_gpiod.pin import EVENT_BUFFER

pytestmark = pytest.mark.parametrize("bench", ["gpiod", "gpiod-fake"], indirect=True)


@contextmanager
def nobody_reads(bench: Bench) -> Iterator[None]:
    """The thread that waits for edges is held up in a callback of line 22 meanwhile."""
    held_up, gate = threading.Event(), threading.Event()

    def blocked(ticks: float, state: int) -> None:
        held_up.set()
        gate.wait(HANG_S)

    bench.drive(22, 0)
    pin = bench.factory.pin(22)
    pin.input_with_pull("down")
    pin.when_changed = blocked
    bench.drive(22, 1)
    assert held_up.wait(HANG_S)
    yield
    gate.set()


def listened(bench: Bench, offset: int) -> tuple[Any, Listener]:
    """An input that is low, and what it reports."""
    bench.drive(offset, 0)
    pin, listener = bench.factory.pin(offset), Listener()
    pin.input_with_pull("down")
    pin.when_changed = listener.changed
    return pin, listener


# -- names and chips


@pytest.mark.parametrize("how", ["path", "name", "label", "number"])
def test_a_chip_can_be_named(bench: Bench, how: str) -> None:
    path = bench.factory.chip
    names: dict[str, Any] = {
        "path": path,
        "name": Path(path).name,
        "label": "pinctrl-bcm2711",
        "number": int(Path(path).name[8:]),
    }
    factory = GpiodFactory(chip=names[how])
    assert factory.chip == path
    factory.close()


def test_a_chip_that_is_not_there_lists_those_that_are(bench: Bench) -> None:
    with pytest.raises(BadPinFactory, match=r"'pinctrl-none'.*there is: .*gpiochip0 'pinctrl-bcm2711'"):
        GpiodFactory(chip="pinctrl-none")


PIS = {
    0xC04170: "pinctrl-rp1",
    0xA03111: "pinctrl-bcm2711",
    0x902120: "pinctrl-bcm2835",
    0x0010: "pinctrl-bcm2835",
}


def on_another_pi(bench: Bench, *labels: str) -> None:
    """Makes the fake kernel's two chips those of another board."""
    if not isinstance(bench, FakeBench):
        pytest.skip("needs another board; the fake kernel runs it")
    for chip, label in zip(bench.kernel.chips.values(), labels, strict=True):
        chip.label = label


@pytest.mark.parametrize(("revision", "label"), PIS.items())
def test_the_header_is_found_behind_other_chips(bench: Bench, revision: int, label: str) -> None:
    on_another_pi(bench, "gpio-brcmstb@107d508500", label)
    with mock.patch("gpiozero.pins.local.get_pi_revision", return_value=revision):
        factory = GpiodFactory()
    assert factory.chip.endswith("gpiochip1")
    factory.close()


def test_a_pi_5_never_takes_the_chip_of_another_board(bench: Bench) -> None:
    on_another_pi(bench, "pinctrl-bcm2711", "gpio-brcmstb@107d508500")
    with (
        mock.patch("gpiozero.pins.local.get_pi_revision", return_value=0xC04170),
        pytest.raises(BadPinFactory, match="no GPIO chip called 'pinctrl-rp1' can be opened"),
    ):
        GpiodFactory()


def test_a_line_of_another_chip(bench: Bench) -> None:
    with OutputDevice("mcp23017:3", initial_value=True, pin_factory=bench.factory) as device:
        assert device.pin.state == 1
        assert device.pin.info.name == "mcp23017:3"
        same = f"{Path(device.pin._chip.path).name}:3"
        assert bench.factory.pin(same) is device.pin
        with pytest.raises(GPIOPinInUse):
            InputDevice(same, pin_factory=bench.factory)
    assert InputDevice("mcp23017:3", pull_up=True, pin_factory=bench.factory).value == 0


def test_a_device_can_reserve_pins_of_both_chips(bench: Bench) -> None:
    with InputDevice(4, pull_up=True, pin_factory=bench.factory) as device:
        bench.factory.reserve_pins(device, 5, "mcp23017:3", 6)
        for taken in (5, "mcp23017:3", 6):
            with pytest.raises(GPIOPinInUse):
                InputDevice(taken, pull_up=True, pin_factory=bench.factory)
        bench.factory.release_pins(device, 5, "mcp23017:3", 6)
        for free in (5, "mcp23017:3", 6):
            InputDevice(free, pull_up=True, pin_factory=bench.factory).close()


@pytest.mark.parametrize("name", ["mcp23017:16", "mcp23017:nothing", "nochip:3", "mcp23017:"])
def test_a_line_of_another_chip_that_is_not_there(bench: Bench, name: str) -> None:
    with pytest.raises(PinInvalidPin):
        bench.factory.pin(name)


def test_edges_of_two_chips_come_through_one_thread(bench: Bench) -> None:
    here, there = Listener(), Listener()
    one, other = bench.factory.pin(17), bench.factory.pin("mcp23017:3")
    one.input_with_pull("down")
    other.input_with_pull("down")
    one.when_changed, other.when_changed = here.changed, there.changed
    bench.drive(17, 1)
    other.pull = "up"  # a simulated line follows its pull
    assert until(lambda: (here.states, there.states) == ([1], [1]))
    assert len([t for t in threading.enumerate() if t.name.startswith("gpiozero-gpiod")]) == 1


# -- a line's life


def test_a_busy_line_names_who_has_it(bench: Bench) -> None:
    if isinstance(bench, FakeBench):
        bench.chip.lines[17].consumer = "doorbell"
        with pytest.raises(PinBusy, match="GPIO17 is already in use by 'doorbell'"):
            bench.factory.pin(17)
        return
    with (
        gpiod.request_lines(bench.factory.chip, consumer="doorbell", config={17: None}),
        pytest.raises(PinBusy, match="GPIO17 is already in use by 'doorbell'"),
    ):
        bench.factory.pin(17)
    assert bench.factory.pin(17).state in (0, 1)


def change(name: str, value: Any) -> Callable[[Any], None]:
    return lambda pin: setattr(pin, name, value)


CHANGES: list[Callable[[Any], Any]] = [
    change("state", 1), change("function", "output"), change("pull", "up"), change("edges", "rising"),
    change("bounce", 0.01), change("frequency", 100), change("when_changed", print),
    change("drive", "open-drain"),
    lambda pin: pin.output_with_state(1), lambda pin: pin.input_with_pull("up"),
]  # fmt: skip


def test_a_closed_pin_can_be_looked_at_but_not_changed(bench: Bench) -> None:
    bench.drive(17, 0)
    pin = bench.factory.pin(17)
    pin.output_with_state(1)
    pin.close()
    pin.close()
    pin.when_changed = None
    pin.frequency = None
    assert (pin.function, pin.pull, pin.state) == ("input", "floating", 0)
    bench.drive(17, 1)
    assert pin.state == 1
    for each in CHANGES:
        with pytest.raises(PinClosed, match="GPIO17 is closed"):
            each(pin)
    assert pin.closed


@pytest.mark.parametrize("device", [LED, PWMLED])
def test_closing_makes_the_line_an_input_without_a_pull(bench: Bench, device: Any) -> None:
    led = device(18, pin_factory=bench.factory)
    led.on()
    led.close()
    pin = bench.factory.pin(18)
    assert (pin.function, pin.pull, pin.state) == ("input", "floating", 0)
    assert bench.level(18) == 0
    if isinstance(bench, FakeBench):
        assert bench.chip.lines[18].settings.bias is Bias.DISABLED


def test_closing_leaves_the_resistor_on_the_board(bench: Bench) -> None:
    led = LED(2, pin_factory=bench.factory)
    led.off()
    led.close()
    assert bench.factory.pin(2).pull == "up"
    assert bench.level(2) == 1


def test_the_exit_closes_devices_before_their_pins(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Device, "pin_factory", bench.factory)
    devices = [LED(18), Button("mcp23017:3")]
    _devices_shutdown()  # gpiozero's own, which has no public name
    assert [device.closed for device in devices] == [True, True]
    assert bench.factory.closed


def test_a_child_of_a_fork_cannot_disturb_its_parent(bench: Bench) -> None:
    led = bench.factory.pin(18)
    led.output_with_state(0)
    led.frequency = 50
    led.state = 1
    listener = Listener()
    pin = bench.factory.pin(17)
    pin.input_with_pull("up")
    bench.drive(17, 1)
    pin.when_changed = listener.changed
    child = os.fork()
    if child == 0:
        try:
            led.close()
            pin.close()
            bench.factory.close()
            with pytest.raises(PinClosed, match="make a new one after a fork"):
                bench.factory.pin(17)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert bench.level(18) == 1
    bench.drive(17, 0)
    assert until(lambda: listener.states == [0])


# -- as found, and changed in place


def test_an_output_that_is_on_is_taken_over_without_a_blink(bench: Bench) -> None:
    if not isinstance(bench, FakeBench):
        pytest.skip("a simulated chip forgets its outputs when they are released; the fake kernel runs it")
    line = bench.chip.lines[18]
    line.settings, line.written = gpiod.LineSettings(direction=Direction.OUTPUT), True
    pin = bench.factory.pin(18)
    assert (pin.function, pin.state) == ("output", 1)
    with OutputDevice(18, initial_value=None, pin_factory=bench.factory) as device:
        assert device.value == 1
    assert {level for _, level in line.history} == {1}


def test_an_edge_already_seen_survives_a_change(bench: Bench) -> None:
    pin, passed = listened(bench, 27)
    pin.pull = "floating"  # a simulated line follows a pull each time that it is set
    with nobody_reads(bench):
        bench.drive(27, 1)
        pin.edges = "rising"
        pin.bounce = 0.002
    assert until(lambda: passed.states == [1]), passed.states


# -- edges


def test_the_ticks_are_the_kernels_time_of_the_edge(bench: Bench) -> None:
    _, listener = listened(bench, 17)
    with nobody_reads(bench):
        begin = time.monotonic()
        bench.drive(17, 1)
        time.sleep(0.2)
        end = time.monotonic()
    assert until(lambda: listener.seen)
    assert begin - 0.001 <= listener.seen[0][0] <= end


def test_an_exception_in_a_callback_is_reported_and_survived(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    bench.drive(17, 0)
    seen: list[int] = []

    def broken(ticks: float, state: int) -> None:
        seen.append(state)
        raise SystemExit("mine") if state else RuntimeError("mine")

    pin = bench.factory.pin(17)
    pin.input_with_pull("down")
    pin.when_changed = broken
    with caplog.at_level(logging.ERROR):
        for number, level in enumerate((1, 0, 1), start=1):
            bench.drive(17, level)
            assert reached(seen, number)
        assert until(lambda: len(caplog.records) == 3)
    assert all("GPIO17: exception in its callback" in record.message for record in caplog.records)
    assert all(record.exc_info for record in caplog.records)


def test_a_callback_may_close_its_own_device(bench: Bench) -> None:
    bench.drive(17, 1)
    button = Button(17, pin_factory=bench.factory)
    button.when_pressed = button.close
    bench.drive(17, 0)
    assert until(lambda: button.closed)


def test_a_callback_may_close_the_factory(bench: Bench) -> None:
    done = threading.Event()

    def end(ticks: float, state: int) -> None:
        bench.factory.close()
        done.set()

    pin = bench.factory.pin(17)
    pin.input_with_pull("down")
    pin.when_changed = end
    bench.drive(17, 1)
    assert done.wait(HANG_S)
    assert until(lambda: not any(t.name == "gpiozero-gpiod" for t in threading.enumerate()))


def test_edges_that_nobody_read_in_time_are_counted(bench: Bench) -> None:
    pin, listener = listened(bench, 17)
    with nobody_reads(bench):
        for _ in range(EVENT_BUFFER * 2 // 3):
            bench.pulse(17)
    # A simulated interrupt now and then stands for two edges; the kernel's own count is what holds.
    assert until(lambda: len(listener.seen) + pin.lost_edges == pin._last_seqno > EVENT_BUFFER)
    assert len(listener.seen) == EVENT_BUFFER
    assert listener.states[-1] == 0  # the newest are kept


def test_a_chip_without_interrupts_says_so(bench: Bench) -> None:
    if not isinstance(bench, FakeBench):
        pytest.skip("needs such a chip; the fake kernel runs it")
    pin = bench.factory.pin(17)
    pin.input_with_pull("up")
    pin._request.refuses_edges = True
    listener = Listener()
    with pytest.raises(PinEdgeDetectUnsupported, match="GPIO17"):
        pin.when_changed = listener.changed
    assert pin.when_changed is None
    assert pin.state == 1


# -- bounce


def test_bounce_is_told_to_the_kernel(bench: Bench) -> None:
    pin = bench.factory.pin(17)
    pin.input_with_pull("up")
    assert pin.bounce is None
    pin.bounce = 0.025
    listener = Listener()
    pin.when_changed = listener.changed
    assert pin.bounce == 0.025
    if isinstance(bench, FakeBench):
        assert bench.chip.lines[17].settings.debounce_period.total_seconds() == pytest.approx(0.025)
    else:
        info = pin._line_info()
        assert info.debounced
        assert info.debounce_period.total_seconds() == pytest.approx(0.025)
    pin.bounce = None
    assert pin.bounce is None


# -- PWM


def has(noted: Callable[[], list[tuple[int, int]]], count: int) -> bool:
    return len(noted()) >= count


@pytest.mark.parametrize(("frequency", "duty"), [(100, 0.5), (440, 0.25), (50, 0.075)])
def test_a_wave_has_its_frequency_and_duty(bench: Bench, frequency: float, duty: float) -> None:
    pin = bench.factory.pin(18)
    pin.output_with_state(0)
    with bench.recorded(18) as noted:
        pin.frequency = frequency
        begin = time.monotonic_ns()
        pin.state = duty
        assert until(partial(has, noted, 2))  # the helper runs
        time.sleep(0.5)
        assert (pin.frequency, pin.state) == (frequency, duty)
        pin.frequency = None
        assert (pin.frequency, pin.state, bench.level(18)) == (None, 0, 0)
        seen = noted()
        # A busy machine leaves waves out; none is ever added.
        rises = sum(level for _, level in seen)
        assert 2 <= rises <= frequency * (seen[-1][0] - begin) / 1e9 + 2
        time.sleep(0.05)
        assert len(noted()) == len(seen)


def test_a_wave_stops_at_once(bench: Bench) -> None:
    pin = bench.factory.pin(18)
    pin.output_with_state(0)
    pin.frequency = 1000
    for state in (1, 0, 1, 0):
        pin.state = 0.5
        pin.state = state
        for _ in range(3):
            assert bench.level(18) == state
            time.sleep(0.003)


def test_a_helper_that_dies_is_replaced(bench: Bench) -> None:
    pins = [bench.factory.pin(offset) for offset in (18, 19)]
    for pin in pins:
        pin.output_with_state(0)
        pin.frequency = 100
        pin.state = 0.5
    first = bench.factory.pulser.helper
    if isinstance(bench, FakeBench):
        first.orders.shutdown(socket.SHUT_RDWR)
    else:
        os.kill(first.pid, signal.SIGKILL)
        assert until(lambda: first._process.poll() is not None)
    pins[0].state = 0.25
    assert bench.factory.pulser.helper is not first
    for offset in (18, 19):
        with bench.recorded(offset) as noted:
            assert until(partial(has, noted, 4))


# -- rest


def test_a_quiet_factory_does_not_wake_at_all(bench: Bench) -> None:
    listener = Listener()
    for offset in (4, 17, 27, 22, 23, 24, 25, 5, 6, 13, 16, 26, 12):
        pin = bench.factory.pin(offset)
        pin.input_with_pull("up")
        pin.when_changed = listener.changed
    bench.drive(17, 0)
    assert until(lambda: listener.seen)
    thread = bench.factory.waiter.thread
    assert thread is not None
    assert comes_to_rest(thread)


# -- nothing is left behind


def left_open() -> tuple[int, int]:
    """Descriptors and threads of this process."""
    return len(list(Path("/proc/self/fd").iterdir())), threading.active_count()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_thousand_openings_leave_nothing_open(bench: Bench) -> None:
    """Also of pins that are closed in another order than they were opened in."""
    PWMLED("mcp23017:3", pin_factory=bench.factory).close()  # the chip and the helper, once and for all
    button = InputDevice(17, pull_up=True, pin_factory=bench.factory)
    listener = Listener()
    button.pin.when_changed = listener.changed  # the waiting thread, once and for all
    before = left_open()
    for number in range(250):
        devices: list[Any] = [
            LED(18, pin_factory=bench.factory),
            DigitalInputDevice(27, pull_up=True, pin_factory=bench.factory),
            PWMLED(19, pin_factory=bench.factory),
            LED("mcp23017:3", pin_factory=bench.factory),
        ]
        devices[1].when_activated = threading.Event().set
        for at in (0, 1, 2, 3)[:: 1 if number % 2 else -1]:
            devices[at].close()
    assert left_open() == before
