"""Foreign text and values in complaints: one line, of a length that fits."""

import pytest

from shutthebox.errors import quoted

DEEP: list[object] = []
for _ in range(100_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (7, "7"),
        ("a\nb", r"'a\nb'"),
        ("x" * 38, "'" + "x" * 38 + "'"),
        ("x" * 39, "'" + "x" * 36 + "..."),
        ([1] * 1000, "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ..."),
        (10**5000, "a value too long to show"),
        (DEEP, "a value too long to show"),
    ],
    ids=["a number", "two lines", "the most", "too long", "a list", "endless digits", "a deep list"],
)
def test_a_value_in_a_complaint(value: object, told: str) -> None:
    assert quoted(value) == told
    assert len(quoted(value)) <= 40
