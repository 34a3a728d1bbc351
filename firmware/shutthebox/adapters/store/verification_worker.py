"""Checks the whole store against its checksums while the box plays.

At startup only the latest facts are checked, so that years of matches don't make it slower.
"""

import logging
import threading
from contextlib import closing
from pathlib import Path

from shutthebox.adapters.store.chain import read_mark
from shutthebox.adapters.store.database import open_to_read
from shutthebox.adapters.store.errors import UNREADABLE, is_damage
from shutthebox.adapters.store.recovery import first_fault

_log = logging.getLogger(__name__)

_INSTRUCTIONS = 10_000
"""How many of SQLite's instructions, some milliseconds' worth, run between two checks whether to stop."""


class VerificationWorker:
    """Checks a store once, in its own thread.

    Args:
        store: the file, of this version.

    Attributes:
        found: what's wrong with the store, in words; None so far, or if nothing is.
    """

    def __init__(self, store: Path) -> None:
        self.found: str | None = None
        self._store = store
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="verification", daemon=True)

    def start(self) -> None:
        """Starts the thread. Call it once."""
        self._thread.start()

    def close(self) -> None:
        """Stops the thread, wherever it is."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _work(self) -> None:
        # The mark first, because facts are added meanwhile.
        mark = read_mark(self._store)
        try:
            with closing(open_to_read(self._store)) as db:
                db.set_progress_handler(self._stopping.is_set, _INSTRUCTIONS)
                db.execute("begin")  # one instant of the store, whatever is kept meanwhile
                self.found = first_fault(db, mark)
        except (*UNREADABLE, OSError) as error:
            if self._stopping.is_set():
                return
            if is_damage(error):
                self.found = f"its contents contradict each other: {error}"
            else:
                # The store meets the same error when it writes, and reports it.
                _log.warning("%s: can't be compared with its checksums: %s", self._store, error)
        else:
            _log.info("%s: %s", self._store, self.found or "agrees with its checksums")
