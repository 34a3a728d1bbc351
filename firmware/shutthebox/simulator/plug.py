"""The simulated box's plug. Pulling it replaces the process with a new one, without a goodbye."""

import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from shutthebox.simulator.hardware.box import SimulatedBox
from shutthebox.simulator.scenario.recorder import ScenarioRecorder


class Arguments(Protocol):
    """Returns the arguments of the next process."""

    def __call__(
        self, *, record: bool = False, goes_on: bool = False, levers: int | None = None
    ) -> Sequence[str]:
        """The arguments.

        Args:
            record: whether it records.
            goes_on: whether it continues a recording.
            levers: of its box; None for the number this process was given.
        """


class Plug:
    """The power of a box that is simulated by this process.

    Args:
        recording: the current or last file recorded to.
        recorder: the running recorder; None if nothing is recorded.
        box: the levers, which stay as they are when the plug is pulled.
        boxes: how many levers it may have.

    Attributes:
        recording: as given.
        boxes: as given; none while it records.
        arguments: for starting the box again; None until it can be shut down properly.
    """

    def __init__(
        self,
        recording: Path,
        recorder: ScenarioRecorder | None,
        box: SimulatedBox,
        boxes: Sequence[int] = (),
    ) -> None:
        self.recording = recording
        # A scenario is for one box from beginning to end.
        self.boxes = () if recorder is not None else boxes
        self.arguments: Arguments | None = None
        self._recorder, self._box = recorder, box
        self._again: Sequence[str] | None = None

    @property
    def is_recording(self) -> bool:
        """Whether a recording is running."""
        return self._recorder is not None

    def cut(self) -> None:
        """Pulls the plug and puts it back. Doesn't return, unless the box is still starting. Thread-safe.

        Replaces this process without closing or writing anything, like a power failure.
        """
        if self.arguments is None:
            return
        if self._recorder is not None:
            self._recorder.cut_power(time.monotonic_ns(), self._box.levers_down)
        _replace_process(self.arguments(record=self.is_recording, goes_on=self.is_recording))

    def record(self, on: bool) -> None:
        """Restarts the box properly, recorded or not. Thread-safe."""
        if self.arguments is not None and on != self.is_recording:
            self._end(self.arguments(record=on))

    def build(self, levers: int) -> None:
        """Restarts the box properly with this many levers. Thread-safe."""
        if self.arguments is not None and levers != len(self._box.levers):
            self._end(self.arguments(levers=levers))

    def _end(self, again: Sequence[str]) -> None:
        # Only once: a second signal would kill the process, because its handler is gone.
        if self._again is None:
            self._again = again
            os.kill(os.getpid(), signal.SIGTERM)

    def start_again(self) -> None:
        """Starts the box again if `record` or `build` has ended it. Call it when everything is closed."""
        if self._again is not None:
            _replace_process(self._again)


def _replace_process(arguments: Sequence[str]) -> None:
    os.execv(sys.executable, [sys.executable, "-m", "shutthebox", *arguments])
