"""Compares the whole store with its checksums while the box plays.

At a start only the latest facts are compared, so that a box with years of matches is ready as soon as a new
one.
"""

import logging
import threading
from contextlib import closing
from pathlib import Path

from shutthebox.adapters.priority import let_others_first
from shutthebox.adapters.store.chain import read_mark
from shutthebox.adapters.store.database import open_to_read
from shutthebox.adapters.store.errors import UNREADABLE, is_damage
from shutthebox.adapters.store.recovery import first_fault

_log = logging.getLogger(__name__)

_INSTRUCTIONS = 10_000
"""So many of SQLite's between two looks at whether the thread has to end; some milliseconds."""


class VerificationWorker:
    """Compares once, in a thread of its own.

    Args:
        store: the file, of this version.

    Attributes:
        found: what is wrong with the store, in words; None for nothing, and as long as nothing was found.
    """

    def __init__(self, store: Path) -> None:
        self.found: str | None = None
        self._store = store
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="verification", daemon=True)

    def start(self) -> None:
        """Begins; to be called once."""
        self._thread.start()

    def close(self) -> None:
        """Ends the thread wherever it is."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _work(self) -> None:
        let_others_first()
        # The mark first: the facts that are kept meanwhile are newer than it.
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
                self.found = f"what it holds makes no sense: {error}"
            else:
                # Whoever writes to the store meets it, too, and says so.
                _log.warning("%s: can't be compared with its checksums: %s", self._store, error)
        else:
            _log.info("%s: %s", self._store, self.found or "agrees with its checksums")
