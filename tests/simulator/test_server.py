"""The page's server, spoken to by well-behaved pages and by everybody else."""

import base64
import http.client
import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from gpiozero import PWMOutputDevice
from PIL import Image
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from shutthebox.errors import ShutTheBoxError
from shutthebox.simulator.box import BUZZER_LINE, LAMP_LINE, SimulatedBox, default_lever_lines
from shutthebox.simulator.message import MAX_MESSAGE
from shutthebox.simulator.server import PageServer, PortError


class FakePanel:
    """A panel that shows what a test puts on it."""

    def __init__(self) -> None:
        self.shown = Image.new("1", (128, 64))
        self.callbacks: list[Callable[[], None]] = []

    def image(self) -> Image.Image:
        return self.shown

    def on_change(self, callback: Callable[[], None]) -> None:
        self.callbacks.append(callback)

    def show(self, image: Image.Image) -> None:
        self.shown = image
        for callback in self.callbacks:
            callback()


@pytest.fixture
def box() -> Iterator[SimulatedBox]:
    with SimulatedBox(default_lever_lines(9), levers_down=(2,)) as box:
        yield box


@pytest.fixture
def panel() -> FakePanel:
    return FakePanel()


@pytest.fixture
def server(box: SimulatedBox, panel: FakePanel) -> Iterator[PageServer]:
    with PageServer(box, panel) as server:
        yield server


def page(server: PageServer, *, origin: str | None = None) -> ClientConnection:
    return connect(
        f"ws://127.0.0.1:{server.port}/box",
        origin=None if origin is None else Origin(origin),
        # A ready-made socket keeps any proxy of the environment out of it.
        sock=socket.create_connection(("127.0.0.1", server.port), timeout=5),
        compression=None,
        close_timeout=1,
    )


def receive(client: ClientConnection) -> dict[str, Any]:
    message = json.loads(client.recv(timeout=5))
    assert isinstance(message, dict)
    return message


def receive_until(client: ClientConnection, key: str, value: object) -> None:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if receive(client).get(key, ...) == value:
            return
    pytest.fail(f"{key} never was {value}")


def wait_for(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.005)


