"""The largest memory of the scoreboard's process: its unit allows it 96 MB, and here it is held to half."""

import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest
from tests.support.waiting import HANG_S

from shutthebox.adapters.store.scores_file import FILE_NAME, VERSION

MOST_MB = 48
VISITORS = 64
"""At the same time: as many as it lets in."""

FLOOD = 8 << 20
"""Bytes that one visitor tries to say: more than all of it may ever take."""

MATCH = {
    "began_s": 0,
    "game": "x" * 40,
    "players": [{"number": n, "score": 45, "won": True, "initials": "<&>"} for n in range(1, 10)],
}
HONOUR = {"initials": "<&>", "score": 45, "game": "x" * 40, "began_s": 0}
SCORES = {
    "version": VERSION,
    "language": "en",
    "running": None,
    "day": "2026-11-21",
    "matches": [MATCH] * 10,
    **{key: [HONOUR] * 10 for key in ("today", "month", "ever", "captains")},
}


class Scoreboard:
    """A real one, in a process of its own.

    Attributes:
        port: that it listens to, on loopback.
    """

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        self._process = process
        found = re.search(r":(\d+)/", process.stdout.readline())
        assert found is not None
        self.port = int(found[1])

    @property
    def peak_mb(self) -> float:
        """The most memory that it has had in use so far."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) / 1024

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=HANG_S)

    def get(self) -> bytes:
        """The answer to a good visitor; an empty text where there is no room."""
        with closing(self.connect()) as connection, suppress(ConnectionError):
            connection.sendall(self.request)
            answer = b""
            while part := connection.recv(1 << 16):
                answer += part
            return answer
        return b""

    @property
    def request(self) -> bytes:
        """A good one."""
        return f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode()


@pytest.fixture
def scoreboard(tmp_path: Path) -> Iterator[Scoreboard]:
    (tmp_path / FILE_NAME).write_text(json.dumps(SCORES))
    command = [sys.executable, "-m", "shutthebox", "scoreboard", "--port", "0", "--state", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Scoreboard(process)
        finally:
            process.kill()


def say(connection: socket.socket, first: bytes, again: bytes) -> None:
    """Says the first once and the other again and again, until nobody listens."""
    with suppress(OSError):
        connection.sendall(first)
        for _ in range(FLOOD // len(again) if again else 0):
            connection.sendall(again)


HEAD = b"GET / HTTP/1.1\r\n"
ATTACKS: dict[str, tuple[bytes, bytes]] = {
    # Python's own server takes 100 headers.
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
    "requests after requests": (b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n" * 1000),
    "rubbish": (b"", bytes(range(256)) * 256),
}


@pytest.mark.slow
@pytest.mark.timeout(60)
@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_a_crowd_of_attackers(scoreboard: Scoreboard, attack: tuple[bytes, bytes]) -> None:
    port = str(scoreboard.port).encode()
    first, again = (part.replace(b"{port}", port) for part in attack)
    with ExitStack() as stack:
        visitors = [stack.enter_context(closing(scoreboard.connect())) for _ in range(VISITORS)]
        threads = [threading.Thread(target=say, args=(visitor, first, again)) for visitor in visitors]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert scoreboard.peak_mb < MOST_MB
    answered(scoreboard)


@pytest.mark.timeout(60)
def test_two_attackers_with_room_for_more(scoreboard: Scoreboard) -> None:
    first, again = ATTACKS["half open, 97 headers of 65 kB"]
    with closing(scoreboard.connect()) as one, closing(scoreboard.connect()) as other:
        for visitor in (one, other):
            say(visitor, first, again)
        answered(scoreboard)
    assert scoreboard.peak_mb < MOST_MB


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_visitors_who_ask_and_never_read(scoreboard: Scoreboard) -> None:
    with ExitStack() as stack:
        for _ in range(VISITORS):
            connection = stack.enter_context(closing(socket.socket()))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            connection.connect(("127.0.0.1", scoreboard.port))
            connection.sendall(scoreboard.request)
        scoreboard.get()
        assert scoreboard.peak_mb < MOST_MB
    answered(scoreboard)


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_one_connection_after_another(scoreboard: Scoreboard) -> None:
    for _ in range(3):
        with ExitStack() as stack:
            for _ in range(2 * VISITORS):
                connection = stack.enter_context(closing(scoreboard.connect()))
                with suppress(OSError):
                    connection.sendall(HEAD + b"X: " + b"y" * 8000)
    answered(scoreboard)
    assert scoreboard.peak_mb < MOST_MB


def answered(scoreboard: Scoreboard) -> None:
    """When they have gone, a good visitor is served as before."""
    while not (answer := scoreboard.get()):
        pass
    assert answer.startswith(b"HTTP/1.")
    assert b"Last matches" in answer
    assert scoreboard.peak_mb < MOST_MB
    print(f"peak {scoreboard.peak_mb:.1f} MB")
