"""The simulated hardware: contacts and outputs on gpiozero's mock factory.

The platform opens these pins as it opens real ones and cannot tell the difference: a lever
may be down before the daemon starts, a contact bounces, an edge gets lost on the way. The
box outlives the daemon: after a power cut the levers stand where they stood.

Every contact is a switch to ground with a pull-up on the board: open reads high, closed low,
whatever the internal pull is set to.
"""

import heapq
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from random import Random
from types import TracebackType
from typing import Any, Self

from gpiozero.exc import PinFixedPull, PinInvalidPull
from gpiozero.pins import HeaderInfo, PinInfo
from gpiozero.pins.mock import MockFactory, MockPin, MockPWMPin

from shutthebox.errors import ShutTheBoxError

TILE_LINES = (4, 17, 27, 22, 23, 24, 25, 5, 6, 13, 16, 26)
"""BCM lines of levers 1 to 12, in the order of the header."""
ROLL_LINE = 12
BUZZER_LINE = 18
LAMP_LINE = 19

FIRST_EXTRA_LINE = 28
"""From here on lines belong to no header: simulated port expanders, 64 lines of them."""
EXTRA_LINES = 64

MAX_LEVERS = 54
# A tap on a touchpad ends after a few milliseconds; a finger on a real button stays longer than
# any settle window. Every position is held at least this long before the next one is taken.
_DWELL_NS = 70_000_000
# Changes of one contact that wait for their turn. Beyond this a finger cannot move a lever.
_MAX_WAITING = 8
_KEPT_STATES = 1024


class UnknownLeverError(ShutTheBoxError, ValueError):
    """A lever number that this box does not have."""


class Change(Enum):
    """What observers are told about: look the value up on the box."""

    LEVERS = "levers"
    BUTTON = "button"
    LAMP = "lamp"
    SOUND = "sound"


@dataclass(frozen=True, slots=True)
class ContactEdge:
    """One edge to play: ``line`` (BCM) goes to ``level`` (True high) ``offset_ns`` after the start."""

    offset_ns: int
    line: int
    level: bool


def default_lever_lines(levers: int) -> dict[int, int]:
    """The BCM line of each lever from 1 on: the first twelve on the header, the rest on expanders.

    Raises:
        UnknownLeverError: fewer than 1 or more than 54 levers.
    """
    if not 1 <= levers <= MAX_LEVERS:
        raise UnknownLeverError(f"{levers} levers: a box has 1 to {MAX_LEVERS}")
    lines = (*TILE_LINES, *range(FIRST_EXTRA_LINE, FIRST_EXTRA_LINE + MAX_LEVERS))
    return dict(enumerate(lines[:levers], start=1))


