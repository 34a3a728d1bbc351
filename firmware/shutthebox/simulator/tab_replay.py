"""A replay in a tab of a browser: a scenario, or the record of a match, at the speed at which it was played.

It has a worker of its own: a script that takes long delays nothing but itself, and ends with its worker.
"""

import base64
import json
import tempfile
import zlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from shutthebox.adapters.display.bitmap import SIZE, Bitmap
from shutthebox.adapters.display.layout import render
from shutthebox.errors import ShutTheBoxError, one_line
from shutthebox.game.effects import Effect, Show
from shutthebox.game.screen import ToldScreen
from shutthebox.game.settings import Brightness
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.simulator.hardware.box import Change
from shutthebox.simulator.page.message import MAX_SCENARIO
from shutthebox.simulator.page.state import film_state
from shutthebox.simulator.page.texts import pixels_text
from shutthebox.simulator.page.transcript import BoxInWords
from shutthebox.simulator.scenario.from_record import script_or_record
from shutthebox.simulator.scenario.player import Replay

LONGEST_GAP_NS = 2_000_000_000
"""A pause longer than this is cut out."""

MAX_LINK = 16 * 1024
"""Most characters of a packed script."""


def packed(script: str) -> str:
    """A scenario or a record for the fragment of an address; empty if it is too long for one."""
    text = base64.urlsafe_b64encode(zlib.compress(script.encode(), 9)).decode("ascii").rstrip("=")
    return text if len(text) <= MAX_LINK else ""


def unpacked(text: str) -> str:
    """The script that `packed` was given.

    Raises:
        ShutTheBoxError: for a text that it has not made.
    """
    try:
        if len(text) > MAX_LINK:
            raise ValueError("too long")
        packed_bytes = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        unpacker = zlib.decompressobj()
        script = unpacker.decompress(packed_bytes, MAX_SCENARIO)
        if not unpacker.eof:
            raise ValueError("not all of it, or too much")
        return script.decode()
    except (ValueError, zlib.error):
        raise ShutTheBoxError("link: it is not whole; allowed is a link that the box has made") from None


@dataclass(frozen=True, slots=True)
class _Moment:
    """What is to be seen from a time on; the picture is drawn when its time has come."""

    t_ns: int
    state: dict[str, object] = field(default_factory=dict)
    screen: ToldScreen | None = None
    since_ns: int = 0


class _Shelf:
    """A display that keeps the screen for later."""

    def __init__(self) -> None:
        self.screen: ToldScreen | None = None
        self.since_ns = 0

    def show(self, screen: ToldScreen, t_ns: int) -> None:
        self.screen, self.since_ns = screen, t_ns

    def sleep(self) -> None:
        self.screen = None

    def brighten(self, brightness: Brightness) -> None:
        """The page's panel has one brightness."""


class TabReplay:
    """One run of a script for the page.

    Args:
        script: a scenario or a record; packed, if it came with a link.
        is_packed: it did.
        post: gets every state for the page, as JSON.
    """

    def __init__(self, script: str, is_packed: bool, post: Callable[[str], None]) -> None:
        self._post = post
        self._words, self._shelf = BoxInWords(), _Shelf()
        self._moments: deque[_Moment] = deque()
        self._shown, self._at_ns = _Moment(0), 0
        self._over, self._complaint, self._link = False, "", ""
        self._lamp = 0.0
        self._posted = ""
        try:
            text = unpacked(script) if is_packed else script
            folder = Path(tempfile.mkdtemp())
            self._replay = Replay(script_or_record(text, folder), folder, self._shelf)
            self._link = packed(text)
        except ShutTheBoxError as error:
            self._end(error)
            return
        self._lines = self._replay.lines()
        self._replay.world.observe(self._look_on)
        self._replay.world.box.subscribe(self._hand_moved)
        self._look_on(self._replay.world.show, 0)

    def advance(self, now_ns: int) -> int:
        """Shows what is due; gives the time at which more is, -1 for never. Times count from any start."""
        while True:
            while not self._moments and not self._over:
                self._play_a_line()
            if not self._moments:
                break
            gap_ns = min(self._moments[0].t_ns - self._shown.t_ns, LONGEST_GAP_NS)
            due_ns = self._at_ns + gap_ns
            if due_ns > now_ns:
                break
            # Where a line took longer than it lasts, what follows is not hurried.
            self._shown, self._at_ns = self._moments.popleft(), max(due_ns, now_ns - LONGEST_GAP_NS // 20)
        next_ns = self._show(now_ns)
        if self._moments:
            next_ns = min(due_ns, next_ns) if next_ns >= 0 else due_ns
        return next_ns

    def _play_a_line(self) -> None:
        try:
            next(self._lines)
        except StopIteration:
            self._over = True
        except (ShutTheBoxError, OSError) as error:
            self._end(error)

    def _end(self, error: Exception) -> None:
        self._over, self._complaint = True, one_line(str(error))

    def _look_on(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        self._words(what, t_ns)
        if isinstance(what, Show):
            self._lamp = 1.0 if what.screen.lit else 0.0
            self._take(t_ns)

    def _hand_moved(self, change: Change) -> None:
        if change in (Change.LEVERS, Change.BUTTON):
            self._take(self._replay.world.now_ns)

    def _take(self, t_ns: int) -> None:
        box = self._replay.world.box
        state = film_state(
            self._words.words, box.levers, box.levers_down, button=box.button_down, lamp=self._lamp
        )
        self._moments.append(_Moment(t_ns, state, self._shelf.screen, self._shelf.since_ns))

    def _show(self, now_ns: int) -> int:
        """Posts the state now, if it is another; gives the time of its next picture, -1 for none."""
        moment, next_ns = self._shown, -1
        picture = Bitmap.of(*SIZE)
        if moment.screen is not None:
            age_ns = max(moment.t_ns - moment.since_ns, 0) + now_ns - self._at_ns
            frame = render(moment.screen, age_ns, SIZE)
            picture = frame.picture
            if frame.next_ns is not None:
                next_ns = now_ns + max(frame.next_ns - age_ns, 1)
        over = self._over and not self._moments
        film = {"over": over, "complaint": self._complaint if over else "", "link": self._link}
        state = json.dumps({"type": "change", **moment.state, "panel": pixels_text(picture), "film": film})
        if state != self._posted:
            self._posted = state
            self._post(state)
        return next_ns
