"""SQLite connections that a test has opened and nobody has closed.

Python reports them from 3.13 on, whenever its garbage collector comes by: in some later test, or in none. Its
audit event gives every connection on any Python, so here the test that left one open is named every time.
"""

import os
import sqlite3
import sys
import traceback
from typing import NamedTuple

_MANY = 200


class _Opened(NamedTuple):
    connection: sqlite3.Connection
    test: str
    stack: traceback.StackSummary

    @property
    def is_open(self) -> bool:
        try:
            _ = self.connection.in_transaction
        except sqlite3.ProgrammingError:
            return False
        return True

    def __str__(self) -> str:
        # The last frame is this module's.
        return f"{self.test} left a database open:\n{''.join(self.stack.format()[:-1])}"


class OpenDatabases:
    """Watches every connection of this process from now on, for as long as it lives."""

    def __init__(self) -> None:
        self._opened: list[_Opened] = []
        sys.addaudithook(self._hear)

    def _hear(self, event: str, args: tuple[object, ...]) -> None:
        if event != "sqlite3.connect/handle":
            return
        (connection,) = args
        assert isinstance(connection, sqlite3.Connection)
        # Another thread may add one meanwhile, so the list is changed in one step each.
        if len(self._opened) % _MANY == _MANY - 1:
            self._opened[:] = self.left
        frames = traceback.walk_stack(sys._getframe())
        stack = traceback.StackSummary.extract(frames, limit=12, lookup_lines=False)
        stack.reverse()
        test = os.environ.get("PYTEST_CURRENT_TEST", "the session")
        self._opened.append(_Opened(connection, test, stack))

    @property
    def left(self) -> list[_Opened]:
        """Those that are open now."""
        return [each for each in list(self._opened) if each.is_open]
