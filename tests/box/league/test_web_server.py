"""The web server in front, as it is installed: a real nginx, TLS, and door and page behind it."""

import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import urllib.parse
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import func, select
from tests.support import http_client
from tests.support.certificates import Authority
from tests.support.league import BoxLine, FakeBox, found_league, in_a_thread, league_command, played_record
from tests.support.mosquitto import free_port
from tests.support.waiting import HANG_S, until

from shutthebox.adapters.outbox import entry_name
from shutthebox_league.enrolment import new_owner_token
from shutthebox_league.ledger import MAX_MESSAGE_BYTES
from shutthebox_league.schema import ENTRY
from shutthebox_uplink.settings import Enrolment
from shutthebox_uplink.signing import COMMITTED
from shutthebox_uplink.spool import Spool
from shutthebox_uplink.uplink import Uplink

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
CONFIG = ROOT / "league" / "server" / "nginx.conf"
NAME = "league.example"


def installed_limits() -> tuple[str, str]:
    """What the package and the guide set outside of the site's file."""
    files = re.search("LimitNOFILE=([0-9]+)", (ROOT / "systemd/nginx-league.conf").read_text())
    connections = re.search("worker_connections [0-9]+;", (ROOT / "docs/league.md").read_text())
    assert files is not None
    assert connections is not None
    return f"worker_rlimit_nofile {files[1]};", connections[0]


class Front:
    """nginx with the installed configuration, on a free port, and a league's page behind it."""

    def __init__(self, folder: Path, *, slow_after_s: int = 10) -> None:
        nginx = shutil.which("nginx", path="/usr/sbin:/usr/bin")
        activate = shutil.which("systemd-socket-activate")
        if nginx is None or activate is None:
            pytest.skip("NOT TESTED: the web server's configuration, because nginx is not installed")
        folder.mkdir(exist_ok=True)
        self.folder, self.port = folder, free_port()
        self.authority = Authority(folder)
        self.certificate()
        self.place = found_league(folder / "league")
        self.place.enrol("lion", "The Lion")
        page, door, self.http_port = folder / "page.sock", folder / "door.sock", free_port()
        (folder / "webroot/.well-known/acme-challenge").mkdir(parents=True)
        text = CONFIG.read_text()
        for before, after in (
            ("/run/shutthebox-league-page.sock", str(page)),
            ("/run/shutthebox-league-take.sock", str(door)),
            ("/etc/letsencrypt", str(folder)),
            ("/var/www/html", str(folder / "webroot")),
            ("/var/log/nginx", str(folder)),
            ("listen 443", f"listen 127.0.0.1:{self.port}"),
            ("listen 80", f"listen 127.0.0.1:{self.http_port}"),
            ("client_header_timeout 10s", f"client_header_timeout {slow_after_s}s"),
        ):
            assert before in text, before
            text = text.replace(before, after)
        text = re.sub(r"^ *listen \[::\].*\n", "", text, flags=re.MULTILINE)
        main = self.config = folder / "nginx.conf"
        # As root nginx would become a user that can't reach the socket.
        user = "user root;" if os.geteuid() == 0 else ""
        files, connections = installed_limits()
        main.write_text(
            f"daemon off; {user} pid {folder}/pid; error_log {folder}/error.log; {files}"
            f" events {{ {connections} }} http {{\n{text}\n}}"
        )
        with (folder / "log").open("wb") as log:
            self.processes = [
                *(
                    subprocess.Popen(
                        [activate, "-l", str(line), *league_command(folder / "league", command)], stderr=log
                    )
                    for line, command in ((page, "serve"), (door, "take"))
                ),
                subprocess.Popen([nginx, "-p", str(folder), "-c", str(main)], stderr=log),
            ]
        until(lambda: page.exists() and door.exists())
        until(self._listens, "nginx does not listen")

    def certificate(self) -> str:
        """Has a new certificate where certbot keeps those that are live; returns it."""
        live, names = self.folder / "live" / NAME, ("fullchain.pem", "privkey.pem")
        live.mkdir(parents=True, exist_ok=True)
        for made, name in zip(self.authority.sign(NAME, "localhost"), names, strict=True):
            shutil.copyfile(made, live / name)
        return (live / "fullchain.pem").read_text().strip()

    def _listens(self) -> bool:
        assert self.processes[-1].poll() is None, (self.folder / "log").read_text()
        with socket.socket() as line:
            return line.connect_ex(("127.0.0.1", self.port)) == 0

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=HANG_S)

    def ask(
        self, path: str, form: dict[str, str] | None = None, method: str = "", **headers: str
    ) -> tuple[int, str, http.client.HTTPMessage]:
        """Status, text and head of the answer to a request."""
        context = ssl.create_default_context(cafile=self.authority.path)
        with context.wrap_socket(self.connect(), server_hostname="localhost") as line:
            client = http.client.HTTPConnection(NAME, self.port)
            client.sock = line
            body = None if form is None else urllib.parse.urlencode(form)
            host = f"{NAME}:{self.port}"
            sent = {"Host": host, "Origin": f"https://{host}", **headers}
            client.request(method or ("GET" if form is None else "POST"), path, body, sent)
            answer = client.getresponse()
            return answer.status, answer.read().decode(), answer.headers

    def close(self) -> None:
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(HANG_S)
        self.place.engine.dispose()


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    front = Front(tmp_path_factory.mktemp("front"))
    yield front
    front.close()


