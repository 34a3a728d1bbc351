"""How long the daemon takes to READY, beside a program that imports gpiozero and luma and does nothing else.

    python3 tests/benchmarks/start.py [--starts 15] [--modules]

Runs `shutthebox run` with gpiozero's mock pins and without a display on the bus, on any machine. Both figures
are CPU time of all threads since the interpreter began, so other work on the machine does not count; nor does
what comes after READY. `make bench-pi` measures the same with a kernel's pins, by the clock.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

CPU = "import time; print(time.process_time(), flush=True)"
LIBRARIES = f"import gpiozero, luma.oled.device, luma.core.interface.serial; {CPU}"
#: Ends with what READY costs, before any other thread is let on.
BOX = """\
import os, sys, time
from shutthebox.adapters import gpio, systemd

def ready(self):
    print(time.process_time(), *sorted(sys.modules), flush=True)
    os._exit(0)

def mock_pins(backend):
    from gpiozero.pins.mock import MockFactory
    return MockFactory()

gpio.open_factory, systemd.Systemd.ready = mock_pins, ready
from shutthebox.cli.main import main
main(["run", "--config", sys.argv[1]])
"""
CONFIG = '[game]\nprofile = "pub"\n[box]\nlevers = 9\n[store]\nfolder = "{}"\n'


def cpu_s(program: str, *arguments: str) -> tuple[float, list[str]]:
    """CPU seconds that a Python program reports, and the words after them."""
    command = [sys.executable, "-c", program, *arguments]
    first, *more = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(first), more


def main() -> None:
    """Measures, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--starts", type=int, default=15, help="how often to start each")
    parser.add_argument(
        "--modules", action="store_true", help="list the box's own modules that are loaded by then"
    )
    options = parser.parse_args()
    alone, ready, modules = [], [], list[str]()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        config = Path(folder, "config.toml")
        config.write_text(CONFIG.format(folder))
        for _ in range(options.starts):
            alone.append(cpu_s(LIBRARIES)[0])
            seconds, modules = cpu_s(BOX, str(config))
            ready.append(seconds)
    best = min(alone), min(ready)
    middle = statistics.median(alone), statistics.median(ready)
    print(f"CPU time of {options.starts} starts           least ms   median ms")
    print(f"gpiozero and luma imported {1000 * best[0]:12.0f} {1000 * middle[0]:11.0f}")
    print(f"the daemon is READY        {1000 * best[1]:12.0f} {1000 * middle[1]:11.0f}")
    print(f"ratio                      {best[1] / best[0]:12.2f} {middle[1] / middle[0]:11.2f}")
    if options.modules:
        print(
            *(name for name in modules if name.startswith(("shutthebox", "luma_spans", "PIL", "luma"))),
            sep="\n",
        )


if __name__ == "__main__":
    main()
