"""The fairness of dice: Pearson's chi-square test on counts of throws.

The p-value is the chance that honest dice look at least this uneven. It's the regularised upper incomplete
gamma function, from its series or its continued fraction (Numerical Recipes, 6.2), good to about twelve
digits.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LEAST_EXPECTED = 5.0
"""Cells with fewer expected throws are merged, as usual for this test."""

_TINY = 1e-300
_ROUNDING = 1e-15
_MAX_STEPS = 10_000


@dataclass(frozen=True, slots=True)
class Fairness:
    """The outcome of a test.

    Attributes:
        statistic: chi-square; about as large as `degrees` for honest dice.
        degrees: degrees of freedom.
        p_value: the chance that honest dice look at least this uneven, 0 to 1; 1 if there's too little to
            test.
        throws: how many were counted.
    """

    statistic: float
    degrees: int
    p_value: float
    throws: int

    @property
    def enough(self) -> bool:
        """Whether there were enough throws to tell."""
        return self.degrees > 0


def die_fairness(counts: Sequence[int]) -> Fairness:
    """Tests one die.

    Args:
        counts: how often each face fell, from 1 up.

    Raises:
        ValueError: fewer than two faces, or a negative count.
    """
    if len(counts) < 2:
        raise ValueError("a die has at least two faces")
    return chi_square(counts, [1.0 / len(counts)] * len(counts))


def totals_fairness(counts: Mapping[int, int], dice: int = 2, sides: int = 6) -> Fairness:
    """Tests the totals of several dice.

    Args:
        counts: how often each total came; totals that never did may be missing.
        dice: how many were thrown, 1 or more.
        sides: of each die, 2 or more.

    Raises:
        ValueError: a total that these dice can't show, or a negative count.
    """
    chances = total_chances(dice, sides)
    strange = sorted(set(counts) - set(chances))
    if strange:
        raise ValueError(f"{dice} dice of {sides} sides never show {strange[0]}")
    totals = sorted(chances)
    return chi_square([counts.get(total, 0) for total in totals], [chances[total] for total in totals])


def total_chances(dice: int, sides: int) -> dict[int, float]:
    """The probability of every total of honest dice.

    Raises:
        ValueError: no dice, or fewer than two sides.
    """
    if dice < 1 or sides < 2:
        raise ValueError(f"{dice} dice of {sides} sides can't be thrown")
    ways = {0: 1}
    for _ in range(dice):
        longer: dict[int, int] = {}
        for total, count in ways.items():
            for face in range(1, sides + 1):
                longer[total + face] = longer.get(total + face, 0) + count
        ways = longer
    return {total: count / sides**dice for total, count in ways.items()}


def chi_square(counts: Sequence[int], chances: Sequence[float]) -> Fairness:
    """Pearson's test of counts against the chances of honest dice.

    Neighbouring cells are merged until each has at least five expected throws.

    Raises:
        ValueError: a negative count, or not as many chances as counts.
    """
    if len(counts) != len(chances) or any(count < 0 for count in counts):
        raise ValueError("each cell needs a count, from 0 up, and a chance")
    throws = sum(counts)
    cells: list[tuple[float, float]] = []
    seen = expected = 0.0
    for count, chance in zip(counts, chances, strict=True):
        seen += count
        expected += throws * chance
        if expected >= LEAST_EXPECTED:
            cells.append((seen, expected))
            seen = expected = 0.0
    if cells and expected:
        cells[-1] = cells[-1][0] + seen, cells[-1][1] + expected
    degrees = max(0, len(cells) - 1)
    statistic = sum((seen - expected) ** 2 / expected for seen, expected in cells) if degrees else 0.0
    return Fairness(statistic, degrees, upper_gamma(degrees / 2, statistic / 2) if degrees else 1.0, throws)


def upper_gamma(a: float, x: float) -> float:
    """The regularised upper incomplete gamma function Q(a, x).

    Raises:
        ValueError: unless a > 0 and x >= 0.
    """
    if not (a > 0.0 and x >= 0.0):
        raise ValueError(f"Q({a}, {x}) is not defined")
    if x == 0.0:
        return 1.0
    factor = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1.0:
        return max(0.0, 1.0 - factor * _series(a, x))
    return min(1.0, factor * _continued_fraction(a, x))


def _series(a: float, x: float) -> float:
    term = total = 1.0 / a
    while abs(term) > abs(total) * _ROUNDING:
        a += 1.0
        term *= x / a
        total += term
    return total


def _continued_fraction(a: float, x: float) -> float:
    """Lentz's method, which avoids zero denominators."""
    b = x + 1.0 - a
    c = 1.0 / _TINY
    d = 1.0 / b
    value = d
    for step in range(1, _MAX_STEPS):
        numerator = -step * (step - a)
        b += 2.0
        d = numerator * d + b
        d = 1.0 / (d if abs(d) > _TINY else _TINY)
        c = b + numerator / c
        c = c if abs(c) > _TINY else _TINY
        value *= c * d
        if abs(c * d - 1.0) < 10 * _ROUNDING:
            break
    return value
