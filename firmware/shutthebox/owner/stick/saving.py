"""Saves what somebody needs to help remotely, and no secrets: memory, results, report."""

import csv
import io
import os
import re
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from shutthebox import __version__
from shutthebox.adapters.store import queries
from shutthebox.adapters.store.backup import content_of
from shutthebox.adapters.store.reading import open_reading
from shutthebox.errors import ShutTheBoxError
from shutthebox.files import sync_folder
from shutthebox.game.stick import StickOutcome
from shutthebox.owner.stick.contents import FOLDER, PART, SAVED
from shutthebox.owner.stick.errors import JobError, box_disk_errors
from shutthebox.owner.stick.statistics_page import statistics_page
from shutthebox.translations import translations

_BLOCK = 1 << 18
_SECONDS = 120
_MAX_SAID = 1 << 19
_JOURNAL = (
    "journalctl", "--no-pager", "--output=short-iso", "--lines=2000",
    *(f"--unit=shutthebox{unit}" for unit in
      (".service", "-card", "-data", "-confirm", "-scoreboard", "-speech", "-uplink", "-link", "-stick@*")),
)  # fmt: skip
"""The journal, but only of our own units: others may reveal more than their owner wants."""

_KERNEL = ("journalctl", "--no-pager", "--output=short-iso", "--dmesg", "--priority=warning", "--lines=300")


def contents(state: Path, language: str) -> Iterator[tuple[str, bytes]]:
    """The files of a saved folder, name by name; just the report if the box has no memory yet.

    Args:
        state: the folder of the box's memory.
        language: of the page.
    """
    complaint = ""
    try:
        with open_reading(state) as store:
            yield SAVED, content_of(store.db, Path(SAVED))
            yield "results.csv", results(store.db).encode()
            found, matches = queries.read(store.db), queries.latest(store.db, 100)
            chosen = _language(store.db) or language
            yield "statistics.html", statistics_page(found, matches, chosen).encode()
    except ShutTheBoxError as error:
        complaint = f"memory: {error}\n\n"
    yield "report.txt", (complaint + report(state)).encode("utf-8", "replace")


_SEPARATOR = ";"


def results(db: sqlite3.Connection) -> str:
    """Every decided match as a table for a spreadsheet, one line per player; in ASCII.

    Excel splits a table at semicolons where the decimal sign is a comma, and at commas elsewhere, unless the
    first line names the sign; it doesn't see that line as part of the table, and nor does LibreOffice.
    """
    text = io.StringIO(f"sep={_SEPARATOR}\r\n")
    text.seek(0, io.SEEK_END)
    rows = csv.writer(text, delimiter=_SEPARATOR)
    rows.writerow(("date", "game", "player", "initials", "score", "won"))
    for match in reversed(queries.latest(db, -1)):
        began = time.strftime("%Y-%m-%d %H:%M", time.localtime(match.began_s))
        for player in match.players:
            score = "" if player.score is None else player.score
            names = to_safe_cell(match.profile), to_safe_cell(player.initials or "")
            rows.writerow((began, names[0], player.number, names[1], score, int(player.won)))
    return text.getvalue()


def to_safe_cell(text: str) -> str:
    """Makes a text safe for spreadsheets: no formula, no cell separator.

    >>> to_safe_cell('=1+1;"@x"')
    "'=1+1__@x_"
    """
    plain = re.sub(r"[^\w .=+@-]", "_", text, flags=re.ASCII)
    return f"'{plain}" if plain and not plain[0].isalnum() else plain


def _language(db: sqlite3.Connection) -> str | None:
    """The language chosen at the box; None if there's none, or this version no longer has it."""
    chosen = queries.setting(db, "box.language")
    return chosen if isinstance(chosen, str) and chosen in translations() else None


def report(state: Path) -> str:
    """A text report: versions, hardware, faults, health of the levers, the journal."""
    own = (sys.executable, "-m", "shutthebox")
    parts = [
        ("Shut the Box", f"version {__version__}, {time.strftime('%Y-%m-%d %H:%M')}\n"),
        ("System", _run("uname", "-a") + _content("/etc/os-release") + _content("/proc/device-tree/model")),
        ("Running since", _run("uptime", "-p")),
        ("Doctor", _run(*own, "doctor")),
        ("Statistics, levers and faults", _run(*own, "stats", "--state", str(state))),
        ("Journal", _run(*_JOURNAL)),
        ("Kernel", _run(*_KERNEL)),
    ]
    return "\n".join(f"{title}\n{'=' * len(title)}\n{text.rstrip()}\n" for title, text in parts)


def _run(*command: str) -> str:
    """The output of a program, or a line saying that it's missing or hangs."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{command[0]}: {error}\n"
    return (done.stdout + done.stderr)[-_MAX_SAID:]


def _content(path: str) -> str:
    with suppress(OSError):
        return Path(path).read_bytes()[:4096].decode("utf-8", "replace").rstrip("\0") + "\n"
    return ""


def box_name() -> str:
    """This box's name, as used in folder names."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", socket.gethostname().partition(".")[0])[:32].strip("-") or "box"


def save(stick: Path, state: Path, language: str, progress: Callable[[int], None]) -> str:
    """Saves into a new folder; never overwrites anything.

    A folder whose name ends in ``.part`` was not finished.

    Args:
        stick: the top of it, which can be written to.
        state: the folder of the box's memory.
        language: of the page.
        progress: called with the percentage done; if it raises, the save is abandoned.

    Returns:
        The name of the folder.

    Raises:
        OSError: if it can't be written; what was begun is removed, if possible.
        JobError: if it's unclear whether the stick has it.
    """
    files = []
    with box_disk_errors():
        for file, content in contents(state, language):
            files.append((file, content))
            progress(0)
    total, done = sum(len(content) for _, content in files), 0
    name, part = _new_folder(stick)
    try:
        for file, content in files:
            with (part / file).open("xb") as to:
                for start in range(0, len(content), _BLOCK):
                    done += to.write(content[start : start + _BLOCK])
                    # Synced block by block, so that the progress is true.
                    to.flush()
                    os.fsync(to.fileno())
                    progress(99 * done // total)
        sync_folder(part)
        part.rename(stick / name)
    except BaseException:
        for file, _ in files:
            with suppress(OSError):
                (part / file).unlink()
        with suppress(OSError):
            part.rmdir()
        raise
    try:
        sync_folder(stick)
    except OSError as error:
        raise JobError(StickOutcome.UNSURE, f"{name}: {error.strerror}") from None
    return name


def _new_folder(stick: Path) -> tuple[str, Path]:
    """A name not in use yet, and the folder to fill, under a temporary name."""
    day = f"{FOLDER}-{box_name()}-{time.strftime('%Y-%m-%d')}"
    for count in range(1, 1000):
        name = day if count == 1 else f"{day}-{count}"
        part = stick / f"{name}{PART}"
        if not (stick / name).exists():
            with suppress(FileExistsError):
                part.mkdir()
                return name, part
    raise FileExistsError(f"{day}: saved a thousand times")
