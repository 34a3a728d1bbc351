"""The scoreboard's lighttpd, as its unit starts it: on a socket that is passed, with our configuration."""

import http.client
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support import debian
from tests.support.http_client import ask
from tests.support.waiting import HANG_S

PROJECT = Path(__file__).resolve().parents[2]
CONFIG = PROJECT / "systemd/scoreboard/lighttpd.conf"
SOCKET = PROJECT / "systemd/shutthebox-scoreboard.socket"
RESTING = PROJECT / "firmware/shutthebox/web/scoreboard/resting.html"
LACKING = debian.missing("lighttpd")


_PASS = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
os.execvp(sys.argv[2], sys.argv[2:])
"""
"""As systemd passes a socket: the third file, said in the environment of the very process."""


class Lighttpd:
    """One that runs.

    Attributes:
        port: on which it listens, on loopback.
        process: of it.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", port: int) -> None:
        self.process, self.port = process, port

    @property
    def peak_mb(self) -> float:
        """The most memory that it has had in use so far."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) / 1024

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=HANG_S)

    def ask(
        self, path: str = "/", method: str = "GET", **headers: str
    ) -> tuple[http.client.HTTPResponse, bytes]:
        return ask(self.port, path, method, None, **headers)


@contextmanager
def lighttpd(folder: Path, beside: Path, names: str = "localhost") -> Iterator[Lighttpd]:
    """Serves a scoreboard's folder.

    Args:
        folder: the scoreboard's.
        beside: an empty folder, for its configuration.
        names: others of the box than its host name, which is box.
    """
    beside.chmod(0o755)
    shutil.copy(CONFIG.parent / "403.html", beside)
    shutil.copy(RESTING, beside / "404.html")
    config = CONFIG.read_text()
    for installed, here in (
        ("/run/shutthebox/scoreboard", folder),
        ("/usr/share/shutthebox/scoreboard", beside),
    ):
        assert installed in config
        config = config.replace(installed, str(here))
    (beside / "lighttpd.conf").write_text(config)
    for path in beside.iterdir():
        path.chmod(0o644)
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
        # As the unit of the socket has it.
        (kib,) = re.findall(r"^ReceiveBuffer=(\d+)K$", SOCKET.read_text(), re.MULTILINE)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, int(kib) * 1024)
        port: int = listener.getsockname()[1]
        program = shutil.which("lighttpd", path="/usr/sbin:/usr/local/sbin:" + os.environ["PATH"])
        command = [program or "", "-D", "-f", str(beside / "lighttpd.conf")]
        process = subprocess.Popen(
            [sys.executable, "-c", _PASS, str(listener.fileno()), *command],
            env={**os.environ, "BOX_HOST": "box.lan", "BOX_NAME": "box", "SCOREBOARD_NAMES": names},
            pass_fds=[listener.fileno()],
        )
    # Our own end is closed: nobody waits for a server that is gone.
    with process:
        try:
            yield Lighttpd(process, port)
        finally:
            process.kill()
