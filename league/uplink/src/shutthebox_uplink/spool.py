"""The receiving end of the outbox: reads the entries that the box has left, oldest first."""

import errno
import logging
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from shutthebox.errors import one_line
from shutthebox.files import read_bytes, reason, remove_parts, replace_file
from shutthebox.outbox_entry import (
    MAX_BYTES,
    UPLINK_STATUS_FILE,
    OutboxEntryError,
    UplinkStatus,
    entry_from_bytes,
)

_log = logging.getLogger(__name__)

_SUFFIX, _DAMAGED = ".json", ".damaged"
_SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
"""Errors of this machine that say nothing about the file."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An entry that waits in the outbox.

    Attributes:
        path: of its file.
        sequence: its number.
        data: its bytes.
    """

    path: Path
    sequence: int
    data: bytes


class Spool:
    """The folder in which a box leaves entries.

    Listed again only once every entry of the last listing is gone, because listing a full outbox is slow.
    Whatever the box leaves in the meantime comes later anyway.

    Args:
        folder: of the entries; the uplink may read and remove them.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: deque[str] = deque()
        self._skipped: set[str] = set()
        remove_parts(folder)

    def oldest(self) -> Waiting | None:
        """The oldest entry; None if there is none. Files that aren't entries are renamed and skipped.

        Raises:
            OSError: if the folder can't be read.
        """
        if not self._names:
            self._names.extend(self._list())
        while self._names:
            path = self._folder / self._names[0]
            try:
                data = read_bytes(path, MAX_BYTES, follow_links=False)
                return Waiting(path, entry_from_bytes(data).sequence, data)
            except FileNotFoundError:
                pass  # The box has just dropped it.
            except OutboxEntryError as error:
                self._set_aside(path, str(error))
            except OSError as error:
                if error.errno in _SHORTAGES:
                    raise
                self._set_aside(path, reason(error))
            self._names.popleft()
        return None

    def count(self) -> int:
        """How many entries wait, as far as they have been listed."""
        return len(self._names)

    def remove(self, entry: Waiting) -> None:
        """Removes an entry.

        Raises:
            OSError: if it can't be removed.
        """
        entry.path.unlink(missing_ok=True)
        if self._names and self._names[0] == entry.path.name:
            self._names.popleft()

    def write_status(self, status: UplinkStatus) -> None:
        """Tells the box whether its entries reach the league."""
        try:
            replace_file(self._folder / UPLINK_STATUS_FILE, status.to_text().encode())
        except OSError as error:
            _log.warning("%s: %s", UPLINK_STATUS_FILE, reason(error))

    def _list(self) -> list[str]:
        names = (path.name for path in self._folder.iterdir())
        return sorted(name for name in names if name.endswith(_SUFFIX) and name not in self._skipped)

    def _set_aside(self, path: Path, why: str) -> None:
        _log.error("%s: %s; set aside", one_line(str(path)), why)
        try:
            path.rename(path.with_suffix(_DAMAGED))
        except OSError as error:
            _log.error("%s: %s; passed over", one_line(str(path)), reason(error))
            self._skipped.add(path.name)
