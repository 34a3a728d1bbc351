"""Two linked boxes for tests: a broker with TLS, helpers as processes, and a box's end of the wire."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

import pytest
from tests.support import debian
from tests.support.mosquitto import Mosquitto, free_port
from tests.support.waiting import HANG_S

from shutthebox.adapters.link_socket import LinkSocket
from shutthebox.link.requests import (
    EnterRoom,
    LinkReport,
    LinkRequest,
    OpenRoom,
    Paired,
    Peer,
    PeerIs,
    RoomOpened,
)
from shutthebox_link.key_store import FILE
from shutthebox_uplink.mqtt import Broker, Connected, Event, Message

PROJECT = Path(__file__).parents[2]
PASSWORD = "a secret of two pubs"

_Kind = TypeVar("_Kind")


@dataclass
class LinkBroker:
    """A Mosquitto as docs/link.md sets it up: plain on this machine, TLS and a password for others."""

    folder: Path
    ports: tuple[int, int] = field(default_factory=lambda: (free_port(), free_port()))

    def __post_init__(self) -> None:
        wanted = {"mosquitto_passwd": "mosquitto", "openssl": "openssl"}
        if (lacking := debian.missing(more=wanted)) is not None:
            pytest.skip(f"NOT TESTED: two boxes over a real broker; {lacking}")
        certificate, key, users = (self.folder / name for name in ("link.pem", "link.key", "link.passwd"))
        for command in documented("openssl", "mosquitto_passwd"):
            for place, here in (
                ("/etc/mosquitto/certs/link.pem", certificate),
                ("/etc/mosquitto/certs/link.key", key),
                ("/etc/mosquitto/link.passwd", users),
                ("anchor.local", "localhost"),
                ("PASSWORD", shlex.quote(PASSWORD)),
            ):
                command = command.replace(place, str(here))
            subprocess.run(shlex.split(command), check=True, capture_output=True)
        text = (PROJECT / "systemd/mosquitto-link.conf").read_text()
        for before, after in (
            ("/etc/mosquitto/certs", str(self.folder)),
            ("/etc/mosquitto", str(self.folder)),
            ("listener 1883 ", f"listener {self.ports[0]} "),
            ("listener 8883", f"listener {self.ports[1]}"),
        ):
            assert before in text
            text = text.replace(before, after)
        shutil.copy(PROJECT / "systemd/mosquitto-link.acl", self.folder / "link.acl")
        # As root Mosquitto would become a user that can't read the folder.
        (self.folder / "link.conf").write_text(f"user root\n{text}")
        self.process = Mosquitto(self.folder / "link.conf")

    def config(self, path: Path, **more: str) -> Path:
        """A configuration of a box that uses the broker with TLS; `more` has other values for its keys."""
        keys = {
            "name": "The Anchor", "broker": f"mqtts://localhost:{self.ports[1]}",
            "ca": str(self.folder / "link.pem"), "user": "box", "password": PASSWORD,
        } | more  # fmt: skip
        path.write_text(
            "[link]\non = true\n" + "".join(f'{key} = "{value}"\n' for key, value in keys.items())
        )
        return path


def documented(*programs: str) -> list[str]:
    """The commands of docs/link.md that call these programs, without sudo."""
    page = (PROJECT / "docs/link.md").read_text(encoding="utf-8").replace("\\\n", " ")
    found = [re.search(rf"^ *sudo ({program} .+)$", page, re.MULTILINE) for program in programs]
    return [match[1] for match in found if match is not None]


class HelperProcess:
    """A helper in a process of its own, against a box's socket."""

    def __init__(self, config: Path, box: Path, state: Path) -> None:
        state.mkdir(exist_ok=True)
        self._command = (
            sys.executable, "-m", "shutthebox_link.main",
            "--config", str(config), "--socket", str(box), "--state", str(state),
        )  # fmt: skip
        self.log, self.keys = state / "log", state / FILE
        self.start()

    def start(self) -> None:
        """Starts it, again too."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self._command, stdout=log, stderr=log)

    def kill(self) -> None:
        """Kills it, without a goodbye."""
        self.process.kill()
        self.process.wait()

    def end(self) -> int:
        """Ends it as systemd does; returns its exit code."""
        self.process.terminate()
        return self.process.wait(HANG_S)


class LinkBox:
    """The daemon's end of the wire: every report in order."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.reports: SimpleQueue[LinkReport] = SimpleQueue()
        self.open()

    def open(self) -> None:
        """Listens."""
        self.socket = LinkSocket(self.path, self.reports.put)
        self.ask = self.socket.ask

    def next(self, kind: type[_Kind], condition: Callable[[_Kind], object] = lambda report: True) -> _Kind:
        """The next report of this kind for which this is true; others are passed over."""
        while True:
            report = self.reports.get(timeout=HANG_S)
            if isinstance(report, kind) and condition(report):
                return report

    def until(self, peer: Peer) -> None:
        """Waits until the other box is so."""
        self.next(PeerIs, lambda report: report.peer is peer)

    def asked(self, request: LinkRequest, kind: type[_Kind]) -> _Kind:
        """Asks, and waits for a report of this kind."""
        self.ask(request)
        return self.next(kind)


class Side:
    """A box and its helper, in a folder."""

    def __init__(self, folder: Path, config: Path) -> None:
        folder.mkdir()
        self.box = LinkBox(folder / "socket")
        self.helper = HelperProcess(config, self.box.path, folder / "state")
        self.box.until(Peer.OFFLINE)  # the helper has called

    def close(self) -> None:
        """Ends both."""
        self.helper.kill()
        self.box.socket.close()


class Stranger:
    """Somebody else at a broker, who hears everything."""

    def __init__(self, port: int) -> None:
        self.events: SimpleQueue[Event] = SimpleQueue()
        self.broker = Broker("stranger", "127.0.0.1", port, self.events.put, ("shutthebox/link/#",))
        self.broker.start()
        assert isinstance(self.events.get(timeout=HANG_S), Connected)

    def heard(self) -> list[Message]:
        """Everything since the last call: up to a mark, which Mosquitto puts behind what has come before."""
        self.broker.publish("shutthebox/link/mark", b"mark")
        return self.until(b"mark")

    def until(self, last: bytes) -> list[Message]:
        """Everything since the last call and before this payload."""
        found = list[Message]()
        while True:
            event = self.events.get(timeout=HANG_S)
            if isinstance(event, Message):
                if event.payload == last:
                    return found
                found.append(event)


def kept_topics(port: int) -> set[str]:
    """The topics of links for which a broker keeps a message."""
    stranger = Stranger(port)
    found = {message.topic for message in stranger.heard() if message.is_kept}
    stranger.broker.close()
    return found


@contextmanager
def two_sides(folder: Path, broker: LinkBroker) -> Iterator[tuple[Side, Side]]:
    """Two boxes with their helpers, both at this broker."""
    sides = [Side(folder / name, broker.config(folder / f"{name}.toml")) for name in ("host", "guest")]
    try:
        yield sides[0], sides[1]
    finally:
        for side in sides:
            side.close()


def pair(host: LinkBox, guest: LinkBox) -> str:
    """Pairs two boxes; both are here then. Returns the session."""
    opened = host.asked(OpenRoom(), RoomOpened)
    guest.asked(EnterRoom(opened.room, opened.code), Paired)
    session = host.next(Paired).session
    host.until(Peer.HERE)
    guest.until(Peer.HERE)
    return session
