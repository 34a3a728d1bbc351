"""Finds the values of tiles on a large row: fitted backward induction, from few open tiles to many.

With few tiles open, the points that a turn still shuts are known exactly. With one tile more, they follow
from the positions after every throw, by the values found so far. The values for that size are fitted to
them by least squares, over positions that occur in play.
"""

import random
from collections.abc import Sequence

from shutthebox.odds.large_rows import EXACT_TILES, LargeRow, TileValues, endgame
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import sum_of, to_numbers, to_tiles
from shutthebox.rules.turn import Turn

POSITIONS = 600
"""Positions of each size that the values are fitted to."""

_RIDGE = 5.0
"""Weight, in positions, of a tile's value with one tile fewer: some tiles are open in few positions."""

_EXACT_SIZES = (EXACT_TILES - 2, EXACT_TILES - 1, EXACT_TILES)
"""An answer of three tiles leads from the first size that is not exact to the first of these."""

_SUBSETS = 4

_PASSES = 2
"""The second pass is over positions to which the values of the first lead."""

_Sample = tuple[tuple[int, ...], float]
"""Open tiles, and the points that a turn still shuts from there."""


def learn(profile: Profile, rng: random.Random, positions: int = POSITIONS) -> TileValues:
    """The values of a game's tiles.

    Args:
        profile: the game; `shutthebox.odds.large_rows.is_plain` holds.
        rng: chooses positions; the same seed gives the same values.
        positions: as `POSITIONS`.
    """
    row = len(profile.tiles)
    # Every tile is worth keeping, a low one more: that is to shut the fewest, and the highest of those.
    values: TileValues = dict.fromkeys(range(1, row + 1), (0.0, *(1 - i / 1000 for i in range(1, row + 1))))
    for _ in range(_PASSES):
        values = _fitted(profile, _positions(LargeRow(profile, values), rng, 3 * positions), rng, positions)
    return values


def _positions(row: LargeRow, rng: random.Random, count: int) -> dict[int, list[tuple[int, ...]]]:
    """Positions by their number of open tiles; beyond a turn's end tiles are shut by lot."""
    found: dict[int, list[tuple[int, ...]]] = {}
    dice, sides = range(row.profile.dice), row.profile.sides
    for _ in range(count):
        open_tiles = row.profile.starting
        while open_tiles:
            found.setdefault(open_tiles.bit_count(), []).append(to_numbers(open_tiles))
            shut = row.answer(open_tiles, [rng.randint(1, sides) for _ in dice])
            if not shut:
                numbers = to_numbers(open_tiles)
                shut = to_tiles(rng.sample(numbers, min(len(numbers), rng.choice((1, 1, 2)))))
            open_tiles &= ~shut
    return found


def _fitted(
    profile: Profile, found: dict[int, list[tuple[int, ...]]], rng: random.Random, positions: int
) -> TileValues:
    row = len(profile.tiles)
    values: dict[int, Sequence[float]] = {}
    samples: dict[int, list[_Sample]] = {size: [] for size in _EXACT_SIZES}
    for numbers in rng.sample(found[EXACT_TILES], min(len(found[EXACT_TILES]), positions // 4)):
        odds = endgame(profile, to_tiles(numbers))
        for size in _EXACT_SIZES:
            for _ in range(1 if size == EXACT_TILES else _SUBSETS):
                some = to_tiles(rng.sample(numbers, size))
                score = odds.value(Turn(some, moves=1)).score
                samples[size].append((to_numbers(some), sum_of(some) - score))
    for size in range(_EXACT_SIZES[0], row + 1):
        if size > EXACT_TILES:
            known = LargeRow(profile, values)
            seen = found.get(size, [])
            samples[size] = [
                (numbers, known.looked_ahead(to_tiles(numbers)))
                for numbers in rng.sample(seen, min(len(seen), positions))
            ]
        values[size] = _fit(samples[size], row, values.get(size - 1, (0.0,) * (row + 1)))
    return values


def _fit(samples: Sequence[_Sample], row: int, before: Sequence[float]) -> Sequence[float]:
    """A constant and a value for every tile by least squares; tiles that are seldom seen stay as before."""
    size = row + 1
    matrix = [[0.0] * (size + 1) for _ in range(size)]
    for numbers, points in samples:
        present = (0, *numbers)
        rest = points - sum(before[i] for i in present)
        for i in present:
            line = matrix[i]
            line[size] += rest
            for j in present:
                line[j] += 1.0
    for i in range(size):
        matrix[i][i] += _RIDGE if i else 1e-6
    return [old + change for old, change in zip(before, _solved(matrix), strict=True)]


def _solved(matrix: list[list[float]]) -> list[float]:
    """The solution of linear equations, by Gaussian elimination; the last column is their right side."""
    size = len(matrix)
    for i in range(size):
        pivot = max(range(i, size), key=lambda line: abs(matrix[line][i]))
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        for line in matrix[i + 1 :]:
            if factor := line[i] / matrix[i][i]:
                for j in range(i, size + 1):
                    line[j] -= factor * matrix[i][j]
    found = [0.0] * size
    for i in reversed(range(size)):
        rest = matrix[i][size] - sum(matrix[i][j] * found[j] for j in range(i + 1, size))
        found[i] = rest / matrix[i][i]
    return found
