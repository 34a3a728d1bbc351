"""The pins: contacts in, lamp out, through gpiozero and the pin factory passed in.

Callbacks run in the factory's thread and only put an `Edge` on a queue: an exception there would silence
every input while the process keeps running.
"""

import contextlib
import logging
import os
import tempfile
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gpiozero import PWMLED, InputDevice
from gpiozero.exc import PinUnknownPi
from gpiozero.pins import Factory

from shutthebox.adapters.trouble_log import TroubleLog
from shutthebox.config.schema import Backend, Line
from shutthebox.errors import ShutTheBoxError
from shutthebox.game.switches.switch import switch

_log = logging.getLogger(__name__)


CONSUMER = "shutthebox"
"""The name under which the box holds its lines, as other programs see it."""


class PinsError(ShutTheBoxError, OSError):
    """The pins can't be used; the message names the back end or the line."""

    exit_code = 1


class Edge(NamedTuple):
    """A contact moved.

    Attributes:
        switch: the number of its row (`shutthebox.game.switches.switch`).
        active: down, or pressed.
        t_ns: when, on the monotonic clock.
    """

    switch: int
    active: bool
    t_ns: int


def open_factory(backend: Backend) -> Factory:
    """The pin factory of a real Pi.

    Raises:
        PinsError: if its library or the chip is not there.
    """
    # lgpio makes a pipe in the current directory unless told where.
    os.environ.setdefault("LG_WD", tempfile.gettempdir())
    try:
        match backend:
            case Backend.GPIOD:
                from gpiozero_gpiod import GpiodFactory

                return GpiodFactory(consumer=CONSUMER)
            case Backend.LGPIO:
                from gpiozero.pins.lgpio import LGPIOFactory

                return LGPIOFactory()
            case Backend.RPIGPIO:
                from gpiozero.pins.rpigpio import RPiGPIOFactory

                return RPiGPIOFactory()
    except Exception as error:  # lgpio's own type can't be named without importing it
        raise PinsError(f"gpio.backend: {backend} can't open the pins: {_reason(error)}") from error


class Pins:
    """The switches and the lamp of a box.

    Args:
        factory: where the pins are.
        lines: line per switch.
        lamp: BCM line of the lamp in the button.
        put: receives every edge; called in the factory's thread, must not block.
        inverted: the switches whose line is high when they're down; the others are active-low.

    Attributes:
        taken: why a switch's line couldn't be opened, by switch, naming its holder if known. The box
            does without those switches.

    Raises:
        PinsError: if no line at all can be opened; the message names the first and why.
    """

    def __init__(
        self,
        factory: Factory,
        lines: Mapping[int, Line],
        lamp: int,
        put: Callable[[Edge], None],
        inverted: frozenset[int] = frozenset(),
    ) -> None:
        self._inverted = inverted
        self._devices: dict[int, Any] = {}
        self._listeners: list[_Listener] = []
        self._seen: dict[int, bool] = {}
        self._unread: dict[int, TroubleLog] = {}
        self._lamp: Any = None
        self.taken: dict[int, str] = {}
        for number, line in lines.items():
            try:
                self._open(factory, number, line, put)
            except Exception as error:  # lgpio and RPi.GPIO raise their own types, or a bare RuntimeError
                self.taken[number] = f"line {line}: {_reason(error)}"
        if lines and not self._devices:
            raise PinsError(f"gpio: {next(iter(self.taken.values()))}")
        for number, reason in self.taken.items():
            _log.error("%s: %s; playing without it until the restart", switch(number).name, reason)
        try:
            self._lamp = PWMLED(lamp, frequency=200, pin_factory=factory)
        except Exception as error:
            _log.warning("lamp: line %s: %s; playing without it", lamp, _reason(error))

    def _open(self, factory: Factory, number: int, line: Line, put: Callable[[Edge], None]) -> None:
        device = InputDevice(line, pull_up=True, pin_factory=factory)
        try:
            listener = _Listener(number, put, inverted=number in self._inverted)
            device.pin.edges = "both"
            device.pin.when_changed = listener.changed
        except BaseException:
            device.close()
            raise
        self._devices[number] = device
        # The pin holds its callback weakly: without this list it would be gone at once.
        self._listeners.append(listener)

    def active(self) -> dict[int, bool]:
        """Whether each switch is down now, or was when it could last be read."""
        for number, device in self._devices.items():
            try:
                self._seen[number] = bool(device.is_active) != (number in self._inverted)
            except Exception as error:  # an expander off its bus; libraries raise other errors, too
                self._seen.setdefault(number, False)
                trouble = self._unread.setdefault(number, TroubleLog(_log))
                trouble.warn("%s can't be read: %s", switch(number).name, _reason(error))
            else:
                if number in self._unread:
                    self._unread[number].clear("%s can be read again", switch(number).name)
        return dict(self._seen)

    def light(self, value: float) -> None:
        """Sets the lamp in the button, if there is one, from 0 (off) to 1 (full)."""
        if self._lamp is None:
            return
        try:
            if self._lamp.value != value:
                self._lamp.value = value
        except Exception as error:
            _log.warning("lamp: %s; playing without it", _reason(error))
            lamp, self._lamp = self._lamp, None
            with contextlib.suppress(Exception):
                lamp.close()

    def close(self) -> None:
        """Releases all lines."""
        for device in (*self._devices.values(), self._lamp):
            if device is not None:
                device.close()
        self._devices.clear()


class _Listener:
    """The callback of one switch."""

    def __init__(self, number: int, put: Callable[[Edge], None], *, inverted: bool) -> None:
        self._number = number
        self._inverted = inverted
        self._put = put

    def changed(self, ticks: float, state: int) -> None:
        """Called in the factory's thread with its time in seconds and the electrical level."""
        try:
            self._put(Edge(self._number, bool(state) == self._inverted, round(ticks * 1_000_000_000)))
        except Exception:
            # An exception that leaves this function ends lgpio's only thread, and with it every input.
            _log.exception("%s: lost an edge", switch(self._number).name)


def is_down(factory: Factory, line: Line, *, inverted: bool) -> bool:
    """Reads whether the switch on a free line is down now.

    Raises:
        Exception: from the pin library, if the line can't be opened.
    """
    with InputDevice(line, pull_up=True, pin_factory=factory) as device:
        return bool(device.is_active) != inverted


def board_fault(factory: Factory) -> str | None:
    """Why the header's lines can't be found; None if they can."""
    try:
        factory.board_info.revision  # noqa: B018  (asks the kernel)
    except Exception as error:  # libraries raise their own types
        return _reason(error)
    return None


def _reason(error: Exception) -> str:
    if isinstance(error, PinUnknownPi):
        return "the kernel doesn't say which Pi this is: no board revision in /proc/cpuinfo"
    return str(error) or type(error).__name__
