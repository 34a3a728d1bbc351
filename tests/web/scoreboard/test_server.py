"""The scoreboard's server, spoken to by browsers and by everybody else."""

import contextlib
import errno
import http.client
import logging
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from http import HTTPStatus
from pathlib import Path

import pytest
from tests.support.waiting import HANG_S, until

from shutthebox.adapters.store.scores_file import FILE_NAME
from shutthebox.cli.main import command_line, main
from shutthebox.cli.scoreboard import _opened
from shutthebox.web.http import PortError, listen
from shutthebox.web.scoreboard import server as server_module
from shutthebox.web.scoreboard.page import page
from shutthebox.web.scoreboard.server import MAX_FILE, ScoreboardServer

Start = Callable[..., int]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Serves a folder on an address and gives the port."""
    with ExitStack() as stack:

        def start(
            folder: Path = tmp_path,
            address: str = "127.0.0.1",
            language: str = "en",
            names: Sequence[str] = (),
        ) -> int:
            server = stack.enter_context(ScoreboardServer(listen(0, address), folder, language, names))
            thread = threading.Thread(target=lambda: server.serve(), daemon=True)
            thread.start()
            stack.callback(thread.join)
            stack.callback(server.shutdown)
            port = server.socket.getsockname()[1]
            assert isinstance(port, int)
            return port

        yield start


def ask(
    port: int, path: str = "/", method: str = "GET", address: str = "127.0.0.1", **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    with closing(http.client.HTTPConnection(address, port, timeout=HANG_S)) as connection:
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        return response, response.read()


def raw(port: int, said: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=HANG_S) as connection:
        answer = b""
        try:
            connection.sendall(said)
            connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(1000):
                answer += part
        except OSError:
            pass  # hung up before all was said
        return answer


# -- what it serves ----------------------------------------------------------------------


def test_the_page(start: Start, evening: Path) -> None:
    response, body = ask(start(evening))
    assert response.status == 200
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert b"All time" in body
    assert b"&lt;B&gt;" in body


def test_each_request_sees_the_latest(start: Start, evening: Path, tmp_path: Path) -> None:
    port = start(language="fr")
    assert "se repose" in ask(port)[1].decode()
    new = tmp_path / "new"
    new.write_bytes((evening / FILE_NAME).read_bytes())
    new.replace(tmp_path / FILE_NAME)
    assert "All time" in ask(port)[1].decode()


@pytest.mark.parametrize("path", ["/", "/rules", "/style.css", "/board.js", "/nothing"])
def test_headers(start: Start, path: str) -> None:
    response, _ = ask(start(), path)
    policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; ")
    assert "http" not in policy
    assert "unsafe" not in policy
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["X-Frame-Options"] == "DENY"
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert "Server" not in response.headers


@pytest.mark.parametrize(
    ("path", "kind", "has"),
    [
        ("/style.css", "text/css", b"body {"),
        ("/board.js", "text/javascript", b"fetch("),
        ("/rules", "text/html", b"The rules: Traditional"),
    ],
)
def test_what_else_it_serves(start: Start, evening: Path, path: str, kind: str, has: bytes) -> None:
    response, body = ask(start(evening), path)
    assert response.status == 200
    assert response.headers["Content-Type"] == f"{kind}; charset=utf-8"
    assert has in body


@pytest.mark.parametrize(
    ("address", "asked", "host", "rules"),
    [
        ("127.0.0.1", ("127.0.0.1", 8090), "127.0.0.1:8090", None),
        ("0.0.0.0", ("192.0.2.1", 8090), "192.0.2.1:8090", "http://192.0.2.1:8090/rules"),
        ("0.0.0.0", ("192.0.2.1", 8090), "Box:8090", "http://box:8090/rules"),
        ("0.0.0.0", ("192.0.2.1", 80), "box", "http://box/rules"),
        ("0.0.0.0", ("127.0.0.1", 8090), "127.0.0.1:8090", "http://box.local:8090/rules"),
        ("0.0.0.0", ("127.0.0.1", 8090), "localhost:8090", "http://box.local:8090/rules"),
    ],
)
def test_the_code_leads_to_an_address_that_others_can_reach(
    tmp_path: Path, address: str, asked: tuple[str, int], host: str, rules: str | None
) -> None:
    with ScoreboardServer(listen(0, address), tmp_path, "en", ["box", "box.local"]) as server:
        status, _, body = server.answer("/", host, asked)
    assert status == 200
    assert body.decode() == page("", "en", rules)
    assert (b"<svg" in body) == (rules is not None)


def test_without_a_name_that_others_know_there_is_no_code(tmp_path: Path) -> None:
    with ScoreboardServer(listen(0, "0.0.0.0"), tmp_path, "en", ["box"]) as server:
        assert b"<svg" not in server.answer("/", "localhost:8090", ("127.0.0.1", 8090))[2]


def test_head_is_a_get_without_its_body(start: Start) -> None:
    port = start()
    (head, nothing), (got, body) = ask(port, method="HEAD"), ask(port)
    assert nothing == b""
    assert head.status == got.status == 200
    assert head.headers["Content-Length"] == got.headers["Content-Length"] == str(len(body))


def test_one_connection_is_one_answer(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends by itself, and another request on it is thrown away."""
    monkeypatch.setattr(server_module, "WHOLE_S", 3600.0)
    port = start()
    with socket.create_connection(("127.0.0.1", port), timeout=HANG_S) as visitor:
        visitor.sendall(f"GET /nothing HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode() * 2)
        answer = b""
        while part := visitor.recv(1000):
            answer += part
    assert answer.startswith(b"HTTP/1.1 404 Not Found\r\n")
    assert b"\r\nConnection: close\r\n" in answer
    assert answer.count(b"HTTP/1.1") == 1
    assert answer.endswith(b"\r\n\r\nThere is nothing here but the scores.\n")


def hangs_up(visitor: socket.socket) -> bool:
    """Whether the other end closes the connection; waits for it."""
    try:
        return visitor.recv(1000) == b""
    except ConnectionError:
        return True


def test_a_visitor_that_leaves_without_a_word_is_left_too(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "WHOLE_S", 3600.0)
    for said in (b"", b"GET / HT"):
        with socket.create_connection(("127.0.0.1", start()), timeout=HANG_S) as visitor:
            visitor.sendall(said)
            visitor.shutdown(socket.SHUT_WR)
            answer = b""
            with contextlib.suppress(ConnectionError):
                while part := visitor.recv(1000):
                    answer += part
            assert answer.startswith(b"HTTP/1.1 400 " if said else b"")
            assert bool(answer) == bool(said)


def test_whoever_is_connected_when_it_ends_is_hung_up_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "WHOLE_S", 3600.0)
    with ScoreboardServer(listen(0), tmp_path, "en") as server:
        thread = threading.Thread(target=server.serve)
        thread.start()
        with socket.create_connection(server.socket.getsockname(), timeout=HANG_S) as visitor:
            until(lambda: server._visits)
            server.shutdown()
            thread.join()
            assert hangs_up(visitor)


