"""The root of every error that this package raises on purpose.

Each error inherits this root and the stdlib type that fits it, so that a caller can
catch either. Its text is one line a user can act on: what is wrong, where, what is allowed.
"""


class ShutTheBoxError(Exception):
    """Something a user can put right: a file, an option, a pin, a device.

    Attributes:
        exit_code: exit code of a command: 2 for wrong use and bad files, 1 for faults at run time.
    """

    exit_code = 2


MOST_SHOWN = 1000
"""Characters of a line of foreign text; a longer one says nothing more."""


def one_line(text: str) -> str:
    """Foreign text on a terminal or in the journal: one line, in which nothing can work as a command.

    Line ends, control characters and others that do not print are written as escapes.
    """
    if len(text) > MOST_SHOWN:
        text = text[: MOST_SHOWN - 3] + "..."
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def quoted(value: object) -> str:
    """The value for a complaint, cut to a length that still fits a line."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return "a value too long to show"
    return text if len(text) <= 40 else text[:37] + "..."
