"""How long a night is: a pub's guests say *today* until they go to bed."""

import time
from collections.abc import Iterator
from datetime import date, datetime
from typing import TypeAlias

import pytest

from shutthebox.night import night_of, start_of_night

When: TypeAlias = tuple[int, int, int, int, int]


@pytest.fixture(autouse=True)
def in_paris(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Paris")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def at(year: int, month: int, day: int, hour: int, minute: int) -> float:
    return datetime(year, month, day, hour, minute).timestamp()


@pytest.mark.parametrize(
    ("when", "night"),
    [
        ((2026, 11, 28, 20, 0), date(2026, 11, 28)),
        ((2026, 11, 29, 0, 30), date(2026, 11, 28)),
        ((2026, 11, 29, 5, 59), date(2026, 11, 28)),
        ((2026, 11, 29, 6, 0), date(2026, 11, 29)),
        ((2027, 1, 1, 2, 0), date(2026, 12, 31)),
        # Clocks go forward and back in these nights.
        ((2026, 3, 29, 6, 0), date(2026, 3, 29)),
        ((2026, 10, 25, 5, 59), date(2026, 10, 24)),
    ],
)
def test_a_night_lasts_until_six_by_the_clock_on_the_wall(when: When, night: date) -> None:
    assert night_of(at(*when)) == night
    begins_s = start_of_night(night.year, night.month, night.day)
    assert begins_s <= at(*when) < start_of_night(night.year, night.month, night.day + 1)
    assert (night_of(begins_s), night_of(begins_s - 1) < night) == (night, True)
