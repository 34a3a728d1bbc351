"""A film: a scenario or a match's record, replayed for a page at its original speed.

It runs on its own box in virtual time, and can't affect the box in play.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from shutthebox.config.schema import Config
from shutthebox.errors import ShutTheBoxError, one_line
from shutthebox.game.effects import Effect, Show
from shutthebox.game.screen import LocalizedScreen
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.runtime.ports import DisplayPort
from shutthebox.simulator.hardware.box import Change
from shutthebox.simulator.hardware.lit_picture import LitPicture
from shutthebox.simulator.page.texts import pixels_text
from shutthebox.simulator.page.transcript import Transcript
from shutthebox.simulator.scenario.player import ScenarioPlayer
from shutthebox.simulator.scenario.script import Scenario
from shutthebox.simulator.virtual_box import VirtualBox

LONGEST_GAP_NS = 2_000_000_000
"""Longer pauses are cut to this."""

_LATE_NS = 100_000_000  # what follows a line that took longer to compute than this is not hurried


class FilmDisplay(DisplayPort, Protocol):
    """The display of the box in a film."""

    @property
    def seen(self) -> tuple[LocalizedScreen, int] | None:
        """The visible screen, and when it was first shown; None if the panel is dark."""


_Seen: TypeAlias = tuple[LocalizedScreen, int] | None


@dataclass(frozen=True, slots=True)
class _Moment:
    """What's visible of each box from a certain time on; its pictures are drawn when that time comes."""

    t_ns: int
    states: tuple[dict[str, object], ...] = ()
    seen: tuple[_Seen, ...] = ()


class _Side:
    """A page's view of one box.

    Args:
        box: in the film.
        display: of it.
        take: called with the time whenever something has changed.
    """

    def __init__(self, box: VirtualBox, display: FilmDisplay, take: Callable[[int], None]) -> None:
        self._box, self._display, self._take = box, display, take
        self._words, self._glass, self._lamp = Transcript(), LitPicture(), 0.0
        box.observe(self._observe_effect)
        box.box.subscribe(self._hand_moved)
        self._note(box.show, 0)

    @property
    def seen(self) -> _Seen:
        """The visible screen, and when it was first shown; None if the panel is dark."""
        return self._display.seen

    @property
    def state(self) -> dict[str, object]:
        """For the page: everything but the picture."""
        words, box = self._words.words, self._box.box
        down = box.levers_down
        return {
            "levers": [{"number": number, "down": number in down} for number in box.levers],
            "button": box.button_down,
            "lamp": self._lamp,
            "sound": None,
            "words": words.panel,
            "said": [words.announcements, words.said],
            "list": None,
            "dice": {"faces": words.dice, "tumbling": words.tumbling},
        }

    def draw(self, seen: _Seen, t_ns: int) -> tuple[str, int | None]:
        """The picture for the page, and when the next one is due; None for never."""
        if seen is None:
            self._glass.sleep()
        else:
            self._glass.show(*seen)
        return pixels_text(self._glass.look(t_ns)), self._glass.due_ns

    def _observe_effect(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        self._note(what, t_ns)
        self._take(t_ns)

    def _note(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        self._words(what, t_ns)
        if isinstance(what, Show):
            self._lamp = 1.0 if what.screen.lit else 0.0

    def _hand_moved(self, change: Change) -> None:
        if change in (Change.LEVERS, Change.BUTTON):
            self._take(self._box.now_ns)


class Film:
    """One run of a scenario for a page. Single-threaded; its boxes run at most one line ahead.

    Args:
        read: returns the scenario; raises ShutTheBoxError if there's none.
        folder: for the memories of its boxes.
        display: makes the display of a box.

    Attributes:
        state: what the page shows in place of its own box; replaced as a whole by `advance`. Its "beside" is
            a second box that is linked, or None.
    """

    def __init__(
        self, read: Callable[[], Scenario], folder: Path, display: Callable[[Config], FilmDisplay]
    ) -> None:
        self.state: dict[str, object] = {}
        self._moments: deque[_Moment] = deque()
        self._shown, self._at_ns = _Moment(0), 0
        self._ended, self._complaint = False, ""
        self._lines: Iterator[None] = iter(())
        self._sides: tuple[_Side, ...] = ()
        self._box = ExitStack()
        try:
            scenario = read()
            displays = [display(config) for config in filter(None, (scenario.config, scenario.second))]
            replay = ScenarioPlayer(scenario, folder, displays[0], second_display=displays[-1])
            self._box.callback(replay.close)
            self._world, self._lines = replay.world, replay.lines()
        except (ShutTheBoxError, OSError) as error:  # OSError: a full disk, for example
            self._end(error)
            return
        boxes = [box for box in (replay.world, replay.second) if box is not None]
        self._sides = tuple(_Side(box, shown, self._take) for box, shown in zip(boxes, displays, strict=True))
        self._take(0)

    @property
    def progress(self) -> dict[str, object]:
        """For the page: whether it has ended, and why, if it stopped early."""
        over = self._ended and not self._moments
        return {"over": over, "complaint": self._complaint if over else ""}

    def advance(self, now_ns: int) -> int:
        """Shows what's due. Returns when to come back, -1 for never. Times may count from any zero."""
        due_ns = -1
        while not self._ended or self._moments:
            if not self._moments:
                self._play_a_line()
                continue
            due_ns = self._at_ns + min(self._moments[0].t_ns - self._shown.t_ns, LONGEST_GAP_NS)
            if due_ns > now_ns:
                break
            self._shown, self._at_ns = self._moments.popleft(), max(due_ns, now_ns - _LATE_NS)
        next_ns = self._show(now_ns)
        if self._moments:
            next_ns = min(due_ns, next_ns) if next_ns >= 0 else due_ns
        return next_ns

    def close(self) -> None:
        """Ends the film and closes its box, as happens anyway at the film's end."""
        self._ended = True
        self._box.close()

    def _play_a_line(self) -> None:
        try:
            next(self._lines)
        except StopIteration:
            self.close()
        except (ShutTheBoxError, OSError) as error:
            self._end(error)
        else:
            self._take(self._world.now_ns)  # an unplugged panel reports no changes

    def _end(self, error: Exception) -> None:
        self._complaint = one_line(str(error))
        self.close()

    def _take(self, t_ns: int) -> None:
        states, seen = tuple(side.state for side in self._sides), tuple(side.seen for side in self._sides)
        last = self._moments[-1] if self._moments else self._shown
        if (states, seen) != (last.states, last.seen):
            self._moments.append(_Moment(t_ns, states, seen))

    def _show(self, now_ns: int) -> int:
        """Updates the state. Returns the time of its next picture, -1 for none."""
        moment = self._shown
        t_ns = moment.t_ns + now_ns - self._at_ns
        boxes, due = list[dict[str, object]](), list[int]()
        for side, state, seen in zip(self._sides, moment.states, moment.seen, strict=False):
            panel, due_ns = side.draw(seen, t_ns)
            boxes.append({**state, "panel": panel})
            due += [] if due_ns is None else [due_ns]
        if boxes:
            self.state = {**boxes[0], "beside": boxes[1] if boxes[1:] else None}
        return now_ns + max(min(due) - t_ns, 1) if due else -1
