"""The scores: a file for the uplink, and the scoreboard's folder, both readable by every user.

Their readers are on a network, and the store must never wait for one: even a read-only connection to an
SQLite file can hold locks that keep the writer out. So they get a copy of the data. The daemon replaces each
file as a whole whenever it changes.
"""

import logging
import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from shutthebox import __version__
from shutthebox.adapters.store.errors import UNREADABLE
from shutthebox.files import replace_file
from shutthebox.game.effects import Effect, Keep, Show
from shutthebox.game.facts import Began, Chosen, Finished, PlayersLeft, Signed
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.night import night_of
from shutthebox.translations import translations

if TYPE_CHECKING:
    from shutthebox.adapters.store.scores import Past
    from shutthebox.web.scoreboard.folder import InATab, ScoreboardFolder

_log = logging.getLogger(__name__)

FILE_NAME = "scores.json"

VERSION = 2
"""The version of the file's format. The uplink reads no other, such as one from before an update."""


REPORT_S = 60
"""How often the owner's page is rewritten, in seconds."""


class ScoresWriter:
    """An observer of the runner that keeps the files up to date. Called in the main thread.

    A full disk or an unreadable store doesn't stop the game: the files stay as they are, or have no past
    matches.

    Args:
        folder: where to write the files; systemd provides one in memory, which spares the SD card.
        open_store: opens a connection for reading the store, closed afterwards; None without memory.
        clock_s: the clock that also dates the store's matches, in seconds since 1970.
        display_works: whether the panel accepts its data; None without a panel.
        report: returns the owner's headings and lines in a language; None if there's no owner's page.
        tab: returns what the scoreboard offers guests; called once the box is ready.
        waits: write nothing before `look_at_the_day` is called, to keep startup fast.
    """

    def __init__(
        self,
        folder: Path,
        open_store: Callable[[], sqlite3.Connection] | None,
        clock_s: Callable[[], float] = time.time,
        *,
        display_works: Callable[[], bool] | None = None,
        report: Callable[[str], Iterable[tuple[str, Iterable[str]]]] | None = None,
        tab: "Callable[[], InATab | None]" = lambda: None,
        waits: bool = False,
    ) -> None:
        self._path = folder / FILE_NAME
        self._open_store, self._clock_s = open_store, clock_s
        self._report, self._reported_s = report, 0.0
        self._display_works, self._tab, self._waits = display_works, tab, waits
        self._scoreboard: ScoreboardFolder | None = None
        self._shown: Show | None = None
        self._past: Past | None = None
        self._past_of: tuple[str, str] | None = None
        self._written_with: tuple[str, bool | None] | None = None
        self._failing = False

    def __call__(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        """Handles an effect or a settled switch."""
        match what:
            case Keep(Began() | Finished() | Signed() | PlayersLeft() | Chosen()):
                self._past_of = None
            case Show():
                # Everything shown has been kept; the scoreboard mustn't know more than the players have
                # seen.
                self._shown = what
                if not self._waits:
                    self._write(what)
            case _:
                pass

    def look_at_the_day(self) -> None:
        """Rewrites the files on a new day, when a display comes or goes, or after a failed write."""
        self._waits = False
        if self._shown is not None and self._written_with != (self._day(), self._has_display()):
            self._write(self._shown)
        now_s = self._clock_s()
        if self._report is None or self._shown is None or 0 <= now_s - self._reported_s < REPORT_S:
            return
        self._reported_s, language = now_s, self._shown.language
        with suppress(OSError):  # a failed write has already been logged
            self._pages().show_box(language, self._report(language))

    def _day(self) -> str:
        return night_of(self._clock_s()).isoformat()

    def _has_display(self) -> bool | None:
        return None if self._display_works is None else self._display_works()

    def _write(self, show: Show) -> None:
        # Imported lazily to keep startup fast.
        from shutthebox.adapters.store import scores

        translate = translations()[show.language]
        day, display = self._day(), self._has_display()
        if self._past_of != (day, show.language):
            self._past_of, self._past = (day, show.language), None
            try:
                if self._open_store is not None:
                    with closing(self._open_store()) as db:
                        self._past = scores.past(db, day, show.language)
            except (OSError, *UNREADABLE) as error:
                _log.warning("the scoreboard can't show earlier matches: %s", error)
        document = scores.Scores(
            version=VERSION,
            program=__version__,
            display=display,
            language=show.language,
            running=scores.running(show, translate),
            puzzles=None if show.scene.player else scores.puzzle_games(show),
            rules=scores.rules(show.scene.game, show.language),
            past=self._past,
        )
        try:
            replace_file(self._path, document.to_json().encode())
            self._pages().show(document, show.scene.game)
        except OSError as error:
            if not self._failing:
                _log.warning("%s: %s; the scoreboard is not up to date", self._path, error.strerror)
            self._failing, self._written_with = True, None
        else:
            self._failing, self._written_with = False, (day, display)

    def _pages(self) -> "ScoreboardFolder":
        if self._scoreboard is None:
            # Imported lazily to keep startup fast.
            from shutthebox.web.scoreboard.folder import FOLDER_NAME, ScoreboardFolder

            self._scoreboard = ScoreboardFolder(self._path.parent / FOLDER_NAME, self._tab())
        return self._scoreboard
