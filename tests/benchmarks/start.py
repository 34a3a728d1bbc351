"""How long the daemon takes to READY and to its first screen, beside a program that imports its libraries.

    python3 tests/benchmarks/start.py [--starts 15]

Runs `shutthebox run` with gpiozero's mock pins and without a display on the bus, on any machine. All figures
are CPU time of all threads since the interpreter began, so other work on the machine does not count; every
module is compiled before. At READY the box holds its pins, its memory is open and the game stands. The first
screen is drawn when the box turns to what can wait for it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

CPU = "import time; print(time.process_time(), flush=True)"
LIBRARIES = f"import gpiozero, luma.oled.device, luma.core.interface.serial; {CPU}"
#: Ends with what READY or the first screen costs, before any other thread is let on.
BOX = """\
import gc, os, sys, time
gc.disable()  # as the daemon does; its modules are loaded here before it begins
from shutthebox.adapters import gpio, systemd

def reached(*anything):
    print(time.process_time(), flush=True)
    os._exit(0)

def ready(self):
    if sys.argv[2] == "ready":
        reached()

def mock_pins(backend):
    from gpiozero.pins.mock import MockFactory
    return MockFactory()

gpio.open_factory, systemd.Systemd.ready = mock_pins, ready
if sys.argv[2] != "ready":
    from shutthebox.runtime import assembly
    assembly.Box.start = reached
from shutthebox.cli.main import main
main(["run", "--config", sys.argv[1]])
"""
CONFIG = '[game]\nprofile = "pub"\n[box]\nlevers = 9\n[store]\nfolder = "{}"\n'


def cpu_s(folder: Path, program: str, *arguments: str) -> float:
    """CPU seconds that a program reports; `folder` takes compiled modules."""
    command = [sys.executable, "-c", program, *arguments]
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return float(subprocess.check_output(command, env=environment, stderr=subprocess.DEVNULL))


def main() -> None:
    """Measures, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--starts", type=int, default=15, help="how often to start each")
    options = parser.parse_args()
    figures: dict[str, list[float]] = {"alone": [], "ready": [], "screen": []}
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        config = folder / "config.toml"
        config.write_text(CONFIG.format(folder))
        # The first start compiles, and makes the store; it does not count.
        for _ in range(options.starts + 1):
            for stage, took in figures.items():
                program = LIBRARIES if stage == "alone" else BOX
                took.append(cpu_s(folder / "compiled", program, str(config), stage))
    counted = [took[1:] for took in figures.values()]
    least, middle = [min(took) for took in counted], [statistics.median(took) for took in counted]
    print(f"CPU time of {options.starts} starts           least ms   ratio   median ms   ratio")
    names = ("gpiozero and luma imported", "the daemon is READY", "its first screen is drawn")
    for name, best, usual in zip(names, least, middle, strict=True):
        ratios = best / least[0], usual / middle[0]
        print(f"{name:26} {1000 * best:12.0f} {ratios[0]:7.2f} {1000 * usual:11.0f} {ratios[1]:7.2f}")


if __name__ == "__main__":
    main()