# -- what it does not --------------------------------------------------------------------


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "DICE"])
def test_nothing_can_be_done(start: Start, method: str, evening: Path) -> None:
    before = {path.name: path.stat() for path in evening.iterdir()}
    response, body = ask(start(evening), method=method)
    assert response.status == 405
    assert response.headers["Allow"] == "GET, HEAD"
    assert method.encode() not in body
    assert {path.name: path.stat().st_mtime_ns for path in evening.iterdir()} == {
        name: found.st_mtime_ns for name, found in before.items()
    }


@pytest.mark.parametrize(
    "path",
    [
        "/scores.json",
        "/box.sqlite3",
        "/../etc/passwd",
        "//etc/passwd",
        "/%2e%2e/x",
        "/style.css/",
        "/index.html",
    ],
)
def test_nothing_else_is_served(start: Start, path: str, evening: Path) -> None:
    assert ask(start(evening), path)[0].status == 404


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.2:{port}",
        "[::1]:{port}",
        "0.0.0.0:{port}",
        "localhost.:{port}",
        "box.pub.lan",
        "box.pub.lan:80",
        "pub.lan:{port}",
        "",
    ],
)
@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0"])
def test_another_name_is_refused(start: Start, address: str, host: str) -> None:
    port = start(address=address, names=["box.pub.lan"])
    assert ask(port, Host=host.format(port=port))[0].status == 403


