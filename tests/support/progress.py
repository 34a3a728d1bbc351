"""A bar on the terminal for commands that take long."""

import sys
import time


def show_progress(done: int, wanted: int, started: float) -> None:
    """Draws the bar on stderr; nothing where nobody watches. `started` is of `time.perf_counter`."""
    if not sys.stderr.isatty():
        return
    passed = time.perf_counter() - started
    left = passed / done * (wanted - done) if done else 0
    filled = min(40, 40 * done // wanted)
    bar = "#" * filled + "." * (40 - filled)
    print(f"\r[{bar}] {done}/{wanted}  {left:5.0f} s left ", end="", file=sys.stderr, flush=True)


def end_progress() -> None:
    """Leaves the bar's line."""
    if sys.stderr.isatty():
        print(file=sys.stderr)
