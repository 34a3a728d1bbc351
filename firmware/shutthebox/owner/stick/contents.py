"""Finds what is on a stick, within limits on entries, bytes and time."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from shutthebox.config.stray_files import is_hidden
from shutthebox.files import entries_of

LOOKING_S = 20.0
"""Seconds for the whole search: a folder that contains itself has no end."""

MAX_MEMORY = 64 << 20
"""The most bytes of a saved memory; ten years of a busy pub come to less."""

FOLDER = "shutthebox"
"""The folder on a stick with settings files."""

SAVED = "memory.sqlite3"
"""The memory's file, in a folder that the box has saved."""


PART = ".part"
"""The ending of a folder's name while it's being saved, and after a save that was cut off."""


_DATE = re.compile(r"\d{4}-\d\d-\d\d(-\d+)?$")


@dataclass(frozen=True, slots=True)
class Contents:
    """The files on a stick that a box can use.

    Attributes:
        updates: files that may be updates, the highest number in a name last.
        memory: the saved memory with the latest name.
        settings: the folder with files of settings.
    """

    updates: tuple[Path, ...] = ()
    memory: Path | None = None
    settings: Path | None = None


@dataclass
class _Deadline:
    end_s: float = field(default_factory=lambda: time.monotonic() + LOOKING_S)

    @property
    def has_passed(self) -> bool:
        return time.monotonic() > self.end_s


def look(folder: Path) -> Contents:
    """Examines the top folder of a stick, and the folders a box saved there.

    Raises:
        OSError: it can't be read.
    """
    deadline = _Deadline()
    updates, memories, settings = [], [], None
    for entry in _entries(folder, deadline):
        name = entry.name
        if _is_update(entry):
            updates.append(Path(entry.path))
        elif name.lower() == FOLDER and entry.is_dir(follow_symlinks=False):
            settings = Path(entry.path)
            updates += [Path(inner.path) for inner in _entries(settings, deadline) if _is_update(inner)]
        elif (
            name.startswith(f"{FOLDER}-") and not name.endswith(PART) and entry.is_dir(follow_symlinks=False)
        ):
            memories.append(Path(entry.path, SAVED))
        elif name.endswith(".sqlite3") and entry.is_file(follow_symlinks=False):
            memories.append(Path(entry.path))
    found = None
    for path in sorted(memories, key=_day, reverse=True):
        if deadline.has_passed:
            break
        with suppress(OSError):
            if path.is_file() and 0 < path.stat().st_size <= MAX_MEMORY:
                found = path
                break
    return Contents(tuple(sorted(updates, key=_number)), found, settings)


def _is_update(entry: os.DirEntry[str]) -> bool:
    return entry.name.lower().endswith(".raucb") and entry.is_file(follow_symlinks=False)


def _entries(folder: Path, deadline: _Deadline) -> Iterator[os.DirEntry[str]]:
    for entry in entries_of(folder):
        if deadline.has_passed:
            return
        if not is_hidden(entry.name):
            yield entry


def _day(path: Path) -> str:
    """The date at the end of a saved folder's name; empty for a lone file."""
    found = _DATE.search(path.parent.name) if path.name == SAVED else None
    return found[0] if found else ""


def _number(path: Path) -> tuple[tuple[int, ...], str]:
    return tuple(int(digits[:9]) for digits in re.findall(r"\d+", path.name)), path.name


def memory_name(path: Path) -> str:
    """A saved memory's name for the owner: the folder's if the box made it, otherwise the file's."""
    return path.parent.name if path.name == SAVED else path.name