@pytest.mark.parametrize(
    "host", ["127.0.0.1:{port}", "localhost:{port}", "LocalHost:{port}", "box.pub.lan:{port}", "BOX:{port}"]
)
@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0"])
def test_its_names_are_its_address_and_what_the_owner_says(start: Start, address: str, host: str) -> None:
    port = start(address=address, names=["box.pub.lan", "Box"])
    assert ask(port, Host=host.format(port=port))[0].status == 200


def test_its_address_is_the_one_that_was_reached(start: Start) -> None:
    """All of 127.0.0.0/8 is this machine."""
    port = start(address="0.0.0.0")
    assert ask(port, address="127.0.0.2")[0].status == 200
    assert ask(port, address="127.0.0.2", Host=f"127.0.0.1:{port}")[0].status == 403


def test_at_the_usual_port_a_browser_leaves_it_out(tmp_path: Path) -> None:
    with ScoreboardServer(listen(0), tmp_path, "en", ["box"]) as server:
        assert server.answer("/", "box", ("127.0.0.1", 80))[0] == 200
        assert server.answer("/", "box:80", ("127.0.0.1", 80))[0] == 200
        assert server.answer("/", "box", ("127.0.0.1", 8090))[0] == 403


@pytest.mark.parametrize(
    ("asked", "host"),
    [
        (("::ffff:192.0.2.1", 8090), "192.0.2.1:8090"),
        (("2001:db8::1", 8090), "[2001:db8::1]:8090"),
        (("fe80::1%eth0", 8090), "[fe80::1]:8090"),
    ],
)
def test_addresses_as_they_stand_in_a_url(tmp_path: Path, asked: tuple[str, int], host: str) -> None:
    with ScoreboardServer(listen(0), tmp_path, "en") as server:
        assert server.answer("/", host, asked)[0] == 200
        assert server.answer("/", "192.0.2.7:8090", asked)[0] == 403


@pytest.mark.parametrize(
    ("version", "hosts", "status"),
    [
        ("1.1", [], b"400"),
        ("1.0", [], b"403"),
        ("1.0", ["127.0.0.1:{port}"], b"200"),
        ("1.1", ["127.0.0.1:{port}", "evil.example"], b"400"),
        ("1.1", ["evil.example", "127.0.0.1:{port}"], b"400"),
    ],
)
def test_exactly_one_host(start: Start, version: str, hosts: list[str], status: bytes) -> None:
    port = start()
    lines = "".join(f"Host: {host.format(port=port)}\r\n" for host in hosts)
    assert raw(port, f"GET / HTTP/{version}\r\n{lines}\r\n".encode()).split()[1] == status


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6 loopback")
def test_ipv6(start: Start) -> None:
    port = start(address="::1")
    assert ask(port, address="::1")[0].status == 200
    assert ask(port, address="::1", Host=f"evil.example:{port}")[0].status == 403
    both = start(address="::")
    assert ask(both, address="::1")[0].status == 200
    assert ask(both)[0].status == 200


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (b"\x16\x03\x01\x02\x00\r\n\r\n", HTTPStatus.BAD_REQUEST),
        (b"GET\r\n\r\n", HTTPStatus.BAD_REQUEST),
        (b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", HTTPStatus.HTTP_VERSION_NOT_SUPPORTED),
        (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 3000 + b"\r\n", HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE),
        (b"GET / HTTP/1.1\r\nX: " + b"y" * 70_000 + b"\r\n\r\n", HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE),
        (b"<b>" * 10 + b" / HTTP/1.1\r\nHost: x\r\n\r\n", HTTPStatus.BAD_REQUEST),
        (b"b" * 10 + b" / HTTP/1.1\r\nHost: x\r\n\r\n", HTTPStatus.METHOD_NOT_ALLOWED),
    ],
    ids=lambda value: value[:12].decode("latin-1") if isinstance(value, bytes) else None,
)
def test_nonsense_is_refused_without_an_echo(
    start: Start,
    said: bytes,
    status: HTTPStatus,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    port = start()
    answer = raw(port, said)
    # What has been refused before all of it was read may be lost with the connection.
    assert answer == b"" or answer.endswith(f"{status.phrase}\n".encode())
    assert b"<b>" not in answer
    assert ask(port)[0].status == 200
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("said", "status", "body"),
    [
        (b"GET / HTTP/9.9", b"505 HTTP Version Not Supported", b"HTTP Version Not Supported\n"),
        (b"HEAD / HTTP/9.9", b"505 HTTP Version Not Supported", b""),
        (b"DICE / HTTP/1.1", b"405 Method Not Allowed", b"Method Not Allowed\n"),
        (b"GET", b"400 Bad Request", b"Bad Request\n"),
    ],
)
def test_a_short_answer_to_what_is_refused(start: Start, said: bytes, status: bytes, body: bytes) -> None:
    head, _, content = raw(start(), said + b"\r\nHost: x\r\n\r\n").partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 " + status + b"\r\n")
    assert content == body
    assert (b"\r\nAllow: GET, HEAD" in head) == status.startswith(b"405")


