"""Shows on the terminal that a command is computing."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

AFTER_S = 1.0
"""Seconds before anything is shown."""

_EVERY_S = 0.5
_WIDTH = 60


@contextmanager
def working(said: Callable[[], str]) -> Iterator[None]:
    """Shows the work and its duration on stderr, if that is a terminal.

    Args:
        said: describes the work; called every half second, in another thread.
    """
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_show, args=(said, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _show(said: Callable[[], str], done: threading.Event) -> None:
    start = time.monotonic()
    wait_s = AFTER_S
    while not done.wait(wait_s):
        wait_s = _EVERY_S
        line = f"{said()}, {time.monotonic() - start:.0f} s so far (Ctrl-C ends)"
        print(f"\r{line[:_WIDTH]:{_WIDTH}}", end="", file=sys.stderr, flush=True)
    if wait_s != AFTER_S:
        print("\r" + " " * _WIDTH + "\r", end="", file=sys.stderr, flush=True)
