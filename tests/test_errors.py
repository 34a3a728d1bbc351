"""Foreign text and values in complaints: one line, of a length that fits."""

import pytest

from shutthebox.errors import MOST_SHOWN, one_line, shown

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
    assert shown(value) == told
    assert len(shown(value)) <= 40


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Bière à la pression", "Bière à la pression"),
        ("two\nlines\r\x1b[2J", r"two\nlines\r\x1b[2J"),
        ("x" * 1000, "x" * 1000),
        ("x" * 1001, "x" * 997 + "..."),
    ],
    ids=["as it stands", "escapes", "the most", "too long"],
)
def test_foreign_text_is_one_line(text: str, told: str) -> None:
    assert one_line(text) == told
    assert len(told) <= MOST_SHOWN
