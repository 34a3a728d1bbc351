"""Takes a saved memory from a stick. It may be made to hurt, so nobody with rights opens it."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from shutthebox.adapters.store.backup import put_checked
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.open_store import RESTORE_NAME
from shutthebox.cli.stick import checking
from shutthebox.cli.stick.checking import NOBODY, SECONDS
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
        work = Path(name)
        copy, checked = work / "copy.sqlite3", work / "checked"
        too_large = JobError(StickOutcome.BAD_MEMORY, f"{file.name}: larger than {MOST_MEMORY >> 20} MiB")
        with copy.open("xb") as to:
            copy_bounded(file, to, MOST_MEMORY, too_large)
        _check(copy, checked)
        try:
            put_checked(checked / RESTORE_NAME, state)
        except StoreError as error:
            raise JobError(StickOutcome.NO_ROOM, str(error)) from None


def _check(copy: Path, checked: Path) -> None:
    """Has a process without rights check the copy as the box would at its start."""
    checked.mkdir()
    if os.geteuid() == 0:
        for path in (checked.parent, copy, checked):
            os.chown(path, NOBODY, NOBODY)
    command = [sys.executable, "-m", checking.__name__, str(copy), str(checked)]
    environment = {**os.environ, "TMPDIR": str(checked), "PYTHONDONTWRITEBYTECODE": "1"}
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
        raise JobError(StickOutcome.BAD_MEMORY, lines[-1] if lines else f"ended with {done.returncode}")
