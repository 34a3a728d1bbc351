"""The page's port, the names it answers to, and careful headers."""

import errno
import ipaddress
import socket

from shutthebox.errors import ShutTheBoxError

LOOPBACK = "127.0.0.1"
LOCALHOST = "localhost"

HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Sent with every answer: no caching, framing, sniffing or reading by other sites."""


class PortError(ShutTheBoxError, OSError):
    """The address or port for a page isn't available."""


def listen(port: int, address: str = LOOPBACK) -> socket.socket:
    """Opens a listening socket.

    Args:
        port: TCP port; 0 for any free one.
        address: of this machine, in numbers; "::" means all, IPv4 included.

    Raises:
        PortError: no such address or port, already in use, or not permitted.
    """
    if not 0 <= port <= 65535:
        raise PortError(f"port {port}: --port takes 0 (any free port) to 65535")
    try:
        version = ipaddress.ip_address(address).version
    except ValueError:
        raise PortError(
            f"--listen: {address!r} is not allowed; use an address in numbers, such as {LOOPBACK} "
            "(this machine only) or :: (all)"
        ) from None
    family = socket.AF_INET if version == 4 else socket.AF_INET6
    try:
        return socket.create_server((address, port), family=family, dualstack_ipv6=address == "::")
    except OSError as error:
        if error.errno == errno.EADDRNOTAVAIL:
            raise PortError(f"--listen: {address} is not an address of this machine") from None
        why = {errno.EADDRINUSE: "is already in use", errno.EACCES: "can't be used by this user"}.get(
            error.errno or 0, f"can't be opened ({error.strerror})"
        )
        raise PortError(f"port {port} {why}: choose another with --port, or 0 for any free one") from None


def own_names(port: int) -> frozenset[str]:
    """The Host headers with which a browser on this machine reaches a page on loopback.

    Another site can point its own name here, but its pages can't send one of these.
    """
    return host_headers(LOOPBACK, port) | host_headers(LOCALHOST, port)


def host_headers(name: str, port: int) -> frozenset[str]:
    """The Host headers that a browser sends for this name or address."""
    host = f"[{name}]" if ":" in name else name
    return frozenset({f"{host}:{port}", host} if port == 80 else {f"{host}:{port}"})
