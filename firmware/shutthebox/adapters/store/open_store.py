"""Opens the store whatever the state of its files, so that a box always starts and plays.

`open_or_set_aside` looks at what lies in the folder (`shutthebox.adapters.store.contents`), deals with it,
and looks again, until it has a store, or can't have one for now.

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
from typing import NamedTuple, assert_never

from shutthebox.adapters.store.chain import MARK_NAME, read_mark
from shutthebox.adapters.store.contents import (
    FILES,
    NEWER,
    RECOVERED_NAME,
    RESTORE_NAME,
    Damaged,
    Earlier,
    Interrupted,
    Newer,
    Nothing,
    Ours,
    SetAside,
    Unreadable,
    Waiting,
    ask,
    check,
    judge,
    look,
)
from shutthebox.adapters.store.database import STORE_FILE, Store, open_to_read
from shutthebox.adapters.store.errors import UNREADABLE, StoreError, is_busy
from shutthebox.adapters.store.recovery import Recovered, good_part
from shutthebox.files import remove_parts, replace_file, sync_folder
from shutthebox.game.facts import Faulted
from shutthebox.game.faults import Fault

_log = logging.getLogger(__name__)

SUSPECT_NAME = f"{STORE_FILE}.suspect"
"""A file that says what's wrong with the store, so that the next start checks all of it and keeps the good
part."""

FIRST_FACTS = 2_000
"""How many of the latest facts are checked at startup, and when a store is reopened during play, which blocks
the main loop. Pulling the plug can't damage earlier ones."""

MOST_REBUILT = 2
"""How often a store is rebuilt in one attempt: a card may fail to read what it has just been given."""


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
    return _Opening(folder, wall_clock_s, count_throws=count_throws, facts=facts).run()


class _Replaced(NamedTuple):
    """A store that was set aside, because it's damaged or of a newer version.

    Attributes:
        found: what it was.
        kept: its name now; empty if there was only a trace of one.
        recovered: what is in the new one; None if nothing is.
    """

    found: Newer | Damaged
    kept: str
    recovered: Recovered | None

    @property
    def fault(self) -> Fault | None:
        """For the players; None if a newer version will find everything in the new store."""
        if isinstance(self.found, Damaged):
            return Fault.STORE_REPLACED
        if self.recovered is None:
            return Fault.STORE_NEWER
        return Fault.STORE_REPLACED if self.recovered.lost else None

    @property
    def in_words(self) -> str:
        """What was wrong, and what was done."""
        kept = f"kept as {self.kept}, " if self.kept else ""
        good = f" with {self.recovered.in_words}" if self.recovered and self.recovered.facts else ""
        return f"{self.found.why}; {kept}starting a new store{good}"


