"""Shows a scenario to spectators at the speed at which it was played.

It is played on a box of its own in virtual time, with a memory of its own that is thrown away: the box
in play, its dice and its match know nothing of it.
"""

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from shutthebox.errors import ShutTheBoxError
from shutthebox.game.effects import Effect, Show
from shutthebox.game.screen import ToldScreen
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.simulator.hardware.box import Change
from shutthebox.simulator.hardware.virtual_display import VirtualDisplay
from shutthebox.simulator.page.state import film_state
from shutthebox.simulator.page.texts import pixels_text
from shutthebox.simulator.page.transcript import BoxInWords
from shutthebox.simulator.scenario.from_record import script_or_record
from shutthebox.simulator.scenario.player import Replay
from shutthebox.simulator.scenario.script import Scenario, read

LONGEST_GAP_S = 2.0
"""A pause longer than this is cut out."""

_FRAME_S = 0.04

_PREFIX = "shutthebox-film-"


def clear_films() -> None:
    """Deletes the memories of films that this process had before its plug was pulled; called at the start."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}{os.getpid()}-*"):
        shutil.rmtree(folder, ignore_errors=True)


class _StoppedError(Exception):
    """The page has closed the film."""


class _PacedDisplay(VirtualDisplay):
    """A display that comes up with a screen only when its time has come."""

    def __init__(self, scenario: Scenario, pace: Callable[[int], None]) -> None:
        super().__init__(scenario.config)
        self._pace = pace

    def show(self, screen: ToldScreen, t_ns: int) -> None:
        self._pace(t_ns)
        super().show(screen, t_ns)


class Film:
    """One run of a scenario for a page, in a thread of its own.

    Args:
        scenario: the script, or the file that it is in; or the record of a match.
        on_change: called in the film's thread when `state` is another.

    Attributes:
        state: the page's state of the other box now; replaced as a whole.
        over: it has come to its end.
        complaint: a fault of the script, or a failed expectation; empty if there is none.
    """

    def __init__(self, scenario: str | Path, on_change: Callable[[], None]) -> None:
        self.state: Mapping[str, object] = {}
        self.over = False
        self.complaint = ""
        self._scenario, self._on_change = scenario, on_change
        self._stopped = threading.Event()
        self._words = BoxInWords()
        self._shown_ns, self._at_s = 0, time.monotonic()
        self._lamp = 0.0
        self._down: frozenset[int] = frozenset()
        self._button_down = False
        self._replay: Replay | None = None
        self._display: _PacedDisplay | None = None
        self._thread = threading.Thread(target=self._run, name="film", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends it; returns at once."""
        self._stopped.set()

    def _run(self) -> None:
        try:
            with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-") as folder:
                where = self._scenario
                scenario = read(where) if isinstance(where, Path) else script_or_record(where, Path(folder))
                self._display = _PacedDisplay(scenario, self._wait_until)
                self._replay = Replay(scenario, Path(folder), self._display)
                self._replay.world.observe(self._look_on)
                self._replay.world.box.subscribe(self._hand_moved)
                self._look_on(self._replay.world.show, 0)
                self._replay.run()
        except _StoppedError:
            return
        except (ShutTheBoxError, OSError) as error:  # the second: a full disk, for one
            self.complaint = str(error)
        self.over = True
        self._on_change()

    def _look_on(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        self._wait_until(t_ns)
        self._words(what, t_ns)
        if isinstance(what, Show):
            self._lamp = 1.0 if what.screen.lit else 0.0
        self._take_frame()

    def _hand_moved(self, change: Change) -> None:
        """Shows a move of a hand when its time has come: the other box runs ahead to what follows from it."""
        if self._replay is not None and change in (Change.LEVERS, Change.BUTTON):
            world = self._replay.world
            self._wait_until(world.now_ns)
            self._down, self._button_down = world.box.levers_down, world.box.button_down
            self._take_frame()

    def _wait_until(self, t_ns: int) -> None:
        """Shows a picture after another until it is this time in the scenario."""
        gap_s = min((t_ns - self._shown_ns) / 1e9, LONGEST_GAP_S)
        until_s = self._at_s + max(gap_s, 0.0)
        while (left_s := until_s - time.monotonic()) > 0:
            if self._stopped.wait(min(left_s, _FRAME_S)):
                raise _StoppedError
            self._shown_ns = min(t_ns, self._shown_ns + round(_FRAME_S * 1e9))
            self._take_frame()
        self._shown_ns, self._at_s = max(t_ns, self._shown_ns), time.monotonic()

    def _take_frame(self) -> None:
        if self._replay is None or self._display is None:
            return
        levers, words = self._replay.world.box.levers, self._words.words
        state = film_state(words, levers, self._down, button=self._button_down, lamp=self._lamp)
        state["panel"] = pixels_text(self._display.look(self._shown_ns))
        if state != self.state:
            self.state = state
            self._on_change()
