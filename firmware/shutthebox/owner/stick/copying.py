"""Copies a file from a stick that may lie about its size."""

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from shutthebox.files import open_to_read
from shutthebox.owner.stick.errors import JobError, box_disk_errors

_BLOCK = 1 << 20


def copy_bounded(
    file: Path, copy: BinaryIO, most: int, too_large: JobError, progress: Callable[[int], None]
) -> None:
    """Copies a regular file from a stick; symbolic links aren't followed.

    Args:
        file: on the stick.
        copy: opened for writing, and empty.
        most: the most bytes it may have.
        too_large: raised if it has more.
        progress: called with the bytes copied so far; anything it raises ends the copy.

    Raises:
        OSError: if the stick can't be read.
        JobError: if it is too large, or the copy can't be written.
    """
    with open_to_read(file, follow_links=False) as source:
        while block := source.read(_BLOCK):
            if copy.tell() + len(block) > most:
                raise too_large
            with box_disk_errors():
                copy.write(block)
                copy.flush()
            progress(copy.tell())
