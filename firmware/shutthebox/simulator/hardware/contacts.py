"""Simulated contacts and outputs: pins made as gpiozero asks for it.

The adapter opens these pins as it opens real ones: a lever may be down before the daemon starts, a contact
bounces, an edge gets lost on the way.

Every contact is a switch to ground with a pull-up on the board: open reads high, closed low, whatever the
internal pull is set to.

gpiozero's base classes name the methods with an underscore that a pin and a factory override.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from weakref import WeakKeyDictionary

from gpiozero.exc import PinFixedPull, PinInvalidFunction, PinInvalidPin, PinInvalidPull, PinSetInput
from gpiozero.pins import BoardInfo, HeaderInfo, PinInfo
from gpiozero.pins.pi import PiFactory, PiPin

FIRST_EXTRA_LINE = 28
"""The first line beyond the header: 64 lines of simulated port expanders."""
EXTRA_LINES = 64

_PI_3 = 0xA02082
"""The revision of a Pi 3 B, whose header the simulated lines are on."""


class LinePin(PiPin):  # type: ignore[misc]  # gpiozero has no types
    """A simulated line, without the kernel. Contacts and outputs derive from it."""

    def __init__(self, factory: "ContactFactory", info: PinInfo) -> None:
        super().__init__(factory, info)
        self._contacts, self._line = factory, line_of(info)
        self._pull, self._edges = info.pull or "floating", "both"

    def _get_pull(self) -> str:
        return self._pull

    def _set_pull(self, value: str) -> None:
        if self.function != "input":
            raise PinFixedPull(f"cannot set pull on non-input pin {self!r}")
        if self.info.pull and value != self.info.pull:
            raise PinFixedPull(f"{self!r} has a fixed pull resistor")
        if value not in ("floating", "up", "down"):
            raise PinInvalidPull("pull must be floating, up, or down")
        # The resistor on the board is stronger than any pull inside the chip.
        self._pull = value

    def _get_bounce(self) -> None:
        return None

    def _set_bounce(self, value: float | None) -> None:
        """Ignores gpiozero's debouncing: every bounce is reported."""

    def _get_edges(self) -> str:
        return self._edges

    def _set_edges(self, value: str) -> None:
        self._edges = value

    def _enable_event_detect(self) -> None:
        """The factory reports a contact's edges anyway."""

    def _disable_event_detect(self) -> None:
        """Without a callback nobody hears of them."""


class ContactPin(LinePin):
    """A line with a switch to ground on it; may be closed before anybody opens the pin."""

    def close(self) -> None:
        """Forgets the callback; the contact stays as it is."""
        self.when_changed = None

    def fire(self, ticks: float, level: bool) -> None:
        """Reports an edge to the listener, in this thread. Called by the factory only.

        An exception in the callback reaches the caller: on a Pi it would have silenced every input.
        """
        if self._edges in ("both", "rising" if level else "falling"):
            callback = self.when_changed
            if callback is not None:
                callback(ticks, level)

    def _get_function(self) -> str:
        return "input"

    def _set_function(self, value: str) -> None:
        if value != "input":
            raise PinInvalidFunction(f"{self!r} has a switch on it, so it's an input")

    def _get_state(self) -> bool:
        return self._contacts.level(self._line)


class OutputPin(LinePin):
    """An output whose frequency (Hz, None for steady) and duty (0 to 1) can be watched."""

    def __init__(self, factory: "ContactFactory", info: PinInfo) -> None:
        super().__init__(factory, info)
        self._function = "input"
        self._frequency: float | None = None
        self._duty = 0.0

    def close(self) -> None:
        """Stops driving the line: dark and silent."""
        self.function = "input"

    def _get_function(self) -> str:
        return self._function

    def _set_function(self, value: str) -> None:
        if value not in ("input", "output"):
            raise PinInvalidFunction("function must be input or output")
        self._function = value
        if value == "input":
            self._drive(None, 0.0)

    def _get_state(self) -> float:
        return self._duty

    def _set_state(self, value: float) -> None:
        if self._function == "input":
            raise PinSetInput(f"cannot set state of pin {self!r}")
        self._drive(self._frequency, float(value))

    def _get_frequency(self) -> float | None:
        return self._frequency

    def _set_frequency(self, value: float | None) -> None:
        if value is not None and self._function == "input":
            raise PinSetInput(f"cannot set frequency of pin {self!r}")
        self._drive(value, 0.0 if value is None else self._duty)

    def _drive(self, frequency: float | None, duty: float) -> None:
        if (frequency, duty) != (self._frequency, self._duty):
            self._frequency, self._duty = frequency, duty
            self._contacts.output_changed(self._line)


