"""Runs a function in its own process, behind all others, with limits on CPU time, memory and elapsed time."""

import ctypes
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

_NICENESS = 15
_PR_SET_PDEATHSIG = 1
# Looked up before any fork, which copies locks as they are. Only Linux has it.
_prctl = getattr(ctypes.CDLL(None), "prctl", None)


class TooMuchError(Exception):
    """The process hit one of its limits."""


class Confined:
    """A forked process that runs `work(text)`. It dies with its parent.

    Create it from a single-threaded process only, because it forks.

    Args:
        work: what to run; if it raises, `result` raises `TooMuchError`.
        text: its argument.
        cpu_s: limit on CPU seconds.
        memory: limit on bytes, on top of what this process has.
    """

    def __init__(self, work: Callable[[str], bytes], text: str, cpu_s: int, memory: int) -> None:
        self._too_much = f"it takes more than {cpu_s} s of computing or {memory // 2**20} MB"
        context = multiprocessing.get_context("fork")
        self.receiver, sender = context.Pipe(duplex=False)
        """Something to wait for: it is readable when there is a result."""
        # CPU time passes more slowly than the clock while other processes are running.
        self._until_s = time.monotonic() + 30 * cpu_s
        self._process = context.Process(
            target=_run_limited, args=(os.getpid(), work, text, cpu_s, memory, sender), daemon=True
        )
        self._process.start()
        sender.close()

    def result(self) -> tuple[bytes, float] | None:
        """The work's result and the CPU seconds it took; None while it's running.

        Raises:
            TooMuchError: if it failed or hit a limit.
        """
        if not self.receiver.poll(0) and time.monotonic() < self._until_s:
            return None
        try:
            if not self.receiver.poll(0):
                raise TooMuchError(self._too_much)
            return self.receiver.recv_bytes(), float(self.receiver.recv_bytes())
        except EOFError:
            raise TooMuchError(self._too_much) from None
        finally:
            self.close()

    def close(self) -> None:
        """Kills the process."""
        self._process.kill()
        self._process.join()
        self.receiver.close()


def end_with_parent(parent: int) -> bool:
    """Has this process killed when its parent ends, even by a kill; False if it has ended already."""
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    return os.getppid() == parent


def _run_limited(
    parent: int, work: Callable[[str], bytes], text: str, cpu_s: int, memory: int, sender: Connection
) -> None:
    # The parent's successor begins the same review again.
    if not end_with_parent(parent):
        return
    # Not the parent: whoever may hold a lock of the database gives way to nobody who waits for it.
    os.nice(_NICENESS)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + memory
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    # A missing result tells the parent enough.
    with suppress(MemoryError):
        sender.send_bytes(work(text))
        used = resource.getrusage(resource.RUSAGE_SELF)
        sender.send_bytes(b"%f" % (used.ru_utime + used.ru_stime))
