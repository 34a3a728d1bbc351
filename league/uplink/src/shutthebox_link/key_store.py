"""The secrets of sessions, kept in a file so that a match survives a restart of the box or its helper.

How long a session has rested is the time for which this helper has run without the other box, added up over
its restarts. The time of day says nothing about it: clocks are set, and a Pi starts without one.
"""

import json
import logging
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from shutthebox.files import read_bytes, reason, remove_parts, replace_file
from shutthebox.marker import Marker
from shutthebox_link.channel import session_of
from shutthebox_link.signing import Signer

FILE = "sessions.json"
MAX_SESSIONS = 16
KEPT_S = 7 * 86_400.0
"""Seconds of rest after which a session expires."""
DAY_S = 86_400.0
"""Seconds for which an expired session is kept, to clear its messages from the broker."""
STEP_S = 3600.0
"""How far the rest in the file may be behind, which is what a power cut takes away from it."""

_MAX_BYTES = 64 * 1024
_SECRET = re.compile("[0-9a-f]{64}", re.ASCII)

_log = logging.getLogger(__name__)


class Unreadable(Marker):
    """The file can't be read now, so nobody knows which sessions there are."""

    __slots__ = ()


class StoredSession(NamedTuple):
    """A session that can be joined again.

    Attributes:
        secret: shared by both boxes, in hexadecimal digits.
        is_host: whether this box is the host.
        rest_s: for how many seconds this helper has run since both were here.
        is_left: this box has left it for good, but the other one may not know yet.
    """

    secret: str
    is_host: bool
    rest_s: float = 0.0
    is_left: bool = False

    @property
    def session(self) -> str:
        """The session's name."""
        return session_of(bytes.fromhex(self.secret))


class KeyStore:
    """The secrets by session. A damaged file costs only the sessions in it; one that can't be read, nothing.

    Args:
        folder: one that only the helper's user can read.
        clock_s: a monotonic clock, in seconds; it may begin anew with each helper.

    Attributes:
        signer: signs with the key of this box, whatever becomes of its sessions.
    """

    def __init__(self, folder: Path, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._path, self._clock_s, self.signer = folder / FILE, clock_s, Signer(folder)
        self._sessions: list[StoredSession] = []
        self._looked_s = clock_s()
        self._written: list[StoredSession] = []
        """What is in the file, as far as that's known."""
        self._is_read = self._leaves_all = False
        self._logged_problem = ""
        remove_parts(folder)
        self._read()

    def find(self, session: str) -> StoredSession | Unreadable | None:
        """The session of this name; None if it's unknown, or was left or has expired."""
        if not self._read():
            return Unreadable()
        found = (stored for stored in self._sessions if stored.session == session)
        return next((stored for stored in found if not stored.is_left and not self.is_old(stored)), None)

    @property
    def ended(self) -> list[StoredSession]:
        """The sessions that were left, or have expired."""
        return [stored for stored in self._sessions if stored.is_left or self.is_old(stored)]

    def is_old(self, stored: StoredSession) -> bool:
        """Whether a session has expired."""
        return stored.rest_s > KEPT_S

    def pass_time(self) -> None:
        """Counts the time since the last call, forgets what is over, and writes what has to be written."""
        now_s = self._clock_s()
        passed_s, self._looked_s = now_s - self._looked_s, now_s
        rested = (stored._replace(rest_s=stored.rest_s + passed_s) for stored in self._sessions)
        self._sessions = [stored for stored in rested if stored.rest_s <= KEPT_S + DAY_S]
        if self._read() and self._is_due(STEP_S):
            self._write()

    def renew(self, session: str) -> None:
        """Records that both boxes are here."""
        self._sessions = [
            stored._replace(rest_s=0.0) if stored.session == session else stored for stored in self._sessions
        ]

    def leave_all(self) -> None:
        """Records that this box has left all sessions for good."""
        self._leaves_all = not self._is_read
        if not all(stored.is_left for stored in self._sessions):
            self._sessions = [stored._replace(is_left=True) for stored in self._sessions]
            self._write()

    def keep(self, secret: bytes, *, is_host: bool) -> bool:
        """Adds a session; if there are too many, forgets the oldest.

        Returns:
            Whether it's in the file; otherwise it isn't added.
        """
        if not self._read():
            return False
        before = self._sessions
        self._sessions = [*before, StoredSession(secret.hex(), is_host)][-MAX_SESSIONS:]
        if not self._write():
            self._sessions = before
            return False
        return True

    def forget(self, session: str) -> None:
        """Forgets a session."""
        rest = [stored for stored in self._sessions if stored.session != session]
        if len(rest) < len(self._sessions):
            self._sessions = rest
            self._write()

    def close(self) -> None:
        """Writes for how long the sessions have rested."""
        self.pass_time()
        if self._is_read and self._is_due(1.0):
            self._write()

    def _read(self) -> bool:
        """Reads the file, unless that's done; returns whether it's done now."""
        if self._is_read:
            return True
        try:
            content = read_bytes(self._path, _MAX_BYTES, follow_links=False)
        except FileNotFoundError:
            content = b"[]"
        except OSError as error:
            self._complain(reason(error))
            return False
        self._is_read = True
        try:
            self._sessions = [_session_from_row(*found) for found in json.loads(content)][:MAX_SESSIONS]
            self._written = self._sessions
        except (ValueError, TypeError, RecursionError):
            _log.error("%s: damaged; its sessions are lost", self._path)
        if self._leaves_all:
            self.leave_all()
        return True

    def _is_due(self, step_s: float) -> bool:
        """Whether the file lacks more than so many seconds of rest, or anything else."""
        written = {stored.secret: stored for stored in self._written}
        if written.keys() != {stored.secret for stored in self._sessions}:
            return True
        return any(
            stored.is_left != written[stored.secret].is_left
            or abs(stored.rest_s - written[stored.secret].rest_s) >= step_s
            for stored in self._sessions
        )

    def _write(self) -> bool:
        rows = [stored._replace(rest_s=int(stored.rest_s)) for stored in self._sessions]
        try:
            replace_file(self._path, json.dumps(rows).encode(), mode=0o600, durable=True)
        except OSError as error:
            self._complain(f"{reason(error)}; after a restart, the match can't go on")
            return False
        self._written, self._logged_problem = self._sessions, ""
        return True

    def _complain(self, why: str) -> None:
        """Logs it once until it's well again."""
        if why != self._logged_problem:
            self._logged_problem = why
            _log.error("%s: %s", self._path, why)


def _session_from_row(secret: object, is_host: object, rest_s: object, is_left: object) -> StoredSession:
    if not isinstance(secret, str) or not _SECRET.fullmatch(secret) or not isinstance(is_host, bool):
        raise ValueError("no session")
    if type(rest_s) is not int or not isinstance(is_left, bool):
        raise ValueError("no time")
    return StoredSession(secret, is_host, float(rest_s), is_left)