def test_visitors_read_and_the_owner_signs_in_through_it(front: Front) -> None:
    status, text, head = front.ask("/")
    assert (status, "The Lion" in text) == (200, True)
    assert head["strict-transport-security"]
    assert head["content-security-policy"]
    assert front.ask("/", {"x": "1"})[0] == 405
    key = new_owner_token(front.place.engine, "The Lion")
    status, text, head = front.ask("/owner", {"do": "sign-in", "key": key})
    assert (status, "Matches for you to confirm" in text) == (200, True)
    assert "Secure" in head["set-cookie"]
    cookie = head["set-cookie"].partition(";")[0]
    status, text, _ = front.ask("/owner", {"do": "protect", "initials": "ANN"}, Cookie=cookie)
    assert (status, "Protected in this pub: ANN." in text) == (200, True)
    assert front.ask("/owner", {"do": "free", "initials": "ANN"}, Cookie=cookie, Origin="https://x")[0] == 403
    # No log has the visitor, or the key.
    for log in (*front.folder.glob("*.log"), front.folder / "log"):
        assert "127.0.0.1" not in log.read_text()
        assert key not in log.read_text()


def test_the_operators_watchdog_reads_through_it_how_the_league_is(front: Front) -> None:
    status, text, _ = front.ask("/health")
    found = json.loads(text)
    assert (status, found["status"], text.count("\n"), found["boxes"]) == (503, "faulty", 1, 1)
    assert "the reviewer is not running" in found["faults"]
    status, text, head = front.ask("/metrics")
    assert (status, head["content-type"]) == (200, "text/plain; charset=utf-8")
    assert "shutthebox_league_healthy 0.0\n" in text


def test_half_open_connections_keep_nobody_out(front: Front) -> None:
    """nginx counts a visitor's connections once it has a head; with Debian's 768 for each worker, half of a
    greeting in as many kept everybody out."""
    with ExitStack() as stack:
        for _ in range(900):
            line = stack.enter_context(front.connect())
            line.send(b"\x16\x03")  # the beginning of a greeting in TLS
        assert front.ask("/")[0] == 200


def test_the_phones_of_a_full_pub_read_at_once_behind_one_address(front: Front) -> None:
    def read(number: int) -> list[int]:
        return [front.ask(path)[0] for path in ("/", "/style.css", "/events", "/pub/the-lion")]

    with ThreadPoolExecutor(45) as phones:
        assert {status for found in phones.map(read, range(45)) for status in found} == {200}


def test_who_sends_a_form_byte_by_byte_is_ended_and_keeps_nobody_out(front: Front) -> None:
    """No pause of it is long. nginx times only these, and ten addresses had kept all visitors out."""
    context = ssl.create_default_context(cafile=front.authority.path)
    host = f"{NAME}:{front.port}"
    head = f"POST /owner HTTP/1.1\r\nHost: {host}\r\nOrigin: https://{host}\r\nContent-Length: 9999\r\n\r\n"
    with ExitStack() as stack:
        lines = [
            stack.enter_context(context.wrap_socket(front.connect(), server_hostname="localhost"))
            for _ in range(5)
        ]
        for line in lines:
            line.sendall(head.encode())
            line.settimeout(0.2)

        def answer(line: ssl.SSLSocket) -> bytes:
            while True:
                with suppress(TimeoutError):
                    return line.recv(1000)
                line.sendall(b"x")

        with ThreadPoolExecutor(1) as visitor:
            read = visitor.submit(front.ask, "/")
            # Where this test has to pause for long itself, nginx ends it without a word.
            assert answer(lines[0])[:12] in (b"HTTP/1.1 408", b"")
            assert read.result()[0] == 200


def box_at(front: Front, name: str) -> Enrolment:
    """A box that reaches the league by nginx, whose authority it knows."""
    found = front.place.enrol(name)
    return replace(found, url=f"https://localhost:{front.port}", ca=front.authority.path)


def test_a_box_delivers_through_it_with_the_real_uplink(front: Front, tmp_path: Path) -> None:
    outbox = tmp_path / "outbox"
    outbox.mkdir()
    chain = FakeBox("c" * 32)
    for seed in range(30):
        entry = chain.play(played_record(seed))
        (outbox / entry_name(chain.sequence, chain.journal)).write_bytes(entry)
    uplink = Uplink(Spool(outbox), tmp_path / "scores.json", box_at(front, "goat"), None, "goat.1")
    with in_a_thread(uplink.run, lambda: uplink.inbox.put(None)):
        until(lambda: not list(outbox.glob("*.json")))
    with front.place.engine.connect() as db:
        assert db.execute(select(func.count()).select_from(ENTRY)).scalar() == 30