def line_of(info: PinInfo) -> int:
    """The BCM line of a pin that is a GPIO."""
    return int(info.name.removeprefix("GPIO"))


class ContactFactory(PiFactory):  # type: ignore[misc]  # gpiozero has no types
    """Makes contacts for inputs and watched outputs for the lines named as such.

    It keeps the levels of all lines itself, so they survive ``reset()`` and pins that were never opened have
    one too. Pass it as ``pin_factory=``; gpiozero's default is global to the process and never touched here.

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
        super().__init__()
        self._clock_ns = clock_ns
        self._output_lines = frozenset(output_lines)
        self._on_output = on_output
        self._board: BoardInfo | None = None
        self.edges: Counter[int] = Counter()
        """How often the level of each line has changed."""
        self._levels: dict[int, bool] = {}
        self._opened: dict[int, ContactPin | OutputPin] = {}
        self._reserved: WeakKeyDictionary[object, tuple[int | str, ...]] = WeakKeyDictionary()
        self._loses: Callable[[int], bool] = lambda line: False
        self._contacts_lock = threading.RLock()

    def ticks(self) -> float:
        """The time of the box in seconds, as gpiozero wants it."""
        return self._clock_ns() / 1_000_000_000

    @staticmethod
    def ticks_diff(later: float, earlier: float) -> float:
        """The seconds between two values of `ticks`."""
        return later - earlier

    def lose_edges(self, loses: Callable[[int], bool]) -> None:
        """Drops the callback of every edge for which ``loses(line)`` is true."""
        self._loses = loses

    def level(self, line: int) -> bool:
        """The level of a line, True for high: an open contact, and any line never touched."""
        return self._levels.get(line, True)

    def set_level(self, line: int, level: bool) -> None:
        """Puts a line to a level at once and calls back in this thread if a pin listens."""
        with self._contacts_lock:
            if self.level(line) == level:
                return
            self.edges[line] += 1
            self._levels[line] = level
            pin, ticks = self._opened.get(line), self.ticks()
            if not isinstance(pin, ContactPin) or self._loses(line):
                return
        # Outside the lock: a callback may use the factory.
        pin.fire(ticks, level)

    def opened(self, line: int) -> "ContactPin | OutputPin | None":
        """The pin on a line if anybody ever opened it, else None."""
        return self._opened.get(line)

    def output_changed(self, line: int) -> None:
        """Called by the outputs; passes it on."""
        self._on_output(line)

    def pin(self, name: int | str) -> "ContactPin | OutputPin":
        """The pin of that name or number; a contact or an output by its line."""
        with self._contacts_lock:
            info = next((info for _, info in self.board_info.find_pin(name)), None)
            if info is None or "gpio" not in info.interfaces:
                raise PinInvalidPin(f"{name} is not a GPIO pin")
            line = line_of(info)
            if line not in self._opened:
                kind = OutputPin if line in self._output_lines else ContactPin
                self._opened[line] = self.pins[info] = kind(self, info)
            return self._opened[line]

    def reserve_pins(self, requester: object, *names: int | str) -> None:
        """As in gpiozero; remembers who has reserved which."""
        self._reserved[requester] = (*self._reserved.get(requester, ()), *names)
        super().reserve_pins(requester, *names)

    def reset(self) -> None:
        """Forgets all pins and reservations, as if the process were gone; contacts stay."""
        with self._contacts_lock:
            self.pins.clear()
            self._opened.clear()
            for requester, names in tuple(self._reserved.items()):
                self.release_pins(requester, *names)
            self._reserved.clear()

    def _get_revision(self) -> int:
        return _PI_3

    def _get_board_info(self) -> BoardInfo:
        if self._board is None:
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
            self._board = board._replace(headers={**board.headers, "EXPANDER": header})
        return self._board
