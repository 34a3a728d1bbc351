"""The outbox from the other side: the entries that the box has left, the oldest first."""

import logging
from pathlib import Path

from shutthebox.files import read_bytes
from shutthebox.outbox_entry import MAX_BYTES, OutboxEntryError, entry_from_bytes

_log = logging.getLogger(__name__)

_ENDING, _DAMAGED = ".json", ".damaged"


class Spool:
    """The folder in which a box leaves entries.

    Args:
        folder: of the entries; the uplink may read and remove them.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def oldest(self) -> tuple[int, bytes] | None:
        """The sequence number and the bytes of the oldest entry; None if there is none.

        A file that is no entry is renamed and passed over.

        Raises:
            OSError: if the folder or the entry cannot be read.
        """
        for path in self._paths():
            try:
                data = read_bytes(path, MAX_BYTES, follow_links=False)
                return entry_from_bytes(data).sequence, data
            except FileNotFoundError:
                continue  # The box has just dropped it.
            except OutboxEntryError as error:
                _log.error("%s: %s; set aside", path, error)
                path.rename(path.with_suffix(_DAMAGED))
        return None

    def count(self) -> int:
        """How many entries wait.

        Raises:
            OSError: if the folder cannot be read.
        """
        return len(self._paths())

    def forget(self, sequence: int) -> None:
        """Removes the entry with this number.

        Raises:
            OSError: if it cannot be removed.
        """
        for path in self._paths():
            if path.stem.isdigit() and int(path.stem) == sequence:
                path.unlink(missing_ok=True)

    def _paths(self) -> list[Path]:
        return sorted(path for path in self._folder.iterdir() if path.suffix == _ENDING)
