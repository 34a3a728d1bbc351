"""Servers of pages that run for a test, and what they answer."""

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from socketserver import BaseServer
from typing import TypeVar

from tests.support.waiting import HANG_S

Server = TypeVar("Server", bound=BaseServer)


@contextmanager
def answering(server: Server) -> Iterator[Server]:
    """Has a server answer in a thread until the end."""
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def ask(
    port: int,
    path: str = "/",
    method: str = "GET",
    body: bytes | None = None,
    *,
    address: str = "127.0.0.1",
    **headers: str,
) -> tuple[http.client.HTTPResponse, bytes]:
    """The answer to a request, on loopback by default; a header `If_None_Match` is `If-None-Match`."""
    with closing(http.client.HTTPConnection(address, port, timeout=HANG_S)) as connection:
        said = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, said)
        response = connection.getresponse()
        return response, response.read()


def is_served(port: int) -> bool:
    """Whether a request is answered with the page."""
    try:
        return ask(port)[0].status == 200
    except (http.client.RemoteDisconnected, ConnectionError):
        return False


def answer_to(port: int, said: bytes, *, ends: bool = False) -> bytes:
    """All that is answered to these bytes; with `ends` nothing more can follow them.

    Raises:
        TimeoutError: if the connection stays open.
    """
    answer = b""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=HANG_S)) as connection:
        try:
            connection.sendall(said)
            if ends:
                connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(1000):
                answer += part
        except ConnectionError:
            pass  # hung up before all was said
    return answer
