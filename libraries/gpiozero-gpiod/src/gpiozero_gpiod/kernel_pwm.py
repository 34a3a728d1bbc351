"""PWM that the kernel makes, by hardware or by its own timers: ``/sys/class/pwm``.

Which channel belongs to which line of the header stands in the device tree, where the overlays
``pwm``, ``pwm-2chan`` and ``pwm-gpio`` of Raspberry Pi OS write it. A line that one of them has
taken is no GPIO line any more: requesting it as one would end the kernel's PWM on it. So its pin
is a `KernelPwmPin`, an output and nothing else, and stays on that channel also where its level
only stands still.
"""

from __future__ import annotations

import contextlib
import re
import struct
import threading
import time
from pathlib import Path
from typing import NamedTuple

from gpiozero.exc import (
    PinEdgeDetectUnsupported,
    PinFixedPull,
    PinInvalidFunction,
    PinInvalidPin,
)
from gpiozero.pins import Pin, PinInfo
from gpiozero.pins.local import LocalPiFactory, LocalPiPin

from .errors import InvalidFrequency, PinBusy, PinClosed, PinUnplugged
from .share import share_of

CLASS = Path("/sys/class/pwm")
DEVICE_TREE = Path("/proc/device-tree")

#: Channel by line, for the PWM blocks of the Pis' chips; other lines do not carry PWM.
_CHANNELS = {
    "brcm,bcm2835-pwm": {12: 0, 13: 1, 18: 0, 19: 1, 40: 0, 41: 1, 45: 1, 52: 0, 53: 1},
    "raspberrypi,rp1-pwm": {12: 0, 13: 1, 14: 2, 15: 3, 18: 2, 19: 3},
}
#: While the level stands still the wave has this period. In nanoseconds.
_STANDING_NS = 1_000_000
#: udev needs a moment to give a channel that was just exported to the group. In seconds.
_PATIENCE_S = 2.0


class KernelPwm(NamedTuple):
    """One channel of one PWM chip, by the chip's number."""

    chip: int
    channel: int

    def __str__(self) -> str:
        return f"pwmchip{self.chip}:{self.channel}"

    @property
    def folder(self) -> Path:
        """The chip's folder in /sys, which is there while the chip is plugged in."""
        return CLASS / f"pwmchip{self.chip}"


def named(chip: str, channel: str) -> KernelPwm | None:
    """The channel that "pwmchip0:1" names; None if ``chip`` is no name of a PWM chip.

    Raises:
        gpiozero.PinInvalidPin: There is no such chip, or it has no such channel.
    """
    match = re.fullmatch(r"pwmchip(\d+)", chip)
    if match is None:
        return None
    wave = KernelPwm(int(match[1]), int(channel) if channel.isdigit() else -1)
    try:
        channels = int((wave.folder / "npwm").read_text())
    except OSError:
        there = ", ".join(sorted(path.name for path in CLASS.glob("pwmchip*"))) or "none"
        raise PinInvalidPin(f"there is no PWM chip called {chip!r}; there is: {there}") from None
    if not 0 <= wave.channel < channels:
        raise PinInvalidPin(f"{chip} has channels 0 to {channels - 1}, not {channel!r}")
    return wave


def of_header_line(line: int) -> KernelPwm | None:
    """The channel that the device tree has put on a line of the header; None for most lines."""
    for folder in sorted(CLASS.glob("pwmchip*")):
        node = folder / "device/of_node"
        with contextlib.suppress(OSError, ValueError, struct.error):
            kinds = (node / "compatible").read_bytes().decode().split("\0")
            channel = None
            if "pwm-gpio" in kinds:
                _, offset, _ = struct.unpack_from(">3I", (node / "gpios").read_bytes())
                channel = 0 if offset == line else None
            for kind in kinds:
                if kind in _CHANNELS and line in _pins_of(node):
                    channel = _CHANNELS[kind].get(line, channel)
            if channel is not None:
                return KernelPwm(int(folder.name[7:]), channel)
    return None


def _pins_of(node: Path) -> set[int]:
    """The lines that the pin control states of a device name, in the old form or the new."""
    states = (node / "pinctrl-0").read_bytes()
    handles = {states[at : at + 4] for at in range(0, len(states), 4)}
    found: set[int] = set()
    for phandle in DEVICE_TREE.rglob("phandle"):
        if phandle.read_bytes() in handles:
            state = phandle.parent
            for each in (state, *(path for path in state.iterdir() if path.is_dir())):
                with contextlib.suppress(OSError):
                    numbers = (each / "brcm,pins").read_bytes()
                    found |= set(struct.unpack(f">{len(numbers) // 4}I", numbers))
                with contextlib.suppress(OSError):
                    names = (each / "pins").read_bytes().decode().split("\0")
                    found |= {int(name[4:]) for name in names if re.fullmatch(r"gpio\d+", name)}
    return found


