"""How soon a lever is answered while the machine is busy, and the box works out odds.

    python tests/benchmarks/busy.py [PROGRAMS]

Moves a lever of the real daemon, with simulated contacts in real time, beside so many programs that compute
without a pause (two for each core), and again beside none. Meanwhile its odds' thread always has work.
Prints ms from the move to the changed screen; the settle window is in it.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.box import config_with
from tests.support.daemon import Served, run_daemon

from shutthebox.adapters.odds_worker import OddsWorker
from shutthebox.config.profiles import builtins
from shutthebox.odds.questions import Prepare

MOVES, BOXES = 15, 4
"""The box would wonder about its button if many more levers moved without a press."""


def flip(box: Served, took_ms: list[float]) -> None:
    """Moves a lever before the throw: the screen says so until it's back."""
    box.begin()
    for _ in range(MOVES):
        time.sleep(0.2)  # a hand's
        began_s = time.perf_counter()
        box.hardware.set_lever(3, True)
        box.until(lambda: box.screen.alert)
        took_ms.append((time.perf_counter() - began_s) * 1000)
        box.hardware.set_lever(3, False)
        box.until(lambda: not box.screen.alert)


def measure(programs: int) -> str:
    """A row of the table."""
    odds, took_ms = OddsWorker(lambda advice: None), list[float]()
    for _ in range(20):
        for game in builtins():
            odds.ask(Prepare(game, 2))
    odds.start()
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(programs)]
    try:
        for _ in range(BOXES):
            with tempfile.TemporaryDirectory() as folder:
                run_daemon(config_with(), Path(folder), lambda box: flip(box, took_ms))
    finally:
        for each in busy:
            each.kill()
    return f"{programs} programs: {median(took_ms):.0f} ms, {max(took_ms):.0f} at most"


if len(sys.argv) > 1:
    print(measure(int(sys.argv[1])), flush=True)
    os._exit(0)  # the odds would go on
for programs in (0, 2 * (os.cpu_count() or 1)):
    subprocess.run([sys.executable, __file__, str(programs)], check=True)
