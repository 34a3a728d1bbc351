"""A server in a league's place, whose answers a test decides."""

import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, SimpleQueue

from tests.support.waiting import HANG_S

Answer = Callable[["Exchange"], None]


class Exchange(BaseHTTPRequestHandler):
    """A request, and what is answered."""

    protocol_version = "HTTP/1.1"
    server: "LeagueServer"

    def do_POST(self) -> None:
        self.body = self.rfile.read(int(self.headers["content-length"]))
        # A copy, since the next request on this connection comes to the same object.
        self.server.requests.put(copy(self))
        with suppress(OSError):  # the box has hung up
            self.server.answer(self)

    def do_CONNECT(self) -> None:
        self.server.requests.put(copy(self))
        self.send_error(502)

    def say(self, status: int, body: bytes = b"", **headers: str) -> None:
        """Answers."""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


class LeagueServer(ThreadingHTTPServer):
    """Answers as `answer` does, which may change."""

    daemon_threads = True

    def __init__(self, answer: Answer, tls: ssl.SSLContext | None = None, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Exchange)
        self.answer, self.requests = answer, SimpleQueue[Exchange]()
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True)

    @property
    def port(self) -> int:
        """The one it listens on."""
        return int(self.server_address[1])

    def handle_error(self, request: object, client_address: object) -> None:
        """A box that hangs up is no error here."""

    def next(self, path: str = "/entry") -> Exchange:
        """The next request for this path."""
        until_s = time.monotonic() + HANG_S
        while True:
            try:
                found = self.requests.get(timeout=max(0.0, until_s - time.monotonic()))
            except Empty:
                raise AssertionError("no request has come") from None
            if found.path == path:
                return found
