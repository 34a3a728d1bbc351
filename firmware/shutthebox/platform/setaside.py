"""Opens the store whatever state its files are in, so that a box always starts and plays.

What cannot be used is kept: the files get a dated name beside their own, and a new store is
begun. Where nothing can be written, the box plays without memory.
"""

import logging
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from shutthebox.game.effects import Faulted
from shutthebox.game.trouble import Trouble
from shutthebox.platform import statistics
from shutthebox.platform.store import FILE_NAME, PATIENCE_S, Store, StoreError

_log = logging.getLogger(__name__)

FILES = (FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm")
"""The store itself, first; the log that belongs to it, and its index."""

RESTORE_NAME = f"{FILE_NAME}.restore"
"""A store that was checked and waits to take the place of the one that is there."""

_PASSING = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM)
"""Errors that say nothing about the file."""

_OF_ACCESS = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)
"""Errors of a file that may not be opened, and of a folder in which none can be made."""

_UNREADABLE = (sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS)
"""Input and output errors that come from the file; others may come from a full disk."""


_LAST_MATCH = 2**32
"""Matches are numbered one by one; after the highest number of all SQLite would draw lots."""


@dataclass(frozen=True, slots=True)
class Mishap:
    """Why the store is not the one that was there.

    Attributes:
        trouble: for the players.
        text: for the journal, one line: which file, what is wrong, what was done.
    """

    trouble: Trouble
    text: str


def open_or_set_aside(
    folder: Path,
    wall_clock_s: Callable[[], float],
    *,
    count_throws: bool = True,
    patience_s: float = PATIENCE_S,
) -> tuple[Store | None, Mishap | None]:
    """The store in this folder, or a new one in its place.

    A store is used if SQLite finds no fault in it, its tables are ours, its running match can
    be played again and its statistics can be counted. Never raises for anything that files
    can be.

    Returns:
        The store, None if none can be had now; and what went wrong, None if nothing did.
    """
    stray = folder / FILES[1]
    reason: StoreError
    try:
        restored = _take_over(folder, wall_clock_s())
        if not (folder / FILE_NAME).exists() and stray.exists():
            # The plug was pulled while a store was set aside.
            reason = StoreError(f"{stray}: a log without its store")
        else:
            store = open_checked(folder, wall_clock_s, count_throws=count_throws, patience_s=patience_s)
            if restored:
                _log.warning("%s: %s", store.path, restored)
                with suppress(StoreError):
                    store.keep(Faulted("store", restored))
            return store, None
    except StoreError as error:
        reason = error
    except OSError as error:
        reason = StoreError(f"{folder}: {error}")
        reason.__cause__ = error
    if not _is_damage(reason, folder):
        return None, Mishap(Trouble.FORGETS, f"{reason}; playing without memory")
    try:
        kept = set_aside(folder, wall_clock_s(), "damaged")
        store = open_checked(folder, wall_clock_s, count_throws=count_throws, patience_s=patience_s)
    except OSError as error:
        return None, Mishap(Trouble.FORGETS, f"{reason}; {error}; playing without memory")
    mishap = Mishap(Trouble.SET_ASIDE, f"{reason}; kept as {kept.name}, a new store is begun")
    with suppress(StoreError):  # it waits in the store then
        store.keep(Faulted("store", mishap.text))
    return store, mishap


def _take_over(folder: Path, now_s: float) -> str:
    """Puts a store that waits to be restored into its place; nothing is lost if the plug is pulled.

    Returns:
        What was done, empty for nothing.

    Raises:
        OSError: if it cannot be put there.
    """
    waiting = folder / RESTORE_NAME
    if not waiting.is_file():
        return ""
    said = "restored"
    if any(os.path.lexists(folder / name) for name in FILES):
        said += f", the one before is kept as {set_aside(folder, now_s, 'replaced').name}"
    waiting.rename(folder / FILE_NAME)
    sync_folder(folder)
    return said


def set_aside(folder: Path, now_s: float, why: str) -> Path:
    """Gives the store's files dated names, the store itself first.

    Args:
        folder: where they are.
        now_s: the time of day, for the name, in UTC.
        why: a word for the name.

    Returns:
        The new name of the store.

    Raises:
        OSError: if they cannot be renamed.
    """
    date = time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime(now_s))
    base = f"{FILE_NAME}.{date}.{why}"
    number = 1
    while any(os.path.lexists(folder / _renamed(name, base)) for name in FILES):
        number += 1
        base = f"{FILE_NAME}.{date}-{number}.{why}"
    for name in FILES:
        with suppress(FileNotFoundError):
            (folder / name).rename(folder / _renamed(name, base))
    sync_folder(folder)
    return folder / base


def _renamed(name: str, base: str) -> str:
    """The new name; SQLite finds the log of a store by its name, so its ending stays last."""
    return base + name.removeprefix(FILE_NAME)


def sync_folder(folder: Path) -> None:
    """Makes renaming durable, where the file system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def open_checked(
    folder: Path,
    wall_clock_s: Callable[[], float],
    *,
    count_throws: bool = True,
    patience_s: float = PATIENCE_S,
) -> Store:
    """A store in which nothing is wrong.

    Raises:
        StoreError: if it cannot be opened, or something is; the text says what.
    """
    store = Store(folder, wall_clock_s, count_throws=count_throws, patience_s=patience_s)
    try:
        _check(store)
    except BaseException:
        store.close()
        raise
    return store


def _check(store: Store) -> None:
    """Everything that the box will read is read once.

    Raises:
        StoreError: naming what is wrong.
    """
    try:
        (verdict,) = store.connection.execute("pragma quick_check(1)").fetchone()
        if verdict != "ok":
            raise StoreError(f"{store.path}: {verdict.splitlines()[0]}")
        if store.connection.execute("pragma foreign_key_check").fetchone():
            raise StoreError(f"{store.path}: something is kept of a match that is not there")
        if store.connection.execute("select 1 from match where id > ?", (_LAST_MATCH,)).fetchone():
            raise StoreError(f"{store.path}: a match has an impossible number")
        store.running_match()
        store.ledger()
        store.choices()
        statistics.lines(statistics.read(store.connection), str)
    except sqlite3.Error as error:
        raise StoreError(f"{store.path}: {error}") from error
    except (ValueError, TypeError, LookupError, ArithmeticError, RecursionError) as error:
        raise StoreError(f"{store.path}: what it holds makes no sense: {error}") from error


def _is_damage(reason: StoreError, folder: Path) -> bool:
    """Whether a new file would help: the fault is the file's, not the disk's or the folder's."""
    cause = reason.__cause__
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        if code & 0xFF in _OF_ACCESS:
            return any(os.path.lexists(path) and not _usable(path) for path in (folder / n for n in FILES))
        if code & 0xFF == sqlite3.SQLITE_IOERR:
            return code in _UNREADABLE
        return code & 0xFF not in _PASSING
    return not isinstance(cause, OSError)


def _usable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.R_OK | os.W_OK)
