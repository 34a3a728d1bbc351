"""Serves the scoreboard: GET and HEAD of two pages, their style and script.

One connection is one request and one answer. The number of connections, the time of each and its bytes are
bounded before anything is read, so that a crowd or an attack can stop the page, but not the box.
One thread serves all of them; h11 takes the requests apart.
"""

import asyncio
from collections.abc import Callable, Iterable
from email.utils import formatdate
from http import HTTPStatus
from importlib.resources import files
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from socket import socket
from typing import Self, cast

import h11

from shutthebox.adapters.store.scores_file import FILE_NAME
from shutthebox.files import read_bytes
from shutthebox.web.http import HEADERS, LOCALHOST, addressed
from shutthebox.web.scoreboard.page import RULES_PATH, page, rules_page

MAX_CONNECTIONS = 64
"""Open at the same time; one more is closed and nothing of it is read."""

WHOLE_S = 10.0
"""Seconds after which a connection is cut off in any case."""

MAX_HEAD = 8192
"""Bytes of a request's line and headers; a browser sends a tenth of it."""

MAX_BYTES = 64 * 1024
"""Bytes that a connection may send in all. Bytes after the request are thrown away."""

MAX_FILE = 32 * 1024
"""Bytes of the scores file; ours has a third of it at most."""

_PART = 4096  # bytes taken from a connection at once
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_FILES = {"/style.css": ("style.css", "text/css"), "/board.js": ("board.js", "text/javascript")}

Answer = tuple[HTTPStatus, str, bytes]
"""Status, kind of the content, content."""


class ScoreboardServer:
    """The scoreboard on a socket that already listens.

    Args:
        listener: from `shutthebox.web.http.listen`, or passed by systemd; closed in the end.
        folder: where the daemon writes the scores; read at every request.
        language: of the page while there are none.
        names: of this machine, which visitors may ask for besides its addresses. A page of another
            site can have its own name lead here, but cannot ask for one of these.
    """

    def __init__(self, listener: socket, folder: Path, language: str, names: Iterable[str] = ()) -> None:
        self.socket = listener
        self._path, self._language = folder / FILE_NAME, language
        self._own_names = tuple(name.lower() for name in names)
        self._names = frozenset((*self._own_names, LOCALHOST))
        self._is_local = _is_loopback(_literal(listener.getsockname()[0]))
        here = files("shutthebox.web.scoreboard")
        self._files = {path: (kind, (here / name).read_bytes()) for path, (name, kind) in _FILES.items()}
        self._visits: set[_Visit] = set()
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.socket.close()
        self._loop.close()

    def serve(self) -> None:
        """Answers until it is shut down; blocks."""
        self._loop.run_until_complete(self._serve())

    def shutdown(self) -> None:
        """Ends `serve`; called by another thread."""
        self._loop.call_soon_threadsafe(self._stopped.set)

    async def _serve(self) -> None:
        visit: Callable[[], _Visit] = lambda: _Visit(self._visits, self.answer)  # noqa: E731
        server = await self._loop.create_server(visit, sock=self.socket)
        try:
            await self._stopped.wait()
        finally:
            server.close()
            for open_visit in tuple(self._visits):
                open_visit.cut_off()

    def answer(self, path: str, host: str | None, asked: tuple[str, int]) -> Answer:
        """The answer to a GET.

        Args:
            path: as asked for.
            host: the request's Host header; None for none.
            asked: the address and the port of this machine that the visitor has reached.
        """
        if host is None or host.lower() not in addressed({*self._names, _literal(asked[0])}, asked[1]):
            text = b"This machine does not know itself by this name; its owner can add it with --name.\n"
            return HTTPStatus.FORBIDDEN, "text/plain", text
        match path.partition("?")[0]:
            case "/":
                shown = page(self._scores(), self._language, self._rules_url(host, asked[1]))
                return HTTPStatus.OK, "text/html", shown.encode("utf-8", "replace")
            case path if path == RULES_PATH:
                shown = rules_page(self._scores(), self._language)
                return HTTPStatus.OK, "text/html", shown.encode("utf-8", "replace")
            case path if path in self._files:
                return HTTPStatus.OK, *self._files[path]
            case _:
                return HTTPStatus.NOT_FOUND, "text/plain", b"There is nothing here but the scores.\n"

    def _rules_url(self, host: str, port: int) -> str | None:
        """The address of the rules for other machines; None where only this machine can reach them."""
        if self._is_local:
            return None
        name = host.lower().removesuffix(f":{port}")
        if name == LOCALHOST or _is_loopback(name):
            name = next((name for name in self._own_names if name.endswith(".local")), "")
        return f"http://{name}{'' if port == 80 else f':{port}'}{RULES_PATH}" if name else None

    def _scores(self) -> str:
        """The file's text; empty if there is none, as while the box is off."""
        try:
            return read_bytes(self._path, MAX_FILE, follow_links=False).decode("utf-8", "replace")
        except OSError:
            return ""


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


