"""Shows films to a server's pages, each in its own thread and with a throwaway memory."""

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from shutthebox.simulator.film import Film
from shutthebox.simulator.hardware.virtual_display import VirtualDisplay
from shutthebox.simulator.scenario.from_record import script_or_record
from shutthebox.simulator.scenario.script import Scenario, read

_PREFIX = "shutthebox-film-"


def clear_films() -> None:
    """Deletes the memories of films left behind when the plug was pulled. Call it at startup."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}{os.getpid()}-*"):
        shutil.rmtree(folder, ignore_errors=True)


class FilmThread:
    """One film for a page.

    Args:
        scenario: the script, its file, or the record of a match.
        on_change: called in the film's thread when `state` changes.

    Attributes:
        state: what the page shows instead of the box in play; replaced as a whole.
    """

    def __init__(self, scenario: str | Path, on_change: Callable[[], None]) -> None:
        self.state: dict[str, object] = {"film": {"over": False, "complaint": ""}}
        self._scenario, self._on_change = scenario, on_change
        self._stopped = threading.Event()
        threading.Thread(target=self._run, name="film", daemon=True).start()

    def stop(self) -> None:
        """Ends the film; returns at once."""
        self._stopped.set()

    def _run(self) -> None:
        try:
            with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-") as folder:
                self._show(Path(folder))
        except OSError as error:  # there is no room for its memory, for one
            self._tell({"film": {"over": True, "complaint": str(error)}})

    def _show(self, folder: Path) -> None:
        def scenario() -> Scenario:
            given = self._scenario
            return read(given) if isinstance(given, Path) else script_or_record(given, folder)

        with closing(Film(scenario, folder, VirtualDisplay)) as film:
            due_ns = 0
            while due_ns >= 0 and not self._stopped.wait(max(due_ns - time.monotonic_ns(), 0) / 1e9):
                due_ns = film.advance(time.monotonic_ns())
                self._tell({**film.state, "film": film.progress})

    def _tell(self, state: dict[str, object]) -> None:
        if state != self.state:
            self.state = state
            self._on_change()
