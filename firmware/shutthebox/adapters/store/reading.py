"""Reads a store while the box plays on it. Any content of the file gives at most one line of complaint."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from shutthebox.adapters.store.chain import Head, read_mark
from shutthebox.adapters.store.database import BUSY_MS, FILE_NAME, open_read_only
from shutthebox.adapters.store.errors import UNREADABLE, StoreError
from shutthebox.adapters.store.recovery import first_fault
from shutthebox.adapters.store.schema import is_new
from shutthebox.files import check_regular

_WAIT_MS = 5000
"""A command can wait longer for another program than a box that plays."""


def open_to_read(path: Path, wait_ms: int = BUSY_MS) -> sqlite3.Connection:
    """The store's file, for reading only; a running box is not disturbed.

    Args:
        path: of the file.
        wait_ms: as long as another program may hold it.

    Raises:
        OSError: there is none.
        sqlite3.Error, ValueError: it cannot be read, or is no store.
    """
    # Not opened here: closing it again would drop the locks that SQLite holds in this process.
    try:
        check_regular(path)
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: no such store; a box makes it when it is first played on") from None
    if not path.stat().st_size:
        # SQLite would delete its log, which may hold all that was played.
        raise ValueError("it is empty")
    db = open_read_only(path, wait_ms)
    try:
        db.execute("select * from match limit 1")
    except (sqlite3.Error, ValueError):
        db.close()
        raise
    return db


class Reading(NamedTuple):
    """A store as it is at one instant.

    Attributes:
        path: its file.
        db: the connection, for reading only.
        mark: what the head mark said just before.
    """

    path: Path
    db: sqlite3.Connection
    mark: Head | None

    def verify(self) -> None:
        """Compares all of it with its checksums.

        Raises:
            StoreError: naming the first thing that is wrong, and how many more are.
        """
        if found := first_fault(self.db, self.mark):
            raise StoreError(f"{self.path}: damaged: {found}")


@contextlib.contextmanager
def reading(folder: Path) -> Iterator[Reading]:
    """The store in this folder, for reading only; a running box is not disturbed.

    A damaged store may raise any error inside; it leaves this function as a `StoreError`.

    Raises:
        StoreError: if there is none, it cannot be read, or what it holds makes no sense.
    """
    path = folder / FILE_NAME
    # Read first: the box writes it last.
    mark = read_mark(path)
    try:
        db = open_to_read(path, _WAIT_MS)
    except FileNotFoundError as error:
        raise StoreError(str(error)) from None
    except PermissionError:
        raise StoreError(f"{path}: belongs to the service; say sudo shutthebox ...") from None
    except (OSError, *UNREADABLE) as error:
        raise StoreError(f"{path}: {error}") from None
    with contextlib.closing(db):
        try:
            db.execute("begin")
            is_new(db)
            yield Reading(path, db, mark)
        except UNREADABLE as error:
            raise StoreError(f"{path}: {error}") from None
