"""Strong play on the large rows beside shutting the highest tiles, and the time of a hint.

    python tests/benchmarks/large_rows.py play [GAME] [TURNS]
    python tests/benchmarks/large_rows.py hints [GAME]
    python tests/benchmarks/large_rows.py learn GAME [POSITIONS]

``play`` gives the mean score of both, the margin with 99 % confidence, and the score that best play does not
exceed with 99 % confidence. ``hints`` gives the CPU time of the slowest hint of 100 turns, and its ratio to
the table of twelve tiles. ``learn`` prints the lines of ``odds/row_values.txt`` for a game, but for
``best``: for the-300 the_300.c beside works it out, for the others ``play`` does.
"""

import math
import random
import sys
import time
from collections.abc import Callable, Iterator
from statistics import fmean, stdev

from shutthebox.config.profiles import builtin
from shutthebox.config.row_values import row_of
from shutthebox.odds import Odds
from shutthebox.odds.large_rows import LargeRow, endgame
from shutthebox.odds.row_learning import POSITIONS, learn
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles
from shutthebox.rules.turn import Turn

GAMES = ("the-300", "double-eighteen", "cards")
SURE = 2.326
"""Standard errors between a mean and its bound on one side, for 99 %."""

MOST_TABLES = 2
"""A hint takes no longer than so many tables of twelve tiles, which take some 25 ms each on a laptop."""


def highest(turn: Turn) -> Tiles:
    """The answer with the highest tiles, found tile by tile: a list of all answers would take long."""
    left, total = turn.open, sum(turn.throw or ())
    fitting = _highest([i + 1 for i in reversed(range(left.bit_length())) if left >> i & 1], total)
    assert fitting is not None, "the turn awaits an answer"
    return sum(1 << (number - 1) for number in fitting)


def _highest(falling: list[int], total: int) -> tuple[int, ...] | None:
    for at, number in enumerate(falling):
        if number == total:
            return (number,)
        if number < total and (rest := _highest(falling[at + 1 :], total - number)) is not None:
            return (number, *rest)
    return None


def played(profile: Profile, best: Callable[[Turn], Tiles], rng: random.Random) -> tuple[int, list[Turn]]:
    """A turn to its end: its score, and every position that was answered."""
    turn, asked = turns.start(profile), []
    while turn.outcome is None:
        turn = turns.throw(profile, turn, tuple(rng.randint(1, profile.sides) for _ in range(profile.dice)))
        if turn.awaits_answer:
            asked.append(turn)
            turn = turns.move(profile, turn, best(turn))
    assert turn.score is not None, "a turn that is over has a score"
    return turn.score, asked


def scores(profile: Profile, best: Callable[[Turn], Tiles], count: int, seed: int = 1) -> list[int]:
    """The scores of so many turns."""
    return [played(profile, best, random.Random(f"{seed} {number}"))[0] for number in range(count)]


def margin(ours: list[int], theirs: list[int]) -> tuple[float, float]:
    """How many points less ours are on average, and how many at least with 99 % confidence."""
    gains = [b - a for a, b in zip(ours, theirs, strict=True)]
    mean = fmean(gains)
    return mean, mean - SURE * stdev(gains) / math.sqrt(len(gains))


def at_most(values: list[int]) -> float:
    """An upper bound of their expectation, with 99 % confidence."""
    return fmean(values) + SURE * stdev(values) / math.sqrt(len(values))


def slowest_hint(row: LargeRow, count: int) -> float:
    """The CPU time in s of the slowest hint in so many turns."""
    slowest = 0.0
    for number in range(count):
        for turn in played(row.profile, row.best, random.Random(number))[1]:
            endgame.cache_clear()
            start = time.process_time()
            row.ranked(turn)
            slowest = max(slowest, time.process_time() - start)
    return slowest


def table_time() -> float:
    """The CPU time in s of the complete table of twelve tiles: what this machine can do."""
    profile, times = builtin("full-house"), []
    for _ in range(5):
        start = time.process_time()
        Odds(profile)
        times.append(time.process_time() - start)
    return min(times)


def _rows(names: list[str]) -> Iterator[tuple[str, LargeRow]]:
    for name in names or GAMES:
        row = row_of(builtin(name))
        assert row is not None, "the game has learned values"
        yield name, row


def main(words: list[str]) -> None:
    """Runs one of the commands."""
    command, *rest = words or ["play"]
    if command == "learn":
        profile = builtin(rest[0])
        positions = int(rest[1]) if len(rest) > 1 else POSITIONS
        values = learn(profile, random.Random(1), positions)
        for size, numbers in sorted(values.items()):
            key = f"{len(profile.tiles)} {profile.dice} {profile.sides}"
            print(key, size, *(round(10 * number) for number in numbers))
    elif command == "hints":
        table = table_time()
        for name, row in _rows(rest[:1]):
            slowest = slowest_hint(row, 100)
            ratio = f"{slowest / table:.1f} times the table of twelve tiles"
            print(f"{name}: slowest hint {1000 * slowest:.1f} ms, {ratio} (at most {MOST_TABLES})")
    else:
        for name, row in _rows(rest[:1]):
            count = int(rest[1]) if len(rest) > 1 else 1000
            ours, theirs = scores(row.profile, row.best, count), scores(row.profile, highest, count)
            gain, least = margin(ours, theirs)
            print(
                f"{name}: {fmean(ours):.2f}, highest first {fmean(theirs):.2f}; better by {gain:.2f}, "
                f"at least {least:.2f} (99 %); best play at most {at_most(ours):.2f} (99 %), {count} turns",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
