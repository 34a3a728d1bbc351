"""Our pins where gpiozero's tests expect its mock ones: on a simulated chip, or on the fake kernel.

The tests of gpiozero's devices ask a ``MockFactory`` for pins, move inputs with ``drive_high`` and
``drive_low`` and ask outputs for their ``states``. Here they get pins of `GpiodFactory`. To drive
one moves its line from outside, and returns once the callback has had its edge, because the mock
calls back at once. What is noted as a state is read from the line.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
import time
from collections import namedtuple
from collections.abc import Iterator
from math import isclose
from pathlib import Path
from typing import Any

import gpiozero.pins.mock
import mock
from gpiozero.pins.spi import SPISoftware
from tests.support.benches import Bench, FakeBench, SimBench, simulated_chip, until
from tests.support.fake_gpiod import FakeKernel

from gpiozero_gpiod import GpiodFactory, GpiodPin

State = namedtuple("State", ("timestamp", "state"))

#: Where the lines of this process are moved; there is one at a time.
BENCH: Bench | None = None
#: The mock takes itself for this board.
REVISION = 0xA02082
#: With resistors to 3.3 V on the board.
PULLED_UP = (2, 3)


@contextlib.contextmanager
def bench() -> Iterator[Bench]:
    """The simulated chip where there is one, else the fake kernel."""
    global BENCH
    with contextlib.ExitStack() as stack:
        chip = simulated_chip()
        if chip is None:
            kernel = FakeKernel(Path(stack.enter_context(tempfile.TemporaryDirectory())))
            kernel.add("pinctrl-bcm2711", 54)
            for patch in kernel.patches():
                stack.enter_context(patch)
            BENCH = FakeBench(None, kernel)
        else:
            BENCH = SimBench(None, chip)
        # Whatever board the tests speak of, the simulated chip is a Pi 4's.
        stack.enter_context(mock.patch.object(GpiodFactory, "_processor", return_value="BCM2711"))
        try:
            yield BENCH
        finally:
            BENCH = None


class RigPin(GpiodPin):
    """Our pin, with what the mock's has for tests."""

    def __init__(self, factory: Any, info: Any, chip: Any, offset: int) -> None:
        self._delivered = 0
        self._noted: float | None = None
        self.states: list[State] = []
        self._last_change = time.monotonic()
        super().__init__(factory, info, chip, offset)
        self.clear_states()

    # -- the world outside

    def drive_high(self) -> None:
        self._driven(1)

    def drive_low(self) -> None:
        self._driven(0)

    def _driven(self, level: int) -> None:
        assert BENCH is not None
        assert self.function == "input"
        edge = "rising" if level else "falling"
        expected = self._detecting and self.state != level and self._edges in ("both", edge)
        before = self._delivered
        BENCH.drive(self._number, level)
        if expected:
            assert until(lambda: self._delivered > before), f"no edge of {self!r} has come"
        self._note()

    def on_readable(self) -> None:
        super().on_readable()
        self._delivered += 1

    def _configure(self, function: str, **keywords: Any) -> None:
        pull = keywords.get("pull") or ""
        if isinstance(BENCH, FakeBench) and function == "input" and pull != self._pull:
            # As on the simulated chip, and the mock: a new pull moves a line that an earlier test drove.
            BENCH.drive(self._number, {"up": 1, "down": 0}.get(pull, BENCH.level(self._number)))
        super()._configure(function, **keywords)
        self._note()

    # -- what it has done

    def _set_state(self, value: float) -> None:
        super()._set_state(value)
        self._note()

    def _set_frequency(self, value: float | None) -> None:
        super()._set_frequency(value)
        self._note()

    def _note(self) -> None:
        state = self.state if self._request is not None else None
        if state is not None and state != self._noted:
            now = time.monotonic()
            self.states.append(State(now - self._last_change, state))
            self._last_change, self._noted = now, state

    def clear_states(self) -> None:
        self._last_change = time.monotonic()
        self._noted = self.state
        self.states = [State(0.0, self._noted)]

    def assert_states(self, expected: Any) -> None:
        for actual, wanted in zip(self.states, expected, strict=False):
            assert actual.state == wanted

    def assert_states_and_times(self, expected: Any) -> None:
        for actual, wanted in zip(self.states, expected, strict=False):
            assert isclose(actual.timestamp, wanted[0], rel_tol=0.05, abs_tol=0.05)
            assert isclose(actual.state, wanted[1])


