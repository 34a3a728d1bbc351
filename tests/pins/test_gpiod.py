"""Our factory on libgpiod, beyond the contract that it shares with the others.

Each test runs on the fake kernel everywhere, and on a real one in the virtual Pi.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any
from unittest import mock

import gpiod
import pytest
from gpiod.line import Bias, Direction
from gpiozero import LED, PWMLED, Button, Device, DigitalInputDevice, GPIOPinInUse, InputDevice, OutputDevice
from gpiozero.exc import (
    BadPinFactory,
    PinEdgeDetectUnsupported,
    PinInvalidPin,
    PinUnknownPi,
)
from tests.pins.benches import HANG_S, Bench, FakeBench, comes_to_rest, reached, until

from gpiozero_gpiod import GpiodFactory, PinBusy, PinClosed
from gpiozero_gpiod.pin import EVENT_BUFFER

pytestmark = pytest.mark.parametrize("bench", ["gpiod", "gpiod-fake"], indirect=True)


class Listener:
    """Collects what a pin reports; kept alive by the test, as the pin holds it weakly."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, int]] = []

    def changed(self, ticks: float, state: int) -> None:
        self.seen.append((ticks, state))

    @property
    def states(self) -> list[int]:
        return [state for _, state in self.seen]


def in_another_process(bench: Bench, offset: int) -> subprocess.CompletedProcess[str]:
    """Requests a line from a process that has nothing to do with this one."""
    code = (
        "import gpiod, sys\n"
        f"with gpiod.request_lines({bench.factory.chip!r}, consumer='other', config={{{offset}: None}}): pass"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


# -- names and chips


def test_the_factory_is_found_by_its_name(bench: Bench) -> None:
    (found,) = entry_points(group="gpiozero_pin_factories", name="gpiod")
    assert found.load() is GpiodFactory


def test_the_environment_chooses_it(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "gpiod")
    factory = Device._default_pin_factory()
    assert isinstance(factory, GpiodFactory)
    factory.close()


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


def test_any_machine_with_a_gpio_chip_will_do(bench: Bench) -> None:
    """On what is no Pi there is no header, but there are chips."""
    with mock.patch("gpiozero.pins.local.get_pi_revision", side_effect=PinUnknownPi("no Pi")):
        factory = GpiodFactory(chip="mcp23017")
        with LED("mcp23017:3", pin_factory=factory) as led:
            led.on()
            assert factory.pin(f"{factory.chip}:3").state == 1
            with pytest.raises(GPIOPinInUse):
                InputDevice(f"{factory.chip}:3", pin_factory=factory)
        with pytest.raises(PinUnknownPi):
            factory.pin(3)
        factory.close()


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


def test_others_see_who_has_a_line(bench: Bench) -> None:
    bench.factory.pin(17)
    if isinstance(bench, FakeBench):
        assert bench.chip.lines[17].consumer == "gpiozero"
    else:
        done = in_another_process(bench, 17)
        assert "busy" in done.stderr.lower()


def test_a_closed_line_is_free_for_anybody_at_once(bench: Bench) -> None:
    button = Button(17, pin_factory=bench.factory)
    button.close()
    if isinstance(bench, FakeBench):
        assert bench.chip.lines[17].request is None
    else:
        assert in_another_process(bench, 17).returncode == 0
    again = Button(17, pin_factory=bench.factory)
    assert again.value in (0, 1)
    again.close()


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


def test_the_same_number_on_another_chip_is_another_pin(bench: Bench) -> None:
    other = GpiodFactory(chip="mcp23017")
    here, there = bench.factory.pin(6), other.pin(6)
    assert here is not there
    here.output_with_state(1)
    there.output_with_state(0)
    assert (here.state, there.state) == (1, 0)
    assert bench.level(6) == 1
    there.state = 1
    here.state = 0
    assert (here.state, there.state) == (0, 1)
    assert here._chip.path != there._chip.path
    other.close()


def test_a_fork_may_use_what_its_parent_has_closed(bench: Bench) -> None:
    led = LED(18, pin_factory=bench.factory)
    held = LED(19, pin_factory=bench.factory)
    bench.factory.pin(18).close()
    child = os.fork()
    if child == 0:
        try:
            factory = GpiodFactory()
            with LED(18, pin_factory=factory) as own:
                own.on()
                own.off()
            factory.close()
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    held.close()
    led.close()


def test_threads_start_late_and_end_with_the_factory(bench: Bench) -> None:
    def threads() -> int:
        return len([t for t in threading.enumerate() if t.name.startswith("gpiozero-gpiod")])

    pin = bench.factory.pin(17)
    pin.input_with_pull("up")
    assert threads() == 0
    listener = Listener()
    pin.when_changed = listener.changed
    assert threads() == 1
    led = bench.factory.pin(18)
    led.output_with_state(0)
    assert bench.factory.pulser.helper is None
    led.frequency = 100
    led.state = 0.5
    assert bench.factory.pulser.helper is not None
    assert threads() == 1
    bench.factory.close()
    assert threads() == 0
    assert bench.factory.pulser.helper is None


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
    bench.drive(17, 0)
    bench.drive(27, 0)
    held_up, gate, passed = threading.Event(), threading.Event(), Listener()

    def blocked(ticks: float, state: int) -> None:
        held_up.set()
        gate.wait(HANG_S)

    first, pin = bench.factory.pin(17), bench.factory.pin(27)
    for each in (first, pin):
        each.input_with_pull("floating")
    first.when_changed, pin.when_changed = blocked, passed.changed
    bench.drive(17, 1)
    assert held_up.wait(HANG_S)  # the waiting thread
    bench.drive(27, 1)
    pin.edges = "rising"
    pin.bounce = 0.002
    gate.set()
    assert until(lambda: passed.states == [1]), passed.states


def test_an_input_turned_output_and_back_reports_edges_again(bench: Bench) -> None:
    """As gpiozero's LightSensor does, over and over."""
    listener = Listener()
    pin = bench.factory.pin(17)
    bench.drive(17, 0)
    for round_ in range(1, 6):
        pin.function = "output"
        pin.state = 0
        pin.function = "input"
        pin.edges = "rising"
        pin.when_changed = listener.changed
        bench.drive(17, 0)
        time.sleep(0.005)
        bench.drive(17, 1)
        assert reached(listener.seen, round_), listener.seen
        bench.drive(17, 0)
    assert set(listener.states) == {1}


# -- edges


def test_the_ticks_are_the_kernels_time_of_the_edge(bench: Bench) -> None:
    bench.drive(17, 0)
    held_up, gate = threading.Event(), threading.Event()
    listener = Listener()
    pin, other = bench.factory.pin(17), bench.factory.pin(27)

    def blocked(ticks: float, state: int) -> None:
        held_up.set()
        gate.wait(HANG_S)

    bench.drive(27, 0)
    for each in (pin, other):
        each.input_with_pull("down")
    other.when_changed, pin.when_changed = blocked, listener.changed
    bench.drive(27, 1)
    assert held_up.wait(HANG_S)
    begin = time.monotonic()
    bench.drive(17, 1)
    time.sleep(0.2)  # nobody listens for a while
    end = time.monotonic()
    gate.set()
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
    bench.drive(17, 0)
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


def test_a_burst_comes_whole_and_in_order(bench: Bench) -> None:
    bench.drive(17, 0)
    listener = Listener()
    pin = bench.factory.pin(17)
    pin.input_with_pull("down")
    pin.when_changed = listener.changed
    for number in range(200):
        bench.drive(17, 1 - number % 2)
        if bench.real:  # a simulated interrupt that is kept waiting stands for two edges
            assert reached(listener.seen, number + 1)
    assert until(lambda: len(listener.seen) == 200), len(listener.seen)
    assert listener.states == [1, 0] * 100
    times = [ticks for ticks, _ in listener.seen]
    assert times == sorted(times)
    assert pin.lost_edges == 0


def test_edges_that_nobody_read_in_time_are_counted(bench: Bench) -> None:
    bench.drive(17, 0)
    held_up, gate = threading.Event(), threading.Event()
    listener = Listener()
    other, pin = bench.factory.pin(27), bench.factory.pin(17)

    def blocked(ticks: float, state: int) -> None:
        held_up.set()
        gate.wait(HANG_S)

    bench.drive(27, 0)
    for each in (other, pin):
        each.input_with_pull("down")
    other.when_changed, pin.when_changed = blocked, listener.changed
    bench.drive(27, 1)
    assert held_up.wait(HANG_S)
    for _ in range(EVENT_BUFFER * 2 // 3):
        bench.pulse(17)
    gate.set()
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


def test_a_bounce_is_not_an_edge(bench: Bench) -> None:
    if not bench.real:
        pytest.skip("debouncing is the kernel's: the virtual Pi runs it")
    bench.drive(17, 1)
    with DigitalInputDevice(17, pull_up=True, bounce_time=0.1, pin_factory=bench.factory) as device:
        pressed: list[float] = []
        device.when_activated = lambda: pressed.append(time.monotonic())
        for _ in range(5):
            bench.drive(17, 0)
            bench.drive(17, 1)
        bench.drive(17, 0)
        end = time.monotonic()
        assert until(lambda: pressed)
        time.sleep(0.15)
        assert len(pressed) == 1
        assert pressed[0] - end >= 0.09


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


def test_two_waves_at_once(bench: Bench) -> None:
    pins = [bench.factory.pin(offset) for offset in (18, 19)]
    with bench.recorded(18) as noted:
        begin = time.monotonic_ns()
        for pin, frequency in zip(pins, (200, 30), strict=True):
            pin.output_with_state(0)
            pin.frequency = frequency
            pin.state = 0.5
        assert until(partial(has, noted, 4))
        seen = noted()
    assert 2 <= sum(level for _, level in seen) <= 200 * (seen[-1][0] - begin) / 1e9 + 2
    pins[0].close()
    with bench.recorded(19) as noted:
        assert until(partial(has, noted, 4)), "the other goes on"


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


# -- drive


# -- nothing is left behind


def left_open() -> tuple[int, int]:
    """Descriptors and threads of this process."""
    return len(list(Path("/proc/self/fd").iterdir())), threading.active_count()


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
