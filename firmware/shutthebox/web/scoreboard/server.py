"""Serves the scoreboard's folder to this machine. On a box, lighttpd serves it to the pub."""

import socket
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote

from shutthebox.texts import N_
from shutthebox.web.http import HEADERS, own_names

AT_REST = N_("The box is at rest")
"""In `resting.html`, in every finished language: `make generated`."""


class ScoreboardServer(ThreadingHTTPServer):
    """The scoreboard on a local socket.

    Args:
        listener: from `shutthebox.web.http.listen`; closed with the server.
        folder: the scoreboard's; read at every request.
    """

    daemon_threads = True

    def __init__(self, listener: socket.socket, folder: Path) -> None:
        visit = partial(_Visit, directory=str(folder))
        super().__init__(listener.getsockname(), visit, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.names = own_names(self.server_address[1])
        resting = resources.files("shutthebox.web.scoreboard") / "resting.html"
        self.resting = resting.read_text("utf-8").replace("%", "%%")


class _Visit(SimpleHTTPRequestHandler):
    """One request and its answer."""

    server: ScoreboardServer
    timeout = 10.0

    def handle(self) -> None:
        """Answers a request, and ignores browsers that hang up."""
        with suppress(ConnectionError):
            super().handle()

    def send_head(self) -> BinaryIO | None:
        if self.headers.get("Host", "").lower() not in self.server.names:
            self.send_error(HTTPStatus.FORBIDDEN, "This machine has no such name.")
            return None
        if "/." in unquote(self.path):  # a file that is being written
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        # HTTP dates have seconds, and scores may change twice in one.
        del self.headers["If-Modified-Since"]
        return super().send_head()

    def list_directory(self, path: object) -> None:
        """Shows no directories."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Shows the page of a box at rest if a file isn't found."""
        is_missing = code == HTTPStatus.NOT_FOUND
        self.error_message_format = self.server.resting if is_missing else "%(message)s\n"
        super().send_error(code, message, explain)

    def end_headers(self) -> None:
        """Adds the headers of every answer."""
        for name, value in (HEADERS | {"Cache-Control": "no-cache"}).items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *words: object) -> None:
        """Doesn't log visits."""

    def version_string(self) -> str:
        """Reveals nothing about the program."""
        return "shutthebox"
