"""The socket to the link helper: packets of one line each (`shutthebox.link.wire`), both ways.

The box listens, so either side may start first. It reads at a bounded rate, in lines of bounded length, and
never waits for the helper.
"""

import logging
import os
import socket
import stat
import struct
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from shutthebox.errors import one_line
from shutthebox.link.requests import (
    Leave,
    LinkReport,
    LinkRequest,
    Peer,
    PeerIs,
    Rejoin,
    answer_without_helper,
    update_standing,
)
from shutthebox.link.wire import MOST_LINE, report_from_line, request_to_line

SOCKET = Path("/run/shutthebox-link/link")
"""Where the service listens: in a folder of the helper's package, which only these two may enter."""

MOST_PER_S = 20
"""Reports accepted per second; the rest wait in the socket, and then at the helper."""

_REST_S = 0.2
"""Seconds between accepting two helpers."""

_log = logging.getLogger(__name__)


class LinkSocket:
    """Listens for the helper in its own thread, one helper at a time.

    Args:
        path: the socket; a stale one there is replaced.
        put: receives every report, from any thread.

    Raises:
        OSError: if it can't listen there.
    """

    def __init__(self, path: Path, put: Callable[[LinkReport], object]) -> None:
        self._path, self._put = path, put
        self._wire: socket.socket | None = None
        self._standing: Rejoin | Leave | None = None
        """What to ask of every helper that calls."""
        self._times = deque[float](maxlen=MOST_PER_S)
        """When the latest reports came, also from a helper that has hung up and calls again."""
        self._lock = threading.Lock()
        self._closed = threading.Event()
        with suppress(FileNotFoundError):
            path.unlink()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self._listener.bind(str(path))
            path.chmod(0o660)
            self._listener.listen(1)
        except OSError:
            self._listener.close()
            raise
        threading.Thread(target=self._serve, name="link", daemon=True).start()

    def ask(self, request: LinkRequest) -> None:
        """Asks the helper. Never blocks: a helper that doesn't read misses it; the game repeats what matters.

        Without a helper, a request to meet another box is answered at once: nobody is there. One to rejoin or
        leave a match is kept for the next helper.
        """
        with self._lock:
            self._standing = update_standing(self._standing, request)
            if self._wire is not None:
                self._send(self._wire, request)
            elif (report := answer_without_helper(request)) is not None:
                self._put(report)

    @staticmethod
    def _send(wire: socket.socket, request: LinkRequest) -> None:
        with suppress(OSError):
            wire.send(request_to_line(request), socket.MSG_DONTWAIT)

    @property
    def has_helper(self) -> bool:
        """Whether a helper has called."""
        return self._wire is not None

    def close(self) -> None:
        """Stops listening and ends the connection."""
        self._closed.set()
        for wire in (self._listener, self._wire):
            if wire is not None:
                with suppress(OSError):
                    wire.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._path.unlink(missing_ok=True)

    def _serve(self) -> None:
        while not self._closed.is_set():
            try:
                wire, _ = self._listener.accept()
            except OSError:  # closed; or too many open files, say
                self._closed.wait(1.0)
                continue
            with wire:
                if self._may_call(wire):
                    self._listen(wire)
            self._closed.wait(_REST_S)

    def _listen(self, wire: socket.socket) -> None:
        with self._lock:
            self._wire = wire
            if self._standing is not None:
                self._send(wire, self._standing)
        times = self._times
        try:
            while not self._closed.is_set() and (line := wire.recv(MOST_LINE + 1)):
                self._put(report_from_line(line))
                if len(times) == MOST_PER_S:
                    self._closed.wait(max(0.0, times[0] + 1.0 - time.monotonic()))
                times.append(time.monotonic())
        except (OSError, ValueError) as error:
            _log.warning("link: %s", one_line(str(error)))
        finally:
            with self._lock:
                self._wire = None
            self._put(PeerIs(Peer.OFFLINE))

    def _may_call(self, wire: socket.socket) -> bool:
        """Whether the peer is root, this user, or in the group of the folder, which exists for that.

        The folder's permissions decide, because the unit's user namespace only has root and the box's user.
        """
        peer = wire.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        _, user, _ = struct.unpack("3i", peer)
        folder = self._path.parent.stat().st_mode
        is_for_helpers = bool(folder & stat.S_ISGID) and not folder & stat.S_IRWXO
        return user in (0, os.geteuid()) or is_for_helpers
