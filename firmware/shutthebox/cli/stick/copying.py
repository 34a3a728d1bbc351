"""Copies a file of a stick, which may lie about its size."""

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from shutthebox.cli.stick.errors import JobError
from shutthebox.files import open_to_read
from shutthebox.game.stick import StickOutcome

_BLOCK = 1 << 20


def copy_bounded(
    file: Path,
    copy: BinaryIO,
    most: int,
    too_large: JobError,
    progress: Callable[[int], None] = lambda size: None,
) -> None:
    """Copies a regular file of a stick; a link is not followed.

    Args:
        file: on the stick.
        copy: open to write, and empty.
        most: bytes that it may have.
        too_large: raised if it has more.
        progress: told the bytes that are copied.

    Raises:
        OSError: if the stick cannot be read.
        JobError: if it is too large, or the copy cannot be written.
    """
    with open_to_read(file, follow_links=False) as source:
        while block := source.read(_BLOCK):
            if copy.tell() + len(block) > most:
                raise too_large
            try:
                copy.write(block)
                copy.flush()
            except OSError as error:
                raise no_room(error) from None
            progress(copy.tell())


def no_room(error: OSError) -> JobError:
    """What it means that a file cannot be written beside the stick."""
    return JobError(StickOutcome.NO_ROOM, error.strerror or str(error))
