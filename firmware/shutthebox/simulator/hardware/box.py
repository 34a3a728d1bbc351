"""The simulated box: levers, the dice button with its lamp, and the buzzer, on simulated contacts.

It outlives the daemon: after a power cut, the levers are as before.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from random import Random
from types import TracebackType
from typing import Any, Self

from shutthebox.config.schema import GpioConfig
from shutthebox.errors import ShutTheBoxError
from shutthebox.game.switches.switch import BUTTONS, DICE_BUTTON, SERVICE_BUTTON
from shutthebox.simulator.hardware.bounce import EdgePlayer
from shutthebox.simulator.hardware.contacts import FIRST_EXTRA_LINE, ContactFactory

_WIRING = GpioConfig()
"""The simulated box is wired as a real one is by default."""

ROLL_LINE = BUTTONS[DICE_BUTTON].line
BUZZER_LINE = _WIRING.buzzer
LAMP_LINE = _WIRING.lamp

MAX_LEVERS = 54


class UnknownLeverError(ShutTheBoxError, ValueError):
    """A lever number that this box doesn't have."""


class Change(Enum):
    """The kind of a change; read the value from the box."""

    LEVERS = "levers"
    BUTTON = "button"
    LAMP = "lamp"
    SOUND = "sound"
    PINS = "pins"
    FAULTS = "faults"


class LeverFault(StrEnum):
    """How a lever is broken."""

    STUCK = "stuck"  # no hand can move it
    CUT = "cut"  # it moves, but its wire is cut: the line stays high


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the simulated Pi, as a meter would show it.

    Attributes:
        number: its BCM number.
        name: what's wired to it: "button", "lamp", "buzzer", or a lever's number.
        value: 0 to 1: a contact's level, or an output's duty cycle.
        opened: whether the daemon uses it.
        edges: how often a contact's level has changed since the start; 0 for an output.
    """

    number: int
    name: str
    value: float
    opened: bool
    edges: int


def simulated_wiring(gpio: GpioConfig) -> GpioConfig:
    """The wiring of a simulated box: its own lines, with this one's buttons and inverted switches."""
    rows = [BUTTONS[number] for number in wired_buttons(gpio)]
    lines: dict[str, Any] = {row.key: row.line for row in rows}
    return GpioConfig(**lines, inverted=gpio.inverted)


def wired_buttons(gpio: GpioConfig) -> tuple[int, ...]:
    """The numbers of the buttons that a wiring has."""
    return tuple(number for number, row in BUTTONS.items() if getattr(gpio, row.key) is not None)


