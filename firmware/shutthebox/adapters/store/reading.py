"""Reads a store while the box plays on it. Any content of the file gives at most one line of complaint."""

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from shutthebox.adapters.store import queries, verification
from shutthebox.adapters.store.chain import Head, read_mark
from shutthebox.adapters.store.database import FILE_NAME
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.schema import UNREADABLE, VERSION, version_of


@dataclass(frozen=True, slots=True)
class Reading:
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
        if found := verification.first_fault(self.db, self.mark):
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
        db = queries.open_to_read(path)
    except FileNotFoundError as error:
        raise StoreError(str(error)) from None
    except PermissionError:
        raise StoreError(f"{path}: belongs to the service; say sudo shutthebox ...") from None
    except (OSError, *UNREADABLE) as error:
        raise StoreError(f"{path}: {error}") from None
    with contextlib.closing(db):
        try:
            db.execute("begin")
            if version_of(db) < VERSION:
                raise StoreError(
                    f"{path}: of an earlier version; a box brings it up to date at its next start"
                )
            yield Reading(path, db, mark)
        except UNREADABLE as error:
            raise StoreError(f"{path}: {error}") from None