class KernelPwmPin(LocalPiPin):
    """A channel of the kernel's PWM as a gpiozero pin: an output, whose waves nothing can delay.

    Made by `GpiodFactory.pin`. Without a frequency it is a plain output. Methods may be called
    from any thread.
    """

    def __init__(self, factory: LocalPiFactory, info: PinInfo, wave: KernelPwm) -> None:
        """Takes the channel, at level 0.

        Raises:
            PinBusy: Somebody else has it.
        """
        Pin.__init__(self)
        self._factory = factory
        self._info = info
        self._number = wave.channel
        self._when_changed_lock = threading.RLock()
        self._when_changed = None
        self._lock = self._when_changed_lock
        self._of = wave
        self._folder = wave.folder / f"pwm{wave.channel}"
        self._open = False
        self.open()

    # -- life

    def open(self) -> None:
        """Takes the channel, if the pin is closed; called by the factory."""
        with self._lock:
            if self._open:
                return
            try:
                (self._of.folder / "export").write_text(str(self._of.channel))
            except OSError as error:
                raise PinBusy(f"{self!r} is the kernel's {self._of}, which is in use or not ours") from error
            self._open = True
            self._frequency: float | None = None
            self._duty = 0.0
            try:
                self._set_out(0.0)
            except BaseException:
                self.close()
                raise

    @property
    def closed(self) -> bool:
        """True once the channel has been given back."""
        return not self._open

    def close(self) -> None:
        """Stops the wave with the line low and gives the channel back. Harmless when repeated."""
        with self._lock:
            if self._open:
                self._open = False
                for name, text in (("duty_cycle", "0"), ("enable", "0")):
                    with contextlib.suppress(OSError):
                        (self._folder / name).write_text(text)
                with contextlib.suppress(OSError):
                    (self._of.folder / "unexport").write_text(str(self._of.channel))

    def abandon(self) -> None:
        """Forgets the channel; for a fork's child."""
        self._lock = self._when_changed_lock = threading.RLock()
        self._open = False

    def _live(self) -> None:
        if not self._open:
            raise PinClosed(f"{self!r} is closed")

    # -- the wave

    def _set_out(self, duty: float, frequency: float | None = None) -> None:
        """Puts period, duty and enable to the kernel, in an order in which each is allowed."""
        period = _STANDING_NS if frequency is None else max(1, round(1e9 / frequency))
        high = round(period * duty)
        try:
            # A duty never longer than the period, and nothing at all before there is one.
            first = "duty_cycle" if high <= int(self._read("period")) > 0 else "period"
            for name in (first, *({"duty_cycle", "period"} - {first})):
                self._write(name, high if name == "duty_cycle" else period)
            self._write("enable", 1)
        except FileNotFoundError as error:
            gone = f"{self!r}: the PWM chip pwmchip{self._of.chip} is gone"
            raise PinUnplugged(error.errno, gone) from error
        self._duty, self._frequency = duty, frequency

    def _read(self, name: str) -> str:
        return (self._folder / name).read_text()

    def _write(self, name: str, value: int) -> None:
        end = time.monotonic() + _PATIENCE_S
        while True:
            try:
                (self._folder / name).write_text(str(value))
                return
            except PermissionError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)

    def output_with_state(self, state: float) -> None:
        """Stops the wave; the line stands at ``state``."""
        with self._lock:
            self._live()
            self._set_out(share_of(self, state))

    def input_with_pull(self, pull: str) -> None:
        """Refused: the kernel's PWM drives this line.

        Raises:
            gpiozero.PinInvalidFunction: Always.
        """
        self._set_function("input")

    def _get_function(self) -> str:
        return "output"

    def _set_function(self, value: str) -> None:
        self._live()
        if value != "output":
            raise PinInvalidFunction(
                f"{self!r} is the kernel's {self._of} and can only be an output; "
                "for anything else take its PWM overlay out of config.txt"
            )

    def _get_state(self) -> float:
        return self._duty

    def _set_state(self, value: float) -> None:
        with self._lock:
            self._live()
            share = share_of(self, value)
            self._set_out(share if self._frequency else float(share > 0), self._frequency)

    def _get_frequency(self) -> float | None:
        return self._frequency

    def _set_frequency(self, value: float | None) -> None:
        with self._lock:
            self._live()
            if not value:
                self._set_out(0.0)
                return
            if not 0 < value <= 1e9:
                raise InvalidFrequency(f"invalid frequency {value} for pin {self!r}")
            try:
                self._set_out(0.0 if self._frequency is None else self._duty, value)
            except PinUnplugged:
                raise
            except OSError as error:
                raise InvalidFrequency(f"{self._of} cannot make {value} Hz: {error.strerror}") from error

    # -- what it cannot

    def _get_pull(self) -> str:
        return "floating"

    def _set_pull(self, value: str) -> None:
        raise PinFixedPull(f"cannot set pull on non-input pin {self!r}")

    def _get_bounce(self) -> None:
        return None

    def _set_bounce(self, value: float | None) -> None:
        self._live()

    def _get_edges(self) -> str:
        return "none"

    def _set_edges(self, value: str) -> None:
        self._live()

    def _set_when_changed(self, value: object) -> None:
        if value is not None:
            raise PinEdgeDetectUnsupported(f"{self!r} is an output of the kernel's PWM")
