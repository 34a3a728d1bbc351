"""Foreign text and values in complaints: one line, of a length that fits."""

from datetime import date, datetime
from enum import StrEnum

import pytest

from shutthebox.errors import quoted


class Style(StrEnum):
    DARK = "dark"


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
        (True, "true"),
        (None, "nothing"),
        ((1, False), "[1, false]"),
        (["sum", [True]], "['sum', [true]]"),
        ({"0": True, "a b": {"c-d": 1}}, "{0 = true, 'a b' = {c-d = 1}}"),
        (date(2026, 12, 31), "2026-12-31"),
        (datetime(2026, 12, 31, 23, 59), "2026-12-31 23:59:00"),
        (Style.DARK, "'dark'"),
    ],
    ids=[
        "a number",
        "two lines",
        "the most",
        "too long",
        "a list",
        "endless digits",
        "a deep list",
        "true",
        "nothing",
        "a tuple",
        "lists",
        "a table",
        "a date",
        "a time",
        "a choice",
    ],
)
def test_a_value_in_a_complaint(value: object, told: str) -> None:
    assert quoted(value) == told
    assert len(quoted(value)) <= 40
