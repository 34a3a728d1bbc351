"""The secrets of sessions, in a file: so a match goes on after a restart of the box or of its helper."""

import json
import logging
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from shutthebox.files import read_bytes, reason, remove_parts, replace_file
from shutthebox_link.channel import session_of

FILE = "sessions.json"
MOST_SESSIONS = 16
KEPT_S = 7 * 86_400.0
"""A match that has rested for longer is over."""

_MOST_BYTES = 64 * 1024
_SECRET = re.compile("[0-9a-f]{64}", re.ASCII)

_log = logging.getLogger(__name__)


class Known(NamedTuple):
    """A session that can be joined again.

    Attributes:
        secret: of both boxes, in hexadecimal digits.
        is_host: whether this box is the host.
        since_s: when they were paired, in seconds since 1970.
        is_left: this box won't come back to it, but the other one may not know yet.
    """

    secret: str
    is_host: bool
    since_s: float
    is_left: bool = False

    @property
    def session(self) -> str:
        """Its name."""
        return session_of(bytes.fromhex(self.secret))


class KeyStore:
    """Secrets by session. A file that can't be read, or written, costs the sessions in it and nothing else.

    Args:
        folder: in which only the helper's user can read.
        clock_s: the time of day, in seconds since 1970.
    """

    def __init__(self, folder: Path, clock_s: Callable[[], float] = time.time) -> None:
        self._path, self._clock_s = folder / FILE, clock_s
        remove_parts(folder)
        try:
            self._known = [_to_known(*found) for found in json.loads(self._read())][:MOST_SESSIONS]
        except (ValueError, TypeError, RecursionError):
            _log.error("%s: not as it was written; its sessions are forgotten", self._path)
            self._known = []

    def find(self, session: str) -> Known | None:
        """The secret of a session; None if there's none, or if it has been left or is too old."""
        self._drop_old()
        return next((known for known in self._known if not known.is_left and known.session == session), None)

    @property
    def left(self) -> Known | None:
        """The latest session that was left, and that hasn't been deferred."""
        self._drop_old()
        return next((known for known in reversed(self._known) if known.is_left), None)

    def defer(self, session: str) -> bool:
        """Puts a session behind all others, in memory only; False if it isn't known any more."""
        self._drop_old()
        known = [known for known in self._known if known.session == session]
        self._known = known + [other for other in self._known if other not in known]
        return bool(known)

    def leave_all(self) -> None:
        """Notes that this box won't come back to any session."""
        if not all(known.is_left for known in self._known):
            self._known = [known._replace(is_left=True) for known in self._known]
            self._write()

    def keep(self, secret: bytes, *, is_host: bool) -> None:
        """Keeps a session's secret; makes room by forgetting the oldest."""
        self._drop_old()
        self._known = [*self._known, Known(secret.hex(), is_host, self._clock_s())][-MOST_SESSIONS:]
        self._write()

    def forget(self, session: str) -> None:
        """Forgets a session."""
        rest = [known for known in self._known if known.session != session]
        if len(rest) < len(self._known):
            self._known = rest
            self._write()

    def _drop_old(self) -> None:
        # A Pi without a clock of its own may think it's earlier than it is.
        self._known = [known for known in self._known if self._clock_s() - known.since_s <= KEPT_S]

    def _read(self) -> bytes:
        try:
            return read_bytes(self._path, _MOST_BYTES, follow_links=False)
        except FileNotFoundError:
            return b"[]"
        except OSError as error:
            _log.error("%s: %s", self._path, reason(error))
            return b"[]"

    def _write(self) -> None:
        try:
            replace_file(self._path, json.dumps(self._known).encode(), mode=0o600, durable=True)
        except OSError as error:
            _log.error("%s: %s; after a restart, the match can't go on", self._path, reason(error))


def _to_known(secret: object, is_host: object, since_s: object, is_left: object) -> Known:
    if not isinstance(secret, str) or not _SECRET.fullmatch(secret) or not isinstance(is_host, bool):
        raise ValueError("no session")
    if not isinstance(since_s, float) or not isinstance(is_left, bool):
        raise ValueError("no time")
    return Known(secret, is_host, since_s, is_left)
