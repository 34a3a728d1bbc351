"""Whole matches over the link with real parts, which die and start again: two daemons, two helpers, a broker.

What hands do, and what dies when, follows from the seed. How far a death comes in the middle of something
doesn't, so a seed that failed once needn't fail again; its folder stays.
"""

import argparse
import statistics
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from shutil import rmtree
from typing import NamedTuple

from tests.support.cpu import cpu_s, wakes
from tests.support.link import HelperProcess
from tests.support.mosquitto import Mosquitto
from tests.support.progress import end_progress, show_progress
from tests.support.real_parts import RealBox, RealParts, Shown, real_parts

from shutthebox.game.mode import Mode
from shutthebox.game.screen import TileState
from shutthebox.game.switches.debounce import SwitchChanged

NAMES = "host", "guest", "host's helper", "guest's helper", "broker"
DEATHS = 8
"""Of a match."""

_MS = 1e6
_SETTLED_S = 5.0
"""A box that has been rejoined for so long isn't about to lose what comes."""


class Outcome(NamedTuple):
    """Of one seed; the error is empty if both boxes have the same record.

    Attributes:
        deaths: what has died.
        lags_ms: from a lever that has settled to the other box's screen.
        error: with the traceback.
    """

    seed: int
    deaths: list[str]
    lags_ms: list[float]
    error: str


class Deaths:
    """What dies, one part after the other, after as many steps of the hands as the seed says."""

    def __init__(self, parts: RealParts, random: Random, most: int = DEATHS) -> None:
        self._parts, self._random, self._most = parts, random, most
        self.told: list[str] = []
        self.at_ns: list[int] = []

    def __iter__(self) -> Iterator[None]:
        dying: list[tuple[str, RealBox | HelperProcess | Mosquitto]] = list(
            zip(NAMES, (*self._parts.parts, self._parts.broker.process), strict=True)
        )
        while len(self.told) < self._most:
            for _ in range(self._random.randint(0, 25)):
                yield
            together = self._random.sample(dying, self._random.choice((1, 1, 1, 2)))
            for name, part in together:
                part.kill()
                self.told.append(name)
            time.sleep(self._random.choice((0, 0, 0.5, 3)))
            for _, part in together:
                part.start()
            self.at_ns.append(time.monotonic_ns())


def lags_ms(lever_box: RealBox, other: RealBox, troubled_ns: list[int]) -> Iterator[float]:
    """From each lever that settled in a turn to the screen of the other box that shows it flipped."""
    screens = [shown for shown in other.seen if isinstance(shown, Shown)]
    for settled in lever_box.seen:
        if not isinstance(settled, SwitchChanged) or not settled.active:
            continue
        if any(-1e9 <= settled.t_ns - at_ns <= _SETTLED_S * 1e9 for at_ns in troubled_ns):
            continue
        before = [shown for shown in screens if shown.at_ns < settled.t_ns][-1:]
        if not before or before[0].screen.mode is not Mode.WATCHING or not before[0].screen.dice:
            continue
        if (settled.switch, TileState.FLIPPED) in before[0].screen.tiles:
            continue
        for shown in screens:
            if shown.at_ns > settled.t_ns and (settled.switch, TileState.FLIPPED) in shown.screen.tiles:
                yield (shown.at_ns - settled.t_ns) / _MS
                break


def play(seed: int, deaths: int = DEATHS) -> Outcome:
    """Plays one match."""
    folder = Path(tempfile.mkdtemp(prefix=f"shutthebox-real-{seed}-"))
    died, lags, error = [], list[float](), ""
    try:
        with real_parts(folder, seed) as parts:
            dying = Deaths(parts, Random(f"deaths of {seed}"), deaths)
            died = dying.told
            parts.play(iter(dying))
            assert parts.has_one_record(folder), "a record that nobody may believe"
            host, guest = parts.boxes
            lags += lags_ms(host, guest, dying.at_ns)
            lags += lags_ms(guest, host, dying.at_ns)
    except Exception:
        error = f"{folder}: {traceback.format_exc()}"
    else:
        rmtree(folder)
    return Outcome(seed, died, lags, error)


def rest(seed: int = 1, rest_s: float = 60) -> Iterator[str]:
    """What each process does in so many seconds of a match in which nobody does anything."""
    with (
        tempfile.TemporaryDirectory(prefix="shutthebox-real-") as folder,
        real_parts(Path(folder), seed) as parts,
    ):
        told = list[str]()

        def watch() -> Iterator[None]:
            while not parts.is_flipping:
                yield
            parts.come_to_rest()
            before = [(cpu_s(pid), wakes(pid)) for pid in parts.pids]
            time.sleep(rest_s)
            for name, pid, (spent_s, woken) in zip(NAMES, parts.pids, before, strict=True):
                more_ms = 1000 * (cpu_s(pid) - spent_s)
                told.append(f"{name}: {more_ms:.0f} ms, {wakes(pid) - woken} wakes in {rest_s:.0f} s")

        parts.play(watch())
    yield from told


def main() -> int:
    """Plays the seeds of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.box.link.real_parts", description=__doc__)
    parser.add_argument("count", metavar="N", nargs="?", type=int, default=100, help="matches")
    parser.add_argument("--first", metavar="SEED", type=int, default=1, help="the first one's seed")
    parser.add_argument("--deaths", metavar="N", type=int, default=DEATHS, help="of a match")
    parser.add_argument("--jobs", metavar="N", type=int, default=2, help="matches at a time")
    args = parser.parse_args()
    print("At rest:", *rest(), sep="\n  ", flush=True)
    outcomes, started = list[Outcome](), time.perf_counter()
    with ThreadPoolExecutor(args.jobs) as pool:
        seeds = range(args.first, args.first + args.count)
        for outcome in pool.map(lambda seed: play(seed, args.deaths), seeds):
            outcomes.append(outcome)
            print(
                f"seed {outcome.seed}: {', '.join(outcome.deaths)}: {outcome.error or 'one record'}",
                flush=True,
            )
            show_progress(len(outcomes), args.count, started)
    end_progress()
    failed = [outcome.seed for outcome in outcomes if outcome.error]
    lags = sorted(lag for outcome in outcomes for lag in outcome.lags_ms)
    died = sum(len(outcome.deaths) for outcome in outcomes)
    print(f"{args.count} matches, {died} deaths, {len(failed)} failed", *failed)
    if lags:
        worst = ", ".join(f"{lag:.0f}" for lag in lags[-5:])
        print(
            f"lever to the other panel: {len(lags)}, median {statistics.median(lags):.1f} ms, most {worst} ms"
        )
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
