"""Copies of the store: made while the box plays, and taken over when it next starts."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from shutthebox.files import shown_path
from shutthebox.platform.recovery import sync_folder
from shutthebox.platform.setaside import RESTORE_NAME, open_checked
from shutthebox.platform.store import FILE_NAME, Store, StoreError


class BackupError(StoreError):
    """The file is no good, or none can be made there; the text names it."""

    exit_code = 2


def back_up(db: sqlite3.Connection, to: Path) -> None:
    """Copies a store into one file, as it is at this instant; nobody who writes to it waits.

    Args:
        db: the store, opened for reading.
        to: the new file. It is there whole or not at all, even if the plug is pulled.

    Raises:
        BackupError: if it is there already, or cannot be written.
    """
    part = to.with_name(f"{to.name}.part")
    try:
        to.open("xb").close()
    except OSError as error:
        raise BackupError(f"{shown_path(to)}: {error.strerror}; allowed is a new file") from None
    try:
        with closing(sqlite3.connect(part)) as copy:
            db.backup(copy)
            # A single file that can be read from a medium on which nothing can be written.
            copy.execute("pragma journal_mode = delete")
            (verdict,) = copy.execute("pragma quick_check(1)").fetchone()
        if verdict != "ok":
            raise BackupError(f"{shown_path(to)}: the copy is damaged: {verdict.splitlines()[0]}")
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.rename(to)
        sync_folder(to.parent)
    except (sqlite3.Error, OSError) as error:
        for path in (part, to):
            path.unlink(missing_ok=True)
        if isinstance(error, BackupError):
            raise
        raise BackupError(f"{shown_path(to)}: {error}") from None


def put_beside(file: Path, folder: Path) -> int:
    """Checks a copy and puts it beside the store, for the box to take over at its next start.

    Whatever reads or plays meanwhile is not disturbed, and the copy itself is left as it is.

    Args:
        file: a store: a back-up, or one that was set aside.
        folder: of the store that it is to replace; made if missing.

    Returns:
        How many matches it holds.

    Raises:
        BackupError: if it is no good, as the box itself would find at its start.
        StoreError: if it cannot be put there.
    """
    work = folder / f"{RESTORE_NAME}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
    except OSError as error:
        raise StoreError(f"{folder}: {error.strerror}") from None
    try:
        _copy(file, work / FILE_NAME)
        store = _checked(work, file)
        with closing(store):
            (matches,) = store.connection.execute("select count(*) from match").fetchone()
        owner = folder.stat()
        if os.geteuid() == 0:
            os.chown(work / FILE_NAME, owner.st_uid, owner.st_gid)
        (work / FILE_NAME).rename(folder / RESTORE_NAME)
        sync_folder(folder)
    except OSError as error:
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"{folder}: {error.strerror}") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return int(matches)


def _copy(file: Path, to: Path) -> None:
    if not file.is_file():
        raise BackupError(f"{shown_path(file)}: no such file")
    uri = f"{file.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as db, closing(sqlite3.connect(to)) as copy:
            db.backup(copy)
    except sqlite3.Error as error:
        raise BackupError(f"{shown_path(file)}: {error}") from None


def _checked(work: Path, file: Path) -> Store:
    try:
        return open_checked(work, lambda: 0.0)
    except StoreError as error:
        raise BackupError(str(error).replace(str(work / FILE_NAME), shown_path(file))) from None
