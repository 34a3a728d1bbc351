"""Measures pin back ends side by side: at rest, by an edge, by many edges.

Wants two lines that are joined: OUT, which this program moves, and IN.
`python -m tests.system.virtual_pi` runs it in the virtual Pi, where the lines of a simulated chip are joined.
On a real Pi put a jumper between two pins and name them:

    python3 tests/benchmarks/pins.py --wired 20 21 [--seconds 10] [--edges 200] [BACKEND…]

Back ends are those of gpiozero that are installed: gpiod (ours), lgpio, rpigpio (RPi.GPIO, or
rpi-lgpio in its place). "+button" takes thirteen `Button`s instead of `InputDevice`s.
Each is measured in a process of its own. Two tables:

At rest and by one edge, with thirteen inputs, as the box has: CPU in percent of a core and context
switches a second of the whole process while nothing happens, and of its helpers; the time from
moving a line to the callback.

By many edges: the fastest train of edges, kept up for two seconds, of which 99 % come, and of trains
of 1,000 a second, how many edges come if the first callback is held up for so long that all others have to
be kept somewhere; both of those edges that the kernel has seen, which a reader of nothing but edges ("the
kernel") counts, because a simulated interrupt that is kept waiting stands for two edges.
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

import gpiod
from gpiod.line import Direction, Edge, Value

INPUTS = [4, 17, 27, 22, 23, 24, 25, 5, 6, 13, 16, 12]
#: In the virtual Pi: what the first shows, the second is pulled to.
WIRE, OUT, IN = Path("/sys/module/gpio_sim_pi/parameters/wire"), 18, 26
LABELS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
BACK_ENDS = ("gpiod", "gpiod+button", "lgpio", "lgpio+button", "rpigpio", "rpigpio+button")
RATES = (250, 500, 1000, 2000, 3000, 4000, 6000, 8000, 12000, 16000, 24000, 32000)
TRAIN_S = 2.0
HELD_UP, HELD_UP_RATE = 2000, 1000
REST = {
    "back end": ("backend", 16),
    "threads": ("threads", 9),
    "idle CPU %": ("idle_cpu_percent", 12),
    "wake-ups/s": ("wakeups_per_s", 12),
    "median ms": ("latency_median_ms", 11),
    "p99 ms": ("latency_p99_ms", 9),
    "max ms": ("latency_max_ms", 9),
    "missed": ("missed", 8),
    "open+close ms": ("button_ms", 15),
}
MANY = {
    "back end": ("backend", 16),
    "edges/s": ("edges_per_s", 9),
    "kept of 2000": ("kept", 14),
}
"""Per heading, the figure below it and how wide it is."""


def header() -> str:
    """The path of the Pi's own chip, or of one that passes for it."""
    for path in sorted(Path("/dev").glob("gpiochip*")):
        with gpiod.Chip(str(path)) as chip:
            if chip.get_info().label in LABELS:
                return str(path)
    raise SystemExit("no chip of a Pi here: tests/system/virtual_pi/README.md")


def factory(name: str) -> Any:
    """A pin factory by its name; imports its library from a folder that may be littered."""
    os.chdir(os.environ.setdefault("LG_WD", tempfile.mkdtemp(prefix="bench-")))
    os.environ.setdefault("RPI_LGPIO_REVISION", "a03111")
    if name == "gpiod":
        from gpiozero_gpiod import GpiodFactory

        return GpiodFactory()
    if name == "lgpio":
        from gpiozero.pins.lgpio import LGPIOFactory

        return LGPIOFactory()
    from gpiozero.pins.rpigpio import RPiGPIOFactory

    return RPiGPIOFactory()


class Hand:
    """Moves OUT from outside the back end."""

    def __init__(self, out: int) -> None:
        settings = gpiod.LineSettings(direction=Direction.OUTPUT, output_value=Value.ACTIVE)
        self.out = out
        self.level = 1
        self._request = gpiod.request_lines(header(), {out: settings}, consumer="hand")

    def toggle(self) -> None:
        """Changes the level."""
        self.level ^= 1
        self._request.set_value(self.out, Value.ACTIVE if self.level else Value.INACTIVE)

    def close(self) -> None:
        """Lets the line go."""
        self._request.release()


