"""Tests wait for events, never for a time: a busy machine is no fault."""

import os
import time
from collections.abc import Callable

HANG_S = float(os.environ.get("HANG_S", "50"))
"""An event that has not happened after so long never will; a test may take 60 s in all.

Where every instruction is emulated both are more."""


def until(happened: Callable[[], object], otherwise: str = "it never happened") -> None:
    """Waits until something has happened.

    Raises:
        AssertionError: if it does not happen within `HANG_S`, with the words of `otherwise`.
    """
    end = time.monotonic() + HANG_S
    while not happened():
        assert time.monotonic() < end, otherwise
        time.sleep(0.005)


def rests(counted: Callable[[], object], for_s: float = 0.35) -> None:
    """Waits until something that is counted has not changed for so many seconds."""

    def is_still() -> bool:
        before = counted()
        time.sleep(for_s)
        return counted() == before

    until(is_still, "it never comes to rest")
