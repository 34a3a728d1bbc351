"""Many matches by a clumsy player through the whole runner, checked by an independent referee.

    python tests/benchmarks/matches.py [--matches 10000] [--seed N]

Several games, one to four players, in virtual time: wrong levers, lifts, presses too early, bouncing
and glitching contacts, 2 % of lever edges lost; on some boxes the plug is pulled now and then. Ends with 1
at the first wrong verdict, score, winner or a box that stands still, and prints the way to see it again.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.clumsy_player import Habits
from tests.support.playing import GAMES, FaultError, Sitting, play
from tests.support.progress import end_progress, show_progress
from tests.support.referee import Seen

AT_ONE_BOX = 10
CUTS = 0.01
EVERY_WITH_CUTS = 12  # pulling the plug means a store, whose every fact waits for the disk


def tables(seed: int) -> Iterator[Sitting]:
    """Tables without end, each game with each number of players in turn."""
    for number in count():
        game = GAMES[number % len(GAMES)]
        players = 1 + number // len(GAMES) % 4
        habits = Habits(cuts=CUTS if number % EVERY_WITH_CUTS == EVERY_WITH_CUTS - 1 else 0.0)
        yield Sitting(game, players, seed * 1_000_003 + number, habits)


def play_table(sitting: Sitting, matches: int) -> Iterator[Seen]:
    """Plays at one table, with a store where the plug may be pulled."""
    if not sitting.habits.cuts:
        yield from play(sitting, matches)
        return
    with tempfile.TemporaryDirectory(prefix="shutthebox-") as folder:
        yield from play(replace(sitting, state=Path(folder)), matches)


def watched(sitting: Sitting, matches: int, done: int, wanted: int, started: float) -> Iterator[Seen]:
    """Plays at one table and shows how far it is."""
    for played, seen in enumerate(play_table(sitting, matches), 1):
        show_progress(done + played, wanted, started)
        yield seen


def main() -> int:
    """Plays, and prints a line of what was played."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--matches", metavar="N", type=int, default=10_000)
    parser.add_argument("--seed", metavar="N", type=int, default=1)
    args = parser.parse_args()
    done = throws = verdicts = 0
    started = time.perf_counter()
    try:
        for table in tables(args.seed):
            if done >= args.matches:
                break
            played = list(watched(table, min(AT_ONE_BOX, args.matches - done), done, args.matches, started))
            done += len(played)
            throws += played[-1].throws
            verdicts += played[-1].checks["the verdict"]
    except FaultError as fault:
        print(f"\nFAULT in seed {args.seed}: {fault}")
        return 1
    passed = time.perf_counter() - started
    end_progress()
    print(
        f"{done} matches, {throws} throws, {verdicts} screens checked, seed {args.seed}: no fault, "
        f"{passed:.0f} s, {passed / max(done, 1) * 1000:.1f} ms per match"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
