"""Guards the simulated box's port: limits every request, and serves the page's files."""

import asyncio
import re
import time
from collections.abc import Callable, Iterable, Sequence
from html import escape
from importlib.resources import files
from ipaddress import IPv6Network, ip_address
from pathlib import PurePath
from string import Template
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.frames import CloseCode, Frame
from websockets.http11 import Request, Response
from websockets.protocol import State

from shutthebox.simulator.page.http import HEADERS, host_headers, own_names
from shutthebox.translations import translations

SOCKET_PATH = "/box"
RECORDING_PATH = "/recording.scn"
MAX_CONNECTIONS = 128
"""The most connections from this machine, and from all visitors together; one more is closed unread."""

MAX_CONNECTIONS_OF_A_VISITOR = 32
"""The most from one visitor, so that others get some."""

MAX_REQUEST = 16 * 1024
"""The largest request in bytes; a browser sends a tenth of it."""

BURST = 200
"""How many frames (messages, pieces, pings, pongs) a page may send at once."""

FRAMES_PER_S = 50
"""How many frames per second a page may send indefinitely: more than two hands make."""

GOODBYE_S = 1.0
"""How many seconds a page may take to close."""

_PREFIX = 64  # bits of an IPv6 address that a network gives; a telephone chooses the others
_PART = 1024  # bytes that the library takes apart at once
_REQUEST_LINE = re.compile(rb"([A-Z]{1,20}) [^ \r\n]+ HTTP/1\.[01]\r\n")

_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
"""The types of the files served besides the page itself, by ending."""

_NOBODY = "'none'"

_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; manifest-src 'self'; "
    "connect-src 'self'{socket}; base-uri 'none'; form-action 'none'; frame-ancestors {framed_by}"
)


class RequestGuard:
    """Answers all requests except valid ones for the socket.

    Args:
        port: the one browsers must name.
        language: returns the page's current language.
        recording: returns the last recorded scenario; empty if there's none.
        names: this machine's names on its network.
        framed_by: the origin of the page that may show this one in a frame.
    """

    def __init__(
        self,
        port: int,
        language: Callable[[], str],
        recording: Callable[[], bytes],
        names: Sequence[str],
        framed_by: str = _NOBODY,
    ) -> None:
        self._port, self._framed_by = port, framed_by
        self._hosts = own_names(port).union(*(host_headers(name.lower(), port) for name in names))
        self._language, self._recording = language, recording
        folder = files("shutthebox.simulator") / "page"
        self._index = Template((folder / "index.html").read_text("utf-8"))
        self._files = {
            f"/{file.name}": (file.read_bytes(), _KINDS[ending])
            for file in folder.iterdir()
            if (ending := PurePath(file.name).suffix) in _KINDS
        }

    def answer(self, request: Request, address: str, visitor: str) -> Response | None:
        """A file or a refusal; None lets a well-formed WebSocket handshake go on.

        Another site can point its own name here, but its pages can't send this machine's.

        Args:
            request: to answer.
            address: the local address that the request came to.
            visitor: who asks; empty for this machine, which alone gets recordings.
        """
        sent_to = request.headers.get_all("Host")
        if len(sent_to) != 1 or sent_to[0].lower() not in self._hosts | host_headers(address, self._port):
            return refusal(403, "Forbidden", "This page only answers to the machine's own names.\n")
        path = request.path.partition("?")[0]
        origins = request.headers.get_all("Origin")
        # Browsers always send the origin of a page that opens a socket; for a file they may not.
        if origins != [f"http://{sent_to[0].lower()}"] and (origins or path == SOCKET_PATH):
            return refusal(403, "Forbidden", "Only the box's own page may talk to the box.\n")
        if path == SOCKET_PATH:
            return None
        found = None if visitor and path == RECORDING_PATH else self._file(path)
        if found is None:
            return refusal(404, "Not Found", "There is nothing here but the box.\n")
        # 'self' only covers the socket in newer browsers.
        return _response(200, "OK", *found, socket=f" ws://{sent_to[0]}", framed_by=self._framed_by)

    def _file(self, path: str) -> tuple[bytes, str] | None:
        """A file's content and type; None if there's no such file."""
        if path == "/":
            language = self._language()
            _ = translations()[language]
            needs_script = escape(_("The box needs JavaScript."))
            lost = escape(_("No connection to the box. Trying again…"))
            index = self._index.substitute(language=escape(language), needs_script=needs_script, lost=lost)
            return index.encode(), "text/html; charset=utf-8"
        if path == RECORDING_PATH:
            scenario = self._recording()
            return (scenario, "text/plain; charset=utf-8") if scenario else None
        return self._files.get(path)


def refusal(status: int, phrase: str, why: str) -> Response:
    """A refusal with its reason. It's in English, because only people who try something unusual see it."""
    return _response(status, phrase, why.encode(), "text/plain; charset=utf-8")


def not_allowed() -> Response:
    """The answer to any method but GET and HEAD."""
    response = refusal(405, "Method Not Allowed", "This page is read-only.\n")
    response.headers["Allow"] = "GET, HEAD"
    return response


