"""The base class of every error this package raises on purpose.

Each error inherits from it and from the stdlib type that fits, so callers can catch either. The message is
one line a user can act on: what's wrong, where, what's allowed.
"""

import re
from collections.abc import Sequence


class ShutTheBoxError(Exception):
    """Something a user can put right: a file, an option, a pin, a device.

    Attributes:
        exit_code: exit code of a command: 2 for wrong use and bad files, 1 for faults at run time.
        mistakes: all that is wrong with a file that somebody wrote, a line each; the first is the text.
    """

    exit_code = 2

    def __init__(self, *mistakes: str) -> None:
        super().__init__(*mistakes[:1])
        self.mistakes = mistakes


def raise_all(errors: Sequence[ShutTheBoxError]) -> None:
    """Raises the first of these, if any, with the mistakes of all.

    Raises:
        ShutTheBoxError: the first.
    """
    if errors:
        errors[0].mistakes = tuple(mistake for error in errors for mistake in error.mistakes)
        raise errors[0]


_BARE_KEY = re.compile("[A-Za-z0-9_-]+")

MAX_SHOWN = 1000
"""The most characters of untrusted text on a line."""


def one_line(text: str) -> str:
    """Makes untrusted text safe for a terminal or the journal: one line, without control sequences.

    Line ends, control characters and other unprintable characters are escaped.
    """
    if len(text) > MAX_SHOWN:
        text = text[: MAX_SHOWN - 3] + "..."
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def quoted(value: object) -> str:
    """The value for a complaint as TOML has it, cut to a length that still fits a line."""
    try:
        text = _to_toml(value)
    except (ValueError, RecursionError):
        return "a value too long to show"
    return text if len(text) <= 40 else text[:37] + "..."


def _to_toml(value: object) -> str:
    """A value as TOML. Texts are in single quotes where possible; Python's escapes keep them on one line."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case str():
            return repr(str(value))
        case list() | tuple():
            return f"[{', '.join(map(_to_toml, value))}]"
        case dict():
            return f"{{{', '.join(f'{_key(key)} = {_to_toml(each)}' for key, each in value.items())}}}"
        case _:
            return str(value)  # numbers and dates, which TOML has as Python does


def _key(key: object) -> str:
    return str(key) if _BARE_KEY.fullmatch(str(key)) else repr(str(key))