def test_it_makes_no_socket_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In its unit it could not: no family of addresses is allowed. Those made in pairs are no matter."""
    listener = listen(0)

    class Passed(socket.socket):
        def __init__(
            self, family: int = -1, type: int = -1, proto: int = -1, fileno: int | None = None
        ) -> None:
            if fileno is None:
                raise OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")
            super().__init__(family, type, proto, fileno)

    monkeypatch.setattr(socket, "socket", Passed)
    with pytest.raises(OSError, match="Address family"):
        socket.create_server(("127.0.0.1", 0))
    with ScoreboardServer(listener, tmp_path, "en") as server:
        thread = threading.Thread(target=server.serve)
        thread.start()
        monkeypatch.undo()
        try:
            assert ask(listener.getsockname()[1])[0].status == 200
        finally:
            server.shutdown()
            thread.join()


# -- bad files ---------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["a folder", "a pipe", "a link", "too long", "bytes"])
def test_a_file_that_is_not_ours_is_a_box_at_rest(
    start: Start, what: str, tmp_path: Path, evening: Path
) -> None:
    file = tmp_path / FILE_NAME
    match what:
        case "a folder":
            file.mkdir()
        case "a pipe":
            os.mkfifo(file)
        case "a link":
            file.symlink_to(evening / FILE_NAME)
        case "too long":
            file.write_bytes(b'{"x": "' + b"y" * (2 * MAX_FILE))
        case "bytes":
            file.write_bytes(b"\xff" * 100)
    assert b"The box is at rest" in ask(start())[1]


# -- crowds ------------------------------------------------------------------------------


def test_one_visitor_too_many(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "MAX_CONNECTIONS", 3)
    port = start()
    with ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=HANG_S))
        assert raw(port, b"GET / HTTP/1.1\r\n\r\n") == b""
    until(lambda: raw(port, f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()))


@pytest.mark.parametrize("drips", [True, False])
def test_a_slow_visitor_is_cut_off(start: Start, drips: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "WHOLE_S", 0.3)
    port = start()
    with socket.create_connection(("127.0.0.1", port), timeout=HANG_S) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\n")
        slow.settimeout(0.05)

        def is_cut_off() -> bool:
            try:
                if drips:
                    slow.sendall(b"X: y\r\n")
                return slow.recv(100) == b""
            except TimeoutError:
                return False
            except ConnectionError:
                return True

        until(is_cut_off, "it never was cut off")
    assert ask(port)[0].status == 200


def test_a_visitor_that_never_stops_talking_is_cut_off(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its bytes are bounded as well as its time."""
    monkeypatch.setattr(server_module, "WHOLE_S", 3600.0)
    port = start()
    with socket.create_connection(("127.0.0.1", port), timeout=HANG_S) as talker:
        talker.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        assert talker.recv(12) == b"HTTP/1.1 200"

        def is_cut_off() -> bool:
            try:
                talker.sendall(b"x" * 4096)
            except ConnectionError:
                return True
            return False

        until(is_cut_off, "it never was cut off")
    assert ask(port)[0].status == 200


