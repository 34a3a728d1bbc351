"""Benches: a pin factory, and a hand that moves the wires it is connected to.

A bench is either a simulated chip of a real kernel (in the virtual Pi, or wherever gpio-sim
is loaded and its lines may be moved), or something that stands in for the library.
"""

from __future__ import annotations

import importlib.util
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sized
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.fake_gpiod import FakeKernel

SIMULATED = Path("/sys/devices/platform")
#: Of the virtual Pi's simulated chip: what one line shows, the other is pulled to at once.
WIRE = Path("/sys/module/gpio_sim_pi/parameters/wire")
WIRED_TO = 26


HANG_S = 50.0
"""An event that has not happened after so long never will."""


def until(condition: Callable[[], object], seconds: float = HANG_S) -> bool:
    """Waits until something holds; False if it never did."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.002)
    return bool(condition())


def reached(seen: Sized, count: int) -> bool:
    return until(lambda: len(seen) >= count)


def comes_to_rest(thread: threading.Thread) -> bool:
    """Whether a thread sleeps through half a second; one that polls never does."""
    status = Path(f"/proc/self/task/{thread.native_id}/status")

    def sleeps_on() -> bool:
        before = _wakes(status)
        time.sleep(0.5)
        return _wakes(status) == before

    return until(sleeps_on, 20)


def _wakes(status: Path) -> str:
    return next(line for line in status.read_text().splitlines() if line.startswith("voluntary"))


class Listener:
    """Collects what a pin reports; kept alive by the test, as the pin holds it weakly."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, int]] = []

    def changed(self, ticks: float, state: int) -> None:
        self.seen.append((ticks, int(state)))

    @property
    def states(self) -> list[int]:
        return [state for _, state in self.seen]


class Bench:
    """The needs of a test from any back end."""

    interrupt_s = 0.0

    def __init__(self, factory: Any) -> None:
        self.factory = factory

    def drive(self, offset: int, level: int) -> None:
        raise NotImplementedError

    def level(self, offset: int) -> int:
        raise NotImplementedError

    @contextmanager
    def recorded(self, offset: int) -> Iterator[Callable[[], list[tuple[int, int]]]]:
        """Gives a function that returns what an output has done since: when, in ns, and its new level."""
        raise NotImplementedError
        yield

    def pulse(self, offset: int) -> None:
        """High and low again, no faster than the kernel's simulated interrupts can follow."""
        for level in (1, 0):
            self.drive(offset, level)
            time.sleep(self.interrupt_s)


class SimBench(Bench):
    """On a chip of the kernel's gpio-sim."""

    interrupt_s = 0.003

    def __init__(self, factory: Any, chip: Path) -> None:
        super().__init__(factory)
        self.chip = chip

    def drive(self, offset: int, level: int) -> None:
        (self.chip / f"sim_gpio{offset}/pull").write_text("pull-up" if level else "pull-down")

    def level(self, offset: int) -> int:
        return int((self.chip / f"sim_gpio{offset}/value").read_text())

    @contextmanager
    def recorded(self, offset: int) -> Iterator[Callable[[], list[tuple[int, int]]]]:
        """The kernel's time stamps at the other end of a wire."""
        import gpiod
        from gpiod.line import Direction, Edge

        settings = gpiod.LineSettings(direction=Direction.INPUT, edge_detection=Edge.BOTH)
        noted: list[tuple[int, int]] = []
        with gpiod.request_lines(
            f"/dev/{self.chip.name}", {WIRED_TO: settings}, consumer="recorder", event_buffer_size=1024
        ) as request:
            self.drive(WIRED_TO, self.level(offset))

            def read() -> list[tuple[int, int]]:
                while len(noted) < 2000 and request.wait_edge_events(0):
                    for event in request.read_edge_events():
                        noted.append((event.timestamp_ns, int(event.event_type is event.Type.RISING_EDGE)))
                return noted[:]

            read()
            noted.clear()
            try:
                WIRE.write_text(f"{offset},{WIRED_TO}")
                yield read
            finally:
                WIRE.write_text("-1,-1")


class FakeBench(Bench):
    def __init__(self, factory: Any, kernel: FakeKernel) -> None:
        super().__init__(factory)
        self.kernel = kernel
        self.chip = next(iter(kernel.chips.values()))

    def drive(self, offset: int, level: int) -> None:
        self.chip.drive(offset, bool(level))

    def level(self, offset: int) -> int:
        return self.chip.lines[offset].level

    @contextmanager
    def recorded(self, offset: int) -> Iterator[Callable[[], list[tuple[int, int]]]]:
        """The changes of what was written."""
        line = self.chip.lines[offset]
        before, start = int(line.written), len(line.history)

        def read() -> list[tuple[int, int]]:
            levels = [before, *(level for _, level in line.history[start:])]
            return [
                at for at, previous in zip(line.history[start:], levels, strict=False) if at[1] != previous
            ]

        yield read


def simulated_chip(label: str = "pinctrl-bcm2711") -> Path | None:
    """Where the lines of a simulated chip lie, if this kernel has one and we may move them."""
    import gpiod

    for chip in SIMULATED.glob("gpio-sim.*/gpiochip*"):
        device = f"/dev/{chip.name}"
        if gpiod.is_gpiochip_device(device):
            with gpiod.Chip(device) as opened:
                if opened.get_info().label == label:
                    return chip
    return None


def real_or_skip(library: str) -> Path:
    """The simulated chip, or a skip that says what is not there."""
    chip = simulated_chip()
    if chip is None:
        pytest.skip("no gpio-sim chip here: `make test-pi` runs this on a real kernel")
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed: `make test-pi` runs this with it")
    return chip


@contextmanager
def make_bench(name: str, folder: Path) -> Iterator[Bench]:
    """Sets up the back end called ``name``, and clears it away again."""
    with ExitStack() as stack:
        bench: Bench
        if name == "gpiod-fake":
            kernel = FakeKernel(folder)
            kernel.add("pinctrl-bcm2711", 54)
            kernel.add("mcp23017", 16)
            for patch in kernel.patches():
                stack.enter_context(patch)
            from gpiozero_gpiod import GpiodFactory

            bench = FakeBench(GpiodFactory(), kernel)
        else:
            chip = real_or_skip({"rpigpio": "RPi"}.get(name, name))
            bench = SimBench(_real_factory(name, folder), chip)
        stack.callback(bench.factory.close)
        yield bench


def _real_factory(name: str, folder: Path) -> Any:
    if name == "gpiod":
        from gpiozero_gpiod import GpiodFactory

        return GpiodFactory()
    # lgpio leaves a FIFO where it is imported.
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setenv("LG_WD", str(folder))
        patch.setenv("RPI_LGPIO_REVISION", "a03111")  # rpi-lgpio, the stand-in for newer Pis
        patch.chdir(folder)
        if name == "lgpio":
            from gpiozero.pins.lgpio import LGPIOFactory

            return LGPIOFactory(chip=0)
        from gpiozero.pins.rpigpio import RPiGPIOFactory

        return RPiGPIOFactory()
