"""The page's server, spoken to by everybody but a well-behaved page."""

import logging
import socket
from contextlib import ExitStack
from dataclasses import fields

import pytest
from tests.box.simulator.page.pages import FakePanel, page, receive, server_of
from tests.support.fast import fast_among
from tests.support.http_client import answer_to, ask, is_served
from tests.support.waiting import HANG_S, until
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus
from websockets.http11 import Request

from shutthebox.cli.main import main
from shutthebox.simulator.hardware.box import SimulatedBox
from shutthebox.simulator.page import server as server_module
from shutthebox.simulator.page.request_guard import MAX_CONNECTIONS
from shutthebox.simulator.page.server import PageServer

# -- who may speak -----------------------------------------------------------------------


def is_closed(connection: socket.socket) -> bool:
    """Waits for the end of a connection on which nothing is to be said."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


OTHER_HOSTS = [
    "",
    "evil.example:{port}",
    "localhost.evil.example:{port}",
    "evil.example@127.0.0.1:{port}",
    "127.0.0.1",
    "127.0.0.1:{port}0",
    "localhost.:{port}",
    "2130706433:{port}",
    "0.0.0.0:{port}",
    "127.0.0.2:{port}",
    "[::ffff:127.0.0.1]:{port}",
    "127.0.0.1:{port}, evil.example",
]
"""Names that a browser would send for a page of another site, or that nobody has for us."""


@pytest.mark.parametrize("host", OTHER_HOSTS)
@pytest.mark.parametrize("path", fast_among(["/", "/box"], ["/box"]))
def test_any_other_host_is_refused(server: PageServer, host: str, path: str) -> None:
    host = host.format(port=server.port)
    assert ask(server.port, path, Host=host)[0].status == 403
    assert ask(server.port, path, Host=host, Origin=f"http://{host}")[0].status == 403


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["Host: {ours}", "Host: evil.example"],
        ["Host: {ours}", "Origin: http://{ours}", "Origin: http://evil.example"],
    ],
)
def test_exactly_one_host_and_at_most_one_origin(server: PageServer, lines: list[str]) -> None:
    head = "\r\n".join(["GET / HTTP/1.1", *lines, "", ""]).format(ours=f"127.0.0.1:{server.port}")
    assert answer_to(server.port, head.encode()).startswith(b"HTTP/1.1 403 ")


OTHER_ORIGINS = [
    "http://evil.example:{port}",
    "null",
    "",
    "https://127.0.0.1:{port}",
    "http://127.0.0.1",
    "http://127.0.0.1:{port}.evil.example",
    "http://localhost:{port}",
    "file://",
]


@pytest.mark.parametrize("origin", OTHER_ORIGINS)
def test_another_sites_page_is_refused(server: PageServer, origin: str) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        page(server, origin=origin)
    assert ask(server.port, "/", Origin=origin.format(port=server.port))[0].status == 403


def test_a_socket_without_an_origin_is_refused(server: PageServer) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        page(server, origin=None)
    assert is_served(server.port)


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}"])
def test_our_own_page_is_welcome(server: PageServer, host: str) -> None:
    with page(server, host=host) as client:
        assert receive(client)["type"] == "box"


def test_only_this_machine_can_connect(server: PageServer) -> None:
    assert server.url == f"http://127.0.0.1:{server.port}/"
    with pytest.raises(OSError), socket.create_connection(("127.0.0.2", server.port), timeout=HANG_S):
        pass


@pytest.mark.parametrize("option", [["--listen", "all"], ["--host", "::"], ["--port", "0.0.0.0:80"]])
def test_no_mistake_opens_it_to_others(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["sim", "--no-browser", *option])
    assert caught.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


# -- what is answered, to the letter -----------------------------------------------------


@pytest.mark.parametrize("said", [b"POST / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + b"x" * 16 * 1024])
def test_who_is_refused_is_not_left_waiting(
    said: bytes, box: SimulatedBox, panel: FakePanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "_OPEN_S", 10 * HANG_S)
    with server_of(box, panel) as server:
        answer = answer_to(server.port, said)
        assert answer == b"" or answer.startswith(b"HTTP/1.1 4")


def test_closing_waits_for_nobody_who_asks_nothing(
    box: SimulatedBox, panel: FakePanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser opens connections that it may never use."""
    monkeypatch.setattr(server_module, "_OPEN_S", 10 * HANG_S)
    with server_of(box, panel) as server, socket.create_connection(("127.0.0.1", server.port)) as idle:
        assert is_served(server.port)
        server.close()
        idle.settimeout(HANG_S)
        assert is_closed(idle)


# -- crowds ------------------------------------------------------------------------------


