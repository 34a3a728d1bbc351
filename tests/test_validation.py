"""Checks of single values: the program's and the editor's answer are the same."""

from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given
from jsonschema import Draft7Validator

from shutthebox.config.schema import SECTIONS
from shutthebox.rules.reader import KEYS
from shutthebox.validation import Check, WrongValueError, did_you_mean, number

CHECKS: dict[str, Check[Any]] = {
    **{
        f"{section}.{name}": key.metadata["check"]
        for section, keys in SECTIONS.items()
        for name, key in keys.items()
    },
    **KEYS,
}

WORDS = st.sampled_from(
    [
        *("", "en", "none", "auto", "gpiod:3", " a:1", "a:", ":1", "a b:1", "\u2028", "a\tb", "é"),
        *("off", "ssd1306", "digits", "match", "no", "x" * 40, "x" * 41, "x" * 201),
    ]
)
SCALARS = st.one_of(
    st.booleans(), st.integers(-3, 300), st.sampled_from([0.5, 10.0, 240.0, 1e9]), WORDS, st.text()
)
VALUES = st.one_of(SCALARS, st.lists(st.one_of(st.integers(-1, 60), WORDS), max_size=8))


@pytest.mark.parametrize("name", CHECKS)
@given(value=VALUES)
def test_json_schema_and_program_allow_the_same(name: str, value: object) -> None:
    check = CHECKS[name]
    try:
        check(value)
        complaint = None
    except WrongValueError as error:
        complaint = str(error)
    assert complaint in (None, check.allowed)
    valid = Draft7Validator(dict(check.json_schema)).is_valid(value)
    assert valid == (complaint is None) or _beyond_a_schema(value)


def _beyond_a_schema(value: object) -> bool:
    """JSON Schema takes 1.0 for a whole number and knows no kinds of characters; the program is stricter."""
    every = value if isinstance(value, list) else [value]
    return any(
        isinstance(entry, float) or (isinstance(entry, str) and not entry.isprintable()) for entry in every
    )


@pytest.mark.parametrize(
    ("given_name", "known", "question"),
    [
        ("lewers", ["levers", "lamp"], "did you mean 'levers'? "),
        ("Levers", ["levers", "lamp"], "did you mean 'levers'? "),
        ("zzz", ["levers", "lamp"], ""),
        ("", ["levers"], ""),
        ("x" * 100_000, ["levers"], ""),
    ],
)
def test_a_question_after_a_slip_of_the_pen(given_name: str, known: list[str], question: str) -> None:
    assert did_you_mean(given_name, known) == question


@pytest.mark.parametrize("value", [1, 1.0, 2.5, 240])
def test_a_number_within_its_bounds(value: float) -> None:
    assert number(1, 240)(value) == value


@pytest.mark.parametrize("value", [0.999, 240.001, -5, 1e99, float("nan"), float("inf"), True, "7", None])
def test_a_number_beyond_them(value: object) -> None:
    with pytest.raises(WrongValueError, match="a number from 1 to 240"):
        number(1, 240)(value)
