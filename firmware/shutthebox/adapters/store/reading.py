"""Reads a store while the box plays. Whatever is in the file, there's at most one line of error."""

import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from shutthebox.adapters.store.chain import Head, read_mark
from shutthebox.adapters.store.database import STORE_FILE, open_to_read
from shutthebox.adapters.store.errors import UNREADABLE, StoreError
from shutthebox.adapters.store.recovery import first_fault, good_part
from shutthebox.adapters.store.schema import is_new
from shutthebox.files import open_to_read as open_file

_WAIT_MS = 5000
"""A command can wait longer for another program than a box in play can."""


class Reading(NamedTuple):
    """A store as it is at one instant.

    Attributes:
        path: its file.
        db: the read-only connection.
        mark: the head mark just before.
    """

    path: Path
    db: sqlite3.Connection
    mark: Head | None

    def verify(self) -> None:
        """Checks all of it against its checksums.

        Raises:
            StoreError: naming the first fault, and how many more there are.
        """
        if found := first_fault(self.db, self.mark):
            raise StoreError(f"{self.path}: damaged: {found}")


@contextlib.contextmanager
def open_reading(folder: Path) -> Iterator[Reading]:
    """Opens the store in this folder read-only, without disturbing a running box.

    Errors raised inside by a damaged store leave as a `StoreError`.

    Raises:
        StoreError: there's none, it can't be read, or its contents contradict each other.
    """
    with _open(folder / STORE_FILE) as store:
        yield store


@contextlib.contextmanager
def open_good_part(path: Path) -> Iterator[Reading]:
    """Opens any store, even one that was set aside; of a damaged one, all that's trusted.

    Args:
        path: the file.

    Raises:
        StoreError: like `open_reading`; if it's damaged, at the end, naming the fault.
    """
    with contextlib.ExitStack() as stack:
        try:
            store = stack.enter_context(_open(path))
            store.verify()
        except UNREADABLE as error:
            complaint = StoreError(f"{path}: {error}")
        except StoreError as error:
            complaint = error
        else:
            yield store
            return
    # The database must be closed by now, because reading its file drops SQLite's locks.
    try:
        recovered = good_part(path, read_mark(path))
    except (OSError, *UNREADABLE):
        raise complaint from None
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        db.deserialize(recovered.content)
        yield Reading(path, db, None)
    raise complaint


@contextlib.contextmanager
def _open(path: Path) -> Iterator[Reading]:
    # Read first: the box writes it last.
    mark = read_mark(path)
    with contextlib.ExitStack() as stack:
        try:
            try:
                db = _begin(path, stack)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF not in _CANT_WRITE or os.access(path.parent, os.W_OK):
                    raise
                db = _begin(_copy_beside(path, stack), stack)
        except FileNotFoundError as error:
            raise StoreError(str(error)) from None
        except PermissionError:
            raise StoreError(f"{path}: belongs to the service; run sudo shutthebox ...") from None
        except (OSError, *UNREADABLE) as error:
            raise StoreError(f"{path}: {error}") from None
        try:
            yield Reading(path, db, mark)
        except UNREADABLE as error:
            raise StoreError(f"{path}: {error}") from None


_CANT_WRITE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


def _begin(path: Path, stack: contextlib.ExitStack) -> sqlite3.Connection:
    db = open_to_read(path, _WAIT_MS)
    stack.callback(db.close)
    db.execute("begin")
    is_new(db)
    return db


def _copy_beside(path: Path, stack: contextlib.ExitStack) -> Path:
    """A copy of a store with its log, in a folder that can be written to.

    On a disk that can only be read, SQLite can't make the file that it shares with other programs. That it's
    not there means that no program has the store open.
    """
    work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="shutthebox-")))
    log = path.with_name(f"{path.name}-wal")
    for file in (path, log) if log.exists() else (path,):
        with open_file(file) as source, (work / file.name).open("xb") as copy:
            shutil.copyfileobj(source, copy)
    return work / path.name
