"""One GPIO line as a gpiozero pin."""

from __future__ import annotations

import errno
import logging
import os
import threading
from collections.abc import Callable
from datetime import timedelta
from types import MethodType
from typing import TYPE_CHECKING, Any
from weakref import WeakMethod, ref

import gpiod
from gpiod.line import Bias, Clock, Direction, Edge, Value
from gpiozero.exc import (
    PinEdgeDetectUnsupported,
    PinFixedPull,
    PinInvalidBounce,
    PinInvalidEdges,
    PinInvalidFunction,
    PinInvalidPin,
    PinInvalidPull,
    PinInvalidState,
    PinPWMFixedValue,
    PinSetInput,
)
from gpiozero.pins import Pin, PinInfo
from gpiozero.pins.local import LocalPiPin

from .errors import InvalidFrequency, PinBusy, PinClosed
from .pwm import Channel

if TYPE_CHECKING:
    from .factory import GpiodFactory

logger = logging.getLogger(__name__)

#: Edges the kernel keeps for one line until they are read; it then drops the oldest.
EVENT_BUFFER = 256
#: What the kernel's 32-bit count of microseconds can hold.
MAX_BOUNCE_S = 4294.0
#: Above this a software wave is mostly jitter.
MAX_FREQUENCY_HZ = 10_000

_PULLS = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "floating": Bias.DISABLED}
_EDGES = {"both": Edge.BOTH, "rising": Edge.RISING, "falling": Edge.FALLING, "none": Edge.NONE}


