"""Takes a saved memory from a stick. It may be made to hurt, so nobody with rights opens it."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from shutthebox.adapters.store.backup import put_checked
from shutthebox.adapters.store.database import FILE_NAME
from shutthebox.adapters.store.errors import StoreError
from shutthebox.cli.stick import checking
from shutthebox.cli.stick.checking import NOBODY, SECONDS, TOO_MUCH
from shutthebox.cli.stick.copying import copy_bounded
from shutthebox.cli.stick.errors import JobError
from shutthebox.cli.stick.looking import MOST_MEMORY
from shutthebox.game.stick import StickOutcome


def take_over(file: Path, state: Path) -> None:
    """Checks a saved memory and puts it where the box finds it at its next start.

    Args:
        file: on the stick.
        state: the folder of the box's memory.

    Raises:
        JobError: if it is no good, or cannot be put there.
        OSError: if the stick cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="memory-") as name:
        copy = Path(name, FILE_NAME)
        too_large = JobError(StickOutcome.BAD_MEMORY, f"{file.name}: larger than {MOST_MEMORY >> 20} MiB")
        with copy.open("xb") as to:
            copy_bounded(file, to, MOST_MEMORY, too_large)
        _check(copy)
        try:
            put_checked(copy, state)
        except StoreError as error:
            raise JobError(StickOutcome.NO_ROOM, str(error)) from None


def _check(copy: Path) -> None:
    """Has a process without rights check the copy as the box would at its start."""
    if os.geteuid() == 0:
        for path in (copy.parent, copy):
            os.chown(path, NOBODY, NOBODY)
    command = [sys.executable, "-m", checking.__name__, str(copy.parent)]
    environment = {**os.environ, "TMPDIR": str(copy.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        raise JobError(StickOutcome.BAD_MEMORY, f"not checked within {SECONDS} s") from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        ended = TOO_MUCH if done.returncode == -signal.SIGKILL else f"ended with {done.returncode}"
        raise JobError(StickOutcome.BAD_MEMORY, lines[-1] if lines else ended)
