"""Restores a saved memory from a stick. The file may be hostile, so it's never opened with privileges."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from shutthebox.adapters.store.backup import put_checked
from shutthebox.adapters.store.contents import RESTORE_NAME
from shutthebox.adapters.store.database import STORE_FILE
from shutthebox.game.stick import StickOutcome
from shutthebox.owner.stick import checking
from shutthebox.owner.stick.checking import NOBODY, SECONDS, TOO_MUCH
from shutthebox.owner.stick.contents import MAX_MEMORY
from shutthebox.owner.stick.copying import copy_bounded
from shutthebox.owner.stick.errors import JobError, box_disk_errors


def take_over(file: Path, state: Path, still_in: Callable[[], None] = lambda: None) -> None:
    """Checks a saved memory and puts it where the box picks it up at its next startup.

    Args:
        file: on the stick.
        state: the folder of the box's memory.
        still_in: raises JobError once the stick is gone.

    Raises:
        JobError: if it is no good, or can't be put there.
        OSError: if the stick can't be read.
    """
    with ExitStack() as stack:
        with box_disk_errors():
            work = tempfile.TemporaryDirectory(prefix="memory-", ignore_cleanup_errors=True)
            copy = Path(stack.enter_context(work), STORE_FILE)
            to = stack.enter_context(copy.open("xb"))
        too_large = JobError(StickOutcome.BAD_MEMORY, f"{file.name}: larger than {MAX_MEMORY >> 20} MiB")
        copy_bounded(file, to, MAX_MEMORY, too_large, lambda size: still_in())
        with box_disk_errors():
            to.close()
            _check(copy)
        still_in()
        try:
            with box_disk_errors():
                put_checked(copy, state)
        except JobError as error:
            if os.path.lexists(state / RESTORE_NAME):  # this one, or one already waiting
                raise JobError(StickOutcome.UNSURE, str(error)) from None
            raise


def _check(copy: Path) -> None:
    """Checks the copy in an unprivileged process, as the box would at startup."""
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
