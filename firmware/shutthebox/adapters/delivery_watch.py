"""Whether matches reach the league: the uplink's status, and how long entries have been waiting."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import assert_never

from shutthebox.adapters.outbox import ENDING
from shutthebox.files import read_bytes
from shutthebox.game.faults import Undelivered
from shutthebox.outbox_entry import UPLINK_STATUS_FILE, DeliveryState, UplinkStatus, uplink_status

LONG_S = 24 * 3600
"""An entry that waits longer counts as a fault: a pub's internet outage is over within a day."""

LOOK_S = 60.0
"""Seconds between two looks at the outbox."""

_MAX_SAID = 4000


def read_uplink_status(folder: Path) -> UplinkStatus:
    """The uplink's status; fine if it hasn't reported yet.

    Raises:
        OSError: if it can't be read.
    """
    try:
        said = read_bytes(folder / UPLINK_STATUS_FILE, _MAX_SAID, follow_links=False)
    except FileNotFoundError:
        return UplinkStatus(DeliveryState.GOOD)
    return uplink_status(said.decode("utf-8", "replace"))


class DeliveryWatch:
    """Checks the outbox from time to time. Single-threaded.

    Args:
        folder: of the outbox.
        wall_clock_s: the time of day in seconds.
        clock_s: a monotonic clock, in seconds.
    """

    def __init__(
        self,
        folder: Path,
        wall_clock_s: Callable[[], float] = time.time,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder, self._wall_clock_s, self._clock_s = folder, wall_clock_s, clock_s
        self._due_s = clock_s()
        self._oldest = ""
        self._found: Undelivered | None = None

    def __call__(self) -> Undelivered | None:
        """Why the league isn't getting the box's matches; None if it is, or if the box has no league."""
        now_s = self._clock_s()
        if now_s >= self._due_s:
            self._due_s = now_s + LOOK_S
            try:
                self._found = self._look()
            except OSError:
                self._found = Undelivered.OTHER
        return self._found

    def _look(self) -> Undelivered | None:
        state = read_uplink_status(self._folder).state
        match state:
            case DeliveryState.NO_LEAGUE:
                return None
            case DeliveryState.NO_LINE:
                return Undelivered.NO_LINE
            case DeliveryState.HELD:
                return Undelivered.HELD
            case DeliveryState.OLDER_CARD:
                return Undelivered.OLDER_CARD
            case DeliveryState.OTHER:
                return Undelivered.OTHER
            case DeliveryState.GOOD:
                return self._too_old()
            case _:
                assert_never(state)

    def _too_old(self) -> Undelivered | None:
        """Whether the oldest entry has waited too long, in case the uplink reports nothing."""
        since_s = self._oldest_s()
        return Undelivered.OTHER if since_s and self._wall_clock_s() - since_s > LONG_S else None

    def _oldest_s(self) -> float:
        """When the oldest entry was written; 0 without one. Lists the folder only once that entry is gone."""
        with suppress(FileNotFoundError):
            if self._oldest:
                return (self._folder / self._oldest).lstat().st_mtime
        with os.scandir(self._folder) as found:
            self._oldest = min((file.name for file in found if file.name.endswith(ENDING)), default="")
        with suppress(FileNotFoundError):  # The uplink has just sent it.
            return (self._folder / self._oldest).lstat().st_mtime if self._oldest else 0.0
        return 0.0
