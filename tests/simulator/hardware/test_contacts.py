"""The simulated pins behave like contacts, through gpiozero's own devices."""

from collections.abc import Iterator
from random import Random

import pytest
from gpiozero import InputDevice, PWMOutputDevice
from hypothesis import given
from hypothesis import strategies as st
from tests.support.waiting import until

from shutthebox.config.schema import GpioConfig
from shutthebox.simulator.hardware.bounce import bounce_edges
from shutthebox.simulator.hardware.box import (
    BUZZER_LINE,
    LAMP_LINE,
    ROLL_LINE,
    Change,
    LeverFault,
    SimulatedBox,
    default_lever_lines,
)

MS = 1_000_000


class Clock:
    """Time that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now_ns = 5_000 * MS

    def __call__(self) -> int:
        return self.now_ns


class Listener:
    """Keeps every edge of a device, and both alive: gpiozero holds callbacks weakly."""

    def __init__(self, device: InputDevice) -> None:
        self.device = device
        self.edges: list[tuple[float, bool]] = []
        device.pin.when_changed = self.on_edge

    def on_edge(self, ticks: float, state: bool) -> None:
        self.edges.append((ticks, bool(state)))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def box(clock: Clock) -> SimulatedBox:
    return SimulatedBox(default_lever_lines(9), real_time=False, clock_ns=clock)


@pytest.fixture
def live_box() -> Iterator[SimulatedBox]:
    with SimulatedBox(default_lever_lines(9), seed=3) as box:
        yield box


def lever(box: SimulatedBox, number: int) -> InputDevice:
    return InputDevice(box.lever_line(number), pull_up=True, pin_factory=box.factory)


def wait_until_still(box: SimulatedBox) -> None:
    """All edges have been played."""
    player = box._player
    until(lambda: not player._edges and not any(player._waiting.values()))


# -- bursts ------------------------------------------------------------------------------


@given(st.integers(), st.integers(0, 50 * MS), st.booleans())
def test_a_burst_alternates_and_ends_settled(seed: int, duration_ns: int, settled: bool) -> None:
    burst = bounce_edges(Random(seed), duration_ns, settled=settled)
    offsets = [offset for offset, _ in burst]
    assert offsets[0] == 0
    assert offsets == sorted(set(offsets))
    assert offsets[-1] == (duration_ns if len(burst) > 1 else 0)
    assert [level for _, level in burst] == [settled == (i % 2 == 0) for i in range(len(burst))]
    assert burst[-1][1] == settled
    assert len(burst) % 2 == 1


# -- wiring ------------------------------------------------------------------------------


# -- contacts ----------------------------------------------------------------------------


# -- loss --------------------------------------------------------------------------------


def run_with_loss(probability: float, seed: int) -> tuple[list[tuple[float, bool]], bool]:
    clock = Clock()
    box = SimulatedBox(default_lever_lines(9), real_time=False, clock_ns=clock, seed=seed)
    device = lever(box, 1)
    listener = Listener(device)
    box.lose_edges(probability)
    for i in range(1000):
        clock.now_ns += MS
        box.set_lever(1, i % 2 == 0)
        assert device.is_active == (i % 2 == 0)  # the level changes, reported or not
    return listener.edges, device.is_active


def test_some_edges_are_lost_but_no_level() -> None:
    edges, active = run_with_loss(0.02, seed=1)
    assert 960 < len(edges) < 1000
    assert not active


def test_the_button_loses_nothing(box: SimulatedBox) -> None:
    device = InputDevice(box.button_line, pull_up=True, pin_factory=box.factory)
    listener = Listener(device)
    box.lose_edges(1.0)
    box.set_button(True)
    box.set_button(False)
    assert len(listener.edges) == 2


# -- outputs and observers ---------------------------------------------------------------


def test_the_buzzer_can_be_heard(box: SimulatedBox) -> None:
    heard: list[float | None] = []
    box.subscribe(lambda change: heard.append(box.sound) if change is Change.SOUND else None)
    assert box.sound is None
    buzzer = PWMOutputDevice(BUZZER_LINE, frequency=880, pin_factory=box.factory)
    assert box.buzzer == (880, 0.0)
    assert box.sound is None
    buzzer.value = 0.5
    assert box.sound == 880
    buzzer.frequency = 440
    assert box.sound == 440
    buzzer.value = 0
    assert box.sound is None
    buzzer.value = 0.5
    buzzer.close()
    assert box.sound is None
    assert [tone for tone in heard if tone] == [880, 440, 440]


def test_a_power_cut_leaves_the_levers_and_silences_the_rest(box: SimulatedBox) -> None:
    before = lever(box, 2)
    listener = Listener(before)
    buzzer = PWMOutputDevice(BUZZER_LINE, frequency=880, initial_value=0.5, pin_factory=box.factory)
    lamp = PWMOutputDevice(LAMP_LINE, initial_value=1, pin_factory=box.factory)
    box.set_lever(2, True)
    box.cut_power()
    assert (box.sound, box.lamp) == (None, 0.0)
    box.set_lever(3, True)
    after = [lever(box, n) for n in (2, 3)]
    assert all(device.is_active for device in after)
    box.set_lever(2, False)
    assert len(listener.edges) == 1  # the old process hears nothing any more
    assert not after[0].is_active
    again = PWMOutputDevice(LAMP_LINE, initial_value=0.5, pin_factory=box.factory)
    lamp.close()  # whatever the old objects still do when they are collected
    buzzer.close()
    before.close()
    assert box.lamp == 0.5
    again.close()


# -- pins, to the last detail ------------------------------------------------------------


# -- what the box tells, and in which order ----------------------------------------------


def test_the_levers_are_wired_as_a_real_box_is() -> None:
    real = GpioConfig()
    assert default_lever_lines(9) == dict(zip(range(1, 10), real.levers, strict=False))
    assert default_lever_lines(54) == dict(zip(range(1, 55), [*real.levers, *range(28, 70)], strict=True))
    assert (real.roll, real.lamp, real.buzzer) == (ROLL_LINE, LAMP_LINE, BUZZER_LINE)


def test_a_cut_wire_counts_no_edges_and_a_mended_one_takes_its_level_up(box: SimulatedBox) -> None:
    line = box.lever_line(4)
    box.break_lever(4, LeverFault.CUT)
    for down in (True, False, True):
        box.set_lever(4, down)
    assert (box.factory.edges[line], box.factory.level(line)) == (0, True)
    assert box.levers_down == {4}
    box.break_lever(4, None)
    assert (box.factory.edges[line], box.factory.level(line)) == (1, False)


# -- real time ---------------------------------------------------------------------------


def test_a_click_bounces_in_real_time(live_box: SimulatedBox) -> None:
    device = lever(live_box, 3)
    listener = Listener(device)
    live_box.set_lever(3, True)
    until(lambda: live_box.levers_down == {3})
    wait_until_still(live_box)
    until(lambda: device.is_active and len(listener.edges) >= 3)
    assert device.is_active
    times = [ticks for ticks, _ in listener.edges]
    assert times == sorted(times)
    assert [level for _, level in listener.edges] == [i % 2 == 1 for i in range(len(times))]


def test_a_tap_is_long_enough_to_count(live_box: SimulatedBox) -> None:
    device = InputDevice(live_box.button_line, pull_up=True, pin_factory=live_box.factory)
    listener = Listener(device)
    seen: list[bool] = []
    live_box.subscribe(lambda change: seen.append(live_box.button_down) if change is Change.BUTTON else None)

    def taps() -> float:
        """How long the button was down."""
        seen.clear()
        listener.edges.clear()
        live_box.set_button(True)
        live_box.set_button(False)
        until(lambda: len(seen) == 2)
        wait_until_still(live_box)
        until(lambda: not device.is_active)
        assert seen == [True, False]
        return max(b - a for (a, _), (b, _) in zip(listener.edges, listener.edges[1:], strict=False))

    # A busy machine may play the first edges late, and then the tap is shorter.
    until(lambda: taps() > 0.06)


def test_mad_clicking_does_not_pile_up(live_box: SimulatedBox) -> None:
    device = lever(live_box, 3)
    for i in range(2001):
        live_box.set_lever(3, i % 2 == 0)
    until(lambda: live_box.levers_down == {3})
    wait_until_still(live_box)
    until(lambda: device.is_active)
    assert live_box.levers_down == {3}
