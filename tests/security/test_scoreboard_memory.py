"""The largest memory of the scoreboard's server, with attackers: its unit allows it 16 MB, here it has 5."""

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest
from tests.support.lighttpd import LACKING, Lighttpd, lighttpd

pytestmark = pytest.mark.skipif(bool(LACKING), reason=str(LACKING))

MAX_MB = 5
VISITORS = 64

FLOOD = 8 << 20
"""Bytes that one visitor tries to say: more than all of it may ever take."""

PAGE = b"<h2>Last matches</h2>" + b"x" * 20_000
REQUEST = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.fixture
def scoreboard(tmp_path: Path) -> Iterator[Lighttpd]:
    folder, beside = tmp_path / "folder", tmp_path / "beside"
    folder.mkdir()
    beside.mkdir()
    (folder / "index.html").write_bytes(PAGE)
    with lighttpd(folder, beside) as server:
        answered(server)
        yield server


def say(connection: socket.socket, first: bytes, again: bytes) -> None:
    """Says the first once and the other again and again, until nobody listens."""
    with suppress(OSError):
        connection.sendall(first)
        for _ in range(FLOOD // len(again) if again else 0):
            connection.sendall(again)


HEAD = b"GET / HTTP/1.1\r\n"
ATTACKS: dict[str, tuple[bytes, bytes]] = {
    "half open, 97 headers of 65 kB": (HEAD + (b"X: " + b"y" * 65_000 + b"\r\n") * 97, b""),
    "half open, a header of 65 kB after another": (HEAD, b"X: " + b"y" * 65_000 + b"\r\n"),
    "half open, as much as is taken": (HEAD + b"X: " + b"y" * 8000, b""),
    "half open, many short headers": (HEAD, b"X: y\r\n" * 10_000),
    "a request line without end": (b"GET /", b"a" * 65_536),
    "one header without end": (HEAD + b"X: ", b"a" * 65_536),
    "line feeds": (b"", b"\r\n" * 30_000),
    "a body as long as it says": (
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n",
        b"b" * 65_536,
    ),
    "a body in chunks": (
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"ffff\r\n" + b"b" * 65_535 + b"\r\n",
    ),
    "a chunk whose length has no end": (
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"0" * 65_536,
    ),
    "requests after requests": (b"", REQUEST * 1000),
    "rubbish": (b"", bytes(range(256)) * 256),
}


@pytest.mark.slow
@pytest.mark.timeout(60)
@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_a_crowd_of_attackers(scoreboard: Lighttpd, attack: tuple[bytes, bytes]) -> None:
    first, again = attack
    with ExitStack() as stack:
        visitors = [stack.enter_context(closing(scoreboard.connect())) for _ in range(VISITORS)]
        threads = [threading.Thread(target=say, args=(visitor, first, again)) for visitor in visitors]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert scoreboard.peak_mb < MAX_MB
    answered(scoreboard)


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_two_attackers_with_room_for_more(scoreboard: Lighttpd) -> None:
    first, again = ATTACKS["half open, 97 headers of 65 kB"]
    with closing(scoreboard.connect()) as one, closing(scoreboard.connect()) as other:
        for visitor in (one, other):
            say(visitor, first, again)
        answered(scoreboard)
    assert scoreboard.peak_mb < MAX_MB


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_visitors_who_ask_and_never_read(scoreboard: Lighttpd) -> None:
    with ExitStack() as stack:
        for _ in range(VISITORS):
            connection = stack.enter_context(closing(socket.socket()))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            connection.connect(("127.0.0.1", scoreboard.port))
            connection.sendall(REQUEST)
        assert scoreboard.peak_mb < MAX_MB
    answered(scoreboard)


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_one_connection_after_another(scoreboard: Lighttpd) -> None:
    for _ in range(3):
        with ExitStack() as stack:
            for _ in range(2 * VISITORS):
                connection = stack.enter_context(closing(scoreboard.connect()))
                with suppress(OSError):
                    connection.sendall(HEAD + b"X: " + b"y" * 8000)
    answered(scoreboard)
    assert scoreboard.peak_mb < MAX_MB


def answered(scoreboard: Lighttpd) -> None:
    """When they have gone, a good visitor is served as before."""
    while True:
        with suppress(OSError):
            response, body = scoreboard.ask()
            if response.status == 200:
                break
    assert body == PAGE
    assert scoreboard.peak_mb < MAX_MB
    print(f"peak {scoreboard.peak_mb:.1f} MB")
