"""The clock of a picture: what has passed, and when something next moves."""

import pytest

from shutthebox.adapters.display.animation import AnimationClock


@pytest.mark.parametrize(
    ("elapsed_ns", "passed", "next_ns"),
    [(-5, 0, 10), (0, 0, 10), (9, 0, 10), (10, 1, 20), (19, 1, 20), (20, 2, 30), (105, 10, 110)],
)
def test_whole_periods_are_counted_and_the_next_is_noted(elapsed_ns: int, passed: int, next_ns: int) -> None:
    clock = AnimationClock(elapsed_ns)
    assert clock.next_ns is None, "nothing moves yet"
    assert clock.count(10) == passed
    assert clock.next_ns == next_ns


def test_of_several_that_move_the_earliest_counts() -> None:
    clock = AnimationClock(25)
    assert [clock.count(period_ns) for period_ns in (20, 10, 7, 100)] == [1, 2, 3, 0]
    assert clock.next_ns == 28


@pytest.mark.parametrize(
    ("elapsed_ns", "passed", "next_ns"),
    [(-5, 0, 10), (0, 0, 10), (10, 1, 20), (29, 2, 30), (30, 3, None), (500, 3, None)],
)
def test_what_moves_a_few_times_rests_then(elapsed_ns: int, passed: int, next_ns: int | None) -> None:
    clock = AnimationClock(elapsed_ns)
    assert clock.frames(10, 3) == passed
    assert clock.next_ns == next_ns
