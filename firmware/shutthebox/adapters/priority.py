"""Thread priorities: the game loop comes first."""

import logging
import os
import sys
import threading

NICENESS = 10
"""Unix niceness of a thread that can wait."""

_log = logging.getLogger(__name__)


def let_others_first() -> None:
    """Lowers the calling thread's priority. Only Linux has priorities for each thread."""
    if sys.platform != "linux":
        return
    try:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
    except OSError as error:  # the thread's work is worth more than its priority
        _log.warning("a thread can't give way to the game: %s", error)
