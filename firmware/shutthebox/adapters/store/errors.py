"""What goes wrong with a store: the error that it raises, and those that reading a damaged file may raise."""

import sqlite3

from shutthebox.errors import ShutTheBoxError, one_line

UNREADABLE = (
    sqlite3.Error, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError
)  # fmt: skip
"""Errors that reading a damaged store may raise. SQLite's own complaint may quote text that is no UTF-8, and
then a `UnicodeDecodeError` comes in its place."""


class StoreError(ShutTheBoxError, OSError):
    """The store cannot be used; the text names the file and what is wrong, in one line.

    Args:
        text: may quote the file's content.
    """

    exit_code = 1

    def __init__(self, text: str) -> None:
        super().__init__(one_line(text))
