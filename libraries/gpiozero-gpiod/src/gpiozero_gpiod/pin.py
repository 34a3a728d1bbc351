"""One GPIO line as a gpiozero pin."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import threading
from collections.abc import Callable
from datetime import timedelta
from types import MethodType
from typing import Any, Protocol, TypeVar
from weakref import WeakMethod, ref

import gpiod
from gpiod.line import Bias, Clock, Direction, Drive, Edge, Value
from gpiozero.exc import (
    PinEdgeDetectUnsupported,
    PinFixedPull,
    PinInvalidBounce,
    PinInvalidEdges,
    PinInvalidFunction,
    PinInvalidPin,
    PinInvalidPull,
    PinPWMFixedValue,
    PinSetInput,
)
from gpiozero.pins import Pin, PinInfo
from gpiozero.pins.local import LocalPiPin

from .chips import PluggedChip
from .errors import InvalidDrive, InvalidFrequency, PinBusy, PinClosed, PinUnplugged
from .pwm import Pulser, Wave
from .share import share_of
from .waiter import Waiter

logger = logging.getLogger(__name__)

#: Edges the kernel keeps for one line until they are read; it then drops the oldest. The most it allows.
EVENT_BUFFER = 1024
#: The kernel counts a debounce period in whole microseconds, in 32 bits. In seconds.
MIN_BOUNCE_S, MAX_BOUNCE_S = 1e-6, 4294.0
#: Above this a software wave is mostly jitter.
MAX_FREQUENCY_HZ = 10_000

_PULLS = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "floating": Bias.DISABLED}
_PULL_NAMES = {bias: name for name, bias in _PULLS.items()}
_EDGES = {"both": Edge.BOTH, "rising": Edge.RISING, "falling": Edge.FALLING, "none": Edge.NONE}
_DRIVES = {
    "push-pull": Drive.PUSH_PULL,
    "open-drain": Drive.OPEN_DRAIN,
    "open-source": Drive.OPEN_SOURCE,
}

_T = TypeVar("_T")


class PinMaker(Protocol):
    """What a pin needs of its factory."""

    consumer: str
    waiter: Waiter
    pulser: Pulser

    @property
    def closed(self) -> bool:
        """Whether its pins have been closed for good."""

    def ticks(self) -> float:
        """The time of an edge that happens now, in seconds of the kernel's monotonic clock."""