def get(server: PageServer, path: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    with closing(connection):
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        response.body = response.read()  # type: ignore[attr-defined]
    return response


# -- what a page sees --------------------------------------------------------------------


def test_a_page_gets_everything_at_once(server: PageServer, panel: FakePanel) -> None:
    image = Image.new("1", (128, 64))
    image.putpixel((0, 0), 1)
    image.putpixel((9, 1), 1)
    panel.show(image)
    with page(server) as client:
        state = receive(client)
    pixels = base64.b64decode(state.pop("panel"))
    assert state == {
        "type": "box",
        "levers": [{"number": n, "down": n == 2} for n in range(1, 10)],
        "button": False,
        "lamp": 0.0,
        "sound": None,
    }
    assert len(pixels) == 1024
    assert (pixels[0], pixels[17]) == (0b1000_0000, 0b0100_0000)
    assert sum(pixels) == 0b1100_0000


def test_later_only_what_changed(server: PageServer, box: SimulatedBox, panel: FakePanel) -> None:
    with page(server) as client:
        receive(client)
        box.set_lever(3, True)
        change = receive(client)
        assert change == {
            "type": "change",
            "levers": [{"number": n, "down": n in (2, 3)} for n in range(1, 10)],
        }
        panel.show(Image.new("1", (128, 64), 1))
        assert receive(client) == {
            "type": "change",
            "panel": base64.b64encode(b"\xff" * 1024).decode(),
        }
        lamp = PWMOutputDevice(LAMP_LINE, initial_value=0.25, pin_factory=box.factory)
        receive_until(client, "lamp", 0.25)
        buzzer = PWMOutputDevice(BUZZER_LINE, frequency=880, initial_value=0.5, pin_factory=box.factory)
        receive_until(client, "sound", 880)
        buzzer.value = 0
        receive_until(client, "sound", None)
        buzzer.close()
        lamp.close()


def test_a_page_moves_contacts(server: PageServer, box: SimulatedBox) -> None:
    with page(server) as client:
        client.send('{"lever": 3, "down": true}')
        wait_for(lambda: box.levers_down == {2, 3})
        client.send('{"lever": 2, "down": false}')
        wait_for(lambda: box.levers_down == {3})
        client.send('{"button": true}')
        wait_for(lambda: box.button_down)
        client.send('{"button": false}')
        wait_for(lambda: not box.button_down)


def test_all_pages_see_what_one_does(server: PageServer) -> None:
    with page(server) as first, page(server) as second, page(server) as third:
        for client in (first, second, third):
            receive(client)
        assert server.watchers == 3
        first.send('{"lever": 5, "down": true}')
        for client in (first, second, third):
            assert receive(client)["levers"][4] == {"number": 5, "down": True}
    wait_for(lambda: server.watchers == 0)


def test_a_page_that_goes_lets_go_of_the_button(server: PageServer, box: SimulatedBox) -> None:
    with page(server) as stays:
        with page(server) as leaves:
            leaves.send('{"button": true}')
            wait_for(lambda: box.button_down)
        wait_for(lambda: not box.button_down)
        stays.send('{"button": true}')
        wait_for(lambda: box.button_down)
        with page(server) as other:
            other.send('{"button": true}')
            other.send('{"button": false}')
            other.send('{"lever": 9, "down": true}')
            wait_for(lambda: 9 in box.levers_down)
        assert box.button_down  # still held by the first


# -- what nobody may send ----------------------------------------------------------------

MALFORMED = {
    "no JSON": "hello",
    "nothing": "",
    "no object": "[1, 2]",
    "a number": "3",
    "null": "null",
    "an empty object": "{}",
    "half a wish": '{"lever": 3}',
    "the other half": '{"down": true}',
    "a lever that is text": '{"lever": "3", "down": true}',
    "a lever that is true": '{"lever": true, "down": true}',
    "a lever that is a fraction": '{"lever": 3.0, "down": true}',
    "a lever that is not there": '{"lever": 10, "down": true}',
    "a huge lever": '{"lever": 1' + "0" * 900 + ', "down": true}',
    "down is a number": '{"lever": 3, "down": 1}',
    "a button that is null": '{"button": null}',
    "too much": '{"lever": 3, "down": true, "button": true}',
    "dice": '{"dice": [6, 6]}',
    "dice with a lever": '{"lever": 3, "down": true, "dice": [6, 6]}',
    "state": '{"type": "box", "levers": [], "score": 0}',
    "deep": "[" * 1000,
    "bytes": b'{"button": true}',
    "too long": '{"button": true}' + " " * MAX_MESSAGE,
    "too long in bytes only": '{"é": "' + "é" * 600 + '"}',
}


@pytest.mark.parametrize("message", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_messages_end_that_page_only(
    server: PageServer, box: SimulatedBox, message: str | bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with page(server) as good, page(server) as bad:
        receive(good)
        receive(bad)
        bad.send(message)
        with pytest.raises(ConnectionClosed) as caught:
            bad.recv(timeout=5)
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 1008
        assert caught.value.rcvd.reason
        good.send('{"lever": 1, "down": true}')
        assert receive(good)["levers"][0]["down"]
    assert box.levers_down == {1, 2}
    assert not box.button_down
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_flood_of_bytes_is_cut_off_by_the_library(server: PageServer) -> None:
    with page(server) as bad:
        receive(bad)
        bad.send("x" * 100_000)
        with pytest.raises(ConnectionClosed) as caught:
            bad.recv(timeout=5)
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code in (1008, 1009)


# -- who may speak -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_our_own_names_are_served(server: PageServer, name: str) -> None:
    assert get(server, "/", Host=f"{name}:{server.port}").status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", ""]
)
def test_any_other_host_is_refused(server: PageServer, host: str) -> None:
    response = get(server, "/", Host=host.format(port=server.port))
    assert response.status == 403


@pytest.mark.parametrize("hosts", [[], ["127.0.0.1:{port}", "evil.example"]])
def test_exactly_one_host(server: PageServer, hosts: list[str]) -> None:
    lines = "".join(f"Host: {host.format(port=server.port)}\r\n" for host in hosts)
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as raw:
        raw.sendall(f"GET / HTTP/1.1\r\n{lines}\r\n".encode())
        assert raw.recv(100).startswith(b"HTTP/1.1 403 ")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://localhost"]
)
def test_another_sites_page_is_refused(server: PageServer, origin: str) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        page(server, origin=origin.format(port=server.port))
    assert get(server, "/", Origin=origin.format(port=server.port)).status == 403


@pytest.mark.parametrize("origin", ["http://127.0.0.1:{port}", "http://localhost:{port}"])
def test_our_own_page_is_welcome(server: PageServer, origin: str) -> None:
    with page(server, origin=origin.format(port=server.port)) as client:
        assert receive(client)["type"] == "box"


def test_only_this_machine_can_connect(server: PageServer) -> None:
    assert server.url == f"http://127.0.0.1:{server.port}/"
    with pytest.raises(OSError), socket.create_connection(("127.0.0.2", server.port), timeout=2):
        pass


# -- files -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/?x=1", "text/html; charset=utf-8"),
        ("/style.css", "text/css; charset=utf-8"),
        ("/box.js", "text/javascript; charset=utf-8"),
        ("/sounds.js", "text/javascript; charset=utf-8"),
        ("/texts.js", "text/javascript; charset=utf-8"),
        ("/icon.svg", "image/svg+xml"),
    ],
)
def test_files_and_their_policy(server: PageServer, path: str, kind: str) -> None:
    response = get(server, path)
    assert response.status == 200
    assert response.headers["Content-Type"] == kind
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "*" not in policy
    assert policy.count(f"127.0.0.1:{server.port}") == 1
    body = response.body.decode()  # type: ignore[attr-defined]
    own = body.replace("http://www.w3.org/2000/svg", "")
    assert "http://" not in own
    assert "https://" not in own


