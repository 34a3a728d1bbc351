"""A real Mosquitto for tests: it can be killed and started again on the same ports."""

import contextlib
import random
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
from tests.support.waiting import until

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


def league_config(folder: Path, ports: tuple[int, int]) -> str:
    """The configuration that a league installs, for this folder and these ports of 127.0.0.1."""
    text = (Path(__file__).parents[2] / "league" / "server" / "mosquitto.conf").read_text()
    for before, after in (
        ("/var/lib/shutthebox-league", str(folder.resolve())),
        ("/var/lib/mosquitto/shutthebox-league.json", str(folder.resolve() / "plugin.json")),
        ("listener 8883", f"listener {ports[0]} 127.0.0.1"),
        ("listener 8884", f"listener {ports[1]}"),
    ):
        assert before in text
        text = text.replace(before, after)
    # As root Mosquitto would become a user that can't read the folder.
    return f"user root\n{text}"


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
        made = self._config.with_name("broker") / "dynamic-security.json"
        if made.exists():  # as the unit does before it starts
            shutil.copyfile(made, self._config.with_name("plugin.json"))
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
