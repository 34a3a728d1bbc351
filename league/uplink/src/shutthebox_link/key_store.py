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
DAY_S = 86_400.0
"""So long an old session is kept, to take its words from the broker; it's renewed at most so often, too."""

_MOST_BYTES = 64 * 1024
_SECRET = re.compile("[0-9a-f]{64}", re.ASCII)

_log = logging.getLogger(__name__)


class Known(NamedTuple):
    """A session that can be joined again.

    Attributes:
        secret: of both boxes, in hexadecimal digits.
        is_host: whether this box is the host.
        since_s: when both were last here, to the day, in seconds since 1970.
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
            known = [_to_known(*found) for found in json.loads(self._read())][:MOST_SESSIONS]
            # The clock may have been ahead.
            self._known = [each._replace(since_s=min(each.since_s, clock_s())) for each in known]
        except (ValueError, TypeError, RecursionError):
            _log.error("%s: not as it was written; its sessions are forgotten", self._path)
            self._known = []

    def find(self, session: str) -> Known | None:
        """The secret of a session; None if there's none, or if it has been left or is too old."""
        found = (known for known in self._known if known.session == session)
        return next((known for known in found if not known.is_left and not self.is_old(known)), None)

    @property
    def left(self) -> list[Known]:
        """The sessions that were left, or are too old."""
        if any(self._age_s(known) > KEPT_S + DAY_S for known in self._known):
            self._known = [known for known in self._known if self._age_s(known) <= KEPT_S + DAY_S]
            self._write()
        return [known for known in self._known if known.is_left or self.is_old(known)]

    def is_old(self, known: Known) -> bool:
        """Whether a session has rested for too long."""
        return self._age_s(known) > KEPT_S

    def renew(self, session: str) -> None:
        """Notes that both boxes are here."""
        renewed = [
            known._replace(since_s=self._clock_s())
            if self._age_s(known) > DAY_S and known.session == session
            else known
            for known in self._known
        ]
        if renewed != self._known:
            self._known = renewed
            self._write()

    def leave_all(self) -> None:
        """Notes that this box won't come back to any session."""
        if not all(known.is_left for known in self._known):
            self._known = [known._replace(is_left=True) for known in self._known]
            self._write()

    def keep(self, secret: bytes, *, is_host: bool) -> None:
        """Keeps a session's secret; makes room by forgetting the oldest."""
        self._known = [*self._known, Known(secret.hex(), is_host, self._clock_s())][-MOST_SESSIONS:]
        self._write()

    def forget(self, session: str) -> None:
        """Forgets a session."""
        rest = [known for known in self._known if known.session != session]
        if len(rest) < len(self._known):
            self._known = rest
            self._write()

    def _age_s(self, known: Known) -> float:
        # A Pi without a clock of its own may think it's earlier than it is.
        return self._clock_s() - known.since_s

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
