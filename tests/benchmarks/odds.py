"""How long the complete table takes, beside a straightforward memoised recursion.

Both give the value of every position for both objectives, with one die or two as the player
likes once no tile above 6 is open. The recursion is what one writes first: tuples of tiles, sets
from itertools, every position worked out once, floats. Run it with ``python tests/benchmarks/odds.py``.
"""

import json
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import combinations

from shutthebox.config import profiles
from shutthebox.odds.odds import Odds
from shutthebox.odds.worths import Objective
from shutthebox.rules import turn as turns

REPEATS = 5


def straightforward(row: tuple[int, ...]) -> tuple[float, float]:
    """The least expected score and the best chance to shut of the traditional game."""
    one = dict.fromkeys(range(1, 7), 1 / 6)
    two = {total: (6 - abs(7 - total)) / 36 for total in range(2, 13)}

    def moves(tiles: tuple[int, ...], total: int) -> list[tuple[int, ...]]:
        return [
            tuple(tile for tile in tiles if tile not in chosen)
            for size in range(1, len(tiles) + 1)
            for chosen in combinations(tiles, size)
            if sum(chosen) == total
        ]

    @cache
    def value(tiles: tuple[int, ...], shut: bool) -> float:
        if not tiles:
            return 1.0 if shut else 0.0
        stop = 0.0 if shut else -float(sum(tiles))
        best = -1e9
        for dice in (two, one) if max(tiles) <= 6 else (two,):
            mean = 0.0
            for total, chance in dice.items():
                mean += chance * max((value(after, shut) for after in moves(tiles, total)), default=stop)
            best = max(best, mean)
        return best

    return -value(row, False), value(row, True)


def quickest(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """The shortest of some runs, in milliseconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def measure(count: int) -> dict[str, float]:
    """Times a row of so many tiles, and checks that both ways agree."""
    row = tuple(range(1, count + 1))
    profile = replace(profiles.builtin("traditional"), tiles=row)
    odds, start = Odds(profile), turns.start(profile)
    score, shut = straightforward(row)
    assert abs(odds.value(start).score - score) < 1e-9
    assert abs(odds.value(start, Objective.SHUT).shut - shut) < 1e-9
    table = quickest(lambda: Odds(profile))
    plain = quickest(lambda: straightforward(row), 1 if count > 9 else 3)
    tracemalloc.start()
    odds = Odds(profile)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return {
        "tiles": count,
        "table_ms": round(table, 2),
        "recursion_ms": round(plain, 1),
        "ratio": round(plain / table, 1),
        "peak_mb": round(peak / 1e6, 2),
    }


def main() -> int:
    """Prints one JSON object a line; 1 if the table is not at least ten times as fast."""
    results = [measure(count) for count in (9, 10, 12)]
    for result in results:
        print(json.dumps(result), flush=True)
    return int(any(result["ratio"] < 10 for result in results))


if __name__ == "__main__":
    sys.exit(main())