def bounce_edges(rng: Random, duration_ns: int, *, settled: bool = False) -> list[tuple[int, bool]]:
    """Makes up one bouncing contact; the same generator state gives the same burst.

    Args:
        rng: where the chatter comes from.
        duration_ns: from the first edge to the last; 0 is a clean contact.
        settled: the level in the end, False (low) for a contact that closes.

    Returns:
        (offset in ns, level), offsets rising from 0 to ``duration_ns``, levels alternating,
        the first and the last at ``settled``.

    Raises:
        ValueError: ``duration_ns`` is negative.
    """
    if duration_ns < 0:
        raise ValueError(f"a bounce cannot last {duration_ns} ns")
    pairs = min(rng.randint(1, 6), duration_ns // 2)
    if not pairs:
        return [(0, settled)]
    offsets = [0, *sorted(rng.sample(range(1, duration_ns), 2 * pairs - 1)), duration_ns]
    return [(offset, settled == (index % 2 == 0)) for index, offset in enumerate(offsets)]


def _bounded(states: list[Any]) -> None:
    # MockPin remembers every change for ever; a lamp that breathes all night must not.
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
        """Reports the last edge to whoever listens. Called by the factory only."""
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
        _bounded(self.states)
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
        _bounded(self.states)
        if changed:
            self._factory.output_changed(self._number)
        return changed

    def _set_function(self, value: str) -> None:
        super()._set_function(value)
        if value == "input":
            self._change_state(0.0)  # nobody drives it: dark and silent

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
        revision: the Pi to pretend to be, in hex; None for ``GPIOZERO_MOCK_REVISION`` or a 3B.
    """

    def __init__(
        self,
        clock_ns: Callable[[], int],
        output_lines: Iterable[int],
        on_output: Callable[[int], None],
        *,
        revision: str | None = None,
    ) -> None:
        super().__init__(revision=revision, pin_class=ContactPin)
        self._clock_ns = clock_ns
        self._output_lines = frozenset(output_lines)
        self._on_output = on_output
        self._info: Any
        self._levels: dict[int, bool] = {}
        self._loses: Callable[[int], bool] = lambda line: False
        self._contacts_lock = threading.RLock()

    def ticks(self) -> float:
        """The time of the box in seconds, as gpiozero wants it."""
        return self._clock_ns() / 1_000_000_000

    def lose_edges(self, loses: Callable[[int], bool]) -> None:
        """Asks ``loses(line)`` at each edge whether its callback is to be dropped."""
        self._loses = loses

    def level(self, line: int) -> bool:
        """The level of a line, True for high: an open contact, and any line never touched."""
        return self._levels.get(line, True)

    def set_level(self, line: int, level: bool) -> None:
        """Puts a line to a level at once and calls back in this thread if a pin listens."""
        with self._contacts_lock:
            self._levels[line] = level
            pin = self.opened(line)
            if not isinstance(pin, ContactPin) or not pin.follow(level) or self._loses(line):
                return
        # Outside the lock: a callback may do as it likes.
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


class SimulatedBox:
    """The box without its Pi: levers, the dice button with its lamp, and the buzzer.

    In real time a change of a contact bounces for a few seeded milliseconds, played by one
    thread of the box that also runs the daemon's callbacks, like a real edge thread. In
    virtual time nothing happens by itself: ``set_lever`` is one clean edge at once in the
    caller's thread, and bursts are played by the caller from ``bounce``.

    Args:
        lever_lines: BCM line of each lever; ``default_lever_lines(9)`` for a usual box.
        button_line: BCM line of the dice button.
        buzzer_line: BCM line of the buzzer.
        lamp_line: BCM line of the lamp in the button.
        levers_down: levers that are down before the daemon opens anything.
        real_time: False for virtual time.
        clock_ns: the time in ns, never going back; in real time leave it alone.
        seed: of all chatter and all losses.
        revision: the Pi to pretend to be, see ``ContactFactory``.

    Raises:
        ValueError: two things on the same line.
        UnknownLeverError: ``levers_down`` names one that is not there.
    """

    def __init__(
        self,
        lever_lines: Mapping[int, int],
        button_line: int = ROLL_LINE,
        *,
        buzzer_line: int = BUZZER_LINE,
        lamp_line: int = LAMP_LINE,
        levers_down: Iterable[int] = (),
        real_time: bool = True,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        seed: int = 0,
        revision: str | None = None,
    ) -> None:
        lines = [*lever_lines.values(), button_line, buzzer_line, lamp_line]
        for line in lines:
            if lines.count(line) > 1:
                raise ValueError(f"line {line} is wired to more than one thing")
        self._lever_lines = dict(sorted(lever_lines.items()))
        self._button_line = button_line
        self._buzzer_line = buzzer_line
        self._lamp_line = lamp_line
        self._real_time = real_time
        self._clock_ns = clock_ns
        self._chatter = Random(f"{seed} chatter")
        self._losses = Random(f"{seed} losses")
        self._loss = 0.0
        self._lever_line_set = frozenset(lever_lines.values())
        self._positions = dict.fromkeys((*lever_lines.values(), button_line), False)  # line: down
        self._outputs: dict[int, tuple[float | None, float]] = {}
        self._observers: list[Callable[[Change], None]] = []
        self._observers_lock = threading.Lock()
        self.factory = ContactFactory(
            clock_ns, (buzzer_line, lamp_line), self._output_changed, revision=revision
        )
        """Pass this to every gpiozero device as ``pin_factory=``."""
        self.factory.lose_edges(self._loses)
        self._player = _EdgePlayer(clock_ns, self._chatter, self._moved, self.factory.set_level)
        for number in levers_down:
            line = self.lever_line(number)
            self._positions[line] = True
            self.factory.set_level(line, False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stops the thread that plays edges; what it had not yet played never happens."""
        self._player.close()

    @property
    def levers(self) -> tuple[int, ...]:
        """All lever numbers, rising."""
        return tuple(self._lever_lines)

    @property
    def levers_down(self) -> frozenset[int]:
        """The levers that are down, as an eye sees them: a bouncing contact is where it is going."""
        return frozenset(number for number, line in self._lever_lines.items() if self._positions[line])

    @property
    def button_down(self) -> bool:
        """Whether the dice button is pressed."""
        return self._positions[self._button_line]

    @property
    def button_line(self) -> int:
        """The BCM line of the dice button."""
        return self._button_line

    @property
    def lamp(self) -> float:
        """How bright the lamp in the button is, 0 to 1."""
        return self._outputs.get(self._lamp_line, (None, 0.0))[1]

    @property
    def buzzer(self) -> tuple[float | None, float]:
        """What drives the buzzer: frequency in Hz (None: none set) and duty, 0 to 1."""
        return self._outputs.get(self._buzzer_line, (None, 0.0))

    @property
    def sound(self) -> float | None:
        """The tone to hear, in Hz; None for silence (no frequency, or a steady level)."""
        frequency, duty = self.buzzer
        return frequency if frequency and 0.0 < duty < 1.0 else None

    def lever_line(self, number: int) -> int:
        """The BCM line of a lever.

        Raises:
            UnknownLeverError: no such lever.
        """
        try:
            return self._lever_lines[number]
        except KeyError:
            known = f"{min(self.levers)} to {max(self.levers)}" if self.levers else "none"
            raise UnknownLeverError(f"lever {number}: this box has {known}") from None

    def set_lever(self, number: int, down: bool) -> None:
        """Flips a lever down or puts it back; nothing happens if it already stands there.

        In real time it only queues the change: the contact moves within a millisecond, or,
        if it moved just before, once it has stood for 70 ms. Never blocks.

        Raises:
            UnknownLeverError: no such lever.
        """
        self._move(self.lever_line(number), down)

    def set_button(self, down: bool) -> None:
        """Presses or releases the dice button; timing as for ``set_lever``."""
        self._move(self._button_line, down)

    def bounce(self, number: int, down: bool, duration_ns: int, rng: Random) -> list[ContactEdge]:
        """The edges of a lever that bounces for ``duration_ns`` on its way; plays nothing.

        Raises:
            UnknownLeverError: no such lever.
            ValueError: the duration is negative.
        """
        line = self.lever_line(number)
        burst = bounce_edges(rng, duration_ns, settled=not down)
        return [ContactEdge(offset_ns, line, level) for offset_ns, level in burst]

    def set_level(self, line: int, level: bool) -> None:
        """Puts one line to a level now, in this thread: the caller plays edges and keeps the time.

        Not to be mixed with ``set_lever`` on the same line in real time.
        """
        if self._positions.get(line, not level) == level:
            self._moved(line, not level)
        self.factory.set_level(line, level)

    def lose_edges(self, probability: float) -> None:
        """From now on drops the callback of this fraction of lever edges; levels still change.

        Raises:
            ValueError: not between 0 and 1.
        """
        if not 0.0 <= probability <= 1.0:
            raise ValueError(f"a fraction of edges lies between 0 and 1, not at {probability}")
        self._loss = probability

    def cut_power(self) -> None:
        """The daemon is gone without a goodbye: no pin is open, outputs are off, contacts stay."""
        self.factory.reset()
        for line in tuple(self._outputs):
            self._outputs[line] = (None, 0.0)
        self._tell(Change.SOUND)
        self._tell(Change.LAMP)

    def subscribe(self, callback: Callable[[Change], None]) -> Callable[[], None]:
        """Calls back after every change, in whichever thread made it; must be quick and not raise.

        Returns:
            A function that ends it; calling it twice is harmless.
        """

        def unsubscribe() -> None:
            with self._observers_lock:
                if callback in self._observers:
                    self._observers.remove(callback)

        with self._observers_lock:
            self._observers.append(callback)
        return unsubscribe

    def _move(self, line: int, down: bool) -> None:
        if self._real_time:
            self._player.move(line, down, at_present=self._positions[line])
        elif self._positions[line] != down:
            self._moved(line, down)
            self.factory.set_level(line, not down)

    def _moved(self, line: int, down: bool) -> None:
        if line in self._positions:
            self._positions[line] = down
            self._tell(Change.BUTTON if line == self._button_line else Change.LEVERS)

    def _loses(self, line: int) -> bool:
        return self._loss > 0 and line in self._lever_line_set and self._losses.random() < self._loss

    def _output_changed(self, line: int) -> None:
        pin = self.factory.opened(line)
        if pin is None:
            return
        self._outputs[line] = (pin.frequency, float(pin.state))
        if line == self._lamp_line:
            self._tell(Change.LAMP)
        elif line == self._buzzer_line:
            self._tell(Change.SOUND)

    def _tell(self, change: Change) -> None:
        with self._observers_lock:
            observers = tuple(self._observers)
        for observer in observers:
            observer(change)


class _EdgePlayer:
    """Moves contacts in real time: one thread, started by the first move, one heap of edges."""

    def __init__(
        self,
        clock_ns: Callable[[], int],
        rng: Random,
        moved: Callable[[int, bool], None],
        set_level: Callable[[int, bool], None],
    ) -> None:
        self._clock_ns = clock_ns
        self._rng = rng
        self._moved = moved
        self._set_level = set_level
        self._changed = threading.Condition()
        self._edges: list[tuple[int, int, int, bool, bool]] = []  # due, order, line, level, first
        self._order = 0
        self._waiting: dict[int, deque[bool]] = {}  # positions (down) that a line has yet to take
        self._heading: dict[int, bool] = {}  # the one that it is taking, or took last
        self._free_at_ns: dict[int, int] = {}  # when a line may move again
        self._thread: threading.Thread | None = None
        self._closed = False

    def move(self, line: int, down: bool, *, at_present: bool) -> None:
        """Queues a change unless the line is, or will be, there already."""
        with self._changed:
            waiting = self._waiting.setdefault(line, deque())
            last = waiting[-1] if waiting else self._heading.get(line, at_present)
            if self._closed or down == last:
                return
            if len(waiting) >= _MAX_WAITING:
                waiting.pop()  # to and fro again: leave both out
                return
            waiting.append(down)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="simulated-contacts", daemon=True)
                self._thread.start()
            self._changed.notify()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                edge = self._next_edge()
            if edge is None:
                return
            _, _, line, level, first = edge
            if first:
                self._moved(line, not level)
            self._set_level(line, level)

    def _next_edge(self) -> tuple[int, int, int, bool, bool] | None:
        """Waits for the next edge that is due; None once closed. Holds the condition."""
        while not self._closed:
            now = self._clock_ns()
            self._begin_moves(now)
            if self._edges and self._edges[0][0] <= now:
                return heapq.heappop(self._edges)
            starts = (self._free_at_ns[line] for line, moves in self._waiting.items() if moves)
            due = min((*starts, *(edge[0] for edge in self._edges[:1])), default=None)
            self._changed.wait(None if due is None else max(due - now, 0) / 1_000_000_000)
        return None

    def _begin_moves(self, now: int) -> None:
        for line, moves in self._waiting.items():
            if moves and self._free_at_ns.get(line, now) <= now:
                self._heading[line] = down = moves.popleft()
                burst = bounce_edges(self._rng, self._rng.randint(500_000, 5_000_000), settled=not down)
                for index, (offset_ns, level) in enumerate(burst):
                    self._order += 1
                    heapq.heappush(self._edges, (now + offset_ns, self._order, line, level, index == 0))
                self._free_at_ns[line] = now + burst[-1][0] + _DWELL_NS