class SimulatedBox:
    """The box without its Pi: levers, the dice button with its lamp, and the buzzer.

    In real time a change of a contact bounces for a few seeded milliseconds, played by one
    thread of the box that also runs the daemon's callbacks, like a real edge thread. In
    virtual time nothing happens by itself: ``set_lever`` is one clean edge at once in the
    caller's thread, and bursts are played by the caller with ``set_level``.

    Args:
        levers: how many, up to 54. The first twelve are on the header, the others on expanders.
        buttons: the numbers of its buttons.
        levers_down: levers that are down before the daemon opens anything.
        inverted: the switches whose line is high when they are down.
        real_time: False for virtual time.
        clock_ns: the time in ns, never going back; in real time leave it alone.
        seed: of all chatter and all losses.

    Attributes:
        switch_lines: the BCM line of every button and lever, by its number.
        factory: pass it to every gpiozero device as ``pin_factory=``.

    Raises:
        UnknownLeverError: ``levers_down`` names one that is not there.
    """

    def __init__(
        self,
        levers: int,
        *,
        buttons: Iterable[int] = (DICE_BUTTON,),
        levers_down: Iterable[int] = (),
        inverted: Iterable[int] = (),
        real_time: bool = True,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        seed: int = 0,
    ) -> None:
        lines = (*_WIRING.levers, *range(FIRST_EXTRA_LINE, FIRST_EXTRA_LINE + MAX_LEVERS))[:levers]
        self._lever_lines: dict[int, int] = dict(enumerate(lines, start=1))
        self._button_lines = {number: BUTTONS[number].line for number in buttons}
        self.switch_lines: Mapping[int, int] = self._button_lines | self._lever_lines
        self._real_time = real_time
        self._clock_ns = clock_ns
        self._chatter = Random(f"{seed} chatter")
        self._losses = Random(f"{seed} losses")
        self._loss = 0.0
        self._faults: dict[int, LeverFault] = {}
        self._positions = dict.fromkeys(self.switch_lines.values(), False)  # line: down
        self._outputs: dict[int, tuple[float | None, float]] = {}
        self._observers: list[Callable[[Change], None]] = []
        self._observers_lock = threading.Lock()
        self.factory = ContactFactory(clock_ns, (BUZZER_LINE, LAMP_LINE), self._output_changed)
        self.factory.lose_edges(self._loses)
        self._player = EdgePlayer(clock_ns, self._chatter, self._moved, self._drive)
        self._inverted = {line for number, line in self.switch_lines.items() if number in set(inverted)}
        for number in levers_down:
            self._positions[self.lever_line(number)] = True
        for line, down in self._positions.items():
            self._drive(line, not down)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stops the thread that plays edges; edges not yet played are dropped."""
        self._player.close()

    @property
    def levers(self) -> tuple[int, ...]:
        """All lever numbers, rising."""
        return tuple(self._lever_lines)

    @property
    def levers_down(self) -> frozenset[int]:
        """The levers that are down, as you'd see them: a bouncing contact counts as settled."""
        return frozenset(number for number, line in self._lever_lines.items() if self._positions[line])

    @property
    def button_down(self) -> bool:
        """Whether the dice button is pressed."""
        return self._positions[ROLL_LINE]

    @property
    def lamp(self) -> float:
        """How bright the lamp in the button is, 0 to 1."""
        return self._outputs.get(LAMP_LINE, (None, 0.0))[1]

    @property
    def buzzer(self) -> tuple[float | None, float]:
        """The buzzer's signal: frequency in Hz (None if unset) and duty cycle, 0 to 1."""
        return self._outputs.get(BUZZER_LINE, (None, 0.0))

    @property
    def sound(self) -> float | None:
        """The audible tone in Hz; None for silence (no frequency, or a steady level)."""
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
            raise UnknownLeverError(f"lever {number}: this box has 1 to {max(self.levers)}") from None

    def set_lever(self, number: int, down: bool) -> None:
        """Flips a lever down or puts it back. Does nothing if it's there already.

        In real time it only queues the change: the contact moves within a millisecond, or,
        if it moved just before, once it has stood for 70 ms. Never blocks.

        Raises:
            UnknownLeverError: no such lever.
        """
        self._move(self.lever_line(number), down)

    def set_button(self, down: bool) -> None:
        """Presses or releases the dice button; timing as for ``set_lever``."""
        self._move(ROLL_LINE, down)

    @property
    def has_service_button(self) -> bool:
        """Whether there is a button inside the box."""
        return SERVICE_BUTTON in self._button_lines

    def press_service(self) -> None:
        """Presses and releases the button inside the box, in real time. Does nothing if there's none."""
        if self.has_service_button:
            for down in (True, False):
                self._move(self._button_lines[SERVICE_BUTTON], down)

    def set_level(self, line: int, level: bool) -> None:
        """Sets a line's level now, in this thread: the caller plays the edges and keeps the time.

        The level is that of a switch to ground, high when it is open; an inverted one's line gets the other.
        Don't mix with ``set_lever`` on the same line in real time.
        """
        if self._positions.get(line, not level) == level:
            self._moved(line, not level)
        self._drive(line, level)

    def level(self, line: int) -> bool:
        """The level of a line, in the sense of `set_level`."""
        return self.factory.level(line) != (line in self._inverted)

    def lose_edges(self, probability: float) -> None:
        """From now on drops the callback of this fraction of lever edges; levels still change.

        Raises:
            ValueError: not between 0 and 1.
        """
        if not 0.0 <= probability <= 1.0:
            raise ValueError(f"a fraction of edges lies between 0 and 1, not at {probability}")
        self._loss = probability
        self._tell(Change.FAULTS)

    @property
    def lost_edges(self) -> float:
        """The fraction of lever edges whose callback is dropped."""
        return self._loss

    @property
    def bounce_ns(self) -> int:
        """How long a contact bounces at most, in real time."""
        return self._player.longest_ns

    @bounce_ns.setter
    def bounce_ns(self, longest_ns: int) -> None:
        if longest_ns < 0:
            raise ValueError(f"a contact can't bounce for {longest_ns} ns")
        self._player.longest_ns = longest_ns
        self._tell(Change.FAULTS)

    @property
    def lever_faults(self) -> Mapping[int, LeverFault]:
        """The broken levers."""
        return {
            number: self._faults[line] for number, line in self._lever_lines.items() if line in self._faults
        }

    def break_lever(self, number: int, fault: LeverFault | None) -> None:
        """Breaks a lever in this way, or mends it.

        Raises:
            UnknownLeverError: no such lever.
        """
        line = self.lever_line(number)
        if fault is None:
            self._faults.pop(line, None)
        else:
            self._faults[line] = fault
        self._drive(line, not self._positions[line])
        self._tell(Change.FAULTS)

    def lines(self) -> tuple[Line, ...]:
        """Every line with something on it: the levers', the button's, the lamp's, the buzzer's."""
        factory = self.factory
        contacts = {line: str(number) for number, line in self._lever_lines.items()}
        contacts |= {line: BUTTONS[number].verb for number, line in self._button_lines.items()}
        found = [(line, name, float(factory.level(line))) for line, name in contacts.items()]
        found += [(LAMP_LINE, "lamp", self.lamp), (BUZZER_LINE, "buzzer", self.buzzer[1])]
        return tuple(
            Line(line, name, value, factory.opened(line) is not None, factory.edges[line])
            for line, name, value in found
        )

    def cut_power(self) -> None:
        """Drops the daemon without a goodbye: pins are closed, outputs off, contacts as they were."""
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
        if self._faults.get(line) is LeverFault.STUCK:
            return
        if self._real_time:
            self._player.move(line, down, at_present=self._positions[line])
        elif self._positions[line] != down:
            self._moved(line, down)
            self._drive(line, not down)

    def _drive(self, line: int, level: bool) -> None:
        """Sets a line to a level, unless its wire is cut: the board's pull-up makes it high then."""
        level = level != (line in self._inverted) or self._faults.get(line) is LeverFault.CUT
        if self.factory.level(line) != level:
            self.factory.set_level(line, level)
            self._tell(Change.PINS)

    def _moved(self, line: int, down: bool) -> None:
        if line in self._positions:
            self._positions[line] = down
            self._tell(Change.BUTTON if line in self._button_lines.values() else Change.LEVERS)

    def _loses(self, line: int) -> bool:
        return self._loss > 0 and line in self._lever_lines.values() and self._losses.random() < self._loss

    def _output_changed(self, line: int) -> None:
        pin = self.factory.opened(line)
        if pin is None:
            return
        self._outputs[line] = (pin.frequency, float(pin.state))
        if line == LAMP_LINE:
            self._tell(Change.LAMP)
        elif line == BUZZER_LINE:
            self._tell(Change.SOUND)

    def _tell(self, change: Change) -> None:
        with self._observers_lock:
            observers = tuple(self._observers)
        for observer in observers:
            observer(change)