class RigPWMPin(RigPin):
    """All of ours have PWM; the mock has a class of its own for it."""


class RigChargingPin(RigPin):
    """A light sensor: charged some time after it was made an input."""

    charge_time = 0.01

    def _configure(self, function: str, **keywords: Any) -> None:
        turned = function == "input" and self._function != "input"
        super()._configure(function, **keywords)
        if function == "output":
            assert BENCH is not None
            BENCH.drive(self._number, 0)
        elif turned and self.charge_time:
            threading.Timer(self.charge_time, self._charge).start()
        elif turned:
            self._charge()

    def _charge(self) -> None:
        if BENCH is not None and not self.closed and self._function == "input":
            BENCH.drive(self._number, 1)


class RigTriggerPin(RigPin):
    """A distance sensor's trigger: its echo goes high for a while."""

    echo_pin: Any = None
    echo_time = 0.04

    def _set_state(self, value: float) -> None:
        super()._set_state(value)
        if value:
            threading.Thread(target=self._echo).start()

    def _echo(self) -> None:
        time.sleep(0.001)
        for level in (1, 0):
            if BENCH is not None and not self.echo_pin.closed:
                BENCH.drive(self.echo_pin._number, level)
            time.sleep(self.echo_time)


class RigSPIClockPin(RigPin):
    """Tells the device on a software SPI bus of every clock."""

    spi_devices: list[Any]

    def _set_state(self, value: float) -> None:
        super()._set_state(value)
        for device in self.__dict__.setdefault("spi_devices", []):
            device.on_clock()


class RigSPISelectPin(RigPin):
    """Tells a device on a software SPI bus that it is selected."""

    spi_device: Any = None

    def _set_state(self, value: float) -> None:
        super()._set_state(value)
        if self.spi_device:
            self.spi_device.on_select()


class RigSPI(SPISoftware):  # type: ignore[misc]
    """Moved by software also where the machine has an SPI bus: the tests' devices hang on pins."""


class RigSPIShared(gpiozero.mixins.SharedMixin, RigSPI):  # type: ignore[misc]
    """The same for several."""

    @classmethod
    def _shared_key(
        cls, clock_pin: Any, mosi_pin: Any, miso_pin: Any, select_pin: Any, pin_factory: Any
    ) -> Any:
        return clock_pin, select_pin


class RigFactory(GpiodFactory):
    """Our factory, asked for pins as the mock's is."""

    def __init__(self, revision: Any = None, pin_class: Any = None) -> None:
        assert BENCH is not None
        self._revision = int(revision, 16) if isinstance(revision, str) else revision or REVISION
        super().__init__()
        self.pin_class = RigPin
        for offset in range(28):
            BENCH.drive(offset, int(offset in PULLED_UP))

    def _get_revision(self) -> int:
        return int(os.environ.get("GPIOZERO_MOCK_REVISION", hex(self._revision)), 16)

    def _get_spi_class(self, shared: bool, hardware: bool) -> Any:
        return RigSPIShared if shared else RigSPI

    def pin(self, name: Any, pin_class: Any = None, **attributes: Any) -> Any:
        usual = self.pin_class
        self.pin_class = pin_class or usual
        try:
            pin = super().pin(name)
        finally:
            self.pin_class = usual
        if isinstance(pin, RigSPIClockPin):
            pin.__dict__.setdefault("spi_devices", [])
        for attribute, value in attributes.items():
            setattr(pin, attribute, value)
        return pin


def install() -> None:
    """Puts our pins where tests import the mock's from."""
    gpiozero.pins.mock.__dict__.update(
        MockFactory=RigFactory, MockPin=RigPin, MockPWMPin=RigPWMPin, MockChargingPin=RigChargingPin,
        MockTriggerPin=RigTriggerPin, MockSPIClockPin=RigSPIClockPin, MockSPISelectPin=RigSPISelectPin,
    )  # fmt: skip
