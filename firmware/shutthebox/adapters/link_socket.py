"""The socket to the link helper: requests and reports as lines (`shutthebox.link.wire`)."""

import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from shutthebox.adapters.helper_socket import HelperSocket, send_line
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
from shutthebox.link.wire import MAX_LINE, report_from_line, request_to_line

SOCKET = Path("/run/shutthebox-link/link")
"""Where the service listens: in a folder of the helper's package, which only these two may enter."""


class LinkSocket(HelperSocket):
    """Listens for the helper, one at a time.

    Args:
        path: the socket; a stale one there is replaced.
        put: receives every report, from any thread.

    Raises:
        OSError: if it can't listen there.
    """

    name, mode, most_helpers, most_bytes = "link", 0o660, 1, MAX_LINE

    def __init__(self, path: Path, put: Callable[[LinkReport], object]) -> None:
        self._put = put
        self._standing: Rejoin | Leave | None = None
        """What to ask of every helper that calls."""
        super().__init__(path)

    def ask(self, request: LinkRequest) -> None:
        """Asks the helper. Never blocks: a helper that doesn't read misses it; the game repeats what matters.

        Without a helper, a request to meet another box is answered at once: nobody is there. One to rejoin or
        leave a match is kept for the next helper.
        """
        with self.lock:
            self._standing = update_standing(self._standing, request)
            for wire in self.wires:
                self._send(wire, request)
            if not self.wires and (report := answer_without_helper(request)) is not None:
                self._put(report)

    @staticmethod
    def _send(wire: socket.socket, request: LinkRequest) -> None:
        with suppress(OSError):  # it doesn't read, or has gone, which its thread notices
            send_line(wire, request_to_line(request))

    @property
    def has_helper(self) -> bool:
        """Whether a helper has called."""
        return bool(self.wires)

    def greet(self, wire: socket.socket) -> None:
        """Repeats the request that outlasts a helper, such as to rejoin a session."""
        if self._standing is not None:
            self._send(wire, self._standing)

    def hear(self, wire: socket.socket, line: bytes) -> None:
        """Puts the report in the loop's inbox."""
        self._put(report_from_line(line))

    def forget(self, wire: socket.socket) -> None:
        """Without a helper, the other box can't be reached."""
        self._put(PeerIs(Peer.OFFLINE))
