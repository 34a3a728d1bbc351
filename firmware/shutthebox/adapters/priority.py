"""Thread priorities: the game loop comes first."""

import os
import threading
from contextlib import suppress

NICENESS = 10
"""Unix niceness of a thread that can wait."""


def let_others_first() -> None:
    """Lowers the calling thread's priority, on systems with per-thread priorities."""
    with suppress(OSError, AttributeError):  # only Linux has them
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
