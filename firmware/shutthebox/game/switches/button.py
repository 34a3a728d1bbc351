"""Turns the button's changes into gestures: press, hold, long hold."""

from enum import Enum

HOLD_NS = 800_000_000
LONG_HOLD_NS = 10_000_000_000


class Gesture(Enum):
    """A gesture with the button."""

    PRESS = "press"  # counted at release, if it was no hold
    HOLD = "hold"  # counted when 0.8 s are reached
    LONG_HOLD = "long hold"  # counted when 10 s are reached


class Button:
    """Follows the button's settled state. Times are in ns on the caller's clock.

    A button that is down at startup is ignored until it has been released.
    """

    def __init__(self) -> None:
        self._since_ns: int | None = None
        self._next: Gesture | None = None

    def changed(self, active: bool, t_ns: int) -> Gesture | None:
        """Takes a change of the settled state; returns the gesture it completes."""
        if active:
            self._since_ns, self._next = t_ns, Gesture.HOLD
            return None
        short = self._next is Gesture.HOLD
        self._since_ns = self._next = None
        return Gesture.PRESS if short else None

    def ignore(self) -> None:
        """Ignores the button until it is released."""
        self._since_ns = self._next = None

    def elapsed(self, t_ns: int) -> Gesture | None:
        """Returns the gesture completed by holding until `t_ns`; call it at `deadline_ns`."""
        deadline = self.deadline_ns
        if deadline is None or t_ns < deadline:
            return None
        gesture = self._next
        self._next = Gesture.LONG_HOLD if gesture is Gesture.HOLD else None
        return gesture

    @property
    def deadline_ns(self) -> int | None:
        """When holding on completes the next gesture; None if there's nothing to wait for."""
        if self._since_ns is None or self._next is None:
            return None
        return self._since_ns + (HOLD_NS if self._next is Gesture.HOLD else LONG_HOLD_NS)
