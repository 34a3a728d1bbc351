"""The processor time that a process takes, and how often it wakes."""

import os
from pathlib import Path


def cpu_s(pid: int) -> float:
    """CPU seconds of a process and of all its children, those that have ended among them."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = " ".join(path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children"))
    except OSError:  # it has ended
        return 0.0
    own_s = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return own_s + sum(cpu_s(int(child)) for child in children.split())


def wakes(pid: int) -> int:
    """How often the threads of a process have waited for something, each time to be woken."""
    found = (path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/status"))
    return sum(int(status.partition("\nvoluntary_ctxt_switches:")[2].split()[0]) for status in found)
