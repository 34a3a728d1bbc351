"""The installed box in the guest, and the hands and eyes in front of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from shutthebox.config import Config
from shutthebox.game.mode import Mode
from shutthebox.game.screens import build_screen
from shutthebox.game.settings import Settings
from shutthebox.game.state import State
from shutthebox.i18n import translations
from shutthebox.platform.draw import draw
from shutthebox.rules.tiles import Tiles
from shutthebox.simulator.panel import PanelModel

from .machine import VirtualPi

SYSTEMD = Path(__file__).resolve().parents[2] / "systemd"
# A unit with ProtectProc has a /proc of its own, in which the guest is no Pi any more; and the
# libraries are not where Debian's packages would have put them.
DROP_IN = """\
[Service]
Environment=PYTHONPATH=/opt/python
BindReadOnlyPaths=/run/cpuinfo:/proc/cpuinfo
"""
PROGRAM = """\
#!/usr/bin/python3
import sys
from shutthebox.cli import main
sys.exit(main())
"""
GPIO = Config().gpio
PATIENCE_S = 60


def until(condition: Callable[[], bool], seconds: float = 30) -> bool:
    """Waits for something to become true; whether it did."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    return False


def install_box(pi: VirtualPi, config: str) -> None:
    """Puts the program, its unit, groups, rules and configuration where a package would."""
    pi.write("/usr/bin/shutthebox", PROGRAM, 0o755)
    pi.copy_in(SYSTEMD / "shutthebox.service", "/usr/lib/systemd/system/shutthebox.service")
    pi.copy_in(SYSTEMD / "shutthebox.sysusers", "/usr/lib/sysusers.d/shutthebox.conf")
    pi.copy_in(SYSTEMD / "60-shutthebox.rules", "/usr/lib/udev/rules.d/60-shutthebox.rules")
    pi.write("/etc/systemd/system/shutthebox.service.d/virtual-pi.conf", DROP_IN)
    pi.write("/etc/shutthebox/config.toml", config)
    pi.run("systemd-sysusers && udevadm control --reload && udevadm trigger --settle")
    pi.run("systemctl daemon-reload")


class Table:
    """A box in the guest as players meet it: levers, a button, and the glass."""

    def __init__(self, pi: VirtualPi, settings: Settings) -> None:
        self.pi = pi
        self._settings = settings
        self._words = translations()[settings.language]
        self._levers: Tiles = 0
        self.glass = PanelModel()

    def start(self) -> None:
        """Starts the service and waits until it is ready."""
        # A request with a pull moves a simulated line, as a lever at rest would.
        for line in (GPIO.roll, *GPIO.levers[: self._settings.levers or 9]):
            self.pi.set_line(int(line), 1)
        self.pi.panel_log()
        started = self.pi.run("systemctl start shutthebox", check=False, timeout=120)
        assert started.code == 0, self.journal()

    def shown(self, key: str) -> str:
        """A property of the service."""
        return self.pi.run(f"systemctl show --value -p {key} shutthebox").out.strip()

    def journal(self) -> str:
        """What the service has said."""
        return self.pi.run("journalctl -u shutthebox --no-pager").out

    def press(self) -> None:
        """Presses the button for a moment."""
        self.pi.set_line(int(GPIO.roll), 0)
        time.sleep(0.12)
        self.pi.set_line(int(GPIO.roll), 1)

    def set_levers(self, down: Tiles) -> None:
        """Moves those levers that are not yet as wanted."""
        for number in range(1, 10):
            bit = 1 << (number - 1)
            if (self._levers ^ down) & bit:
                self.pi.set_line(int(GPIO.levers[number - 1]), 0 if down & bit else 1)
        self._levers = down

    def hold_levers(self) -> None:
        """Sets every line again to where its lever is, after the box has requested them anew."""
        for number in range(1, 10):
            level = 0 if self._levers >> (number - 1) & 1 else 1
            self.pi.set_line(int(GPIO.levers[number - 1]), level)

    def look(self) -> bytes:
        """What is on the glass now."""
        for write in self.pi.panel_log():
            control, data = write.data[0], write.data[1:]
            if control & 0x40:
                self.glass.data(data)
            else:
                self.glass.command(*data)
        return self.glass.image().convert("L").tobytes()

    def look_for(self, states: list[State], seconds: float = PATIENCE_S) -> State:
        """Waits until the panel shows one of these states, and says which."""
        pictures = {picture: state for state in states for picture in self._pictures(state)}
        deadline = time.monotonic() + seconds
        while True:
            seen = self.look()
            if seen in pictures:
                return pictures[seen]
            if time.monotonic() > deadline:
                names = " or ".join(sorted({state.mode for state in states}))
                raise AssertionError(f"the panel never showed {names}\n{self._as_text()}\n{self.journal()}")
            time.sleep(0.05)

    def _pictures(self, state: State) -> set[bytes]:
        screen = build_screen(state, self._settings, self._words)
        # In attract the words drift for minutes, so that nothing burns in.
        phases = range(0, 3000, 5) if state.mode is Mode.ATTRACT else range(20)
        return {draw(screen, phase * 100_000_000).convert("L").tobytes() for phase in phases}

    def _as_text(self) -> str:
        """The glass in dots, two lines of pixels a line of text."""
        image = self.glass.image().convert("L")
        dots = {(0, 0): " ", (1, 0): "▀", (0, 1): "▄", (1, 1): "█"}
        width, height = image.size
        bits = [1 if value else 0 for value in image.tobytes()]
        return "\n".join(
            "".join(dots[bits[y * width + x], bits[(y + 1) * width + x]] for x in range(width))
            for y in range(0, height, 2)
        )
