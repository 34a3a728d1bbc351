"""Handles signals for as long as a piece of work takes."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def handling(handler: Callable[[int, object], object], *numbers: int) -> Iterator[None]:
    """Calls `handler` with each of these signals, and restores the former handlers. Main thread only."""
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)
