"""The factory: opens the chips, hands out the pins, owns the two threads."""

from __future__ import annotations

import os
import weakref
from typing import Any
from weakref import ref

import gpiod
from gpiozero.exc import GPIOPinInUse, PinInvalidPin
from gpiozero.pins import PinInfo
from gpiozero.pins.local import LocalPiFactory

from . import chips
from .errors import PinClosed
from .pin import GpiodPin
from .pwm import Pulser
from .waiter import Waiter

#: What a name stands for: gpiozero's description, the chip, and the line's offset in it.
Line = tuple[PinInfo, gpiod.Chip, int]


class GpiodFactory(LocalPiFactory):
    """Makes gpiozero pins out of the kernel's GPIO lines.

    Pins of the header go by all the names that gpiozero knows (17, "GPIO17", "BOARD11", "J8:11").
    A line of any other chip is called "chip:line", for example ``Button("mcp23017:3")``: the
    chip by label, device name, path or number, the line by offset or by its own name.

    Ticks are seconds of CLOCK_MONOTONIC as a float, the same clock as `time.monotonic`; the
    ticks of a callback are the kernel's own time stamp of the edge.
    """

    def __init__(self, chip: str | int | None = None, consumer: str = "gpiozero") -> None:
        """Opens the chip behind the header.

        Args:
            chip: None finds it by its label on every model of Pi; else a path, device name,
                label or number.
            consumer: What other programs see as the holder of the lines, at most 31 bytes.

        Raises:
            gpiozero.BadPinFactory: No such chip, or no permission.
        """
        super().__init__()
        self.consumer = consumer
        self.pin_class = GpiodPin
        self.waiter = Waiter()
        self.pulser = Pulser()
        self._own: set[GpiodPin] = set()
        self._lines: dict[str, Line] = {}
        self._others: dict[str, gpiod.Chip] = {}
        self._chip: gpiod.Chip | None = chips.open_header(chip)
        self._pid = os.getpid()
        _factories.add(self)

    @property
    def chip(self) -> str:
        """The path of the header's chip."""
        return str(self._open_chip().path)

    @property
    def closed(self) -> bool:
        """True after `close`, and in a process that was forked off."""
        return self._chip is None

    def _open_chip(self) -> gpiod.Chip:
        if self._chip is None:
            if self._pid != os.getpid():
                raise PinClosed(f"this pin factory is process {self._pid}'s: make a new one after a fork")
            raise PinClosed("this pin factory is closed")
        return self._chip

    def pin(self, name: Any) -> GpiodPin:  # noqa: ANN401  (as in gpiozero: int, str)
        """The pin called ``name``: the same object each time, for as long as it is open.

        Raises:
            gpiozero.PinInvalidPin: No such pin.
            PinBusy: Another process or a driver holds the line.
            PinClosed: The factory is closed.
        """
        own = self._open_chip()
        line = self._line(name)
        if line is not None:
            info, chip, offset = line
        else:
            info = next((info for _, info in self.board_info.find_pin(name)), None)
            if info is None:
                raise PinInvalidPin(f"{name} is not a valid pin name")
            if "gpio" not in info.interfaces:
                raise PinInvalidPin(f"{name} is not a GPIO pin")
            chip, offset = own, int(info.name[4:])
        with self._res_lock:
            pin: GpiodPin | None = self.pins.get(info)
            if pin is None or (isinstance(pin, GpiodPin) and pin.closed):
                if pin is not None:
                    self._own.discard(pin)
                pin = self.pins[info] = self.pin_class(self, info, chip, offset)
                self._own.add(pin)
            return pin

    def _line(self, name: Any) -> Line | None:  # noqa: ANN401
        """What "chip:line" means; None if ``name`` is the header's business."""
        if not isinstance(name, str) or ":" not in name:
            return None
        if name in self._lines:
            return self._lines[name]
        if any(True for _ in self.board_info.find_pin(name)):
            return None  # "J8:11" is a pin of the header
        chip_name, _, line_name = name.rpartition(":")
        own = self._open_chip()
        chip = chips.open_named(int(chip_name) if chip_name.isdigit() else chip_name)
        kept = {own.path: own, **self._others}.get(chip.path)
        if kept is not None:
            chip.close()
            chip = kept
        try:
            # Lines without a name are called "", all of them.
            offset = chip.line_offset_from_id(line_name or "?")
        except (OSError, ValueError):
            count = chip.get_info().num_lines
            if kept is None:
                chip.close()
            raise PinInvalidPin(f"{name}: that chip has lines 0 to {count - 1}, none so called") from None
        if kept is own:
            for _, info in self.board_info.find_pin(f"GPIO{offset}"):
                return self._remember(name, info, own, offset)
        self._others[chip.path] = chip
        # One line, however it is spelt, has to be one pin: all spellings share the canonical info.
        canonical = f"{chip.path.rpartition('/')[2]}:{offset}"
        if canonical in self._lines:
            return self._remember(name, *self._lines[canonical])
        info = PinInfo(
            number=offset, name=name, names=frozenset({name, canonical}), pull="", row=1, col=1,
            interfaces=frozenset({"gpio"}),
        )  # fmt: skip
        self._remember(canonical, info, chip, offset)
        return self._remember(name, info, chip, offset)

    def _remember(self, name: str, info: PinInfo, chip: gpiod.Chip, offset: int) -> Line:
        self._lines[name] = info, chip, offset
        return self._lines[name]

    def reserve_pins(self, requester: Any, *names: Any) -> None:  # noqa: ANN401
        """As in gpiozero, and for lines of other chips too.

        Raises:
            gpiozero.GPIOPinInUse: Another device of this process has the pin.
        """
        for name in names:
            line = self._line(name)
            if line is None:
                super().reserve_pins(requester, name)
                continue
            info = line[0]
            with self._res_lock:
                for holder in (held() for held in self._reservations[info]):
                    if holder is not None and requester._conflicts_with(holder):
                        raise GPIOPinInUse(f"pin {info.name} is already in use by {holder!r}")
                self._reservations[info].append(ref(requester))

    def release_pins(self, reserver: Any, *names: Any) -> None:  # noqa: ANN401
        """As in gpiozero, and for lines of other chips too."""
        for name in names:
            line = self._lines.get(name) if isinstance(name, str) else None
            if line is None:
                super().release_pins(reserver, name)
                continue
            with self._res_lock:
                held = self._reservations[line[0]]
                self._reservations[line[0]] = [r for r in held if r() not in (reserver, None)]

    def release_all(self, reserver: Any) -> None:  # noqa: ANN401
        """As in gpiozero."""
        self.release_pins(reserver, *(info.name for info in list(self._reservations)))

    def reset(self) -> None:
        """Closes every pin and forgets every reservation, but stays usable; for tests."""
        self._close_pins()
        with self._res_lock:
            self._reservations.clear()

    def close(self) -> None:
        """Gives every line back, ends both threads and closes the chips.

        Pins of other factories, which gpiozero keeps in the same table, are left alone.
        Harmless when repeated, and in the child of a fork.
        """
        self._close_pins()
        self.pulser.close()
        self.waiter.close()
        for chip in [*self._others.values(), *([] if self._chip is None else [self._chip])]:
            chip.close()
        self._others.clear()
        self._lines.clear()
        self._chip = None

    def _close_pins(self) -> None:
        for pin in list(self._own):
            pin.close()
            with self._res_lock:
                if self.pins.get(pin.info) is pin:
                    del self.pins[pin.info]
        self._own.clear()

    def _abandon(self) -> None:
        """In the child of a fork: lets go of everything without touching a single line.

        The lines stay the parent's. Without this a child would keep them busy after the
        parent has closed them, and would switch them when it cleans up.
        """
        for pin in self._own:
            pin.abandon()
            if self.pins.get(pin.info) is pin:
                del self.pins[pin.info]
        self._own.clear()
        self.pulser.abandon()
        self.waiter.abandon()
        for chip in [*self._others.values(), *([] if self._chip is None else [self._chip])]:
            chip.close()
        self._others.clear()
        self._lines.clear()
        self._chip = None


_factories: weakref.WeakSet[GpiodFactory] = weakref.WeakSet()


def _after_fork() -> None:
    for factory in list(_factories):
        factory._abandon()


os.register_at_fork(after_in_child=_after_fork)
