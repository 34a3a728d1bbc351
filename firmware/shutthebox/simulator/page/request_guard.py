"""Who may connect to the simulated box's port, ask it, and how much they may send."""

import asyncio
import socket
import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from ipaddress import IPv6Network, ip_address
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from shutthebox.simulator.page.http import host_headers, own_names
from shutthebox.simulator.page.page_files import RECORDING_PATH, refusal

SOCKET_PATH = "/box"
MAX_CONNECTIONS = 128
"""The most connections from this machine, and from all visitors together; one more is closed unread."""

MAX_CONNECTIONS_OF_A_VISITOR = 32
"""The most from one visitor, so that others get some."""

BURST = 200
"""How many messages, or pieces of messages, a page may send at once."""

MESSAGES_PER_S = 50
"""How many per second a page may send indefinitely: more than two hands make."""

BYTES_OF_A_MESSAGE = 80
"""More than hands need. A visitor may send the bytes of so many messages as a page may, pings included."""

_UNREAD = 16 * 1024  # bytes that one connection may have the system keep, and us read at once
_PREFIX = 64  # bits of an IPv6 address that a network gives; a telephone chooses the others


class GuardedListener(socket.socket):
    """A listening socket that hangs up on one connection too many before anything is read.

    Args:
        listener: the socket to guard; don't use it afterwards.
    """

    def __init__(self, listener: socket.socket) -> None:
        super().__init__(fileno=listener.detach())
        self.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _UNREAD)  # connections inherit it
        self._accepted: list[tuple[socket.socket, Any]] = []

    def accept(self) -> tuple[socket.socket, Any]:
        """Accepts a connection.

        Raises:
            ConnectionAbortedError: it was one too many, and is closed again.
        """
        connection, address = super().accept()
        self._accepted = [held for held in self._accepted if held[0].fileno() >= 0]
        held_by = [visitor_of(other) for _, other in self._accepted]
        if not has_room(visitor_of(address), held_by, MAX_CONNECTIONS, MAX_CONNECTIONS_OF_A_VISITOR):
            connection.close()
            raise ConnectionAbortedError("too many connections")
        self._accepted.append((connection, address))
        return connection, address

    def hang_up(self, on: Collection[Any] | None = None, *, but: Collection[Any] = ()) -> None:
        """Cuts connections off: those of some addresses, or all but those of some.

        The library waits for whoever asks nothing, and forever for whoever reads nothing.
        """
        for connection, address in self._accepted:
            if connection.fileno() >= 0 and address not in but and (on is None or address in on):
                with suppress(OSError):  # the other side was quicker
                    connection.shutdown(socket.SHUT_RDWR)


class RequestGuard:
    """Refuses what doesn't come from the box's own page.

    Args:
        port: the one browsers must name.
        names: this machine's names on its network.
    """

    def __init__(self, port: int, names: Sequence[str]) -> None:
        self._port = port
        self._hosts = own_names(port).union(*(host_headers(name.lower(), port) for name in names))

    def refuse(self, request: Request, address: str, visitor: str) -> Response | None:
        """Why this request isn't answered; None if it is.

        Another site can point its own name here, but its pages can't send this machine's.

        Args:
            request: to check.
            address: the local address that the request came to.
            visitor: who asks; empty for this machine, which alone gets recordings.
        """
        path = path_of(request)
        allowed = ("GET",) if path == SOCKET_PATH else ("GET", "HEAD")
        if method_of(request) not in allowed:
            response = refusal(405, "Method Not Allowed", "This page is read-only.\n")
            response.headers["Allow"] = ", ".join(allowed)
            return response
        sent_to = request.headers.get_all("Host")
        if len(sent_to) != 1 or sent_to[0].lower() not in self._hosts | host_headers(address, self._port):
            return refusal(403, "Forbidden", "This page only answers to the machine's own names.\n")
        origins = request.headers.get_all("Origin")
        # Browsers always send the origin of a page that opens a socket; for a file they may not.
        if origins != [f"http://{sent_to[0].lower()}"] and (origins or path == SOCKET_PATH):
            return refusal(403, "Forbidden", "Only the box's own page may talk to the box.\n")
        if visitor and path == RECORDING_PATH:
            return refusal(404, "Not Found", "Recordings are for this machine only.\n")
        return None


def method_of(request: Request) -> str:
    """How a request asks. Up to version 15, the library hangs up on anything but GET by itself."""
    return getattr(request, "method", "GET")


def path_of(request: Request) -> str:
    """What a request asks for, without a query."""
    return request.path.partition("?")[0]


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
    """How many more messages, or pieces of messages, a page may send."""

    def __init__(self) -> None:
        self._left, self._counted_s = float(BURST), time.monotonic()

    def take(self, count: float = 1.0) -> bool:
        """Counts them; returns False if they're too many."""
        now_s = time.monotonic()
        self._left = min(BURST, self._left + (now_s - self._counted_s) * MESSAGES_PER_S) - count
        self._counted_s = now_s
        return self._left >= 0


class BoundedConnection(ServerConnection):
    """A connection that hangs up on a visitor who sends too many bytes, before anything is made of them.

    The library answers pings by itself, thousands from a single read, and nobody else is served meanwhile.
    """

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by asyncio once there's a connection."""
        super().connection_made(transport)
        self.allowance = Allowance() if visitor_of(self.remote_address) else None

    def data_received(self, data: bytes) -> None:
        """Called by asyncio with whatever was read."""
        if self.allowance is None or self.allowance.take(len(data) / BYTES_OF_A_MESSAGE):
            super().data_received(data)
        else:
            self.transport.abort()
