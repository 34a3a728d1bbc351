"""The pins: contacts in, lamp out, through gpiozero with a factory that is passed in.

Callbacks run in the pin factory's thread. They do one thing, put an `Edge` on a queue: an
exception in there would silence every input while the process lives on.
"""

import contextlib
import logging
import os
import tempfile
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gpiozero import PWMLED, InputDevice
from gpiozero.pins import Factory

from shutthebox.adapters.trouble_log import TroubleLog
from shutthebox.config.schema import Backend, GpioConfig, Line
from shutthebox.errors import ShutTheBoxError
from shutthebox.game.switches.debounce import DICE_BUTTON, SERVICE_BUTTON

_log = logging.getLogger(__name__)


class PinsError(ShutTheBoxError, OSError):
    """The pins cannot be used; the text names the back end or the line."""

    exit_code = 1


class Edge(NamedTuple):
    """A contact has moved.

    Attributes:
        switch: `DICE_BUTTON`, `SERVICE_BUTTON`, or the lever's number.
        active: closed to ground.
        t_ns: when, on the monotonic clock.
    """

    switch: int
    active: bool
    t_ns: int


def switch_lines(gpio: GpioConfig, levers: int) -> dict[int, Line]:
    """The line of every switch of a box with so many levers.

    Raises:
        PinsError: if the wiring has fewer lines for levers.
    """
    if levers > len(gpio.levers):
        raise PinsError(
            f"box.levers: {levers} levers, but gpio.levers names {len(gpio.levers)} lines; one each is needed"
        )
    lines: dict[int, Line] = {DICE_BUTTON: gpio.roll, **dict(enumerate(gpio.levers[:levers], 1))}
    return lines if gpio.service is None else {SERVICE_BUTTON: gpio.service, **lines}


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

                return GpiodFactory(consumer="shutthebox")
            case Backend.LGPIO:
                from gpiozero.pins.lgpio import LGPIOFactory

                return LGPIOFactory()
            case Backend.RPIGPIO:
                from gpiozero.pins.rpigpio import RPiGPIOFactory

                return RPiGPIOFactory()
    except Exception as error:  # lgpio raises its own kind, which cannot be named without it
        raise PinsError(f"gpio.backend: {backend} cannot open the pins: {_reason(error)}") from error


class Pins:
    """The switches and the lamp of a box.

    Args:
        factory: where the pins are.
        lines: line per switch.
        lamp: BCM line of the lamp in the button.
        put: takes every edge; called in the factory's thread, must not block.

    Raises:
        PinsError: if a switch's line cannot be had; the text names it. Without its lamp a box plays on.
    """

    def __init__(
        self, factory: Factory, lines: Mapping[int, Line], lamp: int, put: Callable[[Edge], None]
    ) -> None:
        self._devices: dict[int, Any] = {}
        self._listeners: list[_Listener] = []
        self._seen: dict[int, bool] = {}
        self._unread: dict[int, TroubleLog] = {}
        self._lamp: Any = None
        for switch, line in lines.items():
            try:
                self._open(factory, switch, line, put)
            except Exception as error:  # lgpio and RPi.GPIO raise kinds of their own, or a bare RuntimeError
                self.close()
                raise PinsError(f"gpio: line {line}: {_reason(error)}") from error
        try:
            self._lamp = PWMLED(lamp, frequency=200, pin_factory=factory)
        except Exception as error:
            _log.warning("lamp: line %s: %s; playing without it", lamp, _reason(error))

    def _open(self, factory: Factory, switch: int, line: Line, put: Callable[[Edge], None]) -> None:
        device = InputDevice(line, pull_up=True, pin_factory=factory)
        self._devices[switch] = device
        listener = _Listener(switch, put)
        # The pin holds its callback weakly: without this list it would be gone at once.
        self._listeners.append(listener)
        device.pin.edges = "both"
        device.pin.when_changed = listener.changed

    def active(self) -> dict[int, bool]:
        """Per switch whether it is closed to ground now; if it cannot be read, as it last was."""
        for switch, device in self._devices.items():
            try:
                self._seen[switch] = bool(device.is_active)
            except Exception as error:  # an expander off its bus; libraries raise other errors, too
                self._seen.setdefault(switch, False)
                trouble = self._unread.setdefault(switch, TroubleLog(_log))
                trouble.warn("switch %d cannot be read: %s", switch, _reason(error))
            else:
                if switch in self._unread:
                    self._unread[switch].clear("switch %d can be read again", switch)
        return dict(self._seen)

    def light(self, value: float) -> None:
        """Sets the lamp in the button, 0 dark to 1 bright, where there is one."""
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
        """Lets all lines go."""
        for device in (*self._devices.values(), self._lamp):
            if device is not None:
                device.close()
        self._devices.clear()


class _Listener:
    """One switch's callback, with its own number in it."""

    def __init__(self, switch: int, put: Callable[[Edge], None]) -> None:
        self._switch = switch
        self._put = put

    def changed(self, ticks: float, state: int) -> None:
        """Called in the factory's thread with its time in seconds and the electrical level."""
        try:
            self._put(Edge(self._switch, not state, round(ticks * 1_000_000_000)))
        except Exception:
            # An exception that leaves this function ends lgpio's only thread, and with it every input.
            _log.exception("switch %d: an edge is lost", self._switch)


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
