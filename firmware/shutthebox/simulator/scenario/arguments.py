"""Readers for the words of a scenario's line, and their error messages."""

import re
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction

from shutthebox.errors import quoted

LONGEST_NS = 100 * 3600 * 1_000_000_000
"""The most virtual time that a script may take."""

_UNITS = {"": 1_000_000_000, "s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}


class WrongError(Exception):
    """An argument that a verb doesn't take. The text says what's allowed."""


def duration_ns(word: str) -> int:
    """``2`` or ``2s``, ``12ms``, ``200us`` in nanoseconds.

    Raises:
        WrongError: anything else, or more than 100 hours.
    """
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(s|ms|us|ns|)", word)
    if not found:
        raise WrongError(f"{quoted(word)} is not a duration; use seconds like 1.5, or 12ms, 200us")
    duration = round(Fraction(found[1]) * _UNITS[found[2]])
    if duration > LONGEST_NS:
        raise WrongError(f"{quoted(word)} is too long; use up to 100 hours")
    return duration


def number(word: str, low: int, high: int, what: str) -> int:
    """A whole number from `low` to `high`; `what` names it in the error.

    Raises:
        WrongError: anything else.
    """
    if not re.fullmatch(r"-?[0-9]{1,19}", word) or not low <= int(word) <= high:
        raise WrongError(f"{quoted(word)} is not a valid {what}; use {low} to {high}")
    return int(word)


def fraction(word: str) -> float:
    """A share, from 0 to 1.

    Raises:
        WrongError: anything else.
    """
    if not re.fullmatch(r"[01](\.[0-9]{1,9})?", word) or float(word) > 1:
        raise WrongError(f"{quoted(word)} is not a fraction; use 0 to 1")
    return float(word)


def numbers(words: Sequence[str], what: str, least: int = 1) -> tuple[int, ...]:
    """At least `least` different numbers from 1 to 54; `what` names them in the error.

    Raises:
        WrongError: anything else.
    """
    found = tuple(number(word, 1, 54, what) for word in words)
    if len(found) < least:
        raise WrongError(f"at least {least} {what}")
    if len(set(found)) < len(found):
        twice = next(entry for entry in found if found.count(entry) > 1)
        raise WrongError(f"{what} {twice} is named twice; once is allowed")
    return found


def faces(words: Sequence[str]) -> tuple[int, ...]:
    """The faces of one throw.

    Raises:
        WrongError: anything else.
    """
    return tuple(number(word, 0, 180, "face") for word in words)


def toml_value(text: str) -> object:
    """A config value; a bare word is text."""
    with suppress(ValueError, RecursionError):
        return tomllib.loads(f"value = {text}")["value"]
    return text


def take_words(count: int, words: Sequence[str], form: str) -> Sequence[str]:
    """Checks the number of words; the error shows the `form` of the line.

    Raises:
        WrongError: there are more or fewer.
    """
    if len(words) != count:
        raise WrongError(f"use {form}")
    return words


def parse_either(word: str, yes: str, no: str) -> bool:
    """Whether the word is `yes` and not `no`.

    Raises:
        WrongError: it's neither.
    """
    if word not in (yes, no):
        raise WrongError(f"{quoted(word)}; use {yes} or {no}")
    return word == yes
