"""The simulated pins behave like contacts, through gpiozero's own devices."""

from collections.abc import Iterator

import pytest
from gpiozero import InputDevice
from tests.support.waiting import until

from shutthebox.simulator.hardware.box import (
    SimulatedBox,
)

MS = 1_000_000


class Listener:
    """Keeps every edge of a device, and both alive: gpiozero holds callbacks weakly."""

    def __init__(self, device: InputDevice) -> None:
        self.device = device
        self.edges: list[tuple[float, bool]] = []
        device.pin.when_changed = self.on_edge

    def on_edge(self, ticks: float, state: bool) -> None:
        self.edges.append((ticks, bool(state)))


@pytest.fixture
def live_box() -> Iterator[SimulatedBox]:
    with SimulatedBox(9, seed=3) as box:
        yield box


def lever(box: SimulatedBox, number: int) -> InputDevice:
    return InputDevice(box.lever_line(number), pull_up=True, pin_factory=box.factory)


def wait_until_still(box: SimulatedBox) -> None:
    """All edges have been played."""
    player = box._player
    until(lambda: not player._edges and not any(player._waiting.values()))


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


def test_mad_clicking_does_not_pile_up(live_box: SimulatedBox) -> None:
    device = lever(live_box, 3)
    for i in range(2001):
        live_box.set_lever(3, i % 2 == 0)
    until(lambda: live_box.levers_down == {3})
    wait_until_still(live_box)
    until(lambda: device.is_active)
