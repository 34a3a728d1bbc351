"""Software PWM, this process's side: hands waves to the helper process that keeps them in time."""

from __future__ import annotations

import errno
import itertools
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from . import pwm_helper

#: The helper answers within a millisecond; one that takes this long will not. In seconds.
_ANSWER_S = 10.0

_numbers = itertools.count(1)


class Wave:
    """One pin's wave: a frequency in Hz and a duty from 0 to 1; at 0 and 1 the line stands still."""

    def __init__(
        self, fd: int, read: Callable[[], object], write: Callable[[int], None], frequency: float
    ) -> None:
        """Sets nothing in motion.

        Args:
            fd: Of the kernel's line request; the helper gets a copy.
            read: Asks for the line's level; may raise OSError.
            write: Puts 0 or 1 on the line; may raise OSError.
            frequency: In Hz.
        """
        self.fd = fd
        self.read = read
        self.write = write
        self.frequency = frequency
        self.duty = 0.0
        self.number = next(_numbers)


class Helper:
    """The helper process."""

    def __init__(self) -> None:
        """Starts it, and does not wait until it runs.

        Raises:
            OSError: There is no Python to run it.
        """
        self.orders, its_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its_end:
            # In a session of its own: Ctrl-C ends the program, which then closes its pins in order.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(Path(pwm_helper.__file__))],
                stdin=its_end.fileno(),
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The process id, for a look at its load."""
        return int(self._process.pid)

    def close(self) -> None:
        """Ends it, and waits until all its lines are low."""
        self.orders.close()
        try:
            self._process.wait(_ANSWER_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def abandon(self) -> None:
        """Closes this process's end, in the child of a fork: the helper is the parent's."""
        self.orders.close()
        self._process.returncode = 0  # not our child: nobody has to wait for it


class Pulser:
    """Starts the helper with the first PWM pin, and tells it of every change."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._helper: Helper | None = None
        self._unanswered = 0
        self._running: dict[int, Wave] = {}

    @property
    def helper(self) -> Helper | None:
        """The helper process, while there is one."""
        return self._helper

    def prepare(self) -> None:
        """Starts the helper if there is none, so that the first wave has not to wait for it.

        Raises:
            OSError: There is no Python to run it.
        """
        with self._lock:
            if self._helper is None:
                self._helper, self._unanswered = Helper(), 0

    def set(self, wave: Wave, *, frequency: float | None = None, duty: float | None = None) -> None:
        """Changes a wave; a new duty counts from the next period on.

        Args:
            wave: What `Wave` was made for the pin.
            frequency: In Hz; None leaves it.
            duty: The share of a period spent high, 0 to 1; None leaves it. At 0 and 1 the line
                stands still and gets its level at once.

        Raises:
            OSError: The level cannot be written, or there is no helper.
        """
        with self._lock:
            wave.frequency = wave.frequency if frequency is None else frequency
            wave.duty = wave.duty if duty is None else duty
            if 0 < wave.duty < 1:
                wave.read()  # a change does not wait for the helper's answer, but a chip that is gone is told
                self._order(pwm_helper.RUN, wave)
            else:
                self._stop(wave)
                wave.write(int(wave.duty >= 1))

    def remove(self, wave: Wave) -> None:
        """Stops a wave; once this has returned the helper writes nothing more."""
        with self._lock:
            self._stop(wave)

    def close(self) -> None:
        """Stops every wave and ends the helper."""
        with self._lock:
            helper, self._helper = self._helper, None
            self._running.clear()
        if helper is not None:
            helper.close()

    def abandon(self) -> None:
        """Closes this process's end of the helper, for good; for the child of a fork. Takes no lock."""
        if self._helper is not None:
            self._helper.abandon()

    def _stop(self, wave: Wave) -> None:
        if self._running.pop(wave.number, None) is not None:
            self._order(pwm_helper.STOP, wave)

    def _order(self, what: bytes, wave: Wave) -> None:
        """Tells the helper; if it has died, a new one gets all waves that run."""
        if self._helper is not None:
            try:
                self._hear(until_none_is_owed=False)
                changed = what == pwm_helper.RUN and wave.number in self._running
                self._tell(what, wave)
                # A wave that begins is on the line when this returns, one that ends is off it.
                self._hear(until_none_is_owed=not changed)
                return
            except (ConnectionError, TimeoutError):
                self._helper.close()
                self._helper = None
        if what == pwm_helper.RUN:
            self._running[wave.number] = wave
        if not self._running:
            return
        self._helper, self._unanswered = Helper(), 0
        waves = list(self._running.values())
        self._running.clear()
        for each in waves:
            self._tell(pwm_helper.RUN, each)
        self._hear(until_none_is_owed=True)

    def _tell(self, what: bytes, wave: Wave) -> None:
        assert self._helper is not None
        message = pwm_helper.MESSAGE.pack(what, wave.number, wave.frequency, wave.duty)
        new = what == pwm_helper.RUN and wave.number not in self._running
        self._helper.orders.settimeout(_ANSWER_S)
        socket.send_fds(self._helper.orders, [message], [wave.fd] if new else [])
        self._unanswered += 1
        if new:
            self._running[wave.number] = wave

    def _hear(self, *, until_none_is_owed: bool) -> None:
        """Takes the answers that are there, or waits for all of them."""
        assert self._helper is not None
        while self._unanswered:
            self._helper.orders.settimeout(_ANSWER_S if until_none_is_owed else 0)
            try:
                answer = self._helper.orders.recv(pwm_helper.ANSWER.size)
            except BlockingIOError:
                return
            if not answer:
                raise ConnectionResetError(errno.ECONNRESET, "the PWM helper has died")
            self._unanswered -= 1
            number, error = pwm_helper.ANSWER.unpack(answer)
            if error:
                # It has forgotten the wave, and is handed its line again with the next change.
                self._running.pop(number, None)
