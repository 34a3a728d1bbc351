"""What can go wrong with a store."""

import sqlite3

from shutthebox.errors import ShutTheBoxError, one_line

UNREADABLE = (
    sqlite3.Error, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError
)  # fmt: skip
"""Errors that reading a damaged store may raise. If SQLite's message quotes text that isn't UTF-8, it's a
`UnicodeDecodeError` instead."""

_DAMAGE = (
    sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_ERROR,
)  # fmt: skip
"""Errors caused by what is in the file. Any other may pass, such as a full disk, or a lock that somebody
holds."""

_OF_ACCESS = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)
"""No permission to open the file, or to create one in the folder."""

_SPOILT = (
    sqlite3.SQLITE_IOERR_READ,
    sqlite3.SQLITE_IOERR_SHORT_READ,
    sqlite3.SQLITE_IOERR_CORRUPTFS,
)
"""I/O errors caused by the file; others may come from a full disk."""


def is_of_access(error: BaseException | None) -> bool:
    """Whether there's no permission to open or to write the file, or to create its log beside it."""
    return isinstance(error, PermissionError) or _code(error) & 0xFF in _OF_ACCESS


def is_busy(error: BaseException | None) -> bool:
    """Whether another program has locked the file."""
    return _code(error) & 0xFF == sqlite3.SQLITE_BUSY


def is_damage(error: BaseException | None) -> bool:
    """Whether the file causes the error, rather than the disk, the folder or another program."""
    is_of_content = not isinstance(error, OSError) and _code(error) & 0xFF in _DAMAGE
    return is_of_content or is_spoilt(error)


def is_spoilt(error: BaseException | None) -> bool:
    """Whether the disk can't read a part of the file: perhaps never again, perhaps only this time."""
    return _code(error) in _SPOILT


def _code(error: BaseException | None) -> int:
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR))


class StoreError(ShutTheBoxError, OSError):
    """The store can't be used. The text says in one line which file, and what's wrong.

    Args:
        text: may quote the file's content.
    """

    exit_code = 1

    def __init__(self, text: str) -> None:
        super().__init__(one_line(text))
