"""A lock that lets only one process use a store."""

import fcntl
import os
from pathlib import Path

from shutthebox.errors import ShutTheBoxError


class InUseError(ShutTheBoxError, OSError):
    """Another box has the folder of the store; the text names it."""

    exit_code = 1


class FolderLock:
    """The right to play on the store in a folder, for one process at a time.

    It is a lock on the folder itself, which needs no file that could be left behind or deleted: the
    kernel takes it back when the process ends, however it ends, and a power cut leaves none.

    Args:
        folder: of the store; None for a box without memory.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._file = -1

    def take(self) -> None:
        """Takes the lock, for as long as the process lives or until `release`.

        Without a folder, if none can be made, there is no store and nothing to lock.

        Raises:
            InUseError: if another has it.
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
        """Gives the lock back."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
