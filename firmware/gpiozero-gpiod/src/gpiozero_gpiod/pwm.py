"""Software PWM: one thread that switches all PWM pins of a factory at the right moments.

Every pin has its own timetable of absolute times, so that lateness never adds up: a pin
that is late by more than a period skips whole periods, and its average frequency stays right.
Pins that stand still (duty 0 or 1) cost nothing.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable

logger = logging.getLogger(__name__)

#: Waits longer than this can be interrupted by a change; shorter ones are slept through,
#: because a plain sleep is the most punctual wait that Python has. In nanoseconds.
_UNINTERRUPTED_NS = 2_000_000
#: Half of that again is left for the punctual sleep.
_MARGIN_NS = 1_000_000


class Channel:
    """One pin's wave: a frequency in Hz, a duty from 0 to 1, and where its timetable stands."""

    def __init__(self, write: Callable[[int], None], frequency: float) -> None:
        """Args: ``write`` puts 0 or 1 on the line and may raise OSError."""
        self.write = write
        self.frequency = frequency
        self.duty = 0.0
        self.running = False
        self._level = 0
        self._start_ns = 0

    @property
    def period_ns(self) -> int:
        """The length of one wave."""
        return max(1, round(1e9 / self.frequency))

    def begin(self, now_ns: int) -> None:
        """Starts a wave at ``now_ns``."""
        self._level = 0
        self._start_ns = now_ns

    def step(self, now_ns: int) -> int:
        """Puts the next level on the line and returns when the one after it is due."""
        period = self.period_ns
        if self._level:
            self._level = 0
            # One wave on; more if it is far too late, to leave waves out rather than squeeze them.
            self._start_ns += period * max(1, (now_ns - self._start_ns) // period)
            due = self._start_ns
        else:
            self._level = 1
            due = self._start_ns + round(period * self.duty)
        self.write(self._level)
        return due


class Pulser:
    """Owns the thread; started by the first channel that moves, ended by `close`."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._due: list[tuple[int, int, Channel]] = []
        self._order = itertools.count()
        self._thread: threading.Thread | None = None
        self._closed = False

    @property
    def thread(self) -> threading.Thread | None:
        """The thread, while there is one."""
        return self._thread

    def set(self, channel: Channel, *, frequency: float | None = None, duty: float | None = None) -> None:
        """Changes a channel; a new duty counts from the next wave on.

        Args:
            channel: What `Channel` was made for the pin.
            frequency: In Hz; None leaves it.
            duty: The share of a wave spent high, 0 to 1; None leaves it. At 0 and 1 the line
                stands still and gets its level at once.

        Raises:
            OSError: The level could not be written.
        """
        with self._changed:
            if duty is not None:
                channel.duty = duty
            if frequency is not None and frequency != channel.frequency:
                channel.frequency = frequency
                self._withdraw(channel)  # the old timetable could be long
            if 0 < channel.duty < 1:
                if not channel.running:
                    self._admit(channel)
            else:
                self._withdraw(channel)
                channel.write(int(channel.duty >= 1))

    def remove(self, channel: Channel) -> None:
        """Stops a channel; once this has returned it writes nothing more."""
        with self._changed:
            self._withdraw(channel)

    def close(self) -> None:
        """Stops every channel, ends the thread and waits for it."""
        with self._changed:
            self._closed = True
            self._due.clear()
            thread, self._thread = self._thread, None
            self._changed.notify()
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def abandon(self) -> None:
        """Forgets everything; for the child of a fork, which has no such thread."""
        self.__init__()  # type: ignore[misc]

    def _admit(self, channel: Channel) -> None:
        channel.running = True
        now = time.monotonic_ns()
        channel.begin(now)
        heapq.heappush(self._due, (now, next(self._order), channel))
        if self._thread is None and not self._closed:
            self._thread = threading.Thread(target=self._run, name="gpiozero-gpiod-pwm", daemon=True)
            self._thread.start()
        self._changed.notify()

    def _withdraw(self, channel: Channel) -> None:
        channel.running = False
        self._due = [entry for entry in self._due if entry[2] is not channel]
        heapq.heapify(self._due)

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._closed:
                    return
                if not self._due:
                    self._changed.wait()
                    continue
                due = self._due[0][0]
                wait = due - time.monotonic_ns()
                if wait > _UNINTERRUPTED_NS:
                    self._changed.wait((wait - _MARGIN_NS) / 1e9)
                    continue
                if wait <= 0:
                    self._step()
                    continue
            # Outside the lock: nobody has to wait for a sleep of at most two milliseconds.
            time.sleep(wait / 1e9)

    def _step(self) -> None:
        _, _, channel = heapq.heappop(self._due)
        try:
            due = channel.step(time.monotonic_ns())
        except OSError:
            channel.running = False
            logger.exception("software PWM stops: the line can no longer be written")
        else:
            heapq.heappush(self._due, (due, next(self._order), channel))
