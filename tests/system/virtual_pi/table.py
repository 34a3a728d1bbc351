"""The installed box in the guest, and the hands and eyes in front of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from shutthebox.adapters.display.layout import draw
from shutthebox.config.schema import Config
from shutthebox.game.machine import State
from shutthebox.game.mode import Mode
from shutthebox.game.modes.attract import Attract
from shutthebox.game.screen import LocalizedScreen
from shutthebox.game.settings import Settings
from shutthebox.game.showing import build_show
from shutthebox.game.state import Shared
from shutthebox.rules.tiles import Tiles
from shutthebox.simulator.hardware.panel_model import PanelModel
from shutthebox.translations import translations

from .machine import PanelWrite, VirtualPi

SYSTEMD = Path(__file__).resolve().parents[3] / "systemd"
# A unit with ProtectProc has a /proc of its own, in which the guest is no Pi any more; and the
# libraries are not where Debian's packages would have put them.
DROP_IN = """\
[Service]
Environment=PYTHONPATH=/opt/python
# Emulated on a busy machine, Python alone may take longer to start than a Pi to switch the display off.
TimeoutStopSec=60
TimeoutStartSec=300
BindReadOnlyPaths=/run/cpuinfo:/proc/cpuinfo
"""
PROGRAM = """\
#!/usr/bin/python3
import sys
from shutthebox.cli.main import main
sys.exit(main())
"""
GPIO = Config().gpio
LEVERS = 9
PATIENCE_S = 120
"""Until what an emulated machine does on a busy one; it waits for the event."""


def attract(settings: Settings) -> State:
    """A box that nobody plays at."""
    return State(Shared(settings, 0, 0), Attract())


def pictures(state: State, every: int = 5) -> set[bytes]:
    """The pictures of a state, phase by phase; in attract every so many tenths of a second, and 1 for all."""
    show = build_show(state.mode, state.shared, 0)
    screen = show.screen.localize(translations()[show.language])
    # In attract the words drift for minutes, so that nothing burns in. Elsewhere help comes after 6 s, and
    # every prompt has had its turn by then.
    phases = range(0, 3000, every) if screen.mode is Mode.ATTRACT else range(80)
    return {draw(screen, phase * 100_000_000).tobytes() for phase in phases}


def until(condition: Callable[[], bool], seconds: float = PATIENCE_S) -> bool:
    """Waits for something to become true; whether it did."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def install_box(pi: VirtualPi, config: str, *, watchdog_s: int = 10) -> None:
    """Puts the program, its unit, groups, rules and configuration where a package would."""
    pi.write("/usr/bin/shutthebox", PROGRAM, 0o755)
    pi.copy_in(SYSTEMD / "shutthebox.service", "/usr/lib/systemd/system/shutthebox.service")
    pi.copy_in(SYSTEMD / "shutthebox.sysusers", "/usr/lib/sysusers.d/shutthebox.conf")
    pi.copy_in(SYSTEMD / "60-shutthebox.rules", "/usr/lib/udev/rules.d/60-shutthebox.rules")
    for unit in ("shutthebox-stick@.service", "system-shutthebox.slice"):
        pi.copy_in(SYSTEMD / unit, f"/usr/lib/systemd/system/{unit}")
    pi.write(
        "/etc/systemd/system/shutthebox.service.d/virtual-pi.conf", f"{DROP_IN}WatchdogSec={watchdog_s}\n"
    )
    pi.write("/etc/systemd/system/shutthebox-stick@.service.d/virtual-pi.conf", DROP_IN)
    pi.write("/etc/shutthebox/config.toml", config)
    pi.run("systemd-sysusers && udevadm control --reload && udevadm trigger --settle")
    pi.run("systemctl daemon-reload")