class _Opening:
    """One attempt: deals with what lies in the folder, until there's a store, or none for now."""

    def __init__(
        self, folder: Path, wall_clock_s: Callable[[], float], *, count_throws: bool, facts: int | None
    ) -> None:
        self._folder, self._path = folder, folder / STORE_FILE
        self._wall_clock_s, self._count_throws, self._facts = wall_clock_s, count_throws, facts
        self._notes, self._why = list[str](), ""
        self._fault: Fault | None = None
        self._passed_over = set[Path]()
        self._replaced: _Replaced | None = None
        self._rebuilt = 0

    def run(self) -> tuple[Store | None, StoreFault | None]:
        remove_parts(self._folder)
        found = look(self._folder, self._facts)
        while True:
            try:
                match found:
                    case SetAside(path):
                        self._take_back(path)
                    case Waiting(name):
                        self._put_in_place(name)
                    case Nothing() | Ours():
                        return self._finish(self._open())
                    case Interrupted():
                        return self._finish(self._open_and_check())
                    case Earlier():
                        self._bring_up_to_date()
                    case Newer() | Damaged() if self._may_replace:
                        self._replace(found)
                    case Unreadable(why) | Newer(why) | Damaged(why):
                        return None, self._without_memory(why)
                    case _:
                        assert_never(found)
                found = look(self._folder, self._facts, self._passed_over)
            except OSError as error:
                found = judge(error, self._folder)

    def _take_back(self, path: Path) -> None:
        """Queues a store that an older version has set aside, to be put back.

        If matches have been played meanwhile, they stay, and this one is renamed as replaced.
        """
        self._passed_over.add(path)
        with suppress(OSError, *UNREADABLE):  # such a file stays as it is
            with closing(sqlite3.connect(path)) as db:
                db.execute("pragma journal_mode = delete")  # all of it is in one file then
            to = self._folder / RESTORE_NAME
            played = ask(self._path, "select count(*) from match")
            if played or os.path.lexists(to):
                to = path.with_name(f"{path.name.removesuffix(NEWER)}replaced")
            path.rename(to)
            path.with_name(path.name + MARK_NAME).unlink(missing_ok=True)
            sync_folder(self._folder)
            if to.name != RESTORE_NAME:
                self._notes.append(
                    f"{path}: set aside by an earlier version, with {played} matches since: it is "
                    f"now {to.name}, and shutthebox restore brings it back"
                )

    def _put_in_place(self, name: str) -> None:
        done = _put_in_place(self._folder, name, self._wall_clock_s())
        self._notes.append(f"{self._path}: {done}")
        self._fault = Fault.STORE_REPLACED if name == RECOVERED_NAME else None

    def _bring_up_to_date(self) -> None:
        """Replaces a store of an earlier version by one with its facts.

        Raises:
            StoreError: some of them are lost, or all.
        """
        recovered = _rebuild(self._folder, RESTORE_NAME)
        if recovered is None:
            check(self._path, self._facts)  # its words are better
            raise StoreError(f"{self._path}: of an earlier version, and nothing in it can be read")
        if recovered.lost:
            (self._folder / RESTORE_NAME).unlink()
            raise StoreError(f"{self._path}: {recovered.lost} facts are missing or were altered")
        done = _put_in_place(self._folder, RESTORE_NAME, self._wall_clock_s())
        _log.info("%s: brought up to date: %s", self._path, done)

    @property
    def _may_replace(self) -> bool:
        """Whether another file may help: after a new store without anything in it, none will."""
        return self._replaced is None or self._replaced.recovered is not None

    def _replace(self, found: Newer | Damaged) -> None:
        """Sets the store aside. A new one has its good part; if that can't be used twice, nothing."""
        self._why = self._why or found.why
        recovered = _rebuild(self._folder, RECOVERED_NAME) if self._rebuilt < MOST_REBUILT else None
        self._rebuilt += 1
        # A newer version continues from what this one takes over, and needs its own store only if that's
        # nothing.
        aside = "damaged" if isinstance(found, Damaged) else NEWER if recovered is None else "replaced"
        kept = set_aside(self._folder, self._wall_clock_s(), aside)
        self._passed_over.add(kept)
        if recovered is not None:
            _put_in_place(self._folder, RECOVERED_NAME, self._wall_clock_s())
        before = self._replaced
        if before is None or before.recovered is None:
            self._replaced = _Replaced(found, kept.name if os.path.lexists(kept) else "", recovered)
        else:
            if recovered is not None:
                recovered = recovered._replace(lost=recovered.lost + before.recovered.lost)
            self._replaced = before._replace(recovered=recovered)

    def _open(self) -> Store:
        store = Store(self._folder, self._wall_clock_s, count_throws=self._count_throws)
        store.mark_head()
        return store

    def _open_and_check(self) -> Store:
        """Opens a store that can't be read before it's opened: what was being written is undone first."""
        store = Store(self._folder, self._wall_clock_s, count_throws=self._count_throws)
        try:
            check(self._path, self._facts)
        except StoreError:
            store.close()
            raise
        store.mark_head()
        return store

    def _finish(self, store: Store) -> tuple[Store, StoreFault | None]:
        """Writes down what was done."""
        if self._replaced is not None:
            self._notes.append(self._replaced.in_words)
            self._fault = self._replaced.fault
        if self._facts is None or self._replaced is not None:
            with suppress(OSError):
                (self._folder / SUSPECT_NAME).unlink(missing_ok=True)
        fault = StoreFault(self._fault, self._notes[-1]) if self._fault else None
        for note in self._notes:
            if fault is None:
                _log.warning("%s", note)
            with suppress(StoreError):  # it waits in the store then
                store.keep(Faulted(fault.fault.value if fault and note == fault.text else "store", note))
        return store, fault

    def _without_memory(self, why: str) -> StoreFault:
        because = f"{self._why}; {why}" if self._why and why != self._why else why
        return StoreFault(Fault.FORGETS, f"{because}; playing without memory")


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


def _rebuild(folder: Path, waiting: str) -> Recovered | None:
    """Writes the good part of the store into a new file that waits.

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


def _put_in_place(folder: Path, name: str, now_s: float) -> str:
    """Puts a waiting store in place; safe if the plug is pulled.

    Returns:
        What was done.

    Raises:
        OSError: if it can't be put there.
    """
    done, why = _WAITING[name]
    if any(os.path.lexists(folder / file) for file in FILES):
        done += f"; the old one is kept as {set_aside(folder, now_s, why).name}"
    (folder / name).rename(folder / STORE_FILE)
    sync_folder(folder)
    return done


_WAITING = {
    RECOVERED_NAME: ("the good part of a damaged store was recovered", "damaged"),
    RESTORE_NAME: ("restored", "replaced"),
}
"""What is done with a waiting store, and the word for the name of the one that it replaces."""


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
