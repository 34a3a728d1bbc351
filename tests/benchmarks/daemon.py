"""The whole daemon on a machine with a simulated chip: memory, edge to panel.

Run where the chip and the logging display are; tests/system/virtual_pi/README.md says how in the virtual Pi.

    python3 tests/benchmarks/daemon.py [--edges 200]

Prints one table, the memory beside that of a program that imports gpiozero and luma and does nothing
else. The way from an edge to the panel runs from writing a line's new pull to the first byte that the display
receives of the changed picture; the settle window, during which a level has to stand, is taken
off and stated. A simulated interrupt is itself late by up to a tick of the kernel's clock.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LIBRARIES = """\
import gpiozero, luma.oled.device, luma.core.interface.serial
print(open("/proc/self/smaps_rollup").read())
"""
BOX = "import sys; from shutthebox.cli.main import main; sys.exit(main())"
CONFIG = '[game]\nprofile = "pub"\nsetup = "usual"\nplayers = 2\n[box]\nlevers = 9\n[store]\nfolder = "{}"\n'
LEVERS, BUTTON = (4, 17, 27, 22, 23, 24, 25, 5, 6), 12
SETTLE_MS = 40
PANEL = Path("/dev/i2c-panel")
QUIET_S = 0.3


def chip() -> Path:
    """Where the simulated header's lines can be moved."""
    return next(Path("/sys/devices/platform").glob("gpio-sim.*/gpiochip0"))


def set_line(offset: int, level: int) -> int:
    """Moves a line; returns when it was told to, in ns of the monotonic clock."""
    pull = chip() / f"sim_gpio{offset}" / "pull"
    begin = time.monotonic_ns()
    pull.write_text("pull-up" if level else "pull-down")
    return begin


def panel_times() -> list[int]:
    """When the display received each message since the last call, in ns of the monotonic clock."""
    raw = b""
    with PANEL.open("rb", buffering=0) as panel:
        while part := panel.read(1 << 16):
            raw += part
    found = []
    while raw:
        at_ns, length = struct.unpack_from("=QI", raw)
        found.append(at_ns)
        raw = raw[12 + length :]
    return found


def wait_until_quiet() -> None:
    """Until the display has been sent nothing for a while."""
    panel_times()
    while True:
        time.sleep(QUIET_S)
        if not panel_times():
            return


def memory_mb(smaps_rollup: str) -> list[str]:
    """Rss and Pss in the text of /proc/PID/smaps_rollup."""
    fields = dict(line.split()[:2] for line in smaps_rollup.splitlines()[1:] if line)
    return [f"{int(fields[kind]) / 1024:.1f}" for kind in ("Rss:", "Pss:")]


@contextmanager
def running() -> Iterator[Path]:
    """Starts the daemon as systemd would, with an empty memory, and ends it; gives its folder in /proc."""
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as wire,
    ):
        address = f"{folder}/notify"
        wire.bind(address)
        wire.settimeout(120)
        config = Path(folder, "config.toml")
        config.write_text(CONFIG.format(folder))
        for offset in (*LEVERS, BUTTON):
            set_line(offset, 1)
        environment = {**os.environ, "NOTIFY_SOCKET": address}
        process = subprocess.Popen(
            [sys.executable, "-c", BOX, "run", "--config", str(config)],
            env=environment,
            cwd=folder,
            stderr=subprocess.DEVNULL,
        )
        try:
            while b"READY=1" not in wire.recv(4096):
                pass
            yield Path(f"/proc/{process.pid}")
        finally:
            process.terminate()
            process.wait(30)


def latencies_ms(edges: int) -> list[float]:
    """From a lever's edge to the first byte of the changed picture, without the settle window.

    The box waits for a throw, which is a still picture; a lever that goes down is a fault, which
    changes it. Only that way is measured: the fault blinks.
    """
    took = []
    for number in range(edges):
        lever = LEVERS[number % len(LEVERS)]
        wait_until_quiet()
        begin_ns = set_line(lever, 0)
        until = time.monotonic() + 5
        while not (came := panel_times()) and time.monotonic() < until:
            time.sleep(0.005)
        if not came:
            raise SystemExit(f"lever {lever}: the display was sent nothing within 5 s")
        took.append((came[0] - begin_ns) / 1e6 - SETTLE_MS)
        set_line(lever, 1)
    return took


def row(what: str, *figures: str) -> None:
    """One line of the table."""
    print(f"{what:44}" + "".join(f"{figure:>16}" for figure in figures), flush=True)


def main() -> None:
    """Measures, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edges", type=int, default=200, help="how many edges to time")
    options = parser.parse_args()
    if not PANEL.exists():
        parser.exit(2, "no simulated display here: tests/system/virtual_pi/README.md\n")
    row("memory", "RSS MB", "PSS MB")
    alone = subprocess.check_output([sys.executable, "-c", LIBRARIES], text=True)
    row("  gpiozero and luma imported, nothing else", *memory_mb(alone))
    with running() as process:
        time.sleep(3)
        row("  in attract", *memory_mb((process / "smaps_rollup").read_text()))
        set_line(BUTTON, 0)
        time.sleep(0.15)
        set_line(BUTTON, 1)
        time.sleep(3)
        row("  in a match, with the table of the odds", *memory_mb((process / "smaps_rollup").read_text()))
        took = sorted(latencies_ms(options.edges))
        row(f"edge to panel, beyond {SETTLE_MS} ms of settling", "median ms", "p99 ms", "worst ms")
        p99 = took[max(0, int(len(took) * 0.99) - 1)]
        figure_ms = (statistics.median(took), p99, took[-1])
        row(f"  a lever, {len(took)} edges", *(f"{value:.1f}" for value in figure_ms))


if __name__ == "__main__":
    main()
