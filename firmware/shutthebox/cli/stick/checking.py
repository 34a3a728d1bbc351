"""Checks a saved memory from a stick, as a process of its own that gives up every right first.

Used as `python -m shutthebox.cli.stick.checking COPY FOLDER`: the checked copy is put into the folder.
"""

import os
import resource
import sys
from pathlib import Path

from shutthebox.adapters.store.backup import put_beside
from shutthebox.errors import ShutTheBoxError, one_line

NOBODY = 65534
"""The user who owns nothing, on every Linux."""

SECONDS = 300
"""Of the processor, and by the clock."""

_ADDRESSES = 1 << 30
_LARGEST = 256 << 20


def main() -> int:
    """Gives up the rights, then opens the copy. Ends with 2 and one line for a memory that is no good."""
    for kind, most in (
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_AS, _ADDRESSES),
        (resource.RLIMIT_FSIZE, _LARGEST),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))
    if os.geteuid() == 0:
        os.setgroups(())
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    copy, folder = map(Path, sys.argv[1:])
    try:
        put_beside(copy, folder)
    except ShutTheBoxError as error:
        print(one_line(str(error).removeprefix(f"{copy}: ")), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
