"""A lock that lets only one process use a store."""

import fcntl
import os
from pathlib import Path

from shutthebox.errors import ShutTheBoxError


class InUseError(ShutTheBoxError, OSError):
    """Another box is using the store's folder, which the text names."""

    exit_code = 1


class FolderLock:
    """The right to play on the store in a folder, for one process at a time.

    It locks the folder itself, so there's no lock file to leave behind or delete: the kernel releases it
    however the process ends.

    Args:
        folder: of the store; None for a box without memory.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._file = -1

    def take(self) -> None:
        """Takes the lock, until `release` or the end of the process.

        If there's no folder and none can be made, there's nothing to lock.

        Raises:
            InUseError: another process has it.
        """
        if self._folder is None or self._file >= 0:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self._folder, os.O_RDONLY)
        except OSError:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            raise InUseError(
                f"{self._folder}: another box is using this store; stop it, or use another folder"
            ) from None
        except OSError:
            pass  # a file system without locks, such as some network's

    def release(self) -> None:
        """Releases the lock."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
