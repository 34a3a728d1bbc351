"""Finding GPIO chips: the Pi's own by its label, others by path, name, label or number."""

from __future__ import annotations

import contextlib
import re
import threading
from pathlib import Path

import gpiod
from gpiozero.exc import BadPinFactory, PinInvalidPin

#: Label of the chip behind the 40-pin header, by the Pi's processor, newest board first. The number
#: of a chip says nothing: it has changed between kernels on the same board.
HEADER_LABEL = {
    "BCM2712": "pinctrl-rp1",
    "BCM2711": "pinctrl-bcm2711",
    "BCM2837": "pinctrl-bcm2835",
    "BCM2836": "pinctrl-bcm2835",
    "BCM2835": "pinctrl-bcm2835",
}
HEADER_LABELS = tuple(dict.fromkeys(HEADER_LABEL.values()))

DEV = Path("/dev")
SYS = Path("/sys/bus/gpio/devices")


class PluggedChip:
    """A chip that may be unplugged and plugged in again.

    Attributes:
        chip: gpiod's handle.
        path: the chip's device file when it was last opened.
        label: what its driver calls it.
        device: where it is on its bus, such as "1-0021"; empty if that may change.
    """

    def __init__(self, chip: gpiod.Chip) -> None:
        self.chip = chip
        self.path = str(chip.path)
        self.label = str(chip.get_info().label)
        self.device = _i2c_device(Path(self.path))
        self._lock = threading.Lock()

    @property
    def is_header(self) -> bool:
        """True for a Pi's own chip."""
        return self.label in HEADER_LABELS

    def reopen(self) -> bool:
        """Looks for the chip again if it is gone; returns whether it is there.

        A chip that comes back may have another number, so it is found by its label and its I2C
        address. Where two others share a label, it has to come back under the path that it had.
        """
        with self._lock:
            with contextlib.suppress(OSError):
                self.chip.get_line_info(0)  # its get_info() answers from memory
                return True
            found = _find(self.label)
            if self.device:
                same = [chip for chip in found if _i2c_device(Path(str(chip.path))) == self.device]
            else:
                same = found if len(found) == 1 else [chip for chip in found if chip.path == self.path]
            _close_all([chip for chip in found if chip not in same])
            if not same:
                return False
            gone, self.chip = self.chip, same[0]
            gone.close()
            self.path = str(self.chip.path)
            return True


def paths() -> list[Path]:
    """Every GPIO chip's device file, in the order of their numbers, aliases left out."""
    found = [p for p in DEV.glob("gpiochip*") if p.name[8:].isdigit() and not p.is_symlink()]
    return sorted(found, key=lambda path: int(path.name[8:]))


def open_header(chip: str | int | None = None, processor: str | None = None) -> gpiod.Chip:
    """Opens the chip that carries the header, or the one that ``chip`` names.

    Args:
        chip: None for the Pi's own; else as in `open_named`.
        processor: The Pi's, as gpiozero's ``board_info.soc`` names it. With it only the chip of
            that board will do: on a Pi 5 whose RP1 cannot be opened, another chip would be wrong.

    Raises:
        gpiozero.BadPinFactory: There is no such chip, or it may not be opened; the text lists
            the chips that there are.
    """
    if chip is not None:
        wanted: tuple[str | int, ...] = (chip,)
    elif processor in HEADER_LABEL:
        wanted = (HEADER_LABEL[processor],)
    else:
        wanted = HEADER_LABELS
    return _the_only(wanted, BadPinFactory)


def open_named(name: str | int) -> gpiod.Chip:
    """Opens a chip for a line such as ``mcp23017:3``.

    Args:
        name: A path ("/dev/gpiochip2"), a device name ("gpiochip2"), a label ("mcp23017"), a
            label with an I2C address ("mcp23017@0x21", or "mcp23017@1-0021" with the bus) or the
            chip's number.

    Raises:
        gpiozero.PinInvalidPin: There is no such chip, or more than one.
    """
    return _the_only((name,), PinInvalidPin)


def _the_only(wanted: tuple[str | int, ...], error: type[Exception]) -> gpiod.Chip:
    """The one chip that fits the first name that any fits."""
    for name in wanted:
        found = _find(name)
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(_place_of(chip) or str(chip.path) for chip in found)
            _close_all(found)
            raise error(f"more than one GPIO chip is called {name!r}: {names}; name one of these")
    what = " or ".join(repr(name) for name in wanted)
    raise error(f"no GPIO chip called {what} can be opened; {_overview()}")


def _find(name: str | int) -> list[gpiod.Chip]:
    """The open chips that ``name`` fits: at most one for a path or number, any for a label."""
    if isinstance(name, int):
        name = f"gpiochip{name}"
    direct = Path(name) if "/" in name else DEV / name
    if gpiod.is_gpiochip_device(str(direct)):
        chip = _open(direct)
        return [] if chip is None else [chip]
    label, _, address = name.partition("@")
    found = []
    for path in paths():
        chip = _open(path)
        if chip is None:
            continue
        with contextlib.suppress(OSError):  # unplugged this moment
            called = chip.get_info().label
            if called == name or (address and called == label and _is_at(path, address)):
                found.append(chip)
                continue
        chip.close()
    return found


def _i2c_device(path: Path) -> str:
    """The I2C device whose chip this is, such as "1-0021": bus and address, which stay; else empty."""
    with contextlib.suppress(OSError):
        device = (SYS / path.name).resolve(strict=True).parent.name
        if re.fullmatch(r"[0-9]+-[0-9a-f]{4}", device):
            return device
    return ""


def _is_at(path: Path, address: str) -> bool:
    """Whether the chip has this I2C address, with its bus or without."""
    device = _i2c_device(path)
    number = device.rpartition("-")[2]
    with contextlib.suppress(ValueError):
        return bool(device) and (device == address or int(number, 16) == int(address, 0))
    return False


def _place_of(chip: gpiod.Chip) -> str:
    """The name that a chip on an I2C bus keeps; empty for another."""
    device = _i2c_device(Path(str(chip.path)))
    return f"'{chip.get_info().label}@0x{int(device[-4:], 16):02x}' ({chip.path})" if device else ""


def _open(path: Path) -> gpiod.Chip | None:
    try:
        return gpiod.Chip(str(path))
    except OSError:
        return None


def _close_all(chips: list[gpiod.Chip]) -> None:
    for chip in chips:
        chip.close()


def _overview() -> str:
    """Names the thing that is there instead, for an error's text."""
    seen = []
    for path in paths():
        try:
            with gpiod.Chip(str(path)) as chip:
                seen.append(f"{path} {chip.get_info().label!r}")
        except OSError as error:
            hint = " (is the user in the group gpio?)" if isinstance(error, PermissionError) else ""
            seen.append(f"{path}: {error.strerror}{hint}")
    return "there is: " + "; ".join(seen) if seen else f"there is no {DEV}/gpiochip* at all"
