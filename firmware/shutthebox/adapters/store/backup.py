"""Copies of the store: made while the box plays, and taken over when it next starts.

`sudo shutthebox restore` writes into a folder that belongs to the service, which may put links there
at any moment. So it checks the file in a folder of its own, and follows no link in the service's.
"""

import shutil
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path

from shutthebox.adapters.store.database import FILE_NAME
from shutthebox.adapters.store.database import open_to_read as open_database
from shutthebox.adapters.store.errors import UNREADABLE, StoreError
from shutthebox.adapters.store.open_store import RESTORE_NAME, open_checked
from shutthebox.adapters.store.schema import is_new
from shutthebox.files import new_file, open_to_read, reason, replace_file, shown_path

_SAVE_NAME = "last-save"
_NO_YEAR_S = 1e11
"""A time of day that no calendar has."""


class BackupError(StoreError):
    """The file is no good, or none can be made there; the text names it."""

    exit_code = 2


def back_up(db: sqlite3.Connection, to: Path) -> int:
    """Copies a store into one file, as it is at this instant; writers are not blocked.

    Args:
        db: the store, opened for reading.
        to: the new file, which only its owner may read. It is there whole or not at all, even if the
            plug is pulled; where the file system knows no hard links, an empty one may be left then.

    Returns:
        Its size in bytes.

    Raises:
        BackupError: if it is there already, or cannot be written.
    """
    try:
        content = content_of(db, to)
        new_file(to, content)
    except BackupError:
        raise
    except OSError as error:
        raise BackupError(f"{shown_path(to)}: {error.strerror}; allowed is a new file") from None
    except (sqlite3.Error, ValueError) as error:
        raise BackupError(f"{shown_path(to)}: {error}") from None
    return len(content)


def content_of(db: sqlite3.Connection, to: Path) -> bytes:
    """A store as one file that needs no log, made in memory: no name on any disk is used for it.

    Args:
        db: the store, opened for reading.
        to: names the copy in complaints.

    Raises:
        BackupError: if the copy is damaged.
    """
    with closing(sqlite3.connect(":memory:")) as copy:
        db.backup(copy)
        (verdict,) = copy.execute("pragma quick_check(1)").fetchone()
        if verdict != "ok":
            raise BackupError(f"{shown_path(to)}: the copy is damaged: {verdict.splitlines()[0]}")
        content = copy.serialize()
    # Bytes 18 and 19 of the header say how it is read and written: 1 is without a log.
    return content[:18] + b"\1\1" + content[20:]


def put_beside(file: Path, folder: Path) -> int:
    """Checks a copy and puts it beside the store, for the box to take over at its next start.

    The box can play meanwhile, and the given file is left as it is.

    Args:
        file: a store: a back-up, or one that was set aside.
        folder: of the store that it is to replace; made if missing.

    Returns:
        How many matches it holds.

    Raises:
        BackupError: if it is no good, as the box itself would find at its start.
        StoreError: if it cannot be put there.
    """
    with tempfile.TemporaryDirectory(prefix="shutthebox-") as name:
        work = Path(name)
        for ending in ("-wal", "-mark", ""):
            _copy(file.with_name(file.name + ending), work / f"{FILE_NAME}{ending}", must=not ending)
        matches = check_copy(work, file)
        put_checked(work / FILE_NAME, folder)
    return matches


def check_copy(work: Path, file: Path) -> int:
    """Checks a copy of a store and brings it up to date, as the box would at its start.

    Args:
        work: the folder with the copy, where nothing else is.
        file: what it is a copy of, for complaints.

    Returns:
        How many matches it holds.

    Raises:
        BackupError: if it is no good.
    """
    if _is_empty(work / FILE_NAME):
        raise BackupError(f"{shown_path(file)}: it is empty, or not the memory of a box")
    try:
        with closing(open_checked(work, lambda: 0.0)) as store:
            (matches,) = store.connection.execute("select count(*) from match").fetchone()
    except StoreError as error:
        raise BackupError(str(error).replace(str(work / FILE_NAME), shown_path(file))) from None
    return int(matches)


def put_checked(file: Path, folder: Path) -> None:
    """Puts a copy that has been checked beside the store; the box checks it again when it takes it over.

    Args:
        file: the copy, in a folder that nobody else writes to.
        folder: of the store that it is to replace; made if missing.

    Raises:
        StoreError: if it cannot be put there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open_to_read(file, follow_links=False) as checked:
            replace_file(folder / RESTORE_NAME, checked, mode=0o600, durable=True, for_owner=True)
    except OSError as error:
        raise StoreError(f"{folder}: {error.strerror}") from None


def note_save(folder: Path, at_s: float) -> None:
    """Remembers when the memory was saved last; where that cannot be kept, it is left out.

    Args:
        folder: of the store.
        at_s: the time of day.
    """
    with suppress(OSError):
        replace_file(folder / _SAVE_NAME, f"{at_s:.0f}\n".encode(), mode=0o600, durable=True, for_owner=True)


def last_save(folder: Path) -> float | None:
    """When the memory in this folder was saved last, in seconds of the time of day; None if never."""
    try:
        with (folder / _SAVE_NAME).open("rb") as file:
            at_s = float(file.read(20))
    except (OSError, ValueError):
        return None
    return at_s if 0 <= at_s < _NO_YEAR_S else None


def _copy(file: Path, to: Path, *, must: bool) -> None:
    try:
        with open_to_read(file) as source, to.open("xb") as copy:
            shutil.copyfileobj(source, copy)
    except FileNotFoundError:
        if must:
            raise BackupError(f"{shown_path(file)}: no such file") from None
    except OSError as error:
        raise BackupError(f"{shown_path(file)}: {reason(error)}") from None


def _is_empty(store: Path) -> bool:
    """Whether the box would begin a new memory there: SQLite takes less than a page for a new database."""
    if not store.stat().st_size:
        return True
    with suppress(OSError, *UNREADABLE), closing(open_database(store)) as db:
        return is_new(db)
    return False
