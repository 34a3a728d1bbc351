"""Entering a throw of real dice with one button: a press counts up, a hold confirms."""

from typing import NamedTuple

from shutthebox.rules.moves import Throw

DOUBLE_PRESS_NS = 350_000_000
"""Two presses closer than this void the throw: a die lay askew or left the tray."""


class TypedThrow(NamedTuple):
    """A throw being entered.

    Attributes:
        numbers: how many numbers to enter: one per die, or just the total.
        highest: the highest valid number; counting wraps round to 1 after it.
        entered: the numbers entered so far.
        presses: presses counted for the next number.
        pressed_ns: when the last press was counted.
    """

    numbers: int
    highest: int
    entered: Throw = ()
    presses: int = 0
    pressed_ns: int | None = None

    def press(self, t_ns: int) -> "TypedThrow | None":
        """Counts a press; None if it was a double press."""
        if self.pressed_ns is not None and t_ns - self.pressed_ns < DOUBLE_PRESS_NS:
            return None
        return self._replace(presses=self.presses % self.highest + 1, pressed_ns=t_ns)

    def enter(self) -> "TypedThrow":
        """Enters the number of presses as the throw's next number."""
        return self._replace(entered=(*self.entered, self.presses), presses=0, pressed_ns=None)

    @property
    def complete(self) -> bool:
        """Every number of the throw has been entered."""
        return len(self.entered) == self.numbers
