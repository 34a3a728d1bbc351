"""How long the chances to win of all seats take, beside a solver for two players as one writes it first.

Both give the chance of the first of two players to win one round, ties shared. The plain one works out,
for every score to beat, the best play of the second player by recursion over sets of tiles, and then
the best play of the first. Run it with ``python tests/benchmarks/win.py``.
"""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import combinations

from shutthebox.config import profiles
from shutthebox.odds.seats import Equilibrium, seat_turn
from shutthebox.rules.profile import OneDie, Profile, Tie

LEAST_RATIO = 10


def plain_two_players(row: tuple[int, ...]) -> float:
    """The first player's chance with two dice only; a shut box wins at once."""
    chances = {total: (6 - abs(7 - total)) / 36 for total in range(2, 13)}

    def moves(tiles: tuple[int, ...], total: int) -> list[tuple[int, ...]]:
        return [
            tuple(tile for tile in tiles if tile not in chosen)
            for size in range(1, len(tiles) + 1)
            for chosen in combinations(tiles, size)
            if sum(chosen) == total
        ]

    def best(worth: Callable[[int], float]) -> float:
        @cache
        def value(tiles: tuple[int, ...]) -> float:
            if not tiles:
                return 1.0
            stop = worth(sum(tiles))
            return sum(
                chance * max((value(after) for after in moves(tiles, total)), default=stop)
                for total, chance in chances.items()
            )

        return value(row)

    second = {
        score: best(lambda own, score=score: 1.0 * (own < score) + 0.5 * (own == score))  # type: ignore[misc]
        for score in range(1, sum(row) + 1)
    }
    return best(lambda own: 1 - second[own])


def seconds(profile: Profile, players: int) -> tuple[float, tuple[float, ...]]:
    """The time from nothing to every seat's chance, the better of two runs; and the chances."""
    times = []
    for _ in range(2):
        seat_turn.cache_clear()
        start = time.process_time()
        chances = Equilibrium(profile, players).chances()
        times.append(time.process_time() - start)
    return min(times), chances


def main() -> int:
    """Prints one JSON object a line; 1 if the plain solver is not slower ten times and more."""
    shared = replace(profiles.builtin("traditional"), tie=Tie.SHARE)
    two_dice = replace(shared, one_die=OneDie.NEVER)
    ours, (first, _) = seconds(two_dice, 2)
    start = time.process_time()
    plain = plain_two_players(two_dice.tiles)
    theirs = time.process_time() - start
    assert abs(first - plain) < 1e-9, (first, plain)
    ratio = theirs / ours
    print(json.dumps({"plain_s": round(theirs, 3), "ours_s": round(ours, 3), "ratio": round(ratio, 1)}))
    for count in (9, 12):
        for players in (2, 4, 6) if count == 9 else (2, 4):
            for tie in (Tie.SHARE, Tie.PLAY_OFF):
                profile = replace(shared, tiles=tuple(range(1, count + 1)), tie=tie)
                took, _ = seconds(profile, players)
                print(
                    json.dumps({"tiles": count, "players": players, "tie": tie.value, "s": round(took, 3)}),
                    flush=True,
                )
    return int(ratio < LEAST_RATIO)


if __name__ == "__main__":
    sys.exit(main())
