"""Checks a saved memory from a stick, in a separate process that drops all privileges first.

Usage: `python -m shutthebox.owner.stick.checking FOLDER`, where the folder holds only a copy of the memory,
which is migrated there.
"""

import os
import resource
import sys
from contextlib import suppress
from pathlib import Path

from shutthebox.adapters.store.backup import check_copy
from shutthebox.errors import ShutTheBoxError, one_line
from shutthebox.owner.stick.contents import MAX_MEMORY

NOBODY = 65534
"""The user id that owns nothing, on every Linux."""

SECONDS = 300
"""The most seconds, both of CPU time and by the clock."""

ADDRESSES = 96 << 20
"""The most bytes of memory: a full store takes 40 MB, and the slice for all sticks has room for this."""

TOO_MUCH = "takes too much memory to check"


def main() -> int:
    """Drops privileges, then opens the copy. For a bad memory, prints one line and exits with 2."""
    # If all sticks together run out of memory, this process is the one to kill.
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    for kind, most in (
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_AS, ADDRESSES),
        (resource.RLIMIT_FSIZE, MAX_MEMORY),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))
    if os.geteuid() == 0:
        os.setgroups(())
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    folder = Path(sys.argv[1])
    try:
        check_copy(folder, Path("memory"))
    except ShutTheBoxError as error:
        print(one_line(str(error).removeprefix("memory: ")), file=sys.stderr)
    except MemoryError:
        print(TOO_MUCH, file=sys.stderr)
    else:
        return 0
    return 2


if __name__ == "__main__":
    sys.exit(main())
