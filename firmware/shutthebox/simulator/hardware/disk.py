"""A full disk, for the process that asks for it: none of its files can grow beyond a few kilobytes."""

from collections.abc import Iterator
from contextlib import contextmanager

try:
    import resource
except ModuleNotFoundError:  # in a browser, unless its worker gives its files limits
    resource = None  # type: ignore[assignment]

ROOM = 4096
"""The size in bytes to which files may still grow. Existing bytes can be rewritten, as on a full disk."""


def fill(full: bool) -> None:
    """Makes writes of this process fail if they'd make a file larger than `ROOM`; or ends that.

    The kernel itself refuses them, so SQLite and everything else meet the same error as on a full disk.
    A process that replaces this one with ``exec`` inherits the limit.
    """
    if resource is None:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM if full else hard, hard))


def is_full() -> bool:
    """Whether it has been filled."""
    return resource is not None and resource.getrlimit(resource.RLIMIT_FSIZE)[0] == ROOM


@contextmanager
def room() -> Iterator[None]:
    """Lifts the limit inside the with block, so that a program started there doesn't inherit it."""
    full = is_full()
    fill(False)
    try:
        yield
    finally:
        fill(full)
