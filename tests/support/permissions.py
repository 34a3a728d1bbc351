"""Permissions of files, for tests that run as root."""

import ctypes
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

_VERSION_3 = 0x20080522
_DAC_OVERRIDE, _DAC_READ_SEARCH = 1, 2  # capabilities: root may write, and read, whatever the mode says


_EFFECTIVE, _SETS = 0, 3  # what a thread may do now; that, what it may take back, and what it passes on


def obey_permissions() -> None:
    """From now on this process obeys the modes of files, even as root. For a child process only.

    It stays the same user, so it can import whatever is loaded late from wherever the checkout lies.
    """
    _change(range(_SETS), obeys=True)


@contextmanager
def obeying_permissions() -> Iterator[None]:
    """This thread obeys the modes of files, even as root, until the end."""
    _change([_EFFECTIVE], obeys=True)
    try:
        yield
    finally:
        _change([_EFFECTIVE], obeys=False)


def _change(sets: Iterable[int], *, obeys: bool) -> None:
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    found = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable: first the low halves, then the high
    for call in (libc.capget, libc.capset):
        if call(header, found):
            raise OSError(ctypes.get_errno(), "capabilities")
        for at in sets:
            both = 1 << _DAC_OVERRIDE | 1 << _DAC_READ_SEARCH
            found[at] = found[at] & ~both if obeys else found[at] | both
