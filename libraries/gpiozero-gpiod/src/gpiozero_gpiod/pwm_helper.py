"""Software PWM, run as a process of its own: ``python pwm_helper.py``, with a socket as its input.

A Python thread that has to switch a line at the right moment waits for all the other threads of
its process first: beside a busy one its pulses are late by milliseconds. This process does
nothing else. It imports nothing but the standard library, and of that little, to start fast and
stay small.

It gets messages of `MESSAGE`, and answers each with `ANSWER`, in order. A wave's line comes with
its first message, as a descriptor of the kernel's line request. When the other end closes the
socket, or dies, all lines go low and the process ends; signals are for the other end.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import heapq
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable

#: The command, the wave's number, its frequency in Hz, its duty from 0 to 1.
MESSAGE = struct.Struct("=cIdd")
RUN, STOP = b"r", b"s"
#: The wave's number, and an errno or 0.
ANSWER = struct.Struct("=Ii")

#: A sleeping process is woken late by up to this, so the last bit before switching is waited for
#: awake. In nanoseconds; and the share of a period, one in so many, that this takes at most, twice.
_AWAKE_NS, _AWAKE_SHARE = 200_000, 100

#: GPIO_V2_LINE_SET_VALUES_IOCTL of linux/gpio.h, and its argument: bits, mask.
_SET_VALUES = 0xC010B40F
_VALUES = struct.Struct("=QQ")


class Wave:
    """A line's wave: a frequency in Hz, a duty between 0 and 1, and its timetable.

    The timetable is made of absolute times, so lateness never adds up: a wave that is late by
    more than a period leaves whole periods out, and its average frequency and duty stay right.
    """

    def __init__(self, write: Callable[[int], None], frequency: float, duty: float) -> None:
        """Args: ``write`` puts 0 or 1 on the line and may raise OSError."""
        self.write = write
        self.frequency = frequency
        self.duty = duty
        self.error = 0
        self._level = 0
        self._start_ns = 0

    @property
    def period_ns(self) -> int:
        """The length of one period."""
        return max(1, round(1e9 / self.frequency))

    @property
    def awake_ns(self) -> int:
        """How long before the next switching not to sleep any more."""
        return min(_AWAKE_NS, self.period_ns // _AWAKE_SHARE)

    def begin(self, now_ns: int) -> None:
        """Starts a period at ``now_ns``."""
        self._level = 0
        self._start_ns = now_ns

    def step(self, now_ns: int) -> int:
        """Puts the next level on the line and returns when the one after it is due.

        A duty that was changed counts from the next period on.
        """
        period = self.period_ns
        if self._level:
            self._level = 0
            # One period on; more if it is far too late, to leave some out rather than squeeze them.
            self._start_ns += period * max(1, (now_ns - self._start_ns) // period)
            due = self._start_ns
        else:
            self._level = 1
            due = self._start_ns + round(period * self.duty)
        self.write(self._level)
        return due


def set_level(fd: int, level: int) -> None:
    """Puts 0 or 1 on the one line of a request.

    Raises:
        OSError: The kernel refused, as when the chip is gone.
    """
    fcntl.ioctl(fd, _SET_VALUES, _VALUES.pack(level, 1))


class Waves:
    """All waves that run, each with its place in the timetable."""

    def __init__(self, write: Callable[[int, int], None] = set_level) -> None:
        self._write = write
        self._waves: dict[int, tuple[Wave, int]] = {}
        self._due: list[tuple[int, int]] = []

    def carry_out(self, message: bytes, fds: list[int]) -> bytes:
        """Carries out one message and returns the answer."""
        what, number, frequency, duty = MESSAGE.unpack(message)
        return ANSWER.pack(number, self._carry_out(what, number, frequency, duty, fds))

    def _carry_out(self, what: bytes, number: int, frequency: float, duty: float, fds: list[int]) -> int:
        if what == STOP or fds:
            self._forget(number)
        if what == STOP:
            return 0
        if fds:
            fd = fds[0]
            wave = Wave(lambda level: self._write(fd, level), frequency, duty)
            self._waves[number] = wave, fd
            self._start(number, wave)
        elif number not in self._waves:
            return errno.EBADF
        else:
            wave, _ = self._waves[number]
            wave.duty = duty
            if frequency != wave.frequency:
                wave.frequency = frequency
                self._start(number, wave)
        if wave.error:
            self._forget(number)
        return wave.error

    def run_due(self) -> float | None:
        """Switches every line that is due; returns the seconds until the next, None for never."""
        while self._due:
            due, number = self._due[0]
            wave, _ = self._waves[number]
            now = time.monotonic_ns()
            if due - wave.awake_ns > now:
                return (due - wave.awake_ns - now) / 1e9
            while now < due:
                now = time.monotonic_ns()
            try:
                heapq.heapreplace(self._due, (wave.step(now), number))
            except OSError as error:
                wave.error = error.errno or errno.EIO
                heapq.heappop(self._due)
        return None

    def close(self) -> None:
        """Ends all waves with their lines low."""
        for wave, _ in self._waves.values():
            with contextlib.suppress(OSError):
                wave.write(0)
        for number in list(self._waves):
            self._forget(number)

    def _start(self, number: int, wave: Wave) -> None:
        self._due = [entry for entry in self._due if entry[1] != number]
        now = time.monotonic_ns()
        wave.begin(now)
        self._due.append((now, number))
        heapq.heapify(self._due)
        self.run_due()

    def _forget(self, number: int) -> None:
        _, fd = self._waves.pop(number, (None, -1))
        self._due = [entry for entry in self._due if entry[1] != number]
        heapq.heapify(self._due)
        if fd >= 0:
            os.close(fd)


def serve(orders: socket.socket, waves: Waves) -> None:
    """Keeps the timetable and carries out orders until the other end is closed."""
    try:
        while True:
            readable, _, _ = select.select([orders], [], [], waves.run_due())
            if readable:
                message, fds, _, _ = socket.recv_fds(orders, MESSAGE.size, 1)
                if not message:
                    return
                orders.send(waves.carry_out(message, fds))
    except ConnectionError:
        return
    finally:
        waves.close()


def be_punctual() -> None:
    """Asks the kernel to wake this process in time, as far as its user may ask for that."""
    with contextlib.suppress(OSError), open("/proc/self/timerslack_ns", "w") as slack:  # noqa: PTH123
        slack.write("1")
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


if __name__ == "__main__":
    # A service manager stops all processes of a service at once, a terminal all of a session.
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    be_punctual()
    with socket.socket(fileno=sys.stdin.fileno()) as standard_input:
        serve(standard_input, Waves())
