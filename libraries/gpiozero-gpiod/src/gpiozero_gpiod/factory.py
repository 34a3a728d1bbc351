"""The factory: opens the chips, hands out the pins, owns the waiting thread and the PWM helper."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterable
from typing import Any, NamedTuple

from gpiozero.exc import GPIOPinInUse, PinInvalidPin, PinUnknownPi
from gpiozero.pins import PinInfo
from gpiozero.pins.local import LocalPiFactory, LocalPiPin

from . import chips, hold, kernel_pwm, privates
from .chips import PluggedChip
from .errors import PinClosed
from .kernel_pwm import KernelPwm, KernelPwmPin
from .pin import GpiodPin
from .pwm import Pulser
from .waiter import Waiter

#: A line of a chip, or a channel of the kernel's PWM.
Where = tuple[PluggedChip, int] | KernelPwm


class Line(NamedTuple):
    """A line that has a name: gpiozero's description, and where it is."""

    info: PinInfo
    where: Where


class GpiodFactory(LocalPiFactory):
    """Makes gpiozero pins out of the kernel's GPIO lines.

    Pins of the header go by all the names that gpiozero knows (17, "GPIO17", "BOARD11", "J8:11").
    A line of any other chip is called "chip:line", for example ``Button("mcp23017:3")``: the
    chip by label, device name, path or number, the line by offset or by its own name. A channel
    of the kernel's PWM is called "pwmchip0:1", for example ``Servo("pwmchip0:1")``.

    A pin belongs to its factory: for another factory of the same process the line is busy, as for another
    process.

    Ticks are seconds of CLOCK_MONOTONIC as a float, the same clock as `time.monotonic`; the
    ticks of a callback are the kernel's own time stamp of the edge.

    Example:
        A button to ground at GPIO 17, which nobody presses:

        >>> from gpiozero import Button
        >>> factory = GpiodFactory()
        >>> button = Button(17, pin_factory=factory)
        >>> button.is_pressed
        False
        >>> factory.close()
    """

    def __init__(self, chip: str | int | None = None, consumer: str = "gpiozero") -> None:
        """Opens the chip behind the header.

        Args:
            chip: None finds it by its label on every model of Pi; else a path, device name,
                label or number.
            consumer: The name of the lines' holder that other programs see, at most 31 bytes.

        Raises:
            gpiozero.BadPinFactory: No such chip, or no permission.
        """
        super().__init__()
        # gpiozero shares these between all factories, so that no two back ends control one pin. The
        # kernel sees to that; and a pin called 6 is another one on another chip.
        self.pins: dict[PinInfo, LocalPiPin] = {}
        self._begin_table()
        self.consumer = consumer
        self.pin_class = GpiodPin
        self.waiter = Waiter()
        self.pulser = Pulser()
        self._lines: dict[Where, Line] = {}
        self._names: dict[str, Line] = {}
        self._others: list[PluggedChip] = []
        self._chip: PluggedChip | None = None
        self._pid = os.getpid()
        self._chip = PluggedChip(chips.open_header(chip, self._processor()))
        hold.install()
        _factories.add(self)

    def _processor(self) -> str | None:
        try:
            return str(self.board_info.soc)
        except PinUnknownPi:
            return None

    @property
    def chip(self) -> str:
        """The path of the header's chip."""
        return self._open_chip().path

    @property
    def closed(self) -> bool:
        """True after `close`, and in a process that was forked off."""
        return self._chip is None

    def _open_chip(self) -> PluggedChip:
        if self._chip is None:
            if self._pid != os.getpid():
                raise PinClosed(f"this pin factory is process {self._pid}'s: make a new one after a fork")
            raise PinClosed("this pin factory is closed")
        return self._chip

    def pin(self, name: Any) -> LocalPiPin:  # noqa: ANN401  (as in gpiozero: int, str)
        """The pin called ``name``: the same object each time, opened again if it was closed.

        Raises:
            gpiozero.PinInvalidPin: No such pin.
            gpiozero.PinUnknownPi: A pin of the header, on a machine that is no Pi.
            PinBusy: Another process, another factory or a driver holds the line.
            PinClosed: The factory is closed.
        """
        self._open_chip()
        line = self._line(name) or self._header_line(name)
        with self._pins_lock:
            pin = self.pins.get(line.info)
            if pin is not None:
                pin.open()
                return pin
            if isinstance(line.where, KernelPwm):
                pin = KernelPwmPin(self, line.info, line.where)
            else:
                pin = self.pin_class(self, line.info, *line.where)
            self.pins[line.info] = pin
            return pin

    def _header_line(self, name: Any) -> Line:  # noqa: ANN401
        """The line for a name that is no "chip:line"."""
        chip = self._open_chip()
        info = next((info for _, info in self.board_info.find_pin(name)), None)
        if info is None:
            raise PinInvalidPin(f"{name} is not a valid pin name")
        if "gpio" not in info.interfaces:
            raise PinInvalidPin(f"{name} is not a GPIO pin")
        offset = int(info.name[4:])
        wave = kernel_pwm.of_header_line(offset) if chip.is_header else None
        return Line(info, wave or (chip, offset))

    def _in_header(self, name: str) -> PinInfo | None:
        """The pin of the header with that name; None if there is none, or no header."""
        try:
            return next((info for _, info in self.board_info.find_pin(name)), None)
        except PinUnknownPi:
            return None

    def _line(self, name: Any) -> Line | None:  # noqa: ANN401
        """The line for "chip:line"; None if ``name`` names a pin of the header."""
        if not isinstance(name, str) or ":" not in name:
            return None
        if name in self._names:
            return self._names[name]
        if self._in_header(name) is not None:
            return None  # "J8:11" is a pin of the header
        chip_name, _, line_name = name.rpartition(":")
        own = self._open_chip()
        wave = kernel_pwm.named(chip_name, line_name)
        if wave is not None:
            return self._remember(name, wave.channel, wave)
        chip = self._chip_called(chip_name)
        try:
            # Lines without a name are called "", all of them.
            offset = chip.chip.line_offset_from_id(line_name or "?")
        except (OSError, ValueError):
            count = chip.chip.get_info().num_lines
            raise PinInvalidPin(f"{name}: that chip has lines 0 to {count - 1}, none so called") from None
        header = self._in_header(f"GPIO{offset}") if chip is own else None
        if header is not None:
            self._names[name] = self._header_line(header.name)
            return self._names[name]
        return self._remember(name, offset, (chip, offset))

    def _chip_called(self, name: str) -> PluggedChip:
        """The chip of that name, the same object for all names that it has."""
        opened = chips.open_named(int(name) if name.isdigit() else name)
        for known in (self._open_chip(), *self._others):
            if known.path == opened.path and known.reopen() and known.path == opened.path:
                opened.close()
                return known
        self._others.append(PluggedChip(opened))
        return self._others[-1]

    def _remember(self, name: str, number: int, where: Where) -> Line:
        """One line, however it is spelt, has to be one pin: all spellings share its description."""
        if where not in self._lines:
            info = PinInfo(
                number=number, name=name, names=frozenset({name}), pull="", row=1, col=1,
                interfaces=frozenset({"gpio"}),
            )  # fmt: skip
            self._lines[where] = Line(info, where)
        self._names[name] = self._lines[where]
        return self._names[name]

    def _infos(self, name: Any) -> Iterable[PinInfo]:  # noqa: ANN401
        line = self._line(name)
        return [info for _, info in self.board_info.find_pin(name)] if line is None else [line.info]

    def reserve_pins(self, requester: Any, *names: Any) -> None:  # noqa: ANN401
        """As in gpiozero, and for lines of other chips too.

        Raises:
            gpiozero.GPIOPinInUse: Another device of this factory has the pin.
        """
        for info in (info for name in names for info in self._infos(name)):
            with self._pins_lock:
                devices = self._devices.setdefault(info, [])
                for holder in (device() for device in devices):
                    if holder is not None and privates.conflicts(requester, holder):
                        raise GPIOPinInUse(f"pin {info.name} is already in use by {holder!r}")
                devices.append(weakref.ref(requester))

    def release_pins(self, reserver: Any, *names: Any) -> None:  # noqa: ANN401
        """As in gpiozero, and for lines of other chips too."""
        for name in names:
            line = self._names.get(name) if isinstance(name, str) else None
            infos = [info for _, info in self.board_info.find_pin(name)] if line is None else [line.info]
            self._release(infos, reserver)

    def release_all(self, reserver: Any) -> None:  # noqa: ANN401
        """Releases all pins that `reserver` has reserved, as gpiozero's factories do."""
        self._release([*self._devices], reserver)

    def _release(self, infos: Iterable[PinInfo], reserver: Any) -> None:  # noqa: ANN401
        with self._pins_lock:
            for info in infos:
                devices = self._devices.get(info, [])
                devices[:] = [device for device in devices if device() not in (reserver, None)]

    def reset(self) -> None:
        """Closes every pin and forgets every reservation, but stays usable; for tests."""
        self._close_pins()
        with self._pins_lock:
            self._devices.clear()

    def close(self) -> None:
        """Gives every line back, ends the thread and the helper, and closes the chips.

        Harmless when repeated, when chips are gone, and in the child of a fork.
        """
        self._close_pins()
        self.pulser.close()
        self.waiter.close()
        self._close_chips()

    def _close_pins(self) -> None:
        while self.pins:
            _, pin = self.pins.popitem()
            pin.close()

    def _close_chips(self) -> None:
        for chip in [*self._others, *([] if self._chip is None else [self._chip])]:
            chip.chip.close()
        self._others.clear()
        self._lines.clear()
        self._names.clear()
        self._chip = None

    def _begin_table(self) -> None:
        """A table without devices, and a lock that nobody holds; gpiozero knows of both."""
        self._devices: dict[PinInfo, list[weakref.ref[Any]]] = {}
        self._pins_lock = threading.Lock()
        privates.close_at_exit(self, self._devices, self._pins_lock)

    def _abandon(self) -> None:
        """In the child of a fork: lets go of everything without touching a single line.

        The lines stay the parent's. Without this a child would keep them busy after the
        parent has closed them, and would switch them when it cleans up.
        """
        for pin in self.pins.values():
            pin.abandon()
        self.pins.clear()
        self._begin_table()
        pulser, self.pulser = self.pulser, Pulser()
        waiter, self.waiter = self.waiter, Waiter()
        pulser.abandon()
        waiter.abandon()
        self._close_chips()


_factories: weakref.WeakSet[GpiodFactory] = weakref.WeakSet()


def _after_fork() -> None:
    for factory in list(_factories):
        factory._abandon()


os.register_at_fork(after_in_child=_after_fork)
