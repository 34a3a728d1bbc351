"""Texts with blanks in the reader's language: the plural form that a number needs, the decimal sign."""

from collections.abc import Callable, Mapping
from functools import cache
from gettext import c2py
from string import Formatter
from typing import Literal


def N_(text: str) -> str:  # noqa: N802  (the name that catalogues' tools look for)
    """Marks a text for the catalogues; it's translated when it's shown."""
    return text


RULE = "n != 1"
"""English has a form for 1 and one for all other numbers; under this text each catalogue has its own rule."""

DECIMAL = N_("{whole}.{decimals}")
"""Each catalogue has its decimal sign under this text; `decimal_parts` fills it in."""


def plural(one: str, many: str) -> str:
    """A text for exactly one, and for any other number; the catalogues' tools look for calls of this name.

    The number is the blank that `one` lacks. Other languages may have other forms, and more of them.

    >>> fill_in(plural("1 point", "{points} points"), str, {"points": 3})
    '3 points'
    """
    return f"{one}\0{many}"  # as gettext keeps them


def fill_in(text: str, translate: Callable[[str], str], values: Mapping[str, object]) -> str:
    """A text in the reader's language with its blanks filled in, in the form that its number needs."""
    words = translate(text)
    if "\0" in text:
        one, many = text.split("\0")
        (number,) = (values[blank] for blank in _blanks(many) - _blanks(one))
        assert isinstance(number, int)
        rule = _rule(RULE if words == text else translate(RULE))
        words = words.split("\0")[rule(number)]
    return words.format_map(values)


_rule = cache(c2py)


@cache
def _blanks(text: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name)


def decimal_parts(value: float, places: int, sign: Literal["-", "+"] = "-") -> dict[str, str]:
    """A number's digits before and after the sign between them.

    Args:
        value: the number.
        places: decimals.
        sign: "+" also puts a sign before positive numbers.

    >>> fill_in(DECIMAL, str, decimal_parts(6.25, 1))
    '6.2'
    """
    value = round(value, places) or 0.0  # no -0.0
    whole, _, decimals = f"{value:{sign}.{places}f}".partition(".")
    return {"whole": whole, "decimals": decimals}
