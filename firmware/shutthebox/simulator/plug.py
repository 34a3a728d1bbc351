"""The plug of the simulated box. Pulling it replaces the process by a new one, without a goodbye."""

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
    """Gives the arguments of the next process."""

    def __call__(
        self, *, record: bool = False, goes_on: bool = False, levers: int | None = None
    ) -> Sequence[str]:
        """The arguments.

        Args:
            record: it records.
            goes_on: it goes on with a recording.
            levers: of its box; None for as many as this one has been given.
        """


class Plug:
    """The power of a box that is simulated by this process.

    Args:
        recording: the file that is recorded into, or was.
        recorder: the running recorder; None if nothing is recorded.
        box: the levers, which a pulled plug leaves as they stand.
        boxes: how many levers it may have.

    Attributes:
        recording: as given.
        boxes: as given; none while it records.
        arguments: to start the box again with; None, as at first, while it can't be ended in good order yet.
    """

    def __init__(
        self,
        recording: Path,
        recorder: ScenarioRecorder | None,
        box: SimulatedBox,
        boxes: Sequence[int] = (),
    ) -> None:
        self.recording = recording
        # A scenario is of one box from its beginning to its end.
        self.boxes = () if recorder is not None else boxes
        self.arguments: Arguments | None = None
        self._recorder, self._box = recorder, box
        self._again: Sequence[str] | None = None

    @property
    def is_recording(self) -> bool:
        """Whether what is played now is recorded."""
        return self._recorder is not None

    def cut(self) -> None:
        """Pulls the plug and puts it back. Does not return, unless the box is just starting.

        Called in any thread.

        The kernel ends this process and starts a new one in its place: nothing is said, closed or
        written any more, as when the power fails.
        """
        if self.arguments is None:
            return
        if self._recorder is not None:
            self._recorder.cut_power(time.monotonic_ns(), self._box.levers_down)
        _replace_process(self.arguments(record=self.is_recording, goes_on=self.is_recording))

    def record(self, on: bool) -> None:
        """Ends the box in good order and starts it again, recorded or not; called in any thread."""
        if self.arguments is not None and on != self.is_recording:
            self._end(self.arguments(record=on))

    def build(self, levers: int) -> None:
        """Ends the box in good order and starts it again with so many levers; called in any thread."""
        if self.arguments is not None and levers != len(self._box.levers):
            self._end(self.arguments(levers=levers))

    def _end(self, again: Sequence[str]) -> None:
        # Once only: a second signal would end the process at once, because its handler is gone.
        if self._again is None:
            self._again = again
            os.kill(os.getpid(), signal.SIGTERM)

    def start_again(self) -> None:
        """Starts the box again if `record` or `build` has ended it; called when everything is closed."""
        if self._again is not None:
            _replace_process(self._again)


def _replace_process(arguments: Sequence[str]) -> None:
    os.execv(sys.executable, [sys.executable, "-m", "shutthebox", *arguments])
