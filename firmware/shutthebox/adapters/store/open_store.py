"""Opens the store whatever the state of its files, so that a box always starts and plays.

Recovery always works the same way: copy the good part into a new file beside the store, rename the store out
of the way, rename the new file into its place. A power cut leaves one or the other. If nothing can be
written, the box plays without memory.
"""

import logging
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from shutthebox.adapters.store.chain import MARK_NAME, read_mark
from shutthebox.adapters.store.database import STORE_FILE, Store, open_to_read
from shutthebox.adapters.store.errors import UNREADABLE, StoreError, is_busy, is_damage, is_of_access
from shutthebox.adapters.store.recovery import Recovered, first_fault, good_part
from shutthebox.adapters.store.schema import VERSION, NotOursError, is_new
from shutthebox.adapters.store.tables import remembered_of, tally_of
from shutthebox.files import remove_parts, replace_file, sync_folder
from shutthebox.game.facts import Faulted
from shutthebox.game.faults import Fault

_log = logging.getLogger(__name__)

FILES = (STORE_FILE, f"{STORE_FILE}-wal", f"{STORE_FILE}-shm", f"{STORE_FILE}{MARK_NAME}")
"""The store itself first, then its log, the log's index, and the head mark."""

RESTORE_NAME = f"{STORE_FILE}.restore"
"""A checked store, waiting to replace the current one."""

RECOVERED_NAME = f"{STORE_FILE}.recovered"
"""The good part of a damaged store, waiting to replace it."""

NEWER = "newer"
"""The suffix of a store made by a newer version, which will take it back."""

SUSPECT_NAME = f"{STORE_FILE}.suspect"
"""A file that says what's wrong with the store, so that the next start checks all of it and keeps the good
part."""

FIRST_FACTS = 2_000
"""How many of the latest facts are checked at startup, and when a store is reopened during play, which blocks
the main loop. Pulling the plug can't damage earlier ones."""


class StoreFault(NamedTuple):
    """Why the box no longer has the store it had.

    Attributes:
        fault: for the players.
        text: one line for the journal: which file, what's wrong, what was done.
    """

    fault: Fault
    text: str


def open_or_set_aside(
    folder: Path, wall_clock_s: Callable[[], float], *, count_throws: bool = True, facts: int | None = None
) -> tuple[Store | None, StoreFault | None]:
    """Opens the store in this folder, or a new one in its place. Never raises because of the files.

    Args:
        folder: where it is or will be.
        wall_clock_s: as for `Store`.
        count_throws: as for `Store`.
        facts: how many of the latest facts to check; None for all of them, and the tables.

    Returns:
        The store, or None if none can be opened now; and the fault, or None.
    """

    def opened() -> Store:
        return open_checked(folder, wall_clock_s, count_throws=count_throws, facts=facts)

    notes, fault = list[str](), None
    remove_parts(folder)
    try:
        notes += _take_back(folder)
        done, fault = _take_over(folder, wall_clock_s())
        notes += [f"{folder / STORE_FILE}: {done}"] if done else []
        _look_for_leftovers(folder)
        store = opened()
    except OSError as error:
        reason = error if isinstance(error, StoreError) else f"{folder}: {error}"
        try:
            if not _is_damage(error, folder):
                return None, StoreFault(Fault.FORGETS, f"{reason}; playing without memory")
            store, done, fault = _begin_anew(folder, wall_clock_s, opened)
        except OSError as another:
            return None, StoreFault(Fault.FORGETS, f"{reason}; {another}; playing without memory")
        notes = [f"{reason}; {done}"]
        _trust(folder)
    if facts is None:
        _trust(folder)
    for note in notes:
        if fault is None:
            _log.warning("%s", note)
        with suppress(StoreError):  # it waits in the store then
            store.keep(Faulted(fault.value if fault and note is notes[-1] else "store", note))
    return store, StoreFault(fault, notes[-1]) if fault else None


def is_locked(folder: Path) -> bool:
    """Whether another program keeps the store in this folder from being read; says so without waiting."""
    try:
        with closing(open_to_read(folder / STORE_FILE, wait_ms=0)) as db:
            db.execute("pragma user_version").fetchone()
    except (OSError, *UNREADABLE) as error:
        return is_busy(error)
    return False


