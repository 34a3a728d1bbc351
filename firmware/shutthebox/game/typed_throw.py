"""Entering a throw of real dice with the one button: a press adds one, a hold enters."""

from typing import NamedTuple

from shutthebox.rules.moves import Throw

DOUBLE_PRESS_NS = 350_000_000
"""Two presses closer than this void the throw: a die lay askew or left the tray."""


class TypedThrow(NamedTuple):
    """The part of a throw that has been entered.

    Attributes:
        numbers: how many numbers make the throw: one per die, or just the total.
        highest: the highest number that one of them can be; counting on starts again at 1.
        entered: those entered so far.
        presses: for the next one.
        pressed_ns: when the last press was counted.
    """

    numbers: int
    highest: int
    entered: Throw = ()
    presses: int = 0
    pressed_ns: int | None = None

    def press(self, t_ns: int) -> "TypedThrow | None":
        """One more; None if this was a double press."""
        if self.pressed_ns is not None and t_ns - self.pressed_ns < DOUBLE_PRESS_NS:
            return None
        return self._replace(presses=self.presses % self.highest + 1, pressed_ns=t_ns)

    def enter(self) -> "TypedThrow":
        """The number of presses becomes the next number of the throw."""
        return self._replace(entered=(*self.entered, self.presses), presses=0, pressed_ns=None)

    @property
    def complete(self) -> bool:
        """Every number of the throw has been entered."""
        return len(self.entered) == self.numbers
