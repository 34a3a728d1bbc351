"""Simulated contacts and outputs, on gpiozero's mock factory.

The adapter opens these pins as it opens real ones: a lever
may be down before the daemon starts, a contact bounces, an edge gets lost on the way.

Every contact is a switch to ground with a pull-up on the board: open reads high, closed low,
whatever the internal pull is set to.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from gpiozero.exc import PinFixedPull, PinInvalidPull
from gpiozero.pins import HeaderInfo, PinInfo
from gpiozero.pins.mock import MockFactory, MockPin, MockPWMPin

FIRST_EXTRA_LINE = 28
"""The first line beyond the header: 64 lines of simulated port expanders."""
EXTRA_LINES = 64

_KEPT_STATES = 1024


def _bound(states: list[Any]) -> None:
    # MockPin remembers every change forever, which a lamp that breathes all night can't afford.
    if len(states) > 2 * _KEPT_STATES:
        del states[:-_KEPT_STATES]


class ContactPin(MockPin):  # type: ignore[misc]  # gpiozero has no types
    """A line with a switch to ground on it; may be closed before anybody opens the pin.

    ``drive_low()`` closes the contact and ``drive_high()`` opens it, in the caller's thread,
    which also runs ``when_changed(ticks, state)``. An exception in there reaches the caller:
    on a Pi it would have silenced every input.
    """

    def __init__(self, factory: "ContactFactory", info: PinInfo) -> None:
        super().__init__(factory, info)
        self._state = factory.level(self._number)
        self.clear_states()

    def close(self) -> None:
        """Forgets the callback and the function; the contact stays as it is."""
        self.when_changed = None
        self.function = "input"

    def clear_states(self) -> None:
        """Forgets the recorded states, except for the present one."""
        super().clear_states()
        self._last_change = self._factory.ticks()

    def drive_high(self) -> None:
        """Opens the contact."""
        self._factory.set_level(self._number, True)

    def drive_low(self) -> None:
        """Closes the contact."""
        self._factory.set_level(self._number, False)

    def follow(self, level: bool) -> bool:
        """Takes over the level of the line; True if an edge is due. Called by the factory only."""
        return self._function == "input" and self._change_state(level)

    def fire(self) -> None:
        """Reports the last edge to the listener. Called by the factory only."""
        with self._when_changed_lock:
            wanted = self._edges == "both" or self._edges == ("rising" if self._state else "falling")
            callback = self._get_when_changed() if wanted else None
            ticks, state = self._last_change, self._state
        if callback is not None:
            callback(ticks, state)

    def _change_state(self, value: bool) -> bool:
        if self._state == value:
            return False
        now = self._factory.ticks()
        self._state = value
        self.states.append(type(self.states[0])(now - self._last_change, value))
        self._last_change = now
        _bound(self.states)
        return True

    def _set_function(self, value: str) -> None:
        super()._set_function(value)
        if value == "input":
            self.follow(self._factory.level(self._number))

    def _set_pull(self, value: str) -> None:
        if self._function != "input":
            raise PinFixedPull(f"cannot set pull on non-input pin {self!r}")
        if self.info.pull and value != self.info.pull:
            raise PinFixedPull(f"{self!r} has a fixed pull resistor")
        if value not in ("floating", "up", "down"):
            raise PinInvalidPull("pull must be floating, up, or down")
        # The resistor on the board is stronger than any pull inside the chip.
        self._pull = value


class OutputPin(MockPWMPin):  # type: ignore[misc]  # gpiozero has no types
    """An output whose frequency (Hz, None for steady) and duty (0 to 1) can be watched."""

    def _change_state(self, value: float) -> bool:
        changed = bool(super()._change_state(value))
        _bound(self.states)
        if changed:
            self._factory.output_changed(self._number)
        return changed

    def _set_function(self, value: str) -> None:
        super()._set_function(value)
        if value == "input":
            self._change_state(0.0)  # not driven: dark and silent

    def _set_frequency(self, value: float | None) -> None:
        before = self._frequency
        super()._set_frequency(value)
        if before != value:
            self._factory.output_changed(self._number)


class ContactFactory(MockFactory):  # type: ignore[misc]  # gpiozero has no types
    """Makes contacts for inputs and watched outputs for the lines named as such.

    Unlike gpiozero's own mock it keeps the levels of all lines itself, so they survive
    ``reset()`` and pins that were never opened have one too. Pass it as ``pin_factory=``;
    gpiozero's default is global to the process and never touched here.

    Args:
        clock_ns: the time in ns that ``ticks()`` turns into gpiozero's seconds.
        output_lines: BCM lines that become ``OutputPin``.
        on_output: called with the line after its frequency or duty changed, in the thread
            that changed it.
    """

    def __init__(
        self,
        clock_ns: Callable[[], int],
        output_lines: Iterable[int],
        on_output: Callable[[int], None],
    ) -> None:
        super().__init__(pin_class=ContactPin)
        self._clock_ns = clock_ns
        self._output_lines = frozenset(output_lines)
        self._on_output = on_output
        self._info: Any
        self.edges: Counter[int] = Counter()
        """How often the level of each line has changed."""
        self._levels: dict[int, bool] = {}
        self._loses: Callable[[int], bool] = lambda line: False
        self._contacts_lock = threading.RLock()

    def ticks(self) -> float:
        """The time of the box in seconds, as gpiozero wants it."""
        return self._clock_ns() / 1_000_000_000

    def lose_edges(self, loses: Callable[[int], bool]) -> None:
        """Drops the callback of every edge for which ``loses(line)`` is true."""
        self._loses = loses

    def level(self, line: int) -> bool:
        """The level of a line, True for high: an open contact, and any line never touched."""
        return self._levels.get(line, True)

    def set_level(self, line: int, level: bool) -> None:
        """Puts a line to a level at once and calls back in this thread if a pin listens."""
        with self._contacts_lock:
            self.edges[line] += self.level(line) != level
            self._levels[line] = level
            pin = self.opened(line)
            if not isinstance(pin, ContactPin) or not pin.follow(level) or self._loses(line):
                return
        # Outside the lock: a callback may use the factory.
        pin.fire()

    def opened(self, line: int) -> MockPin | None:
        """The pin on a line if anybody ever opened it, else None."""
        with self._contacts_lock:
            return next((pin for info, pin in self.pins.items() if info.name == f"GPIO{line}"), None)

    def output_changed(self, line: int) -> None:
        """Called by the outputs; passes it on."""
        self._on_output(line)

    def pin(self, name: int | str, pin_class: type[MockPin] | None = None, **kwargs: object) -> MockPin:
        """The pin of that name or number; a contact or an output by its line."""
        with self._contacts_lock:
            if pin_class is None:
                numbers = (int(info.name[4:]) for _, info in self.board_info.find_pin(name))
                is_output = next(numbers, None) in self._output_lines
                pin_class = OutputPin if is_output else ContactPin
            return super().pin(name, pin_class=pin_class, **kwargs)

    def reset(self) -> None:
        """Forgets all pins and reservations, as if the process were gone; contacts stay."""
        with self._contacts_lock:
            super().reset()

    def _get_board_info(self) -> object:
        if self._info is None:
            board = super()._get_board_info()
            taken = {pin.name for header in board.headers.values() for pin in header.pins.values()}
            extra = {}
            for row in range(EXTRA_LINES):
                number = FIRST_EXTRA_LINE + row
                name = f"GPIO{number}"
                if name not in taken:
                    names = frozenset({name, number, str(number), f"BCM{number}"})
                    extra[row + 1] = PinInfo(row + 1, name, names, "", row + 1, 1, frozenset({"gpio"}))
            header = HeaderInfo(name="EXPANDER", rows=EXTRA_LINES, columns=1, pins=extra)
            self._info = board._replace(headers={**board.headers, "EXPANDER": header})
        return self._info
