"""The workshop: breaks and mends the simulated hardware, and remembers its condition.

All of it is hardware: contacts, the panel's plug, the disk. The workshop can't change the game, its dice
or its memory.
"""

import json
import logging
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Protocol, Self

from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.files import read_bytes, reason, replace_file, shown_path
from shutthebox.simulator.hardware import disk
from shutthebox.simulator.hardware.bounce import USUAL_BOUNCE_NS
from shutthebox.simulator.hardware.box import MAX_LEVERS, Change, LeverFault, SimulatedBox

_log = logging.getLogger(__name__)

HARDWARE_FILE = "hardware.json"

MAX_BOUNCE_MS = 100
"""More than twice the settle window of a lever."""

_NS_IN_MS = 1_000_000
_MAX_FILE = 4096  # bytes; ours takes a quarter of that, and fits on a full disk


@dataclass(frozen=True, slots=True)
class Condition:
    """The state of the hardware, apart from what the daemon does with it.

    Attributes:
        down: levers that are down.
        stuck: levers that no hand can move.
        cut: levers whose wire is cut.
        bounce_ms: how long contacts bounce at most.
        lost_percent: the percentage of lever edges that get lost.
        display_unplugged: the panel is off its bus.
        disk_full: no file can grow.
    """

    down: tuple[int, ...] = ()
    stuck: tuple[int, ...] = ()
    cut: tuple[int, ...] = ()
    bounce_ms: int = USUAL_BOUNCE_NS // _NS_IN_MS
    lost_percent: int = 0
    display_unplugged: bool = False
    disk_full: bool = False

    @property
    def is_sound(self) -> bool:
        """Whether nothing is broken."""
        return self == Condition(self.down)

    @classmethod
    def parse(cls, text: str) -> Self:
        """The condition in this JSON.

        Raises:
            ValueError: for anything that `to_text` does not write.
        """
        document = json.loads(text)
        if not isinstance(document, dict) or not document.keys() <= asdict(cls()).keys():
            raise ValueError("not a condition of the hardware")
        for key, value in document.items():
            usual = getattr(cls(), key)
            if isinstance(usual, tuple):
                levers = value if isinstance(value, list) else [None]
                good = all(type(lever) is int and 1 <= lever <= MAX_LEVERS for lever in levers)
                document[key] = tuple(levers)
            else:
                good = type(value) is type(usual) and 0 <= value <= MAX_BOUNCE_MS
            if not good:
                raise ValueError(f"{key} can't be {value!r}")
        return cls(**document)

    def to_text(self) -> str:
        """The condition as JSON."""
        return json.dumps(asdict(self))


def read_condition(folder: Path) -> Condition:
    """The condition in which the hardware was left; sound if that can't be read."""
    path = folder / HARDWARE_FILE
    try:
        return Condition.parse(read_bytes(path, _MAX_FILE).decode())
    except FileNotFoundError:
        return Condition()
    except (OSError, ValueError, RecursionError) as error:
        _log.warning(
            "%s: %s; the levers are all up",
            shown_path(path),
            reason(error) if isinstance(error, OSError) else error,
        )
        return Condition()


class PanelOnBus(Protocol):
    """The simulated panel: its plug and its picture."""

    unplugged: bool
    """Whether it is off the bus."""

    def picture(self) -> Bitmap:
        """The 128 x 64 pixels lit now. Called in any thread, at any time."""

    def on_change(self, callback: Callable[[], None]) -> object:
        """Calls back, in any thread, whenever ``picture()`` would give something new."""


class Workshop:
    """The simulated hardware in the hands of makers; remembers its condition in a file.

    Called in any thread.

    Args:
        box: the contacts.
        panel: the display on its bus.
        folder: where the condition is kept; None to forget it.
        tell: called with the makers' actions as lines of a scenario, if there is a verb for them.
    """

    def __init__(
        self,
        box: SimulatedBox,
        panel: PanelOnBus,
        folder: Path | None = None,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.box, self.panel = box, panel
        self._path = None if folder is None else folder / HARDWARE_FILE
        self._tell = tell
        self._kept = Condition()
        self._failing = False
        self._keeping = threading.Lock()
        box.subscribe(self._changed)

    @property
    def condition(self) -> Condition:
        """The hardware as it is now."""
        box, faults = self.box, self.box.lever_faults
        return Condition(
            down=tuple(sorted(box.levers_down)),
            stuck=tuple(number for number, fault in faults.items() if fault is LeverFault.STUCK),
            cut=tuple(number for number, fault in faults.items() if fault is LeverFault.CUT),
            bounce_ms=box.bounce_ns // _NS_IN_MS,
            lost_percent=round(box.lost_edges * 100),
            display_unplugged=self.panel.unplugged,
            disk_full=disk.is_full(),
        )

    def restore(self, condition: Condition) -> None:
        """Breaks what is broken in this condition and mends the rest; leaves the levers where they are."""
        box, faults = self.box, self.box.lever_faults
        for number in box.levers:
            fault = LeverFault.STUCK if number in condition.stuck else None
            fault = LeverFault.CUT if number in condition.cut else fault
            if fault is not faults.get(number):
                box.break_lever(number, fault)
        box.bounce_ns = condition.bounce_ms * _NS_IN_MS
        if round(box.lost_edges * 100) != condition.lost_percent:
            box.lose_edges(condition.lost_percent / 100)
            self._tell(f"lose-edges {condition.lost_percent / 100:g}")
        if self.panel.unplugged != condition.display_unplugged:
            # Plugging a panel in clears its memory, so it must only happen once.
            self.panel.unplugged = condition.display_unplugged
            self._tell(f"oled {'off' if condition.display_unplugged else 'on'}")
        disk.fill(condition.disk_full)
        self._keep()

    def change(self, **changes: object) -> None:
        """Breaks or mends what these attributes of the condition stand for, and keeps it."""
        self.restore(replace(self.condition, **changes))  # type: ignore[arg-type]

    def break_lever(self, number: int, fault: LeverFault | None) -> None:
        """Breaks a lever in this way, or mends it.

        Raises:
            UnknownLeverError: no such lever.
        """
        self.box.break_lever(number, fault)
        self._keep()

    def _changed(self, change: Change) -> None:
        if change is Change.LEVERS:
            self._keep()

    def _keep(self) -> None:
        """Saves the condition. Called in the page's thread and in the contacts' thread."""
        if self._path is None:
            return
        with self._keeping:
            self._write(self._path, self.condition)

    def _write(self, path: Path, condition: Condition) -> None:
        if condition == self._kept:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, condition.to_text().encode())
        except OSError as error:
            if not self._failing:
                _log.warning("%s: %s; the box will forget the levers", shown_path(path), reason(error))
            self._failing = True
        else:
            self._kept, self._failing = condition, False
