"""Power and temperature of the Pi, as its kernel reports them; other machines report nothing."""

import logging
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from shutthebox.errors import one_line
from shutthebox.game.facts import Faulted
from shutthebox.game.faults import MachineFault

_log = logging.getLogger(__name__)

HOT_MILLIDEGREES = 80_000
"""From here up, the firmware slows the processor down."""

COOL_MILLIDEGREES = 75_000
"""A machine that was too hot counts as fine again from here down."""

_LOW_NOW, _SLOWED_NOW = 0x1, 0x4  # bits of get_throttled

_WORDS = {
    MachineFault.POWER: "the supply's voltage is below 4.63 V",
    MachineFault.HEAT: "the processor is at 80 degrees or more, and slowed down",
}


class Sensors:
    """The kernel's health files. Looked up once; a machine may have none of them.

    Args:
        root: where the machine's files are found.
    """

    def __init__(self, root: Path = Path("/")) -> None:
        self._root = root  # searched on first use, when the box is ready

    @cached_property
    def _zones(self) -> list[Path]:
        return sorted(self._root.glob("sys/class/thermal/thermal_zone*/temp"))

    @cached_property
    def _alarms(self) -> list[Path]:
        """Files that say whether the voltage was low in the last two seconds."""
        chips = sorted(self._root.glob("sys/class/hwmon/*/name"))
        return [chip.parent / "in0_lcrit_alarm" for chip in chips if _text(chip) == "rpi_volt"]

    @cached_property
    def _throttled(self) -> list[Path]:
        """A file that only Raspberry Pi's own kernels have."""
        return sorted(self._root.glob("sys/devices/platform/soc*/soc*:firmware/get_throttled"))

    @property
    def measures_power(self) -> bool:
        """Whether this machine measures its supply."""
        return bool(self._alarms or self._throttled)

    def millidegrees(self) -> int | None:
        """The highest temperature of all sensors; None without sensors."""
        found = (_text(zone) for zone in self._zones)
        return max((int(text) for text in found if text.isdecimal()), default=None)

    def faults(self, before: frozenset[MachineFault] = frozenset()) -> frozenset[MachineFault]:
        """What's wrong now. `before` is what was wrong last time, for hysteresis on the temperature."""
        bits = 0
        for path in self._throttled:
            try:
                bits |= int(_text(path), 16)
            except ValueError:
                continue
        is_low = bool(bits & _LOW_NOW) or any(_text(alarm) == "1" for alarm in self._alarms)
        # A low voltage slows it down as well.
        is_slowed = bool(bits & _SLOWED_NOW) and not is_low
        limit = COOL_MILLIDEGREES if MachineFault.HEAT in before else HOT_MILLIDEGREES

        def stands(fault: MachineFault) -> bool:
            match fault:
                case MachineFault.POWER:
                    return is_low
                case MachineFault.HEAT:
                    return is_slowed or (self.millidegrees() or 0) >= limit

        return frozenset(filter(stands, MachineFault))


class MachineWatch:
    """Logs each fault of the machine when it begins. Called in the main thread, once a second.

    Args:
        sensors: of the machine.
        keep: makes a fact durable.

    Attributes:
        faults: what is wrong now.
    """

    def __init__(self, sensors: Sensors, keep: Callable[[Faulted], None]) -> None:
        self._sensors, self._keep = sensors, keep
        self.faults: frozenset[MachineFault] = frozenset()

    def check(self) -> None:
        """Reads the sensors, which takes a few reads of in-memory files."""
        before, self.faults = self.faults, self._sensors.faults(self.faults)
        for fault in self.faults - before:
            _log.warning("%s: %s", fault.value, _WORDS[fault])
            self._keep(Faulted(fault.value, _WORDS[fault]))


def _text(path: Path) -> str:
    try:
        with path.open("rb", buffering=0) as file:
            return one_line(file.read(64).decode("ascii", "replace").strip())
    except OSError:
        return ""