def suspect(folder: Path, why: str) -> None:
    """Notes that part of the store in this folder is damaged, and why, for the owner.

    Raises:
        OSError: that can't be written.
    """
    replace_file(folder / SUSPECT_NAME, f"{why}\n".encode(), durable=True)


def is_suspect(folder: Path) -> bool:
    """Whether the store in this folder must be checked completely."""
    return os.path.lexists(folder / SUSPECT_NAME)


def _trust(folder: Path) -> None:
    with suppress(OSError):
        (folder / SUSPECT_NAME).unlink(missing_ok=True)


def _begin_anew(
    folder: Path, wall_clock_s: Callable[[], float], opened: Callable[[], Store]
) -> tuple[Store, str, Fault | None]:
    """Sets the store aside and opens a new one with its good part.

    Returns:
        The new store, what was done (in words), and the fault to show, if any.

    Raises:
        OSError: if files can't be renamed or written.
        StoreError: if the new one can't be opened.
    """
    is_newer = _ask(folder / STORE_FILE, "pragma user_version") > VERSION
    recovered = _rebuild(folder, RECOVERED_NAME)
    # A newer version continues from what this one takes over, and needs its own store only if that's nothing.
    why = "damaged" if not is_newer else NEWER if recovered is None else "replaced"
    kept = set_aside(folder, wall_clock_s(), why)
    _take_over(folder, wall_clock_s())
    try:
        store = opened()
    except StoreError as error:
        if recovered is None or not _is_damage(error, folder):
            raise
        # The recovered part can't be used, either.
        recovered = None
        set_aside(folder, wall_clock_s(), "damaged")
        store = opened()
    done = f"kept as {kept.name}, " if os.path.lexists(kept) else ""
    done += "starting a new store"
    if recovered is not None and recovered.facts:
        done += f" with {recovered.in_words}"
    if not is_newer:
        return store, done, Fault.STORE_REPLACED
    if recovered is None:
        return store, done, Fault.STORE_NEWER
    return store, done, Fault.STORE_REPLACED if recovered.lost else None


def _look_for_leftovers(folder: Path) -> None:
    """Looks for traces of a store that is missing or empty.

    Raises:
        StoreError: saying so.
    """
    store, log = folder / FILES[0], folder / FILES[1]
    if store.exists() and store.stat().st_size:
        return
    mark = read_mark(store)
    if mark is not None and mark.number:
        what = "was emptied" if store.exists() else "was removed"
        raise StoreError(f"{store}: {what}; {mark.number} facts were in it")
    if os.path.lexists(log) and (log.lstat().st_size or not store.exists()):
        # The plug was pulled while a store was set aside.
        raise StoreError(f"{log}: a log without its store")


def _rebuild(folder: Path, waiting: str) -> Recovered | None:
    """Writes the good part of the store into a new file, for `_take_over`.

    Returns:
        Its content; None if nothing can be read.

    Raises:
        OSError: it can't be read or written now.
    """
    store = folder / STORE_FILE
    if not store.is_file():
        return None
    try:
        recovered = good_part(store, read_mark(store))
    except OSError as error:
        raise StoreError(f"{store}: {error}") from error
    except UNREADABLE:
        return None
    replace_file(folder / waiting, recovered.content, mode=0o600, durable=True)
    return recovered


def _take_over(folder: Path, now_s: float) -> tuple[str, Fault | None]:
    """Puts a waiting store in place; safe if the plug is pulled.

    Returns:
        What was done (may be empty), and the fault to show, if any.

    Raises:
        OSError: if it can't be put there.
    """
    said, fault = "", None
    for name, why, done in (
        (RECOVERED_NAME, "damaged", "the good part of a damaged store was recovered"),
        (RESTORE_NAME, "replaced", "restored"),
    ):
        waiting = folder / name
        if waiting.is_symlink() or not waiting.is_file():
            continue
        said, fault = done, Fault.STORE_REPLACED if why == "damaged" else None
        if any(os.path.lexists(folder / file) for file in FILES):
            said += f"; the old one is kept as {set_aside(folder, now_s, why).name}"
        waiting.rename(folder / STORE_FILE)
        sync_folder(folder)
    return said, fault