class BoxThrough(BoxLine):
    """A box by hand, by way of nginx."""

    def __init__(self, front: Front, name: str) -> None:
        super().__init__(box_at(front, name))
        tls = ssl.create_default_context(cafile=front.authority.path)
        self._line = http.client.HTTPSConnection("localhost", front.port, timeout=HANG_S, context=tls)


def test_entries_of_every_allowed_size_pass_and_larger_ones_do_not(front: Front) -> None:
    with closing(BoxThrough(front, "anchor")) as box:
        assert box.post("/entry", bytes(MAX_MESSAGE_BYTES)).status == 400, "the league has read it"
        assert box.send(box.chain.play(played_record(1))).status == COMMITTED
        assert box.tell(b" " * 8000).status == COMMITTED
    with closing(BoxThrough(front, "crown")) as box:
        assert box.post("/entry", bytes(1_200_000)).status == 413
    assert front.ask("/entry")[0] == 405
    assert front.ask("/entry/x")[0] == 404


def test_who_sends_an_entry_byte_by_byte_keeps_no_box_waiting(front: Front) -> None:
    context = ssl.create_default_context(cafile=front.authority.path)
    head = f"POST /entry HTTP/1.1\r\nHost: {NAME}\r\nContent-Length: 9999\r\n\r\n"
    with ExitStack() as stack:
        for _ in range(90):
            line = context.wrap_socket(front.connect(), server_hostname="localhost")
            stack.enter_context(line).sendall(head.encode() + b"x")
        box = stack.enter_context(closing(BoxThrough(front, "swan")))
        assert box.send(box.chain.play(played_record(1))).status == COMMITTED
        assert front.ask("/")[0] == 200


def test_a_stranger_who_floods_the_door_is_told_to_wait(front: Front) -> None:
    with closing(BoxThrough(front, "bell")) as box:
        found = [box.post("/entry", b"nonsense").status for _ in range(900)]
    assert found[0] == 400
    assert set(found) <= {400, 429}


def test_a_renewed_certificate_is_used_at_once(tmp_path: Path) -> None:
    """Certbot's part is played here: what it puts into the web root, and that it runs the hook."""
    front = Front(tmp_path / "front")  # its old workers may answer others for a moment
    challenge = front.folder / "webroot/.well-known/acme-challenge/token"
    challenge.write_text("proof")
    answer, body = http_client.ask(front.http_port, "/.well-known/acme-challenge/token", Host=NAME)
    assert (answer.status, body) == (200, b"proof")
    for host in (NAME, "elsewhere.example"):
        answer, _ = http_client.ask(front.http_port, "/events", Host=host)
        assert (answer.status, answer.headers["location"]) == (301, f"https://{NAME}/events")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, script in {
        "systemctl": f'[ "$*" != "reload nginx" ] || kill -HUP {front.processes[-1].pid}',
        "nginx": f'exec {shutil.which("nginx", path="/usr/sbin:/usr/bin")} -c "{front.config}" "$@"',
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)

    def hook() -> int:
        path = {"PATH": f"{programs}:/usr/bin:/bin"}
        return subprocess.run([CONFIG.with_name("certbot-hook")], env=path, check=False).returncode

    def served() -> str:
        return ssl.get_server_certificate(("127.0.0.1", front.port)).strip()

    for _ in range(2):
        renewed = front.certificate()
        assert hook() == 0
        until(lambda renewed=renewed: served() == renewed)  # type: ignore[misc]
    text = front.config.read_text()
    front.config.write_text(text.replace("listen", "lisssten"))
    assert hook() != 0, "certbot tells the operator"
    front.close()


def test_a_home_with_ipv6_is_one_visitor(front: Front) -> None:
    (pattern,) = re.findall(r'"~(\^\(\?<network>.*)" \$network', CONFIG.read_text())
    homes = [re.match(pattern.replace("?<", "?P<"), f"2001:db8:7:{number:x}::1") for number in range(256)]
    assert {home and home["network"] for home in homes} == {"2001:db8:7"}
    assert re.match(pattern.replace("?<", "?P<"), "192.0.2.1") is None


def test_heads_bodies_and_tries_have_an_end(front: Front) -> None:
    """The last of those that share a server: too many tries keep its visitor out for a while."""
    assert front.ask("/", X="x" * 10_000)[0] == 400
    assert front.ask("/" + "x" * 10_000)[0] == 414
    assert front.ask("/owner", {"do": "sign-in", "key": "x" * 20_000})[0] == 413
    found = [front.ask("/owner", {"do": "sign-in", "key": f"guess {number}"})[0] for number in range(30)]
    assert found[0] == 403
    assert found[-1] == 429
    assert front.ask("/owner")[0] == 200, "looking is no try"


def test_a_slow_head_is_cut_off(tmp_path: Path) -> None:
    front = Front(tmp_path, slow_after_s=1)
    context = ssl.create_default_context(cafile=front.authority.path)
    with context.wrap_socket(front.connect(), server_hostname="localhost") as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: ")
        with suppress(ConnectionResetError):
            assert line.recv(1000) == b""
    front.close()
