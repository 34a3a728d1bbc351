"""The secrets of sessions, kept in a file so that a match survives a restart of the box or its helper."""

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
"""Seconds of rest after which a session expires."""
DAY_S = 86_400.0
"""Seconds for which an expired session is kept, to clear its messages from the broker; also the least time
between two renewals."""

_MOST_BYTES = 64 * 1024
_SECRET = re.compile("[0-9a-f]{64}", re.ASCII)

_log = logging.getLogger(__name__)


class Known(NamedTuple):
    """A session that can be joined again.

    Attributes:
        secret: shared by both boxes, in hexadecimal digits.
        is_host: whether this box is the host.
        since_s: when both were last here, in seconds since 1970; accurate to a day.
        is_left: this box has left it for good, but the other one may not know yet.
    """

    secret: str
    is_host: bool
    since_s: float
    is_left: bool = False

    @property
    def session(self) -> str:
        """The session's name."""
        return session_of(bytes.fromhex(self.secret))


class KeyStore:
    """The secrets by session. A file that can't be read or written only costs the sessions in it.

    Args:
        folder: one that only the helper's user can read.
        clock_s: the time of day, in seconds since 1970.
    """

    def __init__(self, folder: Path, clock_s: Callable[[], float] = time.time) -> None:
        self._path, self._clock_s = folder / FILE, clock_s
        remove_parts(folder)
        try:
            known = [_to_known(*found) for found in json.loads(self._read())][:MOST_SESSIONS]
            # The clock may have been fast.
            self._known = [each._replace(since_s=min(each.since_s, clock_s())) for each in known]
        except (ValueError, TypeError, RecursionError):
            _log.error("%s: not as it was written; its sessions are forgotten", self._path)
            self._known = []

    def find(self, session: str) -> Known | None:
        """The session of this name; None if it's unknown, or was left or has expired."""
        found = (known for known in self._known if known.session == session)
        return next((known for known in found if not known.is_left and not self.is_old(known)), None)

    @property
    def left(self) -> list[Known]:
        """The sessions that were left, or have expired."""
        if any(self._age_s(known) > KEPT_S + DAY_S for known in self._known):
            self._known = [known for known in self._known if self._age_s(known) <= KEPT_S + DAY_S]
            self._write()
        return [known for known in self._known if known.is_left or self.is_old(known)]

    def is_old(self, known: Known) -> bool:
        """Whether a session has expired."""
        return self._age_s(known) > KEPT_S

    def renew(self, session: str) -> None:
        """Records that both boxes are here."""
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
        """Records that this box has left all sessions for good."""
        if not all(known.is_left for known in self._known):
            self._known = [known._replace(is_left=True) for known in self._known]
            self._write()

    def keep(self, secret: bytes, *, is_host: bool) -> None:
        """Adds a session; if there are too many, forgets the oldest."""
        self._known = [*self._known, Known(secret.hex(), is_host, self._clock_s())][-MOST_SESSIONS:]
        self._write()

    def forget(self, session: str) -> None:
        """Forgets a session."""
        rest = [known for known in self._known if known.session != session]
        if len(rest) < len(self._known):
            self._known = rest
            self._write()

    def _age_s(self, known: Known) -> float:
        # Negative if the clock has gone back, as on a Pi that hasn't found the time yet.
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