class Inputs:
    """Thirteen inputs with callbacks that only note the time."""

    def __init__(self, made: Any, button: bool, wired: int) -> None:
        from gpiozero import Button, InputDevice

        self.came = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()
        self.at_ns = 0
        self.count = 0
        kind: Callable[..., Any] = Button if button else InputDevice
        self.devices = [kind(line, pull_up=True, pin_factory=made) for line in [wired, *INPUTS]]
        for device in self.devices:
            if button:
                device.when_activated = device.when_deactivated = self.note
            else:
                device.pin.edges = "both"
                device.pin.when_changed = self.changed

    def changed(self, ticks: float, state: int) -> None:
        self.note()

    def note(self) -> None:
        self.at_ns = time.monotonic_ns()
        self.count += 1
        self.came.set()
        self.go_on.wait()


# -- at rest, and one edge


def idle(seconds: float) -> dict[str, float]:
    """The use of the process while nothing happens, its helpers included."""
    time.sleep(0.5)
    before, begin, switches = _cpu_s(), time.monotonic(), _switches()
    time.sleep(seconds)
    took = time.monotonic() - begin
    return {
        "idle_cpu_percent": round(100 * (_cpu_s() - before) / took, 3),
        "wakeups_per_s": round((_switches() - switches) / took, 1),
    }


def _processes() -> list[str]:
    """This process and its children."""
    children = Path("/proc/self/task").glob("*/children")
    return ["self", *(pid for path in children for pid in path.read_text().split())]


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    total = used.ru_utime + used.ru_stime
    for pid in _processes()[1:]:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def _switches() -> int:
    """Voluntary context switches of all threads so far."""
    total = 0
    for pid in _processes():
        for status in Path(f"/proc/{pid}/task").glob("*/status"):
            for line in status.read_text().splitlines():
                if line.startswith("voluntary_ctxt_switches"):
                    total += int(line.split()[1])
    return total


def latency(inputs: Inputs, hand: Hand, edges: int) -> dict[str, float]:
    """From moving the line to the callback."""
    took, missed = [], 0
    for _ in range(edges):
        inputs.came.clear()
        time.sleep(0.01)
        begin = time.monotonic_ns()
        hand.toggle()
        if inputs.came.wait(1):
            took.append((inputs.at_ns - begin) / 1e6)
        else:
            missed += 1
    took.sort()
    if not took:
        return {"missed": missed}
    return {
        "latency_median_ms": round(statistics.median(took), 3),
        "latency_p99_ms": round(took[int(len(took) * 0.99) - 1], 3),
        "latency_max_ms": round(took[-1], 3),
        "missed": missed,
    }


def opening(made: Any, rounds: int = 10) -> dict[str, float]:
    """How long a Button takes to open and close again."""
    from gpiozero import Button

    begin = time.monotonic()
    for _ in range(rounds):
        Button(19, pin_factory=made).close()
    return {"button_ms": round((time.monotonic() - begin) / rounds * 1000, 1)}


# -- many edges


def trains(inputs: Inputs, out: int) -> dict[str, Any]:
    """The fastest train that comes whole, and the kept part of one that has to wait."""
    best: dict[str, Any] = {"edges_per_s": f"<{RATES[0]}"}
    for rate in RATES:
        edges = round(rate * TRAIN_S)
        came = _send(lambda: inputs.count, out, edges, rate)
        if came < 0.99 * seen_by_the_kernel(edges, rate):
            break
        best["edges_per_s"] = rate
    inputs.go_on.clear()
    before = inputs.count
    sending = _sender(out, HELD_UP, HELD_UP_RATE)
    sending.wait()
    inputs.go_on.set()
    best["kept"] = _once_quiet(lambda: inputs.count) - before
    return best


def seen_by_the_kernel(edges: int, rate: int) -> int:
    """How many edges of such a train the kernel has reported to the reader that was measured first."""
    counts: dict[str, int] = json.loads(os.environ["BENCH_SEEN"])
    return counts[f"{edges}/{rate}"]


def read_only(out: int, into: int) -> None:
    """Reads edges and does nothing with them: the kernel's share of each train."""
    settings = gpiod.LineSettings(direction=Direction.INPUT, edge_detection=Edge.BOTH)
    count, seen = 0, {}
    with gpiod.request_lines(header(), {into: settings}, consumer="bench", event_buffer_size=1024) as request:

        def read() -> None:
            nonlocal count
            while True:
                request.wait_edge_events(None)
                events = request.read_edge_events(1024)
                count += len(events)

        threading.Thread(target=read, daemon=True).start()
        for rate in RATES:
            edges = round(rate * TRAIN_S)
            seen[f"{edges}/{rate}"] = _send(lambda: count, out, edges, rate)
        print(json.dumps(seen), flush=True)
        os._exit(0)


