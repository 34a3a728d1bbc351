"""The voice: speaks announcements with espeak-ng, one after another."""

import shutil
import subprocess
from collections import deque
from contextlib import suppress

from shutthebox.errors import ShutTheBoxError
from shutthebox.speech.sentences import Announcement

PROGRAM = "espeak-ng"


class VoiceError(ShutTheBoxError, RuntimeError):
    """There's no voice, or it failed."""

    exit_code = 1


class Voice:
    """Speaks through a subprocess, so that a new announcement can interrupt an old one.

    Args:
        volume: 0 to 200; 100 is normal.

    Raises:
        VoiceError: if espeak-ng is not installed.
    """

    def __init__(self, volume: int) -> None:
        program = shutil.which(PROGRAM)
        if program is None:
            raise VoiceError(f"{PROGRAM} is not installed: apt install {PROGRAM}")
        self._program, self._volume = program, volume
        self._running: subprocess.Popen[bytes] | None = None
        self._waiting: deque[Announcement] = deque()

    def say(self, announcement: Announcement) -> None:
        """Speaks now, or after the current announcement if it should wait. Doesn't block."""
        if not announcement.waits:
            self.fall_silent()
        self._waiting.append(announcement)
        self.go_on()

    def go_on(self) -> None:
        """Starts the next announcement once the current one is over; call it often.

        Raises:
            VoiceError: if espeak-ng fails.
        """
        running = self._running
        if running is not None:
            code = running.poll()
            if code is None:
                return
            self._running = None
            if code > 0:
                raise VoiceError(f"{PROGRAM} ended with {code}; is there a sound card?")
        if self._waiting:
            self._start(self._waiting.popleft())

    @property
    def speaks(self) -> bool:
        """Whether an announcement is being spoken or waiting."""
        return self._running is not None or bool(self._waiting)

    def fall_silent(self) -> None:
        """Stops speaking and drops all waiting announcements."""
        self._waiting.clear()
        if self._running is not None:
            self._running.terminate()
            self._running.wait()
            self._running = None

    def _start(self, announcement: Announcement) -> None:
        command = [self._program, "-v", announcement.language, "-a", str(self._volume), "--stdin"]
        self._running = subprocess.Popen(command, stdin=subprocess.PIPE)
        assert self._running.stdin is not None
        # Through a pipe, which holds it at once: no text can be taken for an option.
        with suppress(BrokenPipeError), self._running.stdin as pipe:
            pipe.write(announcement.text.encode("utf-8", "replace"))
