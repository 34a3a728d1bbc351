"""Pages for the tests of the page's server: polite ones, and sockets for all others."""

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest
from mock import Mock
from tests.support.shows import plain_show
from tests.support.waiting import HANG_S, until
from websockets.exceptions import ConnectionClosed
from websockets.frames import Close
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.game.effects import Show
from shutthebox.game.screen import Screen
from shutthebox.rules.profile import Profile
from shutthebox.simulator.hardware.box import SimulatedBox
from shutthebox.simulator.hardware.workshop import Workshop
from shutthebox.simulator.page.server import PageServer
from shutthebox.simulator.page.transcript import Transcript


class FakePanel:
    """A panel that shows what a test puts on it."""

    def __init__(self, shown: Bitmap | None = None) -> None:
        self.unplugged = False
        self.shown = shown or Bitmap.of(128, 64)
        self.callbacks: list[Callable[[], None]] = []

    def picture(self) -> Bitmap:
        return self.shown

    def on_change(self, callback: Callable[[], None]) -> None:
        self.callbacks.append(callback)

    def show(self, picture: Bitmap) -> None:
        self.shown = picture
        for callback in self.callbacks:
            callback()


def shown(screen: Screen, language: str = "en", game: Profile | None = None) -> Show:
    """The show of a box with this screen and no match."""
    return plain_show(screen, player=None, language=language, game=game)


def server_of(box: SimulatedBox, panel: FakePanel, **more: Any) -> PageServer:
    """The server of a box; what the test does not give is there and does nothing."""
    power = Mock(recording=Path("absent"), is_recording=False, boxes=())
    given: dict[str, Any] = {"port": 0, "transcript": Transcript(), "power": power, "fill_in": Mock()}
    return PageServer(Workshop(box, panel), **given | more)


class HasPort(Protocol):
    """A server of pages."""

    @property
    def port(self) -> int: ...


def page(
    server: HasPort,
    *,
    origin: str | None = "http://{host}",
    host: str = "127.0.0.1:{port}",
    address: str = "127.0.0.1",
) -> ClientConnection:
    """A page of this origin, which reached the server by this name, at this address."""
    host = host.format(port=server.port)
    # A ready-made socket keeps any proxy of the environment out of it.
    sock = socket.create_connection((address, server.port), timeout=HANG_S)
    try:
        return connect(
            f"ws://{host}/box",
            origin=None if origin is None else Origin(origin.format(host=host, port=server.port)),
            sock=sock,
            compression=None,
            close_timeout=1,
        )
    except BaseException:
        sock.close()
        raise


def receive(client: ClientConnection) -> dict[str, Any]:
    message = json.loads(client.recv(timeout=HANG_S))
    assert isinstance(message, dict)
    return message


def receive_until(client: ClientConnection, key: str, value: object) -> None:
    until(lambda: receive(client).get(key, ...) == value, f"{key} never was {value}")


def goodbye(client: ClientConnection) -> Close:
    """Reads what was on its way, and how the server closes in the end."""
    with pytest.raises(ConnectionClosed) as caught:
        list(iter(lambda: client.recv(timeout=HANG_S), None))
    assert caught.value.rcvd is not None
    return caught.value.rcvd


def raw_page(server: PageServer, room: int = 65_536) -> socket.socket:
    """A page without a library: it shakes hands, and takes at most so many bytes that it has not read."""
    host = f"127.0.0.1:{server.port}"
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    raw.connect(("127.0.0.1", server.port))
    raw.sendall(
        f"GET /box HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        "Sec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    return raw