@pytest.mark.parametrize(
    "path", ["/nothing", "/../server.py", "/%2e%2e/server.py", "//etc/passwd", "/index.html"]
)
def test_nothing_else_is_served(server: PageServer, path: str) -> None:
    assert get(server, path).status == 404


def test_the_socket_is_not_a_page(server: PageServer) -> None:
    assert get(server, "/box").status == 426


@pytest.mark.parametrize(
    "nonsense", [b"POST / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\r\n\r\n", b"GET\r\n\r\n", b""]
)
def test_nonsense_leaves_no_trace(
    server: PageServer, nonsense: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as raw:
        raw.sendall(nonsense)
        raw.shutdown(socket.SHUT_WR)
        while raw.recv(1000):
            pass
    with page(server) as client:
        receive(client)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


# -- slow pages, ports, the end ----------------------------------------------------------


def slow_page(server: PageServer) -> socket.socket:
    """Shakes hands and then never reads again."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    raw.connect(("127.0.0.1", server.port))
    raw.sendall(
        f"GET /box HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    return raw


def test_a_slow_page_delays_nobody(server: PageServer, box: SimulatedBox, panel: FakePanel) -> None:
    black, white = Image.new("1", (128, 64)), Image.new("1", (128, 64), 1)
    with slow_page(server), page(server) as quick:
        wait_for(lambda: server.watchers == 2)
        receive(quick)
        worst = 0.0
        for i in range(150):
            before = time.monotonic()
            panel.show(black if i % 2 else white)
            worst = max(worst, time.monotonic() - before)
            time.sleep(0.013)
        assert worst < 0.2  # what the display worker waits: nothing but a busy machine
        box.set_lever(3, True)
        deadline = time.monotonic() + 3
        while "levers" not in receive(quick):
            assert time.monotonic() < deadline
        before = time.monotonic()
        server.close()
        assert time.monotonic() - before < 5


def test_a_page_sees_the_latest_not_every_state(server: PageServer, panel: FakePanel) -> None:
    images = [Image.frombytes("1", (128, 64), bytes([i % 256]) * 1024) for i in range(1001)]
    with page(server) as client:
        receive(client)
        for image in images:
            panel.show(image)
        seen = 0
        latest = base64.b64encode(images[-1].tobytes()).decode()
        while receive(client)["panel"] != latest:
            seen += 1
        assert seen < 500


def test_a_port_in_use_is_one_clear_line(server: PageServer, box: SimulatedBox, panel: FakePanel) -> None:
    second = PageServer(box, panel, server.port)
    with pytest.raises(PortError, match=f"port {server.port} is already in use: .*--port") as caught:
        second.start()
    assert isinstance(caught.value, ShutTheBoxError)
    assert isinstance(caught.value, OSError)
    assert "\n" not in str(caught.value)
    second.close()


@pytest.mark.parametrize("port", [-1, 65536])
def test_no_port_at_all(box: SimulatedBox, panel: FakePanel, port: int) -> None:
    with pytest.raises(PortError, match="--port"):
        PageServer(box, panel, port).start()


def test_a_server_starts_once(server: PageServer) -> None:
    with pytest.raises(RuntimeError, match="once"):
        server.start()


def test_closing_says_goodbye_and_frees_the_port(box: SimulatedBox, panel: FakePanel) -> None:
    server = PageServer(box, panel)
    server.start()
    port = server.port
    with page(server) as client:
        receive(client)
        client.send('{"button": true}')
        wait_for(lambda: box.button_down)
        server.close()
        server.close()
        # Whatever was on its way comes first.
        with pytest.raises(ConnectionClosed) as caught:
            list(iter(lambda: client.recv(timeout=5), None))
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 1001
    wait_for(lambda: not box.button_down)
    assert not any(thread.name == "page-server" for thread in threading.enumerate())
    box.set_lever(1, True)  # nobody left to tell, and nothing breaks
    panel.show(Image.new("1", (128, 64), 1))
    with PageServer(box, panel, port) as again, page(again) as client:
        assert receive(client)["type"] == "box"
