"""Servers of pages that run for a test, and what they answer."""

import http.client
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
    port: int, path: str = "/", method: str = "GET", body: bytes | None = None, **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    """The answer to a request on loopback; a header `If_None_Match` is sent as `If-None-Match`."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=HANG_S)) as connection:
        said = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, said)
        response = connection.getresponse()
        return response, response.read()