def _response(
    status: int, phrase: str, content: bytes, kind: str, *, socket: str = "", framed_by: str = _NOBODY
) -> Response:
    headers = Headers(HEADERS)
    # Where it names somebody, browsers pass over X-Frame-Options.
    headers["Content-Security-Policy"] = _CONTENT_SECURITY_POLICY.format(socket=socket, framed_by=framed_by)
    headers["Content-Type"] = kind
    headers["Content-Length"] = str(len(content))
    headers["Connection"] = "close"
    return Response(status, phrase, headers, content)


def visitor_of(address: Any) -> str:  # noqa: ANN401  (None, or a tuple that depends on the family)
    """The address of a visitor from the network; empty for this machine.

    For IPv6, it's the /64 network, in which a phone can take as many addresses as it likes.
    """
    if not address:
        return ""
    found = ip_address(address[0].partition("%")[0])
    found = getattr(found, "ipv4_mapped", None) or found
    if found.is_loopback:
        return ""
    return str(found if found.version == 4 else IPv6Network((found, _PREFIX), strict=False))


def has_room(visitor: str, held_by: Iterable[str], most: int, most_of_a_visitor: int) -> bool:
    """Whether a visitor, or this machine, may hold one more connection.

    Visitors can't lock this machine out: each side has its own `most`.

    Args:
        visitor: who asks, from `visitor_of`.
        held_by: the holder of each current connection.
        most: for this machine, and for all visitors together.
        most_of_a_visitor: for one visitor.
    """
    same_side = [other for other in held_by if bool(other) == bool(visitor)]
    return len(same_side) < most and (not visitor or same_side.count(visitor) < most_of_a_visitor)


class Allowance:
    """How many more frames a page may send."""

    def __init__(self) -> None:
        self._left, self._counted_s = float(BURST), time.monotonic()

    def take(self) -> bool:
        """Counts a frame; returns False if it's one too many."""
        now_s = time.monotonic()
        self._left = min(BURST, self._left + (now_s - self._counted_s) * FRAMES_PER_S) - 1
        self._counted_s = now_s
        return self._left >= 0


class Connection(ServerConnection):
    """A connection whose request and frames are limited before the library reads them.

    The library answers every ping by itself, joins pieces of messages without counting them, and, up to
    version 15, hangs up on any request but GET.

    Attributes:
        head: whether the request is a HEAD, so the answer has no body.
    """

    head = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Starts counting."""
        self._request = bytearray()
        self._closed_to_more = False
        self._allowance = Allowance()
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Passes data within the limits to the library."""
        if self._closed_to_more:
            return
        if self.protocol.state is State.CONNECTING and self.request is None:
            data = self._whole_request(data)
        # In parts, so that a flood is noticed before all of it is parsed.
        for at in range(0, len(data), _PART):
            super().data_received(data[at : at + _PART])

    def _whole_request(self, data: bytes) -> bytes:
        """The request to pass to the library, once it's complete."""
        self._request += data
        whole = b"\r\n\r\n" in self._request
        if len(self._request) > MAX_REQUEST:
            self._refuse(refusal(431, "Request Header Fields Too Large", "No browser sends that much.\n"))
        elif whole and (found := _REQUEST_LINE.match(self._request)):
            self.head = found[1] == b"HEAD"
            if found[1] not in (b"GET", b"HEAD"):
                self._refuse(not_allowed())
            elif self.head:
                # The library only knows GET; the body of its answer is removed later.
                return b"GET" + self._request[len(found[1]) :]
        return bytes(self._request) if whole and not self._closed_to_more else b""

    def _refuse(self, response: Response) -> None:
        """Answers without the library. Later data is discarded until the library times out."""
        self._closed_to_more = True
        self.transport.write(response.serialize())
        self.transport.write_eof()

    def process_event(self, event: object) -> None:
        """Counts a frame. One too many ends the connection, and later ones are ignored."""
        if isinstance(event, Frame) and not self._allowance.take() and not self._closed_to_more:
            self._closed_to_more = True
            reason = f"a page sends at most {FRAMES_PER_S} messages a second"
            self.protocol.fail(CloseCode.POLICY_VIOLATION, reason)
            self.send_data()
            asyncio.get_running_loop().call_later(GOODBYE_S, self.transport.abort)
        elif not self._closed_to_more:
            super().process_event(event)  # type: ignore[arg-type]


def connection_class(open_now: dict[Connection, str]) -> type[Connection]:
    """The class of a server's connections: one too many is closed unread.

    Args:
        open_now: the server's open connections and their visitors; the connections maintain it.
    """

    class _Counted(Connection):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            visitor = visitor_of(transport.get_extra_info("peername"))
            if not has_room(visitor, open_now.values(), MAX_CONNECTIONS, MAX_CONNECTIONS_OF_A_VISITOR):
                self.transport.abort()
            open_now[self] = visitor

        def connection_lost(self, exc: Exception | None) -> None:
            open_now.pop(self, None)
            super().connection_lost(exc)

    return _Counted