def _sender(out: int, edges: int, rate: int) -> subprocess.Popen[str]:
    arguments = ["--send", str(edges), str(rate), "--wired", str(out), "0"]
    return subprocess.Popen([sys.executable, __file__, *arguments], text=True)


def _send(count: Callable[[], int], out: int, edges: int, rate: int) -> int:
    """Has another process make edges; returns how many came."""
    before = count()
    _sender(out, edges, rate).wait()
    return _once_quiet(count) - before


def _once_quiet(count: Callable[[], int]) -> int:
    """What a count has come to, once it has stood still for half a second."""
    quiet_since, last = time.monotonic(), count()
    while time.monotonic() - quiet_since < 0.5:
        time.sleep(0.05)
        if count() != last:
            quiet_since, last = time.monotonic(), count()
    return last


def send(edges: int, rate: int, out: int) -> None:
    """Makes edges at a rate in Hz; one that is late is not made up for, so none come in a heap."""
    hand = Hand(out)
    time.sleep(0.3)
    due = time.monotonic()
    for _ in range(edges):
        due = max(due + 1 / rate, time.monotonic())
        time.sleep(max(0, due - time.monotonic()))
        hand.toggle()


# -- all together


def measure(name: str, what: str, seconds: float, edges: int, out: int, into: int) -> None:
    """Measures one back end in this process."""
    library, _, kind = name.partition("+")
    warnings.simplefilter("ignore")
    if what == "kernel":
        read_only(out, into)
    made = factory(library)
    found: dict[str, Any] = {"backend": name}
    hand = Hand(out)
    inputs = Inputs(made, kind == "button", into)
    hand.toggle()
    found |= {"threads": threading.active_count()} | idle(seconds) | latency(inputs, hand, edges)
    hand.close()
    found |= opening(made) if kind else trains(inputs, out)
    print(json.dumps(found), flush=True)
    os._exit(0)  # nobody needs to see how each of them cleans up


def show(columns: dict[str, tuple[str, int]], rows: list[dict[str, Any]]) -> None:
    """Prints one table."""
    print("".join(f"{heading.strip():>{width}}" for heading, (_, width) in columns.items()))
    for row in rows:
        print("".join(f"{row.get(key, '-'):>{width}}" for key, width in columns.values()))
    print(flush=True)


def main() -> None:
    """Measures each back end in a process of its own."""
    parser = argparse.ArgumentParser(description="Pin back ends side by side.")
    parser.add_argument("--seconds", type=float, default=10, help="how long to watch each at rest")
    parser.add_argument("--edges", type=int, default=200, help="how many edges to time")
    parser.add_argument("--wired", type=int, nargs=2, metavar=("OUT", "IN"), help="lines that are joined")
    parser.add_argument("--here", help=argparse.SUPPRESS)
    parser.add_argument("--send", type=int, nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("backends", nargs="*", metavar="BACKEND", help=" ".join(BACK_ENDS))
    options = parser.parse_args()
    if options.wired is None:
        if not WIRE.exists():
            parser.exit(
                2, "no lines are joined here: tests/system/virtual_pi/README.md; or join two and name them\n"
            )
        WIRE.write_text(f"{OUT},{IN}")
        options.wired = [OUT, IN]
    out, into = options.wired
    if options.send:
        send(options.send[0], options.send[1], out)
        return
    if options.here:
        measure(options.backends[0], options.here, options.seconds, options.edges, out, into)
    common = f"--seconds {options.seconds} --edges {options.edges} --wired {out} {into}".split()

    def run(what: str, name: str) -> dict[str, Any]:
        """Measures one thing in a process of its own."""
        command = [sys.executable, __file__, "--here", what, *common, name]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            said = done.stderr.strip().splitlines() or ["nothing said"]
            print(f"{name}: can't be measured here: {said[-1]}", flush=True)
            return {}
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    os.environ["BENCH_SEEN"] = json.dumps(run("kernel", "the kernel"))
    rows = []
    for name in options.backends or BACK_ENDS:
        row = run("rest", name)
        rows += [row] if row else []
    show(REST, rows)
    show(MANY, [row for row in rows if "edges_per_s" in row])


if __name__ == "__main__":
    main()