class Table:
    """A box in the guest as players meet it: levers, a button with a lamp, and the glass."""

    patience_s: float = PATIENCE_S

    def __init__(self, pi: VirtualPi, settings: Settings) -> None:
        self.pi = pi
        self._settings = settings
        self._words = translations()[settings.box.language]
        self._levers: Tiles = 0
        self.glass = PanelModel()

    # -- the service

    def start(self) -> None:
        """Starts the service with all levers up, and waits until it is ready."""
        self._levers = 0
        # A request with a pull moves a simulated line, as a lever at rest would.
        self.hold_levers()
        self.pi.set_line(int(GPIO.roll), 1)
        self.pi.run("systemctl reset-failed shutthebox", check=False)
        started = self.pi.run("systemctl start shutthebox", check=False, timeout=330)
        assert started.code == 0, self.journal()

    def start_anew(self) -> None:
        """Stops the service, has it forget everything, plugs the display in, and starts it again."""
        self.pi.run("systemctl stop shutthebox", timeout=120)
        self.pi.run("rm -rf /var/lib/private/shutthebox")
        self.panel_parameter("fail_every", 0)
        self.plug_in()
        self.start()

    def shown(self, key: str) -> str:
        return self.pi.run(f"systemctl show --value -p {key} shutthebox").out.strip()

    def journal(self) -> str:
        return self.pi.run("journalctl -u shutthebox --no-pager").out

    def back_after(self, before: str) -> bool:
        """Waits for another process than that one to be ready, and holds the levers where they are."""
        back = until(
            lambda: self.shown("MainPID") not in ("0", before) and self.shown("ActiveState") == "active",
            self.patience_s,
        )
        self.hold_levers()
        return back

    # -- hands

    def press(self) -> None:
        self.pi.push(int(GPIO.roll))

    def stand(self, down: Tiles) -> None:
        """Moves those levers that are not yet as wanted."""
        for number in range(1, LEVERS + 1):
            bit = 1 << (number - 1)
            if (self._levers ^ down) & bit:
                self.pi.set_line(int(GPIO.levers[number - 1]), 0 if down & bit else 1)
        self._levers = down

    def hold_levers(self) -> None:
        """Sets every line again to where its lever is, after the box has requested them anew."""
        for number in range(1, LEVERS + 1):
            level = 0 if self._levers >> (number - 1) & 1 else 1
            self.pi.set_line(int(GPIO.levers[number - 1]), level)

    def panel_parameter(self, name: str, value: int) -> None:
        """Has the display misbehave: see the guest's i2c-panel module."""
        self.pi.write(f"/sys/module/i2c_panel/parameters/{name}", str(value))

    def unplug(self) -> None:
        self.panel_parameter("absent", 1)
        self.look()
        self.glass.unplug()

    def plug_in(self) -> None:
        """Puts the display back: dark, its memory garbage, its registers as after power-up."""
        self.look()
        self.glass.plug_in()
        self.panel_parameter("absent", 0)

    # -- eyes

    def lit(self) -> bool:
        """Whether the lamp in the button is lit: a press would do something."""
        return self.pi.line(GPIO.lamp) == 1

    def frames(self) -> Iterator[tuple[PanelWrite, bytes]]:
        """Every message to the display since the last look, with the picture after it."""
        for write in self.pi.panel_log():
            control, data = write.data[0], write.data[1:]
            if control & 0x40:
                self.glass.data(data)
            else:
                self.glass.command(*data)
            yield write, self.glass.picture().tobytes()

    def look(self) -> bytes:
        if not self.glass.unplugged:
            for _ in self.frames():
                pass
        return self.glass.picture().tobytes()

    def see(self, states: list[State]) -> State:
        """Waits until the panel shows one of these states, and says which."""
        shown = {picture: state for state in states for picture in pictures(state)}
        deadline = time.monotonic() + self.patience_s
        while True:
            seen = self.look()
            if seen in shown:
                return shown[seen]
            if time.monotonic() > deadline:
                names = " or ".join(sorted({state.mode.name for state in states}))
                raise AssertionError(f"the panel never showed {names}\n{self.as_text()}\n{self.journal()}")
            time.sleep(0.05)

    def goodbye(self) -> bytes:
        screen = LocalizedScreen(Mode.ATTRACT, big=self._words("Goodbye"))
        return draw(screen, 0).tobytes()

    def as_text(self) -> str:
        """The glass in dots, two lines of pixels a line of text."""
        glass = self.glass.picture()
        dots = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}
        return "\n".join(
            "".join(dots[glass.lit(x, y), glass.lit(x, y + 1)] for x in range(glass.width))
            for y in range(0, glass.height, 2)
        )
