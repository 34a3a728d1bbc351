"""Writes an update from a stick to the other system partition.

The update is copied first and the copy checked again, because a hostile stick can return different data the
second time, and any stick can be removed meanwhile. Also, RAUC can't see the helper's private mount.
"""

import json
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from shutthebox.game.stick import StickOutcome
from shutthebox.owner.stick.copying import copy_bounded
from shutthebox.owner.stick.errors import JobError, box_disk_errors
from shutthebox.owner.update import FETCHED, Bundle, UpdateError, inspect, install, keep_memory, most_bytes

LARGEST = 1 << 30
"""The most bytes of an update; no card has a system this large."""

_COPIED = 30
"""The copy's share of the work, in per cent; writing to the card takes longer."""

_STOPPING_S = 10


def inspect_update(path: Path) -> Bundle:
    """The description of an update, once its signature has been checked.

    Raises:
        JobError: if it is not signed by the card's maker, or not for this box.
        OSError: if the stick can't be read.
    """
    if path.stat().st_size > LARGEST:
        raise JobError(StickOutcome.BAD_UPDATE, f"{path.name}: larger than any system")
    try:
        return inspect(path)
    except UpdateError as error:
        raise JobError(StickOutcome.BAD_UPDATE, str(error).replace(f"{path.parent}/", "")) from None


def write(path: Path, version: str, progress: Callable[[int], None]) -> None:
    """Writes the update while the box plays on; the next restart boots it.

    Args:
        path: on the stick.
        version: the one that the owner was asked about.
        progress: called with the percentage done; raises JobError to abandon the update.

    Raises:
        JobError: it's another version now, there's no room, it can't be written, or it was abandoned.
        OSError: if the stick can't be read.
    """
    try:
        _copy(path, progress)
        if inspect_update(FETCHED).version != version:
            raise JobError(StickOutcome.BAD_UPDATE, f"{path.name}: has been replaced by another")
        keep_memory()
        _install(progress)
    finally:
        with suppress(OSError):
            FETCHED.unlink(missing_ok=True)


def _copy(path: Path, progress: Callable[[int], None]) -> None:
    size = max(1, path.stat().st_size)
    with box_disk_errors():
        copy = FETCHED.open("wb")
    with copy:
        too_large = JobError(StickOutcome.NO_ROOM)
        copy_bounded(
            path,
            copy,
            most_bytes(copy),
            too_large,
            lambda done: progress(min(_COPIED, _COPIED * done // size)),
        )


def _install(progress: Callable[[int], None]) -> None:
    try:
        install(FETCHED, lambda percent: progress(_COPIED + (99 - _COPIED) * percent // 100))
    except UpdateError as error:
        failure = JobError(StickOutcome.UPDATE_FAILED, str(error).removeprefix(f"{FETCHED}: "))
    except JobError as error:
        failure = error
    else:
        return
    try:
        progress(_COPIED)
    except JobError:  # the stick has gone
        if not _stop_rauc():
            raise
    else:
        raise failure


def _stop_rauc() -> bool:
    """Stops RAUC's service, which would otherwise go on; returns whether it had already finished.

    Raises:
        JobError: if that can't be known.
    """
    status = ["rauc", "status", "--output-format=json"]
    try:
        subprocess.run(["systemctl", "stop", "rauc.service"], check=True, timeout=_STOPPING_S)
        said = subprocess.run(status, capture_output=True, check=True, timeout=_STOPPING_S).stdout
        found = json.loads(said)
        (primary,) = (slot[found["boot_primary"]] for slot in found["slots"] if found["boot_primary"] in slot)
        return bool(primary["state"] != "booted")
    except (OSError, subprocess.SubprocessError, ValueError, LookupError, TypeError):
        raise JobError(StickOutcome.UNSURE) from None
