"""A hold thread for gpiozero's buttons that sleeps, instead of looking ten times a second.

Each of gpiozero's ``Button``s has a thread that waits for it to be held. gpiozero's own looks
every 0.1 s whether there is anything to do: 13 buttons wake a Pi 130 times a second, and each
``close`` waits for the next look, or for the rest of ``hold_time`` while the button is held. This
one is woken when there is something to do, and when it has to end. `install` puts it in place of
gpiozero's for every button made afterwards, whatever its pin factory.
"""

from __future__ import annotations

import weakref
from threading import Event
from typing import Any

import gpiozero.mixins
from gpiozero.threads import GPIOThread

from . import privates


class _Stopping(Event):
    """Set to end the thread; wakes it from any wait."""

    def __init__(self, holding: Event, parent: Any) -> None:  # noqa: ANN401  (a button has no type)
        super().__init__()
        self._holding, self._parent = holding, weakref.ref(parent)

    def set(self) -> None:
        super().set()
        self._holding.set()
        parent = self._parent()
        if parent is not None:
            # A closed button is not pressed: also those who wait for its release wait no longer.
            privates.released(parent).set()


class SleepingHoldThread(gpiozero.mixins.HoldThread):
    """Fires a button's ``when_held``; wakes only for that, for a press, and to end."""

    def __init__(self, parent: Any) -> None:  # noqa: ANN401
        """Starts at once, as gpiozero's does."""
        GPIOThread.__init__(self, target=self.held, args=(weakref.proxy(parent),))
        self.holding = Event()
        self.stopping = _Stopping(self.holding, parent)
        self.start()

    def held(self, parent: Any) -> None:  # noqa: ANN401
        """The thread's own: waits for presses and counts how long each lasts."""
        try:
            while self.holding.wait() and not self.stopping.is_set():
                self.holding.clear()
                released = privates.released(parent)
                while not released.wait(parent.hold_time) and not self.stopping.is_set():
                    privates.begin_hold(parent)
                    privates.fire_held(parent)
                    if not parent.hold_repeat:
                        break
        except ReferenceError:
            pass  # the button is no more


def install() -> None:
    """Gives every button made from now on a hold thread that sleeps."""
    privates.use_hold_thread(SleepingHoldThread)
