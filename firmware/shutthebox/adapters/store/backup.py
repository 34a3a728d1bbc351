"""Copies of the store: made while the box plays, restored when it next starts.

`sudo shutthebox restore` writes into a folder that belongs to the service, which may put links there
at any moment. So it checks the file in its own folder, and follows no links in the service's.
"""

import shutil
import sqlite3
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from shutthebox.adapters.store.chain import read_mark
from shutthebox.adapters.store.contents import RESTORE_NAME, check, is_earlier
from shutthebox.adapters.store.database import STORE_FILE, Store
from shutthebox.adapters.store.errors import UNREADABLE, StoreError
from shutthebox.adapters.store.recovery import good_part
from shutthebox.files import new_file, open_to_read, reason, replace_file, shown_path
from shutthebox.game.facts import Faulted
from shutthebox.game.faults import Fault

_SAVE_NAME = "last-save"
_NO_YEAR_S = 1e11
"""Seconds since 1970, beyond any real date."""


class BackupError(StoreError):
    """The file is no good, or can't be created. The text names the file."""

    exit_code = 2


def back_up(db: sqlite3.Connection, to: Path) -> int:
    """Copies a store into one file, as it is at this instant, without blocking writers.

    Args:
        db: the store, opened for reading.
        to: the new file, which only its owner may read. It's written whole or not at all, even if the
            plug is pulled; on a file system without hard links, that may leave an empty file.

    Returns:
        Its size in bytes.

    Raises:
        BackupError: if it is there already, or can't be written.
    """
    try:
        content = content_of(db, to)
        new_file(to, content)
    except BackupError:
        raise
    except OSError as error:
        raise BackupError(f"{shown_path(to)}: {error.strerror}; use a new file") from None
    except (sqlite3.Error, ValueError) as error:
        raise BackupError(f"{shown_path(to)}: {error}") from None
    return len(content)


def content_of(db: sqlite3.Connection, to: Path) -> bytes:
    """A store as the content of one file without a log. It's made in memory, so no file is written.

    Args:
        db: the store, opened for reading.
        to: names the copy in error messages.

    Raises:
        BackupError: if the copy is damaged.
    """
    with closing(sqlite3.connect(":memory:")) as copy:
        db.backup(copy)
        (verdict,) = copy.execute("pragma quick_check(1)").fetchone()
        if verdict != "ok":
            raise BackupError(f"{shown_path(to)}: the copy is damaged: {verdict.splitlines()[0]}")
        content = copy.serialize()
    # Bytes 18 and 19 of the header are the read and write version: 1 means without a log.
    return content[:18] + b"\1\1" + content[20:]


class CheckedCopy(NamedTuple):
    """A copy of a store that a box can restore.

    Attributes:
        matches: the number of matches in it.
        damage: what's wrong with it; empty if nothing is.
        good: what was saved of a damaged copy, in words.
    """

    matches: int
    damage: str
    good: str


def put_beside(file: Path, folder: Path) -> CheckedCopy:
    """Puts the good part of a copy beside the store, for the box to restore at its next start.

    The box can play meanwhile. The given file isn't changed.

    Args:
        file: a store: a backup, or one that was set aside.
        folder: of the store to replace; created if missing.

    Raises:
        BackupError: nothing in it is good.
        StoreError: it can't be put there.
    """
    with tempfile.TemporaryDirectory(prefix="shutthebox-") as name:
        work = Path(name)
        for ending in ("-wal", "-mark", ""):
            _copy(file.with_name(file.name + ending), work / f"{STORE_FILE}{ending}", must=not ending)
        checked = check_copy(work, file)
        put_checked(work / STORE_FILE, folder)
    return checked


def check_copy(work: Path, file: Path) -> CheckedCopy:
    """Checks a copy of a store, and replaces it with its good part.

    Args:
        work: the folder with the copy, and nothing else.
        file: the original, for error messages.

    Raises:
        BackupError: nothing in it is good.
    """
    damage, good = _keep_good_part(work, file)
    try:
        check(work / STORE_FILE, None)
        with closing(Store(work, time.time)) as store:
            (matches,) = store.connection.execute("select count(*) from match").fetchone()
            if damage:
                store.keep(Faulted(Fault.STORE_REPLACED.value, f"{damage}; restored with {good}"))
    except StoreError as error:
        raise BackupError(_name_original(error, work, file)) from None
    return CheckedCopy(int(matches), damage, good)


def put_checked(file: Path, folder: Path) -> None:
    """Puts a checked copy beside the store. The box checks it again when it restores it.

    Args:
        file: the copy, in a folder that nobody else writes to.
        folder: of the store to replace; created if missing.

    Raises:
        StoreError: it can't be put there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open_to_read(file, follow_links=False) as checked:
            replace_file(folder / RESTORE_NAME, checked, mode=0o600, durable=True, for_owner=True)
    except OSError as error:
        raise StoreError(f"{folder}: {error.strerror}") from error


def note_save(folder: Path, at_s: float) -> None:
    """Remembers when the memory was last saved; best effort.

    Args:
        folder: of the store.
        at_s: the time of day.
    """
    with suppress(OSError):
        replace_file(folder / _SAVE_NAME, f"{at_s:.0f}\n".encode(), mode=0o600, durable=True, for_owner=True)


def last_save(folder: Path) -> float | None:
    """When the memory in this folder was last saved, in seconds since 1970; None if never."""
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


def _keep_good_part(work: Path, file: Path) -> tuple[str, str]:
    """Leaves only the good part of a copy. Returns what's wrong with it and what's good; empty if it's sound.

    Raises:
        BackupError: nothing in it is good.
    """
    copy = work / STORE_FILE
    # SQLite takes an empty file for a new database. A young one can be wholly in its log.
    if not any(
        path.stat().st_size for path in work.glob(f"{STORE_FILE}*") if not path.name.endswith("-mark")
    ):
        raise BackupError(f"{shown_path(file)}: it is empty")
    old = is_earlier(copy)
    try:
        if not old and check(copy, None):
            return "", ""
        wrong = "of an earlier version, and damaged" if old else "not a box's store: it has no tables"
        complaint = StoreError(f"{copy}: {wrong}")
    except StoreError as error:
        complaint = error
    try:
        recovered = good_part(copy, read_mark(copy))
    except (OSError, *UNREADABLE):
        raise BackupError(_name_original(complaint, work, file)) from None
    for path in work.iterdir():
        path.unlink()
    copy.write_bytes(recovered.content)
    if old and not recovered.lost:
        return "", ""
    return _name_original(complaint, work, file), recovered.in_words


def _name_original(error: StoreError, work: Path, file: Path) -> str:
    """The error message with the original's name in place of the copy's."""
    return str(error).replace(str(work / STORE_FILE), shown_path(file))
