"""What the scoreboard may know: one small file, written by the daemon and read by anybody.

The scoreboard has a network and the store must never wait for it. A reader of an SQLite file,
even one that can only read, can hold locks that keep the writer out. So it is given no store
but a copy of what it shows, which the daemon replaces as a whole whenever it changes.
"""

import dataclasses
import json
import logging
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from shutthebox.adapters.store import queries
from shutthebox.adapters.store.schema import UNREADABLE
from shutthebox.config.schema import Config
from shutthebox.files import open_to_write
from shutthebox.game.effects import Effect, Keep, Show
from shutthebox.game.facts import Began, Chosen, Finished, Left, Signed
from shutthebox.game.switches.debounce import SwitchChanged

_log = logging.getLogger(__name__)

FILE_NAME = "scores.json"

VERSION = 1
"""Of the file. The scoreboard shows no other, such as one from before an update."""

MATCHES = 10
"""The latest matches are shown, so many of them."""


def scores_folder(config: Config) -> Path:
    """Where the file is: in memory, where systemd says so, or with the store."""
    system = os.environ.get("RUNTIME_DIRECTORY", "").split(":")[0]
    return Path(system) if system else config.state_folder


class ScoresWriter:
    """An observer of the runner that keeps the file up to date. Called in the main thread.

    Neither a full disk nor a store that cannot be read stops the game: the file then stays as
    it is, or says nothing of the past.

    Args:
        folder: where the file is to be; in memory where systemd provides one, so that an SD
            card is not written to for it.
        open_store: a connection to read the store by, which is closed after; None for a box
            without memory.
        language: of the screens; the page speaks it too.
    """

    def __init__(
        self, folder: Path, open_store: Callable[[], sqlite3.Connection] | None, language: str
    ) -> None:
        self._path = folder / FILE_NAME
        self._open_store = open_store
        self._language = language
        self._past: dict[str, Any] = {}
        self._running: dict[str, Any] | None = None
        self._written = ""
        self._failing = False
        self._look_back()

    def __call__(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        """Takes in what happened."""
        match what:
            case Keep(Chosen("box.language", str(language))):
                self._language = language
            case Keep(Began() | Finished() | Signed() | Left()):
                self._look_back()
            case Show():
                # What is shown has been kept, and only what has been shown may be known.
                self._running = _running(what)
                self._write()

    def _look_back(self) -> None:
        self._past = {}
        if self._open_store is None:
            return
        try:
            with closing(self._open_store()) as db:
                found = queries.read(db)
                latest = queries.latest(db, MATCHES)
                game = queries.latest_game(db)
        except (OSError, *UNREADABLE) as error:
            _log.warning("the scoreboard shows no past: %s", error)
            return
        self._past = {
            "game": game,
            "finished": found.finished,
            "matches": [dataclasses.asdict(match) for match in latest],
            "fame": [dataclasses.asdict(famous) for famous in found.fame],
            "dice": [
                {
                    "dice": entry.dice,
                    "sides": entry.sides,
                    "die": entry.die,
                    "throws": sum(entry.counts.values()),
                    "p_value": entry.fairness.p_value if entry.fairness.enough else None,
                }
                for entry in found.dice
            ],
        }

    def _write(self) -> None:
        document = {"version": VERSION, "language": self._language, "running": self._running, **self._past}
        text = json.dumps(document)
        if text == self._written:
            return
        new = self._path.with_suffix(".new")
        try:
            # Readable by everybody, whatever the umask; a half-written one is never seen.
            with open_to_write(new, follow_links=False) as file:
                os.fchmod(file.fileno(), 0o644)
                file.write(text.encode())
            new.replace(self._path)
        except OSError as error:
            if not self._failing:
                _log.warning("%s: %s; the scoreboard is not up to date", self._path, error.strerror)
            self._failing = True
        else:
            self._written, self._failing = text, False


def _running(show: Show) -> dict[str, Any] | None:
    """The match on the table; None if there is none."""
    if show.player is None:
        return None
    return {
        "player": show.player,
        "open": show.open,
        "scores": show.scores,
        "totals": show.totals,
        "winners": show.winners,
    }
