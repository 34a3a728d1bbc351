"""What lies in the store's folder, in the order in which it's dealt with. Looking changes nothing."""

import os
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple, TypeAlias

from shutthebox.adapters.store.chain import MARK_NAME, read_mark
from shutthebox.adapters.store.database import STORE_FILE, open_to_read
from shutthebox.adapters.store.errors import UNREADABLE, StoreError, is_damage, is_of_access
from shutthebox.adapters.store.recovery import first_fault
from shutthebox.adapters.store.schema import VERSION, NotOursError, is_new
from shutthebox.adapters.store.tables import remembered_of, tally_of
from shutthebox.marker import Marker

FILES = (STORE_FILE, f"{STORE_FILE}-wal", f"{STORE_FILE}-shm", f"{STORE_FILE}{MARK_NAME}")
"""The store itself first, then its log, the log's index, and the head mark."""

RESTORE_NAME = f"{STORE_FILE}.restore"
"""A checked store, waiting to replace the current one."""

RECOVERED_NAME = f"{STORE_FILE}.recovered"
"""The good part of a damaged store, waiting to replace it."""

NEWER = "newer"
"""The suffix of a store made by a newer version, which will take it back."""


class SetAside(NamedTuple):
    """A store that an older version has set aside, and that this one reads.

    Attributes:
        path: of it.
    """

    path: Path


class Waiting(NamedTuple):
    """A store that waits to take the place of the one there.

    Attributes:
        name: `RECOVERED_NAME` or `RESTORE_NAME`.
    """

    name: str


class Nothing(Marker):
    """No store, or an empty file: the box is new."""

    __slots__ = ()


class Interrupted(Marker):
    """A store with a journal: the plug was pulled while its tables were made. SQLite undoes that."""

    __slots__ = ()


class Earlier(Marker):
    """A store of an earlier version."""

    __slots__ = ()


class Ours(Marker):
    """A store of this version in which nothing is wrong."""

    __slots__ = ()


class Newer(NamedTuple):
    """A store of a newer version.

    Attributes:
        why: one line that says so.
    """

    why: str


class Damaged(NamedTuple):
    """A store in which something is wrong for good: trying again won't help.

    Attributes:
        why: one line.
    """

    why: str


class Unreadable(NamedTuple):
    """The store can't be used for now: it's locked, the disk is full, the folder can't be written to.

    Attributes:
        why: one line.
    """

    why: str


Contents: TypeAlias = (
    SetAside | Waiting | Interrupted | Nothing | Earlier | Ours | Newer | Damaged | Unreadable
)
"""What's next to be dealt with in the folder. There may be more, of which another look tells."""


def look(folder: Path, facts: int | None, passed_over: Collection[Path] = ()) -> Contents:
    """What lies in the folder.

    Args:
        folder: of the store.
        facts: how many of the latest facts to check; None for all of them, and the tables.
        passed_over: stores that were set aside and stay so.
    """
    store = folder / STORE_FILE
    try:
        if path := next(_set_aside_for_us(folder, passed_over), None):
            return SetAside(path)
        for name in (RECOVERED_NAME, RESTORE_NAME):
            if (folder / name).is_file() and not (folder / name).is_symlink():
                return Waiting(name)
        if found := _traces(store):
            return Damaged(found)
        if is_earlier(store):
            return Earlier()
        if os.path.lexists(f"{store}-journal"):
            return Interrupted()
        if not (store.is_file() and store.stat().st_size):
            return Nothing()
        check(store, facts)
        return Ours()
    except OSError as error:
        return judge(error, folder)


def judge(error: OSError, folder: Path) -> Newer | Damaged | Unreadable:
    """What lies in the folder, by the error of looking at it, opening it or replacing it."""
    why = str(error) if isinstance(error, StoreError) else f"{folder}: {error}"
    cause = error.__cause__ if isinstance(error, StoreError) else error
    is_for_good = is_damage(cause)
    if is_of_access(cause):
        is_for_good = any(os.path.lexists(path) and not _usable(path) for path in (folder / n for n in FILES))
    if not is_for_good:
        return Unreadable(why)
    return Newer(why) if ask(folder / STORE_FILE, "pragma user_version") > VERSION else Damaged(why)


def is_earlier(store: Path) -> bool:
    """Whether a store was made by an earlier version."""
    return 0 < ask(store, "pragma user_version") < VERSION


def check(store: Path, facts: int | None) -> bool:
    """Reads what the box needs to continue, and checks the latest `facts`, or everything.

    Returns:
        Whether the file is a store; False if it has no tables yet.

    Raises:
        StoreError: naming what is wrong.
    """
    try:
        with closing(open_to_read(store)) as db:
            if is_new(db):
                return False
            (verdict,) = db.execute("pragma quick_check(1)").fetchone()
            found = None if verdict == "ok" else verdict.splitlines()[0]
            if found := found or first_fault(db, read_mark(store), most=facts):
                raise StoreError(f"{store}: {found}")
            tally_of(db)
            remembered_of(db)
            return True
    except StoreError:
        raise
    except (sqlite3.Error, OSError, NotOursError) as error:
        raise StoreError(f"{store}: {error}") from error
    except UNREADABLE as error:
        raise StoreError(f"{store}: its contents contradict each other: {error}") from error


def ask(store: Path, query: str) -> int:
    """The number that a query returns; 0 if the file can't be read."""
    with suppress(OSError, *UNREADABLE), closing(open_to_read(store)) as db:
        return int(db.execute(query).fetchone()[0])
    return 0


def _set_aside_for_us(folder: Path, passed_over: Collection[Path]) -> Iterator[Path]:
    for path in sorted(folder.glob(f"{STORE_FILE}.*.{NEWER}"), reverse=True):
        is_ours = path not in passed_over and not path.is_symlink()
        if is_ours and 0 < ask(path, "pragma user_version") <= VERSION:
            yield path


def _traces(store: Path) -> str:
    """What shows that the store is missing or empty and was not; nothing if it's there, or never was."""
    if store.exists() and store.stat().st_size:
        return ""
    mark = read_mark(store)
    if mark is not None and mark.number:
        what = "was emptied" if store.exists() else "was removed"
        return f"{store}: {what}; {mark.number} facts were in it"
    log = store.with_name(FILES[1])
    if os.path.lexists(log) and (log.lstat().st_size or not store.exists()):
        # The plug was pulled while a store was set aside.
        return f"{log}: a log without its store"
    return ""


def _usable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.R_OK | os.W_OK)