def _literal(address: str) -> str:
    """An address as it stands in a URL."""
    found = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address):
        # A socket for both versions shows an IPv4 address in this form.
        return str(found.ipv4_mapped or f"[{found}]")
    return str(found)


class _Visit(asyncio.BufferedProtocol):
    """One connection: one request, its answer, and nothing more.

    Args:
        visits: all that are open; it enters itself there.
        answer: to a GET.
    """

    def __init__(
        self, visits: "set[_Visit]", answer: Callable[[str, str | None, tuple[str, int]], Answer]
    ) -> None:
        self._visits, self._answer = visits, answer
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD)
        # A buffer of our own: asyncio would take a quarter of a megabyte at once.
        self._part = bytearray(_PART)
        self._left = MAX_BYTES
        self._answered = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._deadline = asyncio.get_running_loop().call_later(WHOLE_S, self.cut_off)
        if len(self._visits) >= MAX_CONNECTIONS:
            self.cut_off()
        else:
            self._visits.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self._deadline.cancel()
        self._visits.discard(self)

    def cut_off(self) -> None:
        """Closes the connection at once."""
        self._transport.abort()

    def get_buffer(self, size_hint: int) -> bytearray:
        return self._part

    def buffer_updated(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            self.cut_off()
        elif not self._answered:
            self._http.receive_data(bytes(self._part[:size]))
            self._look()

    def eof_received(self) -> bool:
        if not self._answered:
            self._http.receive_data(b"")
            self._look()
        return False

    def _look(self) -> None:
        """Answers, if the request is there."""
        try:
            event = self._http.next_event()
        except h11.RemoteProtocolError as error:
            self._refuse(HTTPStatus(error.error_status_hint), head=False)
            return
        if isinstance(event, h11.Request):
            self._take(event)
        elif isinstance(event, h11.ConnectionClosed):
            self.cut_off()

    def _take(self, request: h11.Request) -> None:
        head = request.method == b"HEAD"
        if request.http_version not in (b"1.0", b"1.1"):
            self._refuse(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, head=head)
        elif request.method not in (b"GET", b"HEAD"):
            self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, head=False)
        else:
            hosts = [value.decode("latin-1") for name, value in request.headers if name == b"host"]
            asked = self._transport.get_extra_info("sockname")[:2]
            path = request.target.decode("latin-1")
            self._send(*self._answer(path, hosts[0] if hosts else None, asked), head=head)

    def _refuse(self, status: HTTPStatus, *, head: bool) -> None:
        """Answers with a reason that quotes nothing of the request."""
        self._send(status, "text/plain", f"{status.phrase}\n".encode(), head=head)

    def _send(self, status: HTTPStatus, kind: str, content: bytes, *, head: bool) -> None:
        self._answered = True
        headers = {
            "Date": formatdate(usegmt=True),
            **HEADERS,
            "Content-Security-Policy": _POLICY,
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(content)),
            "Connection": "close",
        }
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            headers["Allow"] = "GET, HEAD"
        response = h11.Response(status_code=status, reason=status.phrase, headers=list(headers.items()))
        events = [response] if head else [response, h11.Data(content)]
        self._transport.write(b"".join(self._http.send(event) or b"" for event in events))
        # Later data is read and thrown away: closing now could take the answer back.
        if self._transport.can_write_eof():
            self._transport.write_eof()