class GpiodPin(LocalPiPin):
    """A line requested from the kernel for as long as the pin is open.

    Made by `GpiodFactory.pin`, never by hand. A new pin takes its line *as found*, whatever an
    earlier program or the firmware has set, and changes nothing until a function is set; so an
    output that is on can be taken over without a blink. Every change from then on reconfigures
    the line in place: it is not released in between, keeps its level, and loses no edge that
    the kernel has already seen.

    A closed pin can be looked at, but not changed; the factory opens it again when it is asked for it.
    If the line's chip is unplugged, every use raises `PinUnplugged`; once it is plugged in again,
    the pin goes on as it was set up.

    Methods may be called from any thread. Callbacks run in the factory's one waiting thread,
    never two at a time; an exception in one is logged and the next edge is delivered all the same.
    """

    def __init__(self, factory: PinMaker, info: PinInfo, chip: PluggedChip, offset: int) -> None:
        """Requests the line.

        Raises:
            PinBusy: Somebody else has it.
            gpiozero.PinInvalidPin: It is no GPIO line, or the chip has no such offset.
        """
        # LocalPiPin's own constructor would read the offset out of the name "GPIO17", which
        # lines of other chips do not have.
        Pin.__init__(self)
        if "gpio" not in info.interfaces:
            raise PinInvalidPin(f"{info.name} is not a GPIO pin")
        self._factory = factory
        self._info = info
        self._number = offset
        self._when_changed_lock = threading.RLock()
        self._lock = self._when_changed_lock
        self._chip = chip
        # The resistors are on a Pi's board, not beside the second line of any other chip.
        self._fixed_pull: str = info.pull if chip.is_header else ""
        self._request: gpiod.LineRequest | None = None
        self.open()

    # -- life

    def open(self) -> None:
        """Requests the line as it is found, if the pin is closed; called by the factory."""
        with self._lock:
            if self._request is not None:
                return
            self._when_changed: ref[Any] | WeakMethod[Any] | None = None
            # None until somebody sets it: the line is as it was found.
            self._function: str | None = None
            self._pull: str | None = None
            self._drive = "push-pull"
            self._bounce: float | None = None
            self._edges = "both"
            self._level = Value.INACTIVE
            self._wave: Wave | None = None
            self._detecting = self._watched = False
            self._unplugged = False
            self._last_seqno = self._lost = 0
            self._request = self._request_line()

    def _request_line(self, *, again: bool = True) -> gpiod.LineRequest:
        try:
            request = self._chip.chip.request_lines(
                {self._number: gpiod.LineSettings(direction=Direction.AS_IS)},
                consumer=self._factory.consumer,
                event_buffer_size=EVENT_BUFFER,
            )
        except OSError as error:
            if error.errno == errno.EBUSY:
                holder = self._line_info().consumer or "a kernel driver"
                raise PinBusy(f"{self!r} is already in use by {holder!r}") from error
            if again and error.errno == errno.ENODEV and self._chip.reopen():
                return self._request_line(again=False)
            raise self._telling(error) from error
        except ValueError as error:  # what gpiod makes of EINVAL, and of an offset out of range
            lines = self._chip.chip.get_info().num_lines
            raise PinInvalidPin(f"{self!r} is not a line of its chip, which has 0 to {lines - 1}") from error
        # Reading edges must never block, whatever happened between epoll's word and the read.
        os.set_blocking(request.fd, False)
        return request

    def _line_info(self) -> gpiod.LineInfo:
        if self._factory.closed:
            raise PinClosed(f"{self!r} is closed, and so is its factory")
        try:
            return self._chip.chip.get_line_info(self._number)
        except OSError as error:
            raise self._telling(error) from error

    def _live(self) -> gpiod.LineRequest:
        if self._request is None:
            raise PinClosed(f"{self!r} is closed")
        return self._request

    @property
    def closed(self) -> bool:
        """True once the line has been given back."""
        return self._request is None

    @property
    def lost_edges(self) -> int:
        """How many edges the kernel has dropped because nobody read them in time."""
        return self._lost

    def close(self) -> None:
        """Makes the line an input without a pull and gives it back to the kernel at once.

        A line that was never set up is left as it was found. Any process may request the line
        then; here, the factory opens the pin again. Harmless when repeated, and when the chip is
        gone.
        """
        with self._lock:
            if self._request is None:
                return
            self._when_changed = None
            self._stop_wave()
            if self._function is not None and not self._unplugged:
                with contextlib.suppress(OSError):
                    self._configure("input", pull=self._fixed_pull or "floating")
            self._release()
            self._factory.waiter.stop_looking(self)

    def _release(self) -> None:
        request, self._request = self._request, None
        if request is not None:
            if self._watched:
                self._factory.waiter.remove(request.fd)
                self._watched = False
            request.release()

    def abandon(self) -> None:
        """Closes this process's copy of the request and touches nothing; for a fork's child."""
        self._lock = self._when_changed_lock = threading.RLock()
        request, self._request = self._request, None
        self._when_changed = None
        self._wave = None
        if request is not None:
            request.release()

    # -- a chip that comes and goes

    def _telling(self, error: OSError) -> OSError:
        """The error to raise: `PinUnplugged` if the chip has gone, or else the same one."""
        if error.errno != errno.ENODEV:
            return error
        return PinUnplugged(errno.ENODEV, f"{self!r}: its GPIO chip {self._chip.label!r} is unplugged")

    def _use(self, action: Callable[[gpiod.LineRequest], _T]) -> _T:
        """Does something with the line; once more with a new request if its chip is back."""
        request = self._live()
        try:
            return action(request)
        except OSError as error:
            if error.errno != errno.ENODEV:
                raise
            if not self._come_back():
                self._notice_unplugged()
                raise self._telling(error) from error
        return action(self._live())

    def _come_back(self) -> bool:
        """Requests and sets up the line anew, if its chip is there again; the lock is held.

        Raises:
            PinBusy: Somebody else was faster, and keeps the line; this pin is now closed.
        """
        if not self._chip.reopen():
            return False
        wave, self._wave = self._wave, None
        if wave is not None:
            with contextlib.suppress(OSError):
                self._factory.pulser.remove(wave)
        try:
            request = self._request_line()
        except PinBusy:
            self._release()
            raise
        self._release()
        self._request = request
        self._detecting = False
        if self._function is not None:
            self._configure(self._function, pull=self._pull, value=self._level)
        if wave is not None:
            self._wave = self._new_wave(wave.frequency)
            self._factory.pulser.set(self._wave, duty=wave.duty)
        if self._unplugged:
            self._unplugged = False
            logger.warning("%r: its GPIO chip %r is back", self, self._chip.label)
        return True

    def _notice_unplugged(self) -> None:
        """Logs once that the chip is gone; it is looked for if edges are waited for."""
        if self._watched and self._request is not None:
            self._factory.waiter.remove(self._request.fd)
            self._watched = False
        if not self._unplugged:
            self._unplugged = True
            ended = ": no edges until it is back" if self._detecting else ""
            logger.error("%r: its GPIO chip %r is unplugged%s", self, self._chip.label, ended)
            if self._detecting:
                self._factory.waiter.look_again(self)

    def on_look_again(self) -> bool:
        """Sets the line up again if its chip is back; called by the waiting thread."""
        with self._lock:
            if self._request is None or not self._unplugged:
                return True
            try:
                return self._come_back()
            except PinBusy as error:
                logger.error("its GPIO chip is back, but %s", error)
                return True
            except OSError:
                return False

    # -- function, pull, state

    def output_with_state(self, state: float) -> None:
        """Makes the pin an output that has ``state`` from its first moment: no blip."""
        with self._lock:
            self._live()
            value = self._digital(state)
            self._stop_wave()
            self._configure("output", value=value)

    def input_with_pull(self, pull: str) -> None:
        """Makes the pin an input with its pull in one step."""
        with self._lock:
            self._live()
            self._check_pull(pull)
            self._stop_wave()
            self._configure("input", pull=pull)

    def _get_function(self) -> str:
        with self._lock:
            if self._request is not None and self._function is not None:
                return self._function
            return "output" if self._line_info().direction is Direction.OUTPUT else "input"

    def _set_function(self, value: str) -> None:
        if value not in ("input", "output"):
            raise PinInvalidFunction(f'invalid function "{value}" for pin {self!r}')
        with self._lock:
            self._live()
            self._stop_wave()
            if value == "input":
                self._configure("input")
            else:
                # gpiozero's initial_value=None: the level that the wire has now, it keeps.
                self._configure("output", value=self._use(self._read_level))

    def _read_level(self, request: gpiod.LineRequest) -> Value:
        return request.get_value(self._number)

    def _get_state(self) -> float:
        with self._lock:
            if self._request is None:
                return self._look()
            if self._wave is not None:
                return self._wave.duty
            return int(self._use(self._read_level) is Value.ACTIVE)

    def _look(self) -> int:
        """The level of a line that is not open, which is requested for that moment as it is."""
        self._line_info()
        with self._request_line() as request:
            return int(self._read_level(request) is Value.ACTIVE)

    def _set_state(self, value: float) -> None:
        with self._lock:
            self._live()
            if self._get_function() != "output":
                raise PinSetInput(f"cannot set state of pin {self!r}")
            if self._wave is not None:
                self._set_wave(duty=share_of(self, value))
                return
            level = self._digital(value)
            if self._function is None:
                self._configure("output", value=level)
            self._level = level
            self._use(lambda request: request.set_value(self._number, level))

    def _digital(self, value: float) -> Value:
        return Value.ACTIVE if share_of(self, value) else Value.INACTIVE

    def _get_pull(self) -> str:
        with self._lock:
            if self._request is not None and self._pull is not None:
                return self._pull
            return _PULL_NAMES.get(self._line_info().bias) or self._fixed_pull or "floating"

    def _set_pull(self, value: str) -> None:
        with self._lock:
            self._live()
            if self._get_function() == "output":
                raise PinFixedPull(f"cannot set pull on non-input pin {self!r}")
            self._check_pull(value)
            self._configure("input", pull=value)

    def _check_pull(self, pull: str) -> None:
        if pull not in _PULLS:
            raise PinInvalidPull(f'invalid pull "{pull}" for pin {self!r}')
        if self._fixed_pull and pull != self._fixed_pull:
            raise PinFixedPull(f"{self!r} has a physical pull-{self._fixed_pull} resistor")

    @property
    def drive(self) -> str:
        """How an output drives its line: "push-pull", "open-drain" or "open-source".

        Open drain pulls low and lets go, open source drives high and lets go; a resistor, here or
        outside, makes the other level. Where the chip cannot, the kernel switches between output
        and input. Kept through changes of function, until the pin is closed.

        Raises:
            InvalidDrive: On setting anything else.
        """
        return self._drive

    @drive.setter
    def drive(self, value: str) -> None:
        if value not in _DRIVES:
            raise InvalidDrive(f'invalid drive "{value}" for pin {self!r}: one of {", ".join(_DRIVES)}')
        with self._lock:
            self._live()
            self._drive = value
            if self._function == "output":
                self._configure("output", value=self._level)

    # -- PWM

    def _get_frequency(self) -> float | None:
        wave = self._wave
        return None if wave is None else wave.frequency

    def _set_frequency(self, value: float | None) -> None:
        with self._lock:
            if not value:
                self._stop_wave()
                return
            self._live()
            if not 0 < value <= MAX_FREQUENCY_HZ:
                raise InvalidFrequency(
                    f"invalid frequency {value} for pin {self!r}: "
                    f"it has to be above 0 and at most {MAX_FREQUENCY_HZ} Hz"
                )
            if self._get_function() != "output":
                raise PinPWMFixedValue(f"cannot start PWM on pin {self!r}")
            if self._wave is not None:
                self._set_wave(frequency=value)
                return
            if self._function is None:
                self._configure("output")
            self._level = Value.INACTIVE
            self._use(lambda request: request.set_value(self._number, Value.INACTIVE))
            self._factory.pulser.prepare()
            self._wave = self._new_wave(value)

    def _new_wave(self, frequency: float) -> Wave:
        request = self._live()

        def write(level: int) -> None:
            request.set_value(self._number, Value.ACTIVE if level else Value.INACTIVE)

        return Wave(request.fd, lambda: self._read_level(request), write, frequency)

    def _set_wave(self, *, frequency: float | None = None, duty: float | None = None) -> None:
        def change(request: gpiod.LineRequest) -> None:
            assert self._wave is not None
            self._factory.pulser.set(self._wave, frequency=frequency, duty=duty)

        self._use(change)

    def _stop_wave(self) -> None:
        """Ends PWM, if there is any, with the line low; of an unplugged chip it has ended already."""
        wave, self._wave = self._wave, None
        if wave is not None:
            self._level = Value.INACTIVE
            with contextlib.suppress(PinUnplugged):
                self._factory.pulser.remove(wave)
                self._use(lambda request: request.set_value(self._number, Value.INACTIVE))

    # -- edges

    def _get_bounce(self) -> float | None:
        return self._bounce

    def _set_bounce(self, value: float | None) -> None:
        if value is not None:
            try:
                value = float(value)
            except (TypeError, ValueError):
                value = -1.0
            if value and not MIN_BOUNCE_S <= value <= MAX_BOUNCE_S:
                raise PinInvalidBounce(
                    f"bounce of pin {self!r} has to be 0, or from "
                    f"{MIN_BOUNCE_S:.6f} to {MAX_BOUNCE_S:g} seconds"
                )
        with self._lock:
            self._live()
            self._bounce = value or None
            self._refresh()

    def _get_edges(self) -> str:
        return self._edges

    def _set_edges(self, value: str) -> None:
        if value not in _EDGES:
            raise PinInvalidEdges(f'invalid edges "{value}" for pin {self!r}')
        with self._lock:
            self._live()
            self._edges = value
            self._refresh()

    def _set_when_changed(self, value: Callable[[float, int], None] | None) -> None:
        with self._lock:
            if value is None:
                self._when_changed = None
                if self._request is not None:
                    with contextlib.suppress(PinUnplugged):  # of such a chip there are no edges anyway
                        self._refresh()
                return
            self._live()
            # Held weakly, as gpiozero wants it: a callback must not keep its device alive.
            self._when_changed = WeakMethod(value) if isinstance(value, MethodType) else ref(value)
            try:
                if self._function is None:
                    self._configure(self._get_function())
                else:
                    self._refresh()
            except BaseException:
                self._when_changed = None
                raise

    def _refresh(self) -> None:
        """Brings edge detection up to date, if that means anything for the line as it is."""
        if self._function == "input":
            self._configure("input", pull=self._pull)

    def _configure(self, function: str, *, pull: str | None = None, value: Value = Value.INACTIVE) -> None:
        """Puts the line's whole configuration to the kernel in one call; the lock is held."""
        if pull is None:
            # A pull goes with being an input; one that stays an input keeps it.
            kept = self._pull if self._function == function == "input" else None
            pull = kept or self._fixed_pull or "floating"
        detect = function == "input" and self._when_changed is not None and self._edges != "none"
        if function == "output":
            settings = gpiod.LineSettings(
                direction=Direction.OUTPUT, output_value=value, drive=_DRIVES[self._drive]
            )
        else:
            bounce = timedelta(seconds=self._bounce) if detect and self._bounce else timedelta()
            settings = gpiod.LineSettings(
                direction=Direction.INPUT,
                bias=_PULLS[pull],
                edge_detection=_EDGES[self._edges] if detect else Edge.NONE,
                debounce_period=bounce,
                event_clock=Clock.MONOTONIC,
            )

        def reconfigure(request: gpiod.LineRequest) -> None:
            if detect and not self._watched:
                removable = not self._chip.is_header
                self._factory.waiter.add(request.fd, self, can_be_unplugged=removable)
                self._watched = True
            try:
                request.reconfigure_lines({self._number: settings})
            except (OSError, NotImplementedError) as error:
                if not detect or getattr(error, "errno", None) == errno.ENODEV:
                    raise
                raise PinEdgeDetectUnsupported(f"the chip of {self!r} reports no edges: {error}") from error

        self._use(reconfigure)
        self._function, self._pull, self._level = function, pull, value
        if self._detecting and not detect:
            self._drain()
        self._detecting = detect

    def _drain(self) -> None:
        """Throws away old edges, so that a later callback does not get them."""
        while self._read(self._live()):
            pass

    def _read(self, request: gpiod.LineRequest) -> list[gpiod.EdgeEvent]:
        try:
            events = request.read_edge_events(EVENT_BUFFER)
        except BlockingIOError:
            return []
        for event in events:
            self._lost += max(0, event.line_seqno - self._last_seqno - 1)
            self._last_seqno = event.line_seqno
        return events

    def on_readable(self) -> None:
        """Reads the line's edges and calls back once for each; called by the waiting thread."""
        with self._lock:
            request = self._request
            if request is None:
                return
            try:
                events = self._read(request)
            except OSError:
                self._notice_unplugged()
                return
        for event in events:
            try:
                self._call_when_changed(
                    event.timestamp_ns / 1e9, int(event.event_type is gpiod.EdgeEvent.Type.RISING_EDGE)
                )
            except BaseException:
                # Also SystemExit: a callback cannot end the thread that all other pins live on.
                logger.exception("%r: exception in its callback", self)

    def _call_when_changed(self, ticks: float | None = None, state: int | None = None) -> None:
        """Calls back as if an edge had come; by default now, with the level that there is."""
        with self._lock:
            held = self._when_changed
            method = None if held is None else held()
            if held is not None and method is None:
                self._set_when_changed(None)
        if method is not None:
            method(
                self._factory.ticks() if ticks is None else ticks,
                self._get_state() if state is None else state,
            )
