"""The switch stage: edges of contacts in, inputs of the machine out, each with its time."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from shutthebox.game.inputs import HealthChanged, Held, HeldLong, Input, LeversMoved, Pressed
from shutthebox.game.switches.button import Button, Gesture
from shutthebox.game.switches.debounce import Debouncer, SwitchChanged
from shutthebox.game.switches.switch import DICE_BUTTON, switch
from shutthebox.rules.tiles import Tiles, to_tiles

_GESTURES: Mapping[Gesture, Input] = {
    Gesture.PRESS: Pressed(),
    Gesture.HOLD: Held(),
    Gesture.LONG_HOLD: HeldLong(),
}


class TimedInput(NamedTuple):
    """An input, when it came about, and the settled switches that it comes from."""

    given: Input | None
    t_ns: int
    settled: tuple[SwitchChanged, ...] = ()


class Switches:
    """All contacts of a box. Used by the main thread only; times in ns on the caller's clock.

    Args:
        settle_ns: per switch, how long a level must stand before it counts.
        active: per switch, its state now; read silently, so it causes no input.
        t_ns: now.

    Attributes:
        presses: per switch, how often it was pressed or flipped down.

    Example:
        A lever counts as moved once it has stood for its 40 ms.

        >>> switches = Switches({3: 40_000_000}, {3: False}, t_ns=0)
        >>> switches.edge(3, True, t_ns=1_000_000)
        []
        >>> switches.deadline_ns
        41000000
        >>> [timed.given for timed in switches.elapsed(41_000_000)]
        [LeversMoved(down=4)]
    """

    def __init__(self, settle_ns: Mapping[int, int], active: Mapping[int, bool], t_ns: int) -> None:
        self._debouncer = Debouncer(settle_ns, active, t_ns)
        self._button = Button()
        self._down = {switch for switch, down in active.items() if down and switch > 0}
        self.presses: Counter[int] = Counter()

    @property
    def levers(self) -> Tiles:
        """The levers that have settled down."""
        return to_tiles(self._down)

    @property
    def chatter(self) -> Mapping[int, int]:
        """Per switch, how many edges fell into settle windows."""
        return self._debouncer.chatter

    @property
    def deadline_ns(self) -> int | None:
        """When `elapsed` next gives an input; None if all contacts have settled and no button is held."""
        deadlines = (self._debouncer.deadline_ns, self._button.deadline_ns)
        return min((deadline for deadline in deadlines if deadline is not None), default=None)

    def edge(self, switch: int, active: bool, t_ns: int) -> list[TimedInput]:
        """Takes an edge in; gives the inputs that had settled before it."""
        return list(self._inputs(self._debouncer.edge(switch, active, t_ns)))

    def reconcile(self, active: Mapping[int, bool], t_ns: int) -> list[TimedInput]:
        """Takes in the level of every contact, because kernels lose edges."""
        return list(self._inputs(self._debouncer.reconcile(active, t_ns)))

    def elapsed(self, t_ns: int) -> list[TimedInput]:
        """The inputs that time has completed: switches that have settled, and holds."""
        inputs = list(self._inputs(self._debouncer.settle(t_ns)))
        return [*inputs, *self._holds(t_ns)]

    def health(self, t_ns: int) -> HealthChanged:
        """The health of every contact since the start."""
        return HealthChanged(self._debouncer.health(t_ns))

    def _inputs(self, settled: list[SwitchChanged]) -> Iterator[TimedInput]:
        together: list[SwitchChanged] = []
        for change in settled:
            # Levers that settled at the same moment were moved together and are judged together.
            if together and (together[0].t_ns != change.t_ns or change.switch <= 0):
                yield self._levers_moved(together)
                together = []
            yield from self._holds(change.t_ns)
            self.presses[change.switch] += change.active
            if change.switch > 0:
                (self._down.add if change.active else self._down.discard)(change.switch)
                together.append(change)
            else:
                yield TimedInput(self._pressed(change), change.t_ns, (change,))
        if together:
            yield self._levers_moved(together)

    def _levers_moved(self, together: list[SwitchChanged]) -> TimedInput:
        return TimedInput(LeversMoved(self.levers), together[0].t_ns, tuple(together))

    def _pressed(self, change: SwitchChanged) -> Input | None:
        if change.switch != DICE_BUTTON:
            return switch(change.switch).given if change.active else None
        gesture = self._button.changed(change.active, change.t_ns)
        return None if gesture is None else _GESTURES[gesture]

    def _holds(self, t_ns: int) -> Iterator[TimedInput]:
        if self._button.deadline_ns is not None and self._debouncer.is_restless(DICE_BUTTON, t_ns):
            self._button.ignore()
        while (gesture := self._button.elapsed(t_ns)) is not None:
            yield TimedInput(_GESTURES[gesture], t_ns)
