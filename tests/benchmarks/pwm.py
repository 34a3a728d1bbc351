"""How long the pulses of software PWM are: from the helper process, and from a thread as before.

    python tests/benchmarks/pwm.py [--seconds 4]

A servo's wave, 50 Hz and 1.5 ms, beside a busy Python thread and without one. Needs no GPIO chip:
both run the factory's own timetable, which notes the time instead of switching a line. Figures
are of one run on one machine; compare the rows.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import socket
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

from gpiozero_gpiod import pwm_helper

HERTZ, DUTY = 50, 0.075


def widths(seconds: float) -> list[float]:
    """Plays a wave and returns how far each pulse was off, in µs."""
    noted: list[tuple[int, int]] = []
    waves = pwm_helper.Waves(lambda fd, level: noted.append((time.monotonic_ns(), level)))
    waves.carry_out(
        pwm_helper.MESSAGE.pack(pwm_helper.RUN, 1, HERTZ, DUTY), [os.open(os.devnull, os.O_RDONLY)]
    )
    end = time.monotonic() + seconds
    quiet, other = socket.socketpair()
    with quiet, other:
        while time.monotonic() < end:
            select.select([quiet], [], [], waves.run_due())
    rises = [at for at, level in noted if level]
    falls = [at for at, level in noted if not level]
    waves.close()
    return [abs(fall - rise - DUTY / HERTZ * 1e9) / 1000 for rise, fall in zip(rises, falls, strict=False)]


def in_a_process(seconds: float) -> list[float]:
    """As the factory's helper does it."""
    code = f"import runpy; m = runpy.run_path({str(Path(__file__))!r}); m['helper']({seconds})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    found: list[float] = json.loads(done.stdout)
    return found


def helper(seconds: float) -> None:
    """The process."""
    pwm_helper.be_punctual()
    print(json.dumps(widths(seconds)))


def in_a_thread(seconds: float) -> list[float]:
    """As a thread of the program would do it."""
    found: list[float] = []
    thread = threading.Thread(target=lambda: found.extend(widths(seconds)))
    thread.start()
    thread.join()
    return found


def be_busy(stop: threading.Event) -> None:
    """Keeps the interpreter busy."""
    total = 0
    while not stop.is_set():
        for number in range(10_000):
            total += number * number


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="Pulses of software PWM, process against thread.")
    parser.add_argument("--seconds", type=float, default=4, help="of each wave (4)")
    seconds = parser.parse_args().seconds
    print(f"{'':36}{'median':>10}{'90 %':>10}{'99 %':>10}   µs off a pulse of 1500 µs")
    for name, play in (("helper process", in_a_process), ("thread", in_a_thread)):
        for busy in (False, True):
            stop = threading.Event()
            if busy:
                threading.Thread(target=be_busy, args=(stop,), daemon=True).start()
            off = sorted(play(seconds))
            stop.set()
            shown = [statistics.median(off), off[int(len(off) * 0.9)], off[int(len(off) * 0.99) - 1]]
            what = name + (", beside a busy thread" if busy else "")
            print(f"{what:36}" + "".join(f"{value:10.0f}" for value in shown))


if __name__ == "__main__":
    main()
