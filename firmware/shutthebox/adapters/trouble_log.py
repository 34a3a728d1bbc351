"""Logs intermittent trouble, such as a panel with a loose plug, without flooding the journal."""

import logging
import time
from collections.abc import Callable

QUIET_NS = 3600 * 1_000_000_000
"""How long trouble that has been logged isn't logged again, however often it has gone and come back."""


class TroubleLog:
    """Logs that something is in trouble or fine again, on change and at most once an hour.

    Call it whenever the state is known, changed or not: a line held back is logged once the hour is over,
    so the last line is always true in the end.

    Args:
        log: receives the lines.
        now_ns: a monotonic clock.
    """

    def __init__(self, log: logging.Logger, now_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._log, self._now_ns = log, now_ns
        self._is_well: bool | None = None  # as logged last
        self._quiet_until_ns: int | None = None

    def warn(self, text: str, *args: object) -> None:
        """Logs a warning, unless the same trouble was logged before and hasn't been cleared."""
        if self._is_well is False:
            return
        now_ns = self._now_ns()
        if self._quiet_until_ns is None or now_ns >= self._quiet_until_ns:
            self._is_well, self._quiet_until_ns = False, now_ns + QUIET_NS
            self._log.warning(text, *args)

    def clear(self, text: str, *args: object) -> None:
        """Logs that all is well, unless it was logged last."""
        if self._is_well is not True:
            self._is_well = True
            self._log.info(text, *args)
