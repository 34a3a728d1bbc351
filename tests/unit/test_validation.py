"""Checks of single values: the program's and the editor's answer are the same."""

from enum import StrEnum
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from jsonschema import Draft7Validator

from shutthebox.config.schema import SECTIONS
from shutthebox.rules.reader import KEYS
from shutthebox.validation import (
    Check,
    WrongValueError,
    boolean,
    choice,
    count,
    did_you_mean,
    line_of,
    name,
    number,
    numbers,
    one_of,
    text,
    toml,
    whole,
)

KEPT: dict[str, Check[Any]] = {
    **{f"{section}.{name}": key.check for section, keys in SECTIONS.items() for name, key in keys.items()},
    **KEYS,
}
CHECKS = {(check.allowed, str(check.json_schema)): (key, check) for key, check in KEPT.items()}
"""Of the keys that allow the same, one."""

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


@pytest.mark.parametrize("check", [pytest.param(check, id=key) for key, check in CHECKS.values()])
@settings(max_examples=settings().max_examples // 3)
@given(value=VALUES)
def test_json_schema_and_program_allow_the_same(check: Check[Any], value: object) -> None:
    try:
        check(value)
        complaint = None
    except WrongValueError as error:
        complaint = str(error)
    assert complaint in (None, check.allowed + check.remark(value))
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
        ("Lewers", ["levers", "lamp"], "did you mean 'levers'? "),
        ("zzz", ["levers", "lamp"], ""),
        ("title", ["tiles", "title.en", "title.fr"], "did you mean 'title.en'? "),
        ("Titles", ["tiles", "title.en", "title.fr"], "did you mean 'title.en'? "),
        ("tile", ["tiles", "title.en", "title.fr"], "did you mean 'tiles'? "),
        ("x" * 100_000, ["levers"], ""),
    ],
)
def test_a_question_after_a_slip_of_the_pen(given_name: str, known: list[str], question: str) -> None:
    assert did_you_mean(given_name, known) == question


@pytest.mark.parametrize(
    ("written", "most", "number"),
    [
        ("9", 9, 9),
        ("10", 9, None),
        ("54", 54, 54),
        ("0", 9, None),
        ("07", 9, None),
        ("٧", 9, None),
        ("", 9, None),
        ("9" * 5000, 9, None),
    ],
)
def test_a_number_is_written_in_one_way(written: str, most: int, number: int | None) -> None:
    assert count(written, most) == number


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


@pytest.mark.parametrize(
    ("check", "value", "kept"),
    [
        (text, "x" * 200, "x" * 200),
        (text, "Bravo\u202f! «\u00a0oui\u00a0»", "Bravo ! « oui »"),
        (name, "A-z_0", "A-z_0"),
        (whole(2, 5), 5, 5),
        (number(1, 240), 2.5, 2.5),
        (choice(Colour), "green", Colour.GREEN),
        (numbers(3, 5), [5, 3, 4], (5, 3, 4)),
        (numbers(3, 5, least=0), [], ()),
    ],
)
def test_what_is_allowed_is_kept(check: Check[Any], value: object, kept: object) -> None:
    assert (check(value), type(check(value))) == (kept, type(kept))
    assert Draft7Validator(dict(check.json_schema)).is_valid(value)


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (text, "x" * 201),
        (text, "a\u2009b"),
        (name, "x" * 41),
        (boolean, 1),
        (whole(0, 5), True),
        (number(1, 240), 0.999),
        (number(1, 240), float("nan")),
        (number(1, 240), True),
        (one_of(["a", "b"]), ["a"]),
        (choice(Colour), "RED"),
        (numbers(3, 5, least=2), [5]),
    ],
)
def test_what_is_not_allowed_is_said(check: Check[Any], value: object) -> None:
    with pytest.raises(WrongValueError) as caught:
        check(value)
    assert str(caught.value) == check.allowed
    assert not Draft7Validator(dict(check.json_schema)).is_valid(value) or _beyond_a_schema(value)


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ("a = 1\n" + f"b = {'x' * 997}", "a line is too long; use at most 1000 characters"),
        ("a =", "not valid TOML: "),
        (f"a = {'[' * 900}", "not valid TOML: "),
        ("a = " + "\n  ".join(["["] * 5000), "not valid TOML: nested too deeply"),
        ("a = 1" + "0" * 990, None),
    ],
)
def test_a_document_is_short_lines_of_toml(document: str, complaint: str | None) -> None:
    if complaint is None:
        assert toml(document) == {"a": 10**990}
        return
    with pytest.raises(WrongValueError, match=complaint) as caught:
        toml(document)
    assert "\n" not in str(caught.value)


DOCUMENT = """\
title = 1 # players = 1
box . sound = true
[game]
players = 2
long = '''
players = 3
[box]'''
"teams" = 2
 [ box ] # ours
language='fr'
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("title", 1),
        ("box.sound", 2),
        ("game.players", 4),
        ("game.long", 5),
        ("game.teams", 8),
        ("box.language", 10),
        ("box.levers", None),
        ("box.players", None),
        ("game", None),
    ],
)
def test_the_line_of_a_key(path: str, line: int | None) -> None:
    assert line_of(DOCUMENT, path) == line
