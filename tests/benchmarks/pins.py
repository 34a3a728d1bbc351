"""Measures pin back ends side by side: what they cost at rest, and how soon an edge arrives.

Run on a machine with a simulated chip; `make bench-pins` does so in the virtual Pi. Each back
end gets a process of its own, with thirteen inputs, as the box has.

    python3 tests/benchmarks/pins.py [--seconds 10] [--edges 200] [BACKEND…]

Prints one table: idle CPU in percent of a core and context switches a second, both over the whole
process, and the time from moving a line to its callback, in ms; also from the kernel's time stamp
of the edge, where the back end hands it on, because a simulated interrupt is itself late by up to
a tick. Thirteen gpiozero Buttons ("+button") wake 130 times a second by
themselves, whatever the back end: each has a thread that looks ten times a second for a hold.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

OFFSETS = [4, 17, 27, 22, 23, 24, 25, 5, 6, 13, 16, 26, 12]
MEASURED = 17
COLUMNS = {
    "back end": ("backend", 16),
    "threads": ("threads", 9),
    "idle CPU %": ("idle_cpu_percent", 12),
    "wake-ups/s": ("wakeups_per_s", 12),
    "median ms": ("latency_median_ms", 11),
    "p99 ms": ("latency_p99_ms", 10),
    "from kernel ms": ("kernel_to_callback_median_ms", 16),
    "missed": ("missed", 8),
}
"""Per heading, the figure below it and how wide it is."""


def factory(name: str) -> Any:
    """A pin factory by its name; imports its library from a folder that may be littered."""
    os.chdir(os.environ.setdefault("LG_WD", tempfile.mkdtemp(prefix="bench-")))
    os.environ.setdefault("RPI_LGPIO_REVISION", "a03111")
    if name == "gpiod":
        from gpiozero_gpiod import GpiodFactory

        return GpiodFactory()
    if name == "lgpio":
        from gpiozero.pins.lgpio import LGPIOFactory

        return LGPIOFactory(chip=0)
    from gpiozero.pins.rpigpio import RPiGPIOFactory

    return RPiGPIOFactory()


def chip() -> Path:
    """Where the simulated header's lines can be moved."""
    return next(Path("/sys/devices/platform").glob("gpio-sim.*/gpiochip0"))


class Inputs:
    """Thirteen inputs with callbacks that only note the time."""

    def __init__(self, name: str, button: bool) -> None:
        from gpiozero import Button, InputDevice

        self.came = threading.Event()
        self.at_ns = 0
        self.seen_ns: int | None = None
        made = factory(name)
        kind: Callable[..., Any] = Button if button else InputDevice
        self.devices = [kind(offset, pull_up=True, pin_factory=made) for offset in OFFSETS]
        for device in self.devices:
            if button:
                device.when_activated = device.when_deactivated = self.note
            else:
                device.pin.edges = "both"
                device.pin.when_changed = self.changed

    def changed(self, ticks: float, state: int) -> None:
        self.seen_ns = round(ticks * 1e9)
        self.note()

    def note(self) -> None:
        self.at_ns = time.monotonic_ns()
        self.came.set()


def idle(seconds: float) -> dict[str, float]:
    """What the process uses while nothing happens."""
    time.sleep(0.5)
    before, begin = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    switches = _switches()
    time.sleep(seconds)
    after, took = resource.getrusage(resource.RUSAGE_SELF), time.monotonic() - begin
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "idle_cpu_percent": round(100 * cpu / took, 3),
        "wakeups_per_s": round((_switches() - switches) / took, 1),
    }


def _switches() -> int:
    """Voluntary context switches of all threads so far."""
    total = 0
    for status in Path("/proc/self/task").glob("*/status"):
        for line in status.read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches"):
                total += int(line.split()[1])
    return total


def latency(inputs: Inputs, edges: int) -> dict[str, float]:
    """From writing the line's new pull to the callback."""
    pull = chip() / f"sim_gpio{MEASURED}" / "pull"
    took, handed, missed = [], [], 0
    for number in range(edges):
        inputs.came.clear()
        time.sleep(0.01)
        begin = time.monotonic_ns()
        pull.write_text("pull-up" if number % 2 else "pull-down")
        if inputs.came.wait(1):
            took.append((inputs.at_ns - begin) / 1e6)
            if inputs.seen_ns is not None:
                handed.append((inputs.at_ns - inputs.seen_ns) / 1e6)
        else:
            missed += 1
    took.sort()
    if not took:
        return {"missed": missed}
    found = {} if not handed else {"kernel_to_callback_median_ms": round(statistics.median(handed), 3)}
    return found | {
        "latency_median_ms": round(statistics.median(took), 3),
        "latency_p99_ms": round(took[int(len(took) * 0.99) - 1], 3),
        "missed": missed,
    }


def measure(name: str, seconds: float, edges: int) -> None:
    """Measures one back end in this process."""
    library, _, kind = name.partition("+")
    warnings.simplefilter("ignore")
    inputs = Inputs(library, kind == "button")
    found: dict[str, Any] = {"backend": name, "threads": threading.active_count()}
    found |= idle(seconds)
    found |= latency(inputs, edges)
    print(json.dumps(found), flush=True)
    os._exit(0)  # nobody needs to see how each of them cleans up


def main() -> None:
    """Measures each back end in a process of its own."""
    parser = argparse.ArgumentParser(description="Pin back ends side by side.")
    parser.add_argument("--seconds", type=float, default=10, help="how long to watch each at rest")
    parser.add_argument("--edges", type=int, default=200, help="how many edges to time")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("backends", nargs="*", metavar="BACKEND")
    options = parser.parse_args()
    names = options.backends or [
        f"{n}{kind}" for n in ("gpiod", "lgpio", "rpigpio") for kind in ("", "+button")
    ]
    if options.here:
        measure(names[0], options.seconds, options.edges)
    if not list(Path("/sys/devices/platform").glob("gpio-sim.*/gpiochip0")):
        parser.exit(2, "no simulated chip here: run `make bench-pins`\n")
    print("".join(f"{heading:>{width}}" for heading, (_, width) in COLUMNS.items()), flush=True)
    for name in names:
        seconds, edges = str(options.seconds), str(options.edges)
        command = [sys.executable, __file__, "--here", "--seconds", seconds, "--edges", edges, name]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            print(f"{name:>16}  {done.stderr.strip().splitlines()[-1]}", flush=True)
            continue
        found = json.loads(done.stdout)
        print("".join(f"{found.get(key, '-'):>{width}}" for key, width in COLUMNS.values()), flush=True)


if __name__ == "__main__":
    main()
