"""Shows the scoreboard's folder to this machine. On a box it is lighttpd that does so, to the pub.

The standard library's server, on loopback. The number of visitors and the time and bytes of each are bounded:
it never takes more than some 50 MB.
"""

import hashlib
import re
import socket
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from threading import BoundedSemaphore, Timer

from shutthebox.files import read_bytes
from shutthebox.rules.words import N_
from shutthebox.web.http import HEADERS, own_names

AT_REST = N_("The box is at rest")
"""In `resting.html`, in every finished language."""

MAX_VISITORS = 8
"""Open at the same time; one more is closed and nothing of it is read. Each can say 6 MB at most."""

WHOLE_S = 10.0
"""Seconds after which a connection is cut off in any case."""

MAX_FILE = 256 * 1024
"""Bytes of a file; ours have a tenth of it."""

MAX_TAB_FILE = 16 * 1024 * 1024
"""Bytes of a file of the box in a tab; Python for browsers is one of 10 MB."""

_PATH = re.compile(r"/(?:|(?:index|box)\.html|style\.css|scores\.json|rules/[a-z]+/[^/.]+\.html)")
_TAB = re.compile(r"/play/(?:|[a-z0-9_-]+\.[a-z]+|pyodide/[a-z_-]+(?:\.asm)?\.[a-z]+)")
_TEXTS = {".css": "text/css", ".json": "application/json", ".html": "text/html", ".txt": "text/plain"}
_TEXTS |= {".js": "text/javascript", ".mjs": "text/javascript"}
_KINDS = {name: f"{kind}; charset=utf-8" for name, kind in _TEXTS.items()} | {
    ".wasm": "application/wasm",
    ".zip": "application/zip",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}


class ScoreboardServer(ThreadingHTTPServer):
    """The scoreboard on a socket of this machine's own.

    Args:
        listener: from `shutthebox.web.http.listen`; closed in the end.
        folder: the scoreboard's; looked into at every request.
    """

    daemon_threads = True

    def __init__(self, listener: socket.socket, folder: Path) -> None:
        super().__init__(listener.getsockname(), _Visit, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.folder = folder
        self.names = own_names(self.server_address[1])
        self.resting = (resources.files("shutthebox.web.scoreboard") / "resting.html").read_bytes()
        self.room = BoundedSemaphore(MAX_VISITORS)


class _Visit(BaseHTTPRequestHandler):
    """One connection: one request, its answer, and nothing more."""

    server: ScoreboardServer

    def handle(self) -> None:
        """Answers, if there is room."""
        if not self.server.room.acquire(blocking=False):
            return
        deadline = Timer(WHOLE_S, self._cut_off)
        deadline.start()
        try:
            with suppress(OSError):  # it has hung up
                super().handle()
        finally:
            deadline.cancel()
            self.server.room.release()

    def _cut_off(self) -> None:
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def _answer(self) -> None:
        path = self.path.partition("?")[0]
        if self.headers.get_all("Host") is None or self.headers["Host"].lower() not in self.server.names:
            self._send(HTTPStatus.FORBIDDEN, ".txt", b"This machine does not know itself by this name.\n")
        elif not (_PATH.fullmatch(path) or _TAB.fullmatch(path)):
            self._send(HTTPStatus.NOT_FOUND, ".txt", b"There is nothing here but the scores.\n")
        else:
            most = MAX_TAB_FILE if _TAB.fullmatch(path) else MAX_FILE
            path = path.removeprefix("/") + ("index.html" if path.endswith("/") else "")
            kind = Path(path).suffix
            try:
                content = read_bytes(self.server.folder / path, most, follow_links=False)
            except OSError:
                self._send(HTTPStatus.NOT_FOUND, ".html", self.server.resting)
            else:
                self._send(HTTPStatus.OK, kind, content)

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
        if status is HTTPStatus.OK and self.headers.get("If-None-Match") == tag:
            status, content = HTTPStatus.NOT_MODIFIED, b""
        self.send_response(status)
        for name, value in (HEADERS | {"Cache-Control": "no-cache", "ETag": tag}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", _KINDS.get(kind, _KINDS[".txt"]))
        if status is not HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *words: object) -> None:
        """Visits are nobody's business."""

    def version_string(self) -> str:
        """Nothing about the program."""
        return "shutthebox"
