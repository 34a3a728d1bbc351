"""Checks single values of files that people write; each check knows what it allows."""

import tomllib
from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

from shutthebox.errors import shown

MAX_LINE = 1000
"""Most characters of a line: tomllib takes a key of many dots to pieces in the square of their number."""

_PLAIN_SPACES = {0x00A0: " ", 0x202F: " "}
_Choice = TypeVar("_Choice", bound=StrEnum)


class WrongValueError(ValueError):
    """A value that is not allowed; the text says what is."""


def shown_key(key: str) -> str:
    """A file's key for a complaint: as it stands, unless it would break the line or fill it."""
    return key if key.isprintable() and len(key) <= 40 else shown(key)


def toml(text: str) -> dict[str, Any]:
    """The document that a person wrote as TOML.

    Raises:
        WrongValueError: saying in one line why it is none.
    """
    if max(map(len, text.split("\n"))) > MAX_LINE:
        raise WrongValueError(f"a line is too long; allowed are {MAX_LINE} characters")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise WrongValueError(f"not valid TOML: {error}") from None
    except RecursionError:
        raise WrongValueError("not valid TOML: nested too deeply") from None
    except ValueError:
        # Python's own limit on the digits of a number, which tomllib lets through.
        raise WrongValueError("not valid TOML: a number is too long") from None


def text(value: object) -> str:
    """One line of text, at most 200 characters."""
    allowed = "one line of text, at most 200 characters"
    if not isinstance(value, str) or len(value) > 200:
        raise WrongValueError(allowed)
    # French sets its ! and ? off with spaces that do not break, which Python calls unprintable.
    value = value.translate(_PLAIN_SPACES)
    if not value.isprintable():
        raise WrongValueError(allowed)
    return value


def name(value: object) -> str:
    """An id: letters, digits, - and _, at most 40."""
    given = text(value)
    if not given or len(given) > 40 or not all(c.isascii() and (c.isalnum() or c in "-_") for c in given):
        raise WrongValueError("letters, digits, - and _, at most 40")
    return given


def boolean(value: object) -> bool:
    """True or false, and nothing that merely looks like it."""
    if not isinstance(value, bool):
        raise WrongValueError("true or false")
    return value


def whole(low: int, high: int) -> Callable[[object], int]:
    """A check for whole numbers from `low` to `high`."""

    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise WrongValueError(f"a whole number from {low} to {high}")
        return value

    return read


def number(low: float, high: float) -> Callable[[object], float]:
    """A check for numbers from `low` to `high`."""

    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            raise WrongValueError(f"a number from {low:g} to {high:g}")
        return float(value)

    return read


def choice(kind: type[_Choice]) -> Callable[[object], _Choice]:
    """A check for one of an enumeration's texts."""

    def read(value: object) -> _Choice:
        if not isinstance(value, str) or value not in list(kind):
            raise WrongValueError("one of " + ", ".join(f'"{member}"' for member in kind))
        return kind(value)

    return read


def numbers(low: int, high: int, *, least: int = 1) -> Callable[[object], tuple[int, ...]]:
    """A check for lists of at least `least` distinct whole numbers from `low` to `high`, in their order."""

    def read(value: object) -> tuple[int, ...]:
        allowed = f"a list of distinct whole numbers from {low} to {high}" + ", not empty" * least
        if not isinstance(value, list) or not least <= len(value) <= high - low + 1:
            raise WrongValueError(allowed)
        try:
            found = tuple(whole(low, high)(entry) for entry in value)
        except WrongValueError:
            raise WrongValueError(allowed) from None
        if len(set(found)) < len(found):
            raise WrongValueError(allowed)
        return found

    return read
