"""The buzzer: plays short tunes on a PWM output, in its own thread."""

import logging
import threading
import time
from collections.abc import Mapping
from queue import SimpleQueue
from typing import Any

from gpiozero import PWMOutputDevice
from gpiozero.pins import Factory

from shutthebox.game.effects import Sound

_log = logging.getLogger(__name__)

TUNES: Mapping[Sound, tuple[tuple[int, int], ...]] = {
    Sound.WAKE: ((880, 60),),
    Sound.CHOICE: ((1319, 40),),
    Sound.ROLL: ((523, 40), (0, 30), (587, 40), (0, 40), (523, 40), (0, 60), (587, 40), (0, 90), (659, 60)),
    Sound.FAULT: ((196, 90),),
    Sound.COMPLETE: ((1047, 50), (1319, 70)),
    Sound.REFUSED: ((247, 80), (0, 30), (196, 140)),
    Sound.BLOCKED: ((392, 120), (330, 120), (262, 260)),
    Sound.SHUT: ((523, 90), (659, 90), (784, 90), (1047, 300)),
    Sound.FANFARE: (
        (523, 80),
        (659, 80),
        (784, 80),
        (1047, 160),
        (0, 30),
        (784, 80),
        (1047, 80),
        (1319, 500),
    ),
    Sound.WIN: ((784, 110), (0, 30), (784, 110), (0, 30), (784, 110), (1047, 420)),
}
"""The notes of each sound: frequency in Hz (0 for a rest), and length in ms."""

STUCK_S = 10.0
"""Seconds after which the worker counts as stuck. The longest tune takes 1.1."""


class Buzzer:
    """Plays tunes; a new one cuts the running one short.

    Args:
        factory: where the pin is.
        line: BCM line of the buzzer's driver.
    """

    def __init__(self, factory: Factory, line: int) -> None:
        self._device: Any = PWMOutputDevice(line, frequency=440, pin_factory=factory)
        self._tunes: SimpleQueue[Sound | None] = SimpleQueue()
        self._waiting = threading.Event()
        self._busy_since_s: float | None = None
        self._thread = threading.Thread(target=self._work, name="buzzer", daemon=True)
        self._thread.start()

    def play(self, sound: Sound) -> None:
        """Starts a tune without waiting for it to finish."""
        self._tunes.put(sound)
        self._waiting.set()

    @property
    def alive(self) -> bool:
        """Whether the worker is alive and not stuck in a note; for the watchdog."""
        busy_since = self._busy_since_s
        stuck = busy_since is not None and time.monotonic() - busy_since > STUCK_S
        return self._thread.is_alive() and not stuck

    def close(self) -> None:
        """Stops playing and releases the line."""
        self._tunes.put(None)
        self._waiting.set()
        self._thread.join(timeout=1)
        self._device.close()

    def _work(self) -> None:
        while (sound := self._tunes.get()) is not None:
            self._waiting.clear()
            if not self._tunes.empty():
                continue
            self._busy_since_s = time.monotonic()
            try:
                self._play(sound)
            except Exception as error:  # lgpio and RPi.GPIO raise their own exception types
                _log.warning("buzzer: %s", str(error) or type(error).__name__)
            finally:
                self._busy_since_s = None

    def _play(self, sound: Sound) -> None:
        for frequency, length_ms in TUNES[sound]:
            if frequency:
                self._device.frequency = frequency
            self._device.value = 0.5 if frequency else 0
            if self._waiting.wait(length_ms / 1000):
                break
        self._device.value = 0
