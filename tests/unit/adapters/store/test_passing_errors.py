"""An error that passes ends no match, whichever call of the system it meets: it's "not now", never "never".

The box of these tests is a real process on a damaged store, and the kernel refuses it one call, by strace.
"""

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.support import recording
from tests.support.kept import alter, play_a_little

from shutthebox.adapters.store.database import STORE_FILE

LACKING = recording.missing()

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(LACKING is not None, reason=f"NO CALL OF THE SYSTEM IS REFUSED: {LACKING}"),
]

PROGRAM = """
import sys, time
from functools import partial
from pathlib import Path
from shutthebox.adapters.store.failsafe_store import FailsafeStore
from shutthebox.adapters.store.open_store import open_or_set_aside
from shutthebox.game.stored_match import Unread

reopen = partial(open_or_set_aside, Path(sys.argv[1]), time.time)
store, fault = reopen()
memory = FailsafeStore(store, reopen, forgetting=fault is not None)
while isinstance(found := memory.running_match(9), Unread):
    memory.catch_up()
print(type(found).__name__)
"""

REFUSALS = {
    "access": "EIO",
    "fcntl": "EAGAIN",
    "fdatasync": "EIO",
    "fsync": "EIO",
    "ftruncate": "ENOSPC",
    "getdents64": "EIO",
    "lseek": "EIO",
    "mmap": "ENOMEM",
    "newfstatat": "EIO",
    "openat": "EMFILE",
    "pread64": "EIO",
    "pwrite64": "ENOSPC",
    "rename": "ENOSPC",
    "renameat": "ENOSPC",
    "unlink": "EIO",
}
"""What the kernel may say to each call that the box makes on its store."""

SAMPLES = 8
"""Calls of a kind that are refused, from the first to the last."""


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A store with a match in it, to be recovered at the next start."""
    play_a_little(tmp_path / "state")
    alter(tmp_path / "state", "update match set players = 77")
    return tmp_path / "state"


def start(state: Path, *options: str) -> tuple[str, str]:
    """What becomes of the match of a box that starts on a copy of the store, and the calls it made there."""
    copy, calls = state.with_name("copy"), state.with_name("calls")
    if copy.exists():
        shutil.rmtree(copy)
    shutil.copytree(state, copy)
    ours = [copy, *(copy / f"{STORE_FILE}{end}" for end in ("", "-wal", "-shm", "-mark", ".recovered"))]
    paths = [option for path in ours for option in ("-P", str(path))]
    command = ["strace", "-f", "-qq", "-o", str(calls), *paths, *options, sys.executable, "-c", PROGRAM]
    done = subprocess.run([*command, str(copy)], capture_output=True, text=True, check=True)
    return done.stdout.strip(), calls.read_text()


@pytest.mark.parametrize(("call", "error"), REFUSALS.items())
def test_a_match_survives_an_error_that_passes(call: str, error: str, state: Path) -> None:
    found, calls = start(state)
    assert found == "KeptMatch"
    made = Counter(re.findall(r"^\d+ +(\w+)\(", calls, re.MULTILINE))[call]
    assert made, f"the box makes no {call} any more"
    for number in sorted({1 + each * (made - 1) // (SAMPLES - 1) for each in range(SAMPLES)}):
        found, calls = start(state, "-e", f"inject={call}:error={error}:when={number}")
        assert "(INJECTED)" in calls
        assert found == "KeptMatch", f"{call} {number} of {made}: {error}"