class GpiodPin(LocalPiPin):
    """A line requested from the kernel for as long as the pin is open.

    Made by `GpiodFactory.pin`, never by hand. A new pin takes its line *as found*, whatever an
    earlier program or the firmware has set, and changes nothing until a function is set; so an
    output that is on can be taken over without a blink. Every change from then on reconfigures
    the line in place: it is not released in between, keeps its level, and loses no edge that
    the kernel has already seen.

    Methods may be called from any thread. Callbacks run in the factory's one waiting thread,
    never two at a time; an exception in one is logged and the next edge is delivered all the same.
    """

    def __init__(self, factory: GpiodFactory, info: PinInfo, chip: gpiod.Chip, offset: int) -> None:
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
        self._when_changed: ref[Any] | WeakMethod[Any] | None = None
        self._lock = self._when_changed_lock
        self._chip = chip
        self._pull: str = info.pull or "floating"
        self._bounce: float | None = None
        self._edges = "both"
        self._channel: Channel | None = None
        self._detecting = False
        self._watched = False
        self._last_seqno = 0
        self._lost = 0
        self._request: gpiod.LineRequest | None = self._open(factory.consumer)
        # None until somebody sets it: the line is as it was found.
        self._function: str | None = None

    # -- life

    def _open(self, consumer: str) -> gpiod.LineRequest:
        try:
            request = self._chip.request_lines(
                {self._number: gpiod.LineSettings(direction=Direction.AS_IS)},
                consumer=consumer,
                event_buffer_size=EVENT_BUFFER,
            )
        except OSError as error:
            if error.errno == errno.EBUSY:
                holder = self._line_info().consumer or "a kernel driver"
                raise PinBusy(f"{self!r} is already in use by {holder!r}") from error
            raise
        except ValueError as error:  # what gpiod makes of EINVAL, and of an offset out of range
            lines = self._chip.get_info().num_lines
            raise PinInvalidPin(f"{self!r} is no line of its chip, which has 0 to {lines - 1}") from error
        # Reading edges must never block, whatever happened between epoll's word and the read.
        os.set_blocking(request.fd, False)
        return request

    def _line_info(self) -> gpiod.LineInfo:
        return self._chip.get_line_info(self._number)

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
        """Gives the line back to the kernel at once; any process may then request it.

        The pin cannot be used again: ask the factory for a new one. Harmless when repeated.
        """
        with self._lock:
            request, self._request = self._request, None
            if request is None:
                return
            self._when_changed = None
            if self._channel is not None:
                self._factory.pulser.remove(self._channel)
                self._channel = None
                request.set_value(self._number, Value.INACTIVE)
            if self._watched:
                self._factory.waiter.remove(request.fd)
                self._watched = False
            request.release()

    def abandon(self) -> None:
        """Closes this process's copy of the request and touches nothing; for a fork's child."""
        request, self._request = self._request, None
        self._when_changed = None
        self._channel = None
        if request is not None:
            request.release()

    # -- function, pull, state

    def output_with_state(self, state: float) -> None:
        """Makes the pin an output that has ``state`` from its first moment: no blip."""
        with self._lock:
            self._live()
            value = self._digital(state)
            self._stop_pwm()
            self._configure("output", value=value)

    def input_with_pull(self, pull: str) -> None:
        """Makes the pin an input with its pull in one step."""
        with self._lock:
            self._live()
            self._check_pull(pull)
            self._stop_pwm()
            self._configure("input", pull=pull)

    def _get_function(self) -> str:
        with self._lock:
            self._live()
            if self._function is not None:
                return self._function
            return "output" if self._line_info().direction is Direction.OUTPUT else "input"

    def _set_function(self, value: str) -> None:
        if value not in ("input", "output"):
            raise PinInvalidFunction(f'invalid function "{value}" for pin {self!r}')
        with self._lock:
            request = self._live()
            self._stop_pwm()
            if value == "input":
                self._configure("input")
            else:
                # gpiozero's initial_value=None: the level that the wire has now, it keeps.
                self._configure("output", value=request.get_value(self._number))

    def _get_state(self) -> float:
        with self._lock:
            request = self._live()
            if self._channel is not None:
                return self._channel.duty
            return int(request.get_value(self._number) is Value.ACTIVE)

    def _set_state(self, value: float) -> None:
        with self._lock:
            request = self._live()
            if self._get_function() != "output":
                raise PinSetInput(f"cannot set state of pin {self!r}")
            if self._channel is not None:
                self._factory.pulser.set(self._channel, duty=self._share(value))
            else:
                if self._function is None:
                    self._configure("output", value=self._digital(value))
                request.set_value(self._number, self._digital(value))

    def _share(self, value: float) -> float:
        try:
            share = float(value)
        except (TypeError, ValueError):
            share = -1.0
        if not 0 <= share <= 1:
            raise PinInvalidState(f'invalid state "{value}" for pin {self!r}: it has to be from 0 to 1')
        return share

    def _digital(self, value: float) -> Value:
        return Value.ACTIVE if self._share(value) else Value.INACTIVE

    def _get_pull(self) -> str:
        return self._pull

    def _set_pull(self, value: str) -> None:
        with self._lock:
            self._live()
            if self._function == "output":
                raise PinFixedPull(f"cannot set pull on non-input pin {self!r}")
            self._check_pull(value)
            self._configure("input", pull=value)

    def _check_pull(self, pull: str) -> None:
        if pull not in _PULLS:
            raise PinInvalidPull(f'invalid pull "{pull}" for pin {self!r}')
        if self._info.pull and pull != self._info.pull:
            raise PinFixedPull(f"{self!r} has a physical pull-{self._info.pull} resistor")

    # -- PWM

    def _get_frequency(self) -> float | None:
        channel = self._channel
        return None if channel is None else channel.frequency

    def _set_frequency(self, value: float | None) -> None:
        with self._lock:
            if not value:
                self._stop_pwm()
                return
            request = self._live()
            if not 0 < value <= MAX_FREQUENCY_HZ:
                raise InvalidFrequency(
                    f"invalid frequency {value} for pin {self!r}: "
                    f"it has to be above 0 and at most {MAX_FREQUENCY_HZ} Hz"
                )
            if self._get_function() != "output":
                raise PinPWMFixedValue(f"cannot start PWM on pin {self!r}")
            if self._channel is not None:
                self._factory.pulser.set(self._channel, frequency=value)
                return
            if self._function is None:
                self._configure("output", value=Value.INACTIVE)

            # Called by the PWM thread. It takes no lock of ours: the request cannot be released
            # before the pulser has let go of the channel.
            def write(level: int) -> None:
                request.set_value(self._number, Value.ACTIVE if level else Value.INACTIVE)

            write(0)
            self._channel = Channel(write, value)

    def _stop_pwm(self) -> None:
        """Ends PWM, if there is any, with the line low."""
        if self._channel is not None:
            self._factory.pulser.remove(self._channel)
            self._channel.write(0)
            self._channel = None

    # -- edges

    def _get_bounce(self) -> float | None:
        return self._bounce

    def _set_bounce(self, value: float | None) -> None:
        if value is not None:
            try:
                value = float(value)
            except (TypeError, ValueError):
                value = -1.0
            if not 0 <= value <= MAX_BOUNCE_S:
                raise PinInvalidBounce(f"bounce of pin {self!r} has to be from 0 to {MAX_BOUNCE_S:g} seconds")
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
            except PinEdgeDetectUnsupported:
                self._when_changed = None
                raise

    def _refresh(self) -> None:
        """Brings edge detection up to date, if that means anything for the line as it is."""
        if self._function == "input":
            self._configure("input", pull=self._pull)

    def _configure(self, function: str, *, pull: str | None = None, value: Value = Value.INACTIVE) -> None:
        """Puts the line's whole configuration to the kernel in one call; the lock is held."""
        request = self._live()
        if pull is None:
            # A pull goes with being an input; one that stays an input keeps it.
            pull = self._pull if self._function == function == "input" else self._info.pull or "floating"
        detect = function == "input" and self._when_changed is not None and self._edges != "none"
        if function == "output":
            settings = gpiod.LineSettings(direction=Direction.OUTPUT, output_value=value)
        else:
            bounce = timedelta(seconds=self._bounce) if detect and self._bounce else timedelta()
            settings = gpiod.LineSettings(
                direction=Direction.INPUT,
                bias=_PULLS[pull],
                edge_detection=_EDGES[self._edges] if detect else Edge.NONE,
                debounce_period=bounce,
                event_clock=Clock.MONOTONIC,
            )
        if detect and not self._watched:
            self._factory.waiter.add(request.fd, self)
            self._watched = True
        try:
            request.reconfigure_lines({self._number: settings})
        except (OSError, NotImplementedError) as error:
            if not detect:
                raise
            raise PinEdgeDetectUnsupported(f"the chip of {self!r} reports no edges: {error}") from error
        self._function, self._pull = function, pull
        if self._detecting and not detect:
            self._drain(request)
        self._detecting = detect

    def _drain(self, request: gpiod.LineRequest) -> None:
        """Throws away edges that nobody wants any more, lest a later callback gets them."""
        while self._read(request):
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
                logger.exception("%r: its GPIO chip is gone, no more edges will come", self)
                self._factory.waiter.remove(request.fd)
                self._watched = False
                return
        for event in events:
            try:
                self._call_when_changed(
                    event.timestamp_ns / 1e9, int(event.event_type is gpiod.EdgeEvent.Type.RISING_EDGE)
                )
            except BaseException:
                # Also SystemExit: a callback cannot end the thread that all other pins live on.
                logger.exception("%r: exception in its callback", self)

    def _call_when_changed(self, ticks: float, state: int) -> None:
        with self._lock:
            held = self._when_changed
            method = None if held is None else held()
            if held is not None and method is None:
                self._set_when_changed(None)
        if method is not None:
            method(ticks, state)
