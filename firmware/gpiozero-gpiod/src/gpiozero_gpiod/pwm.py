"""Software PWM, this process's side: hands waves to the helper process that keeps them in time."""

from __future__ import annotations

import errno
import itertools
import os
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

    def __init__(self, fd: int, write: Callable[[int], None], frequency: float) -> None:
        """Sets nothing in motion.

        Args:
            fd: Of the kernel's line request; the helper gets a copy.
            write: Puts 0 or 1 on the line; may raise OSError.
            frequency: In Hz.
        """
        self.fd = fd
        self.write = write
        self.frequency = frequency
        self.duty = 0.0
        self.number = next(_numbers)
        self.running = False


class Helper:
    """The helper process, or what stands in for it."""

    def __init__(self) -> None:
        """Starts it.

        Raises:
            OSError: There is no Python to run it.
        """
        self.orders, its_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.orders.settimeout(_ANSWER_S)
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
        """Of the process."""
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
    """Starts the helper with the first wave that moves, and tells it of every change."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._helper: Helper | None = None
        self._running: dict[int, Wave] = {}

    @property
    def helper(self) -> Helper | None:
        """The helper process, while there is one."""
        return self._helper

    def set(self, wave: Wave, *, frequency: float | None = None, duty: float | None = None) -> None:
        """Changes a wave; a new duty counts from the next period on.

        Args:
            wave: What `Wave` was made for the pin.
            frequency: In Hz; None leaves it.
            duty: The share of a period spent high, 0 to 1; None leaves it. At 0 and 1 the line
                stands still and gets its level at once.

        Raises:
            OSError: The level could not be written, or there is no helper.
        """
        with self._lock:
            wave.frequency = wave.frequency if frequency is None else frequency
            wave.duty = wave.duty if duty is None else duty
            if 0 < wave.duty < 1:
                self._run(wave)
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
        """Forgets everything; for the child of a fork, whose parent has the helper."""
        helper = self._helper
        self.__init__()  # type: ignore[misc]
        if helper is not None:
            helper.abandon()

    def _run(self, wave: Wave) -> None:
        again = wave.number in self._running
        self._running[wave.number] = wave
        try:
            self._order(pwm_helper.RUN, wave, hand_over=not again)
        except BaseException:
            self._running.pop(wave.number, None)
            raise

    def _stop(self, wave: Wave) -> None:
        if self._running.pop(wave.number, None) is not None:
            self._order(pwm_helper.STOP, wave)

    def _order(self, what: bytes, wave: Wave, *, hand_over: bool = False) -> None:
        """Tells the helper; if it has died, a new one gets all waves that run."""
        if self._helper is not None:
            try:
                self._tell(self._helper, what, wave, hand_over=hand_over)
                return
            except (ConnectionError, TimeoutError):
                self._helper.close()
        self._helper = Helper()
        for each in list(self._running.values()):
            try:
                self._tell(self._helper, pwm_helper.RUN, each, hand_over=True)
            except OSError:
                if each is wave:
                    raise

    def _tell(self, helper: Helper, what: bytes, wave: Wave, *, hand_over: bool) -> None:
        message = pwm_helper.MESSAGE.pack(what, wave.number, wave.frequency, wave.duty)
        socket.send_fds(helper.orders, [message], [wave.fd] if hand_over else [])
        answer = helper.orders.recv(pwm_helper.ANSWER.size)
        if not answer:
            raise ConnectionResetError(errno.ECONNRESET, "the PWM helper has died")
        (error,) = pwm_helper.ANSWER.unpack(answer)
        if error:
            raise OSError(error, os.strerror(error))
