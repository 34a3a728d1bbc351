"""Serves the scoreboard: GET and HEAD of one page and its style, to anybody who is let near.

One thread a connection, one request a connection; how many there are, how long one may take
and how much it may say are bounded, so that a crowd or a grudge costs the page, not the box.
"""

import ipaddress
import logging
import os
import socket
import stat
import sys
import threading
import time
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from socketserver import BaseServer
from typing import Any

from shutthebox.platform.scores import FILE_NAME
from shutthebox.scoreboard.page import page
from shutthebox.web import HEADERS, own_names

_log = logging.getLogger(__name__)

MAX_CONNECTIONS = 64
"""Open at the same time; one more is closed unheard."""

WHOLE_S = 10.0
"""A connection that has not asked and been answered after so long is cut off, at the next round."""

MAX_FILE = 100_000
"""Bytes of the scores file; ours has a tenth at most."""

_ROUND_S = 2.0
_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


class ScoreboardServer(ThreadingHTTPServer):
    """The scoreboard on a socket that already listens, which it closes in the end.

    Args:
        listener: from `shutthebox.web.listen`, or passed by systemd.
        folder: where the daemon writes the scores; read at every request.
        language: of the page while there are none.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, listener: socket.socket, folder: Path, language: str) -> None:
        address = listener.getsockname()
        # Not the direct base's, which would make a socket first: the unit forbids all but ours.
        BaseServer.__init__(self, address[:2], _Handler)
        self.socket = listener
        self._path, self._language = folder / FILE_NAME, language
        self._style = (files("shutthebox.scoreboard") / "style.css").read_bytes()
        self._open: dict[Any, float] = {}  # since when
        self._lock = threading.Lock()
        # On loopback a page of another site could reach us under its own name; elsewhere the
        # names that people give the box are not known, and there is nothing but this to read.
        loopback = ipaddress.ip_address(address[0]).is_loopback
        self._hosts = own_names(address[1]) | {f"[::1]:{address[1]}"} if loopback else None

    def serve(self) -> None:
        """Answers until it is shut down; blocks."""
        self.serve_forever(_ROUND_S)

    def answer(self, path: str, hosts: list[str]) -> tuple[HTTPStatus, str, bytes]:
        """What to send: status, kind of the content, content.

        Args:
            path: as asked for.
            hosts: the Host headers of the request.
        """
        if self._hosts is not None and (len(hosts) != 1 or hosts[0].lower() not in self._hosts):
            return HTTPStatus.FORBIDDEN, "text/plain", b"This page has another name.\n"
        match path.partition("?")[0]:
            case "/":
                shown = page(self._scores(), self._language)
                return HTTPStatus.OK, "text/html", shown.encode("utf-8", "replace")
            case "/style.css":
                return HTTPStatus.OK, "text/css", self._style
            case _:
                return HTTPStatus.NOT_FOUND, "text/plain", b"There is nothing here but the scores.\n"

    def _scores(self) -> str:
        """The file's text; empty if there is none, as while the box is off."""
        try:
            # Nothing that could make us wait or lead elsewhere: a plain file, or nothing.
            descriptor = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(descriptor, "rb") as file:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    return ""
                return file.read(MAX_FILE).decode("utf-8", "replace")
        except OSError:
            return ""

    def verify_request(self, request: Any, client_address: Any) -> bool:  # noqa: ANN401  (the base class's)
        """Whether there is room for one more."""
        with self._lock:
            if len(self._open) >= MAX_CONNECTIONS:
                return False
            self._open[request] = time.monotonic()
            return True

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401
        """Closes a connection."""
        with self._lock:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """Cuts off those who take too long."""
        late = time.monotonic() - WHOLE_S
        with self._lock:
            for request, since in self._open.items():
                if since < late:
                    with suppress(OSError):  # gone by itself
                        request.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """A visitor who hangs up is no news; anything else is a fault of ours, told once a visit."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            _log.error("a visit failed", exc_info=error)


class _Handler(BaseHTTPRequestHandler):
    server: ScoreboardServer

    def do_GET(self) -> None:
        self._send(*self.server.answer(self.path, self.headers.get_all("Host") or []))

    do_HEAD = do_GET  # noqa: N815  (the name is the library's)

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Security-Policy", _POLICY)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET, HEAD")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuses, without a word of what was asked."""
        # The library says 501 to methods that it finds no function for.
        status = HTTPStatus.METHOD_NOT_ALLOWED if code == HTTPStatus.NOT_IMPLEMENTED else HTTPStatus(code)
        self._send(status, "text/plain", f"{status.phrase}\n".encode())

    def version_string(self) -> str:
        return "shutthebox"

    def log_message(self, format: str, *args: object) -> None:
        """Who looks at the scores is nobody's business."""