@pytest.mark.slow
def test_too_many_pages(server: PageServer) -> None:
    with ExitStack() as others:
        for _ in range(server_module.MAX_PAGES - 1):
            receive(others.enter_context(page(server)))
        with page(server):
            with pytest.raises(InvalidStatus, match="503"):
                page(server)
            assert is_served(server.port)
        until(lambda: server.watchers < server_module.MAX_PAGES)
        with page(server) as again:
            assert receive(again)["type"] == "box"


def test_too_many_connections(server: PageServer) -> None:
    with page(server) as first:
        receive(first)
        idle = [
            socket.create_connection(("127.0.0.1", server.port), timeout=HANG_S)
            for _ in range(MAX_CONNECTIONS - 1)
        ]
        with pytest.raises((InvalidMessage, ConnectionError, EOFError, ConnectionClosed)):
            page(server)
        first.send('{"lever": 1, "down": true}')
        assert receive(first)["levers"][0]["down"]
        for connection in idle:
            connection.close()
        until(lambda: is_served(server.port))


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: ", b"GET /box HTTP/1.1\r\nX: y\r\n"])
def test_who_never_finishes_is_cut_off(
    said: bytes, box: SimulatedBox, panel: FakePanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "_OPEN_S", 0.3)
    with server_of(box, panel) as server:
        answer_to(server.port, said)
        assert is_served(server.port)


@pytest.mark.parametrize(
    "said",
    [
        b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 1000 + b"\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"y" * 20_000 + b"\r\n\r\n",
    ],
    ids=["a long path", "many headers", "a long header"],
)
def test_an_oversized_request_is_refused(server: PageServer, said: bytes) -> None:
    assert not answer_to(server.port, said).startswith(b"HTTP/1.1 200")
    assert is_served(server.port)


# -- files -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/?x=1", "text/html; charset=utf-8"),
        ("/style.css", "text/css; charset=utf-8"),
        ("/box.js", "text/javascript; charset=utf-8"),
        ("/icon.svg", "image/svg+xml"),
    ],
)
def test_files_and_their_policy(server: PageServer, path: str, kind: str) -> None:
    response, body = ask(server.port, path)
    assert response.status == 200
    assert response.headers["Content-Type"] == kind
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "*" not in policy
    assert policy.count(f"127.0.0.1:{server.port}") == 1
    own = body.decode().replace("http://www.w3.org/2000/svg", "")
    assert "http://" not in own
    assert "https://" not in own


@pytest.mark.parametrize(
    "path",
    [
        "/index.html",
        "/page/../../server.py",
        "/%2e%2e/server.py",
        "/..\\server.py",
        "//etc/passwd",
        "/style.css/",
        "/style.css%00.html",
        "/BOX.JS",
        "*",
    ],
)
def test_nothing_else_is_served(server: PageServer, path: str) -> None:
    assert ask(server.port, path)[0].status == 404


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "DICE"])
@pytest.mark.parametrize("path", ["/", "/box"])
@pytest.mark.parametrize("body", [b"", b"lever=3"], ids=["bare", "with a body"])
def test_nothing_can_be_done(server: PageServer, method: str, path: str, body: bytes) -> None:
    """The library hangs up on a body, and up to version 15 on any method but GET."""
    host = f"127.0.0.1:{server.port}"
    length = f"Content-Length: {len(body)}\r\n" if body else ""
    said = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{length}\r\n"
    answer = answer_to(server.port, said.encode() + body)
    is_read = method == "HEAD" and path == "/"
    assert answer == b"" or answer.startswith(b"HTTP/1.1 200 " if is_read else b"HTTP/1.1 405 ")
    assert is_served(server.port)


@pytest.mark.parametrize("path", ["/", "/box.js", "/elsewhere"])
@pytest.mark.parametrize("name", ["", "evil.example"], ids=["ours", "another name"])
def test_head_gets_the_headers_of_get_and_nothing_else(server: PageServer, path: str, name: str) -> None:
    """As `curl -I` asks."""
    host = name or f"127.0.0.1:{server.port}"
    head, get = (
        answer_to(server.port, f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        for method in ("HEAD", "GET")
    )
    if "method" not in {each.name for each in fields(Request)}:
        assert head == b"", "up to version 15, the library hangs up"
        return
    headers, _, content = get.partition(b"\r\n\r\n")
    assert _without_date(head) == _without_date(headers + b"\r\n\r\n")
    assert content


def _without_date(answer: bytes) -> list[bytes]:
    return [line for line in answer.split(b"\r\n") if not line.startswith(b"Date:")]


@pytest.mark.parametrize(
    "nonsense", [b"POST / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\r\n\r\n", b"GET\r\n\r\n", b""]
)
def test_nonsense_leaves_no_trace(
    server: PageServer, nonsense: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    answer_to(server.port, nonsense, ends=True)
    with page(server) as client:
        receive(client)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
