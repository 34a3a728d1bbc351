"""The priority of threads: the loop of the game comes first."""

import os
import threading
from contextlib import suppress

NICENESS = 10
"""Unix niceness of a thread that can wait."""


def let_others_first() -> None:
    """Lowers the priority of the calling thread, where the system has priorities of threads."""
    with suppress(OSError, AttributeError):  # only Linux has them
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
