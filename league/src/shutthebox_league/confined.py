"""A function in a process of its own, with a limit of processor time, of memory and of time."""

import multiprocessing
import resource
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path


class TooMuchError(Exception):
    """The process came to one of its limits."""


def confined(
    work: Callable[[str], bytes], text: str, cpu_s: int, memory: int, beat: Callable[[], None]
) -> tuple[bytes, float]:
    """The result of `work(text)`, and the processor time that it took, in seconds.

    Call it in a process with one thread: its copy does the work.

    Args:
        work: to be done; an error of it is a `TooMuchError` too.
        text: given to it.
        cpu_s: most processor time.
        memory: most bytes more than this process has.
        beat: called every second while it works.

    Raises:
        TooMuchError: if it did not come to its end.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    before, until = _cpu_of_children_s(), time.monotonic() + 6 * cpu_s
    process = context.Process(target=_work, args=(work, text, cpu_s, memory, sender), daemon=True)
    process.start()
    sender.close()
    try:
        while not receiver.poll(1.0):
            beat()
            if time.monotonic() > until:
                break
        with suppress(EOFError):
            if receiver.poll(0):
                result = receiver.recv_bytes()
                process.join()
                return result, _cpu_of_children_s() - before
        raise TooMuchError(f"it takes more than {cpu_s} s of computing or {memory // 2**20} MB")
    finally:
        receiver.close()
        process.kill()
        process.join()


def _work(work: Callable[[str], bytes], text: str, cpu_s: int, memory: int, sender: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + memory
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    # Without a result its parent knows enough.
    with suppress(MemoryError):
        sender.send_bytes(work(text))


def _cpu_of_children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
