"""The switch stage: contact edges in, timestamped machine inputs out."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from shutthebox.game.inputs import HealthChanged, Held, HeldLong, HeldOn, Input, LeversMoved, Pressed
from shutthebox.game.switches.button import Button, Gesture
from shutthebox.game.switches.debounce import Debouncer, SwitchChanged
from shutthebox.game.switches.switch import DICE_BUTTON, switch
from shutthebox.rules.tiles import Tiles, to_tiles

_GESTURES: Mapping[Gesture, Input] = {
    Gesture.PRESS: Pressed(),
    Gesture.HOLD: Held(),
    Gesture.HOLD_ON: HeldOn(True),
    Gesture.LET_GO: HeldOn(False),
    Gesture.LONG_HOLD: HeldLong(),
}


class TimedInput(NamedTuple):
    """An input, its time, and the settled switches behind it."""

    event: Input | None
    t_ns: int
    settled: tuple[SwitchChanged, ...] = ()


class Switches:
    """All contacts of a box. Main thread only; times are in ns on the caller's clock.

    Args:
        settle_ns: the settle window of each switch.
        active: the current state of each switch; it causes no input.
        t_ns: now.

    Attributes:
        presses: how often each switch was pressed or flipped down.

    Example:
        A lever counts as moved once it has been stable for its 40 ms.

        >>> switches = Switches({3: 40_000_000}, {3: False}, t_ns=0)
        >>> switches.edge(3, True, t_ns=1_000_000)
        []
        >>> switches.deadline_ns
        41000000
        >>> [timed.event for timed in switches.elapsed(41_000_000)]
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
        """Edges inside settle windows, by switch."""
        return self._debouncer.chatter

    @property
    def deadline_ns(self) -> int | None:
        """When `elapsed` next returns an input; None if all contacts have settled and no button is held."""
        deadlines = (self._debouncer.deadline_ns, self._button.deadline_ns)
        return min((deadline for deadline in deadlines if deadline is not None), default=None)

    def edge(self, switch: int, active: bool, t_ns: int) -> list[TimedInput]:
        """Handles an edge; returns the inputs that had settled before it."""
        return list(self._inputs(self._debouncer.edge(switch, active, t_ns)))

    def reconcile(self, active: Mapping[int, bool], t_ns: int) -> list[TimedInput]:
        """Compares the level of every contact, because kernels can lose edges."""
        return list(self._inputs(self._debouncer.reconcile(active, t_ns)))

    def elapsed(self, t_ns: int) -> list[TimedInput]:
        """Returns the inputs completed by the passage of time: settled switches, and holds."""
        inputs = list(self._inputs(self._debouncer.settle(t_ns)))
        return [*inputs, *self._holds(t_ns)]

    def health(self, t_ns: int) -> HealthChanged:
        """The health counters of every contact since startup."""
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
                yield TimedInput(self._press(change), change.t_ns, (change,))
        if together:
            yield self._levers_moved(together)

    def _levers_moved(self, together: list[SwitchChanged]) -> TimedInput:
        return TimedInput(LeversMoved(self.levers), together[0].t_ns, tuple(together))

    def _press(self, change: SwitchChanged) -> Input | None:
        if change.switch != DICE_BUTTON:
            return switch(change.switch).event if change.active else None
        gesture = self._button.changed(change.active, change.t_ns)
        return None if gesture is None else _GESTURES[gesture]

    def _holds(self, t_ns: int) -> Iterator[TimedInput]:
        chatters = self._button.deadline_ns is not None and self._debouncer.is_restless(DICE_BUTTON, t_ns)
        if chatters and (ended := self._button.ignore()) is not None:
            yield TimedInput(_GESTURES[ended], t_ns)
        while (gesture := self._button.elapsed(t_ns)) is not None:
            yield TimedInput(_GESTURES[gesture], t_ns)
