"""A real Mosquitto for tests: it can be killed and started again on the same ports."""

import contextlib
import random
import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic

import pytest
from tests.support.waiting import HANG_S, until

from shutthebox_uplink.mqtt import Broker, Connected, Event, Message

_RUNNING = " running\n"


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on, and that the kernel gives nobody who asks for any."""
    while True:
        port = random.randrange(10_000, 32_768)
        with socket.socket() as found, contextlib.suppress(OSError):
            found.bind(("127.0.0.1", port))
            return port


def mosquitto_program() -> str | None:
    """The path of Mosquitto; Debian has it outside a user's PATH."""
    return shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")


class Mosquitto:
    """A broker with this configuration file, in a process of its own. Skips the test where there is none."""

    def __init__(self, config: Path) -> None:
        program = mosquitto_program()
        if program is None:
            pytest.skip("NOT TESTED: what needs a broker, because mosquitto is not installed")
        self._program, self._config = program, config
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def pid(self) -> int:
        """Of its process."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Starts it and waits until it runs."""
        log = self._config.with_suffix(".log")
        with log.open("ab") as file:
            before = log.read_text().count(_RUNNING)
            self._process = subprocess.Popen([self._program, "-c", self._config], stdout=file, stderr=file)
        until(lambda: self._has_ended() or log.read_text().count(_RUNNING) > before, "it does not run")
        assert not self._has_ended(), log.read_text()

    def _has_ended(self) -> bool:
        return self._process is not None and self._process.poll() is not None

    def kill(self) -> None:
        """Kills it, without a goodbye."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def plain_broker(folder: Path) -> tuple[Mosquitto, int]:
    """A broker without TLS and users, such as one in a home; and its port."""
    port = free_port()
    config = folder / "home.conf"
    # As root Mosquitto would become a user that can't read the folder.
    config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\n")
    return Mosquitto(config), port


class Listener:
    """A client that keeps all that it hears."""

    def __init__(
        self,
        port: int,
        topics: tuple[str, ...],
        tls: ssl.SSLContext | None = None,
        client_id: str = "listener",
    ) -> None:
        self._inbox: SimpleQueue[Event] = SimpleQueue()
        self.broker = Broker("test", "127.0.0.1", port, self._inbox.put, topics, tls=tls, client_id=client_id)
        self.broker.start()
        self.wait_for(lambda event: isinstance(event, Connected))

    def wait_for(self, wanted: Callable[[Event], bool]) -> Event:
        """Waits for an event; the ones before it are passed over."""
        until = monotonic() + HANG_S
        while True:
            try:
                event = self._inbox.get(timeout=max(0.0, until - monotonic()))
            except Empty:
                raise AssertionError("nothing such has come") from None
            if wanted(event):
                return event

    def message(self, topic_ends: str) -> bytes:
        """The payload of the next message whose topic ends so."""
        event = self.wait_for(lambda event: isinstance(event, Message) and event.topic.endswith(topic_ends))
        assert isinstance(event, Message)
        return event.payload

    def nothing(self, wanted: Callable[[Event], bool] = lambda event: isinstance(event, Message)) -> bool:
        """Whether nothing such has come so far."""
        while True:
            try:
                event = self._inbox.get_nowait()
            except Empty:
                return True
            if wanted(event):
                return False
