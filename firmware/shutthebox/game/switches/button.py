"""Turns the button's changes into gestures: press, hold, holding on, long hold."""

from collections.abc import Sequence
from enum import Enum

HOLD_NS = 800_000_000
HOLD_ON_NS = 2_000_000_000
LONG_HOLD_NS = 10_000_000_000


class Gesture(Enum):
    """A gesture with the button."""

    PRESS = "press"  # counted at release, if it was no hold
    HOLD = "hold"  # counted when 0.8 s are reached
    HOLD_ON = "hold on"  # counted when 2 s are reached
    LET_GO = "let go"  # counted at release, if that comes after 2 s and before 10 s
    LONG_HOLD = "long hold"  # counted when 10 s are reached


REACHED: Sequence[tuple[Gesture, int]] = (
    (Gesture.HOLD, HOLD_NS), (Gesture.HOLD_ON, HOLD_ON_NS), (Gesture.LONG_HOLD, LONG_HOLD_NS)
)  # fmt: skip
"""The gestures that holding reaches one after the other, and when."""


class Button:
    """Follows the button's settled state. Times are in ns on the caller's clock.

    A button that is down at startup is ignored until it has been released.
    """

    def __init__(self) -> None:
        self._since_ns: int | None = None
        self._reached = 0

    def changed(self, active: bool, t_ns: int) -> Gesture | None:
        """Takes a change of the settled state; returns the gesture it completes."""
        if active:
            self._since_ns, self._reached = t_ns, 0
            return None
        if self._since_ns is not None and not self._reached:
            self._since_ns = None
            return Gesture.PRESS
        return self.ignore()

    def ignore(self) -> Gesture | None:
        """Ignores the button until it's pressed again; returns the gesture that this completes."""
        held_on = self._since_ns is not None and self._due is Gesture.LONG_HOLD
        self._since_ns = None
        return Gesture.LET_GO if held_on else None

    def elapsed(self, t_ns: int) -> Gesture | None:
        """Returns the gesture completed by holding until `t_ns`; call it at `deadline_ns`."""
        deadline = self.deadline_ns
        if deadline is None or t_ns < deadline:
            return None
        gesture = self._due
        self._reached += 1
        return gesture

    @property
    def deadline_ns(self) -> int | None:
        """When holding on completes the next gesture; None if there's nothing to wait for."""
        if self._since_ns is None or self._due is None:
            return None
        return self._since_ns + REACHED[self._reached][1]

    @property
    def _due(self) -> Gesture | None:
        """The gesture that holding on completes next."""
        return REACHED[self._reached][0] if self._reached < len(REACHED) else None
