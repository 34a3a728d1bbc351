"""Permissions of files, for tests that run as root."""

import ctypes
import os

_VERSION_3 = 0x20080522
_DAC_OVERRIDE, _DAC_READ_SEARCH = 1, 2  # capabilities: root may write, and read, whatever the mode says


def obey_permissions() -> None:
    """From now on this process obeys the modes of files, even as root. For a child process only.

    It stays the same user, so it can import whatever is loaded late from wherever the checkout lies.
    """
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable: first the low halves, then the high
    for call in (libc.capget, libc.capset):
        if call(header, sets):
            raise OSError(ctypes.get_errno(), "capabilities")
        for at in range(3):
            sets[at] &= ~(1 << _DAC_OVERRIDE | 1 << _DAC_READ_SEARCH)
