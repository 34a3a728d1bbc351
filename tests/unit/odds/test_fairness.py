"""A loaded die is found; a fair one is accused as rarely as the test says."""

import random
from collections import Counter

import pytest

from shutthebox.odds.terminal.fairness import (
    chi_square,
    die_fairness,
    total_chances,
    totals_fairness,
    upper_gamma,
)


def throws(rng: random.Random, count: int, weights: list[float]) -> list[int]:
    seen = Counter(rng.choices(range(6), weights, k=count))
    return [seen[face] for face in range(6)]


@pytest.mark.parametrize(
    ("degrees", "statistic", "p_value"),
    # Tables of the chi-square distribution.
    [
        (1, 3.841459, 0.05),
        (5, 11.070498, 0.05),
        (5, 15.086272, 0.01),
        (10, 18.307038, 0.05),
        (10, 3.940299, 0.95),
    ],
)
def test_tables(degrees: int, statistic: float, p_value: float) -> None:
    assert upper_gamma(degrees / 2, statistic / 2) == pytest.approx(p_value, abs=1e-7)


def test_by_hand() -> None:
    found = die_fairness([5, 8, 9, 8, 10, 20])
    assert found.statistic == pytest.approx(13.4)
    assert (found.degrees, found.throws) == (5, 60)
    assert found.p_value == pytest.approx(0.01991, abs=1e-5)


def test_a_loaded_die_is_found() -> None:
    rng = random.Random(3)
    loaded = [1, 1, 1, 1, 1, 1.5]
    found = sum(die_fairness(throws(rng, 1000, loaded)).p_value < 0.01 for _ in range(100))
    assert found > 90
    seen = Counter(
        rng.choices(range(1, 7), loaded)[0] + rng.choices(range(1, 7), loaded)[0] for _ in range(3000)
    )
    assert totals_fairness(seen).p_value < 0.001


def test_too_little_to_test() -> None:
    assert not die_fairness([0] * 6).enough
    assert die_fairness([1, 0, 2, 0, 0, 0]).p_value == 1.0
    few = totals_fairness({7: 10, 2: 1})
    assert few.throws == 11
    assert few.degrees <= 2


def test_wrong_counts() -> None:
    with pytest.raises(ValueError, match="never show 13"):
        totals_fairness({13: 1})
    with pytest.raises(ValueError, match="from 0 up"):
        chi_square([1, -1], [0.5, 0.5])
    with pytest.raises(ValueError, match="two faces"):
        die_fairness([3])
    with pytest.raises(ValueError, match="can't be thrown"):
        total_chances(0, 6)