def _take_back(folder: Path) -> list[str]:
    """Queues a store made by a newer version to be put back, now that this version can read it.

    If matches have been played meanwhile, they stay, and the newer store is renamed as replaced.

    Returns:
        What was done in that case.
    """
    said = []
    for path in sorted(folder.glob(f"{STORE_FILE}.*.{NEWER}"), reverse=True):
        with suppress(OSError, *UNREADABLE):  # such a file stays as it is
            if path.is_symlink() or not 0 < _ask(path, "pragma user_version") <= VERSION:
                continue
            with closing(sqlite3.connect(path)) as db:
                db.execute("pragma journal_mode = delete")  # all of it is in one file then
            to = folder / RESTORE_NAME
            played = _ask(folder / STORE_FILE, "select count(*) from match")
            if played or os.path.lexists(to):
                to = path.with_name(f"{path.name.removesuffix(NEWER)}replaced")
                said = [
                    f"{path}: set aside by an earlier version, with {played} matches since: it is "
                    f"now {to.name}, and shutthebox restore brings it back"
                ]
            path.rename(to)
            path.with_name(path.name + MARK_NAME).unlink(missing_ok=True)
            sync_folder(folder)
    return said


def _ask(store: Path, query: str) -> int:
    """The number that a query returns; 0 if the file can't be read."""
    with suppress(OSError, *UNREADABLE), closing(open_to_read(store)) as db:
        return int(db.execute(query).fetchone()[0])
    return 0


def set_aside(folder: Path, now_s: float, why: str) -> Path:
    """Renames the store's files with a date, the store itself first.

    Args:
        folder: where they are.
        now_s: the time for the name, in seconds since 1970.
        why: a word for the name.

    Returns:
        The new name of the store.

    Raises:
        OSError: if they can't be renamed.
    """
    # SQLite finds a store's log by its name, so the files' suffixes stay last.
    endings = [name.removeprefix(STORE_FILE) for name in FILES]
    date = time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime(now_s))
    base, number = folder / f"{STORE_FILE}.{date}.{why}", 1
    while any(os.path.lexists(f"{base}{ending}") for ending in endings):
        number += 1
        base = folder / f"{STORE_FILE}.{date}-{number}.{why}"
    for ending in endings:
        with suppress(FileNotFoundError):
            (folder / f"{STORE_FILE}{ending}").rename(f"{base}{ending}")
    sync_folder(folder)
    return base


def open_checked(
    folder: Path, wall_clock_s: Callable[[], float], *, count_throws: bool = True, facts: int | None = None
) -> Store:
    """Opens a store, brings it up to date, and checks it.

    Raises:
        StoreError: it can't be opened, or something is wrong with it. The text says what.
        OSError: a store of an earlier version can't be replaced.
    """
    if is_earlier(folder / STORE_FILE):
        recovered = _rebuild(folder, RESTORE_NAME)
        if recovered is not None and not recovered.lost:
            done, _ = _take_over(folder, wall_clock_s())
            _log.info("%s: brought up to date: %s", folder / STORE_FILE, done)
        elif recovered is not None:
            (folder / RESTORE_NAME).unlink()
            raise StoreError(f"{folder / STORE_FILE}: {recovered.lost} facts are missing or were altered")
    path = folder / STORE_FILE
    # Read-only, because with write access SQLite drops the parts of a log it can't use, facts included. But
    # if the plug was pulled while a store was being made, that's rolled back first, which needs writing.
    rolls_back = os.path.lexists(f"{path}-journal")
    if not rolls_back and path.is_file() and path.stat().st_size:
        check(path, facts)
    store = Store(folder, wall_clock_s, count_throws=count_throws)
    if rolls_back:
        try:
            check(path, facts)
        except StoreError:
            store.close()
            raise
    store.mark_head()
    return store


def is_earlier(store: Path) -> bool:
    """Whether a store was made by an earlier version."""
    return 0 < _ask(store, "pragma user_version") < VERSION


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


def _is_damage(reason: Exception, folder: Path) -> bool:
    """Whether a new file would help, because the fault is the file's, not the disk's or the folder's."""
    cause = reason.__cause__ if isinstance(reason, StoreError) else reason
    if is_of_access(cause):
        return any(os.path.lexists(path) and not _usable(path) for path in (folder / n for n in FILES))
    return is_damage(cause)


def _usable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.R_OK | os.W_OK)