# -- the command -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--listen", "box.pub"], "'box.pub' is not allowed; allowed is an address in numbers"),
        (["--listen", "192.0.2.1"], "192.0.2.1 is no address of this machine"),
        (["--port", "70000"], "port 70000: --port takes 0"),
        (["--config", "/nowhere.toml"], "/nowhere.toml"),
        (["--state", "/dev/null"], "--state: /dev/null: Not a directory"),
    ],
)
def test_wrong_use_is_one_line(arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scoreboard", *arguments]) == 2
    said = capsys.readouterr().err
    assert line in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    "name", ["", "a b", "box.local:8090", "-x", "x.", "[::1]", "b" * 254, "b\nx", "é.local"]
)
def test_a_name_that_is_none(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["scoreboard", f"--name={name}"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "argument --name: " in said
    assert "is not allowed; allowed is a host name: box.local" in said
    assert len(said.splitlines()) == 1


def said_by(*arguments: str) -> tuple[list[str], int, bytes]:
    """The command's output, its port, and its answer to a visitor of the name box.pub.lan."""
    command = [sys.executable, "-m", "shutthebox", "scoreboard", "--port", "0", "--state", "/", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            lines = [process.stdout.readline()]
            port = int(lines[0].rpartition(":")[2].rstrip("/\n"))
            lines += [process.stdout.readline() for _ in range(1 if "127.0.0.1" in lines[0] else 2)]
            answer = raw(port, f"GET / HTTP/1.1\r\nHost: box.pub.lan:{port}\r\n\r\n".encode())
        finally:
            process.kill()
    return [line.rstrip("\n") for line in lines], port, answer


def test_it_says_that_it_is_open_to_this_machine_only() -> None:
    lines, port, answer = said_by()
    assert lines == [f"The scores are at http://127.0.0.1:{port}/", "Only this machine can read them."]
    assert b" 403 " in answer.partition(b"\n")[0]


def test_it_says_to_whom_it_is_open() -> None:
    lines, port, answer = said_by("--listen", "0.0.0.0", "--name", "box.pub.lan")
    assert lines[0] == f"The scores are at http://0.0.0.0:{port}/"
    assert lines[1].startswith("Everybody who can reach this machine can read scores")
    assert "names: box.pub.lan" in lines[2] or ", box.pub.lan" in lines[2]
    assert socket.gethostname() in lines[2]
    assert b" 200 " in answer.partition(b"\n")[0]


@pytest.mark.parametrize(
    ("address", "url", "reach"),
    [
        ("127.0.0.1", "http://127.0.0.1:8090/", None),
        ("::1", "http://[::1]:8090/", None),
        ("0.0.0.0", "http://0.0.0.0:8090/", "this machine"),
        ("::", "http://[::]:8090/", "this machine"),
        ("192.0.2.1", "http://192.0.2.1:8090/", "this address"),
    ],
)
def test_it_says_where_it_is_and_who_can_reach_it(address: str, url: str, reach: str | None) -> None:
    opened = [
        f"Everybody who can reach {reach} can read scores and initials, and do nothing else.",
        "It answers to its addresses and to these names: box, box.local. More with --name.",
    ]
    assert list(_opened(address, 8090, ["box", "box.local"])) == [
        f"The scores are at {url}",
        *(opened if reach else ["Only this machine can read them."]),
    ]


@pytest.mark.parametrize(("length", "allowed"), [(253, True), (254, False)])
def test_the_longest_name(length: int, allowed: bool) -> None:
    parser, _ = command_line(["scoreboard"])
    words = ["scoreboard", "--name", "b" * length, "--name", "box.local"]
    if allowed:
        assert parser.parse_args(words).name == ["b" * length, "box.local"]
    else:
        with pytest.raises(SystemExit):
            parser.parse_args(words)


def test_a_port_in_use(start: Start) -> None:
    with pytest.raises(PortError, match="already in use"):
        listen(start())


@pytest.mark.parametrize(
    ("port", "complaint"),
    [
        (-1, "port -1: --port takes 0 (any free port) to 65535"),
        (65536, "port 65536: --port takes 0 (any free port) to 65535"),
        (65535, "--listen: 192.0.2.1 is no address of this machine"),
    ],
)
def test_the_ports_that_there_are(port: int, complaint: str) -> None:
    with pytest.raises(PortError) as caught:
        listen(port, "192.0.2.1")
    assert str(caught.value) == complaint


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (errno.EACCES, "is not allowed to you"),
        (errno.EADDRINUSE, "is already in use"),
        (errno.ENOBUFS, "cannot be opened (No buffer space available)"),
    ],
)
def test_why_a_port_cannot_be_had(number: int, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*args: object, **options: object) -> socket.socket:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(socket, "create_server", refused)
    with pytest.raises(PortError) as caught:
        listen(8090)
    assert str(caught.value) == f"port 8090 {why}: choose another with --port, or 0 for any free one"


def test_by_itself_it_listens_to_this_machine_only() -> None:
    with listen(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"
