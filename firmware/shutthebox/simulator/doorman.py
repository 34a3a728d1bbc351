"""Who may come in at the port of the simulated box, and the files that the page is made of."""

import asyncio
from importlib.resources import files

from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from shutthebox.web import HEADERS, own_names

SOCKET_PATH = "/box"
MAX_CONNECTIONS = 128
"""Open at the same time, whatever they are; one more is closed unheard."""

_FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/style.css": ("style.css", "text/css; charset=utf-8"),
    "/box.js": ("box.js", "text/javascript; charset=utf-8"),
    "/sounds.js": ("sounds.js", "text/javascript; charset=utf-8"),
    "/texts.js": ("texts.js", "text/javascript; charset=utf-8"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'{socket}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Doorman:
    """Answers requests, all but those for the socket that are in order.

    Args:
        port: that browsers have to name.
    """

    def __init__(self, port: int) -> None:
        self._hosts = own_names(port)
        folder = files("shutthebox.simulator") / "page"
        self._files = {path: ((folder / name).read_bytes(), kind) for path, (name, kind) in _FILES.items()}

    def answer(self, request: Request) -> Response | None:
        """A file or a refusal; None lets a well-formed WebSocket handshake go on."""
        sent_to = request.headers.get_all("Host")
        if len(sent_to) != 1 or sent_to[0].lower() not in self._hosts:
            return refusal(403, "Forbidden", "This page is served on 127.0.0.1 and localhost only.\n")
        path = request.path.partition("?")[0]
        origins = request.headers.get_all("Origin")
        # A browser always says whose page wants a socket; for a file it may leave that out.
        if origins != [f"http://{sent_to[0].lower()}"] and (origins or path == SOCKET_PATH):
            return refusal(403, "Forbidden", "Only the box's own page may talk to the box.\n")
        if path == SOCKET_PATH:
            return None
        if path not in self._files:
            return refusal(404, "Not Found", "There is nothing here but the box.\n")
        body, kind = self._files[path]
        # 'self' covers the socket in new browsers only.
        return _response(200, "OK", body, kind, socket=f" ws://{sent_to[0]}")


def refusal(status: int, phrase: str, why: str) -> Response:
    """An answer that says why not, in English: people see it only when they try something odd."""
    return _response(status, phrase, why.encode(), "text/plain; charset=utf-8")


def _response(status: int, phrase: str, content: bytes, kind: str, *, socket: str = "") -> Response:
    headers = Headers(HEADERS)
    headers["Content-Security-Policy"] = _CONTENT_SECURITY_POLICY.format(socket=socket)
    headers["Content-Type"] = kind
    headers["Content-Length"] = str(len(content))
    headers["Connection"] = "close"
    return Response(status, phrase, headers, content)


def connection_class() -> type[ServerConnection]:
    """The class of one server's connections: of one that is too many nothing is read."""
    open_now: set[ServerConnection] = set()

    class _Connection(ServerConnection):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            open_now.add(self)
            if len(open_now) > MAX_CONNECTIONS:
                self.transport.abort()

        def connection_lost(self, exc: Exception | None) -> None:
            open_now.discard(self)
            super().connection_lost(exc)

    return _Connection
