"""Messages to systemd (ready, alive, status, stopping), and socket activation.

Each message is one datagram to the socket named by NOTIFY_SOCKET. Without that variable (run by hand, or on
a laptop) nothing is sent.
"""

import contextlib
import os
import socket
from collections.abc import Mapping


def passed_socket(environment: Mapping[str, str] = os.environ) -> socket.socket | None:
    """The listening socket passed by a systemd socket unit; None if there is none."""
    # It's the first descriptor after stdin, stdout and stderr.
    ours = environment.get("LISTEN_PID") == str(os.getpid()) and environment.get("LISTEN_FDS") == "1"
    return socket.socket(fileno=3) if ours else None


class Systemd:
    """Sends messages to the service manager; without one, every method is a no-op.

    Args:
        environment: where NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID are looked up.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        address = environment.get("NOTIFY_SOCKET", "")
        # "@" stands for the zero byte of a name that is in no file system.
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self.watchdog_s: float | None = None
        """Seconds within which `alive` is expected; None without a watchdog."""
        watched = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        with contextlib.suppress(ValueError):
            if watched and (microseconds := int(environment.get("WATCHDOG_USEC", "0"))) > 0:
                self.watchdog_s = microseconds / 1e6

    def ready(self) -> None:
        """Reports that the service is up. Call once, when the game is ready."""
        self._send("READY=1")

    def alive(self) -> None:
        """Feeds the watchdog. Only the main loop calls this, and only while its workers are alive."""
        if self.watchdog_s is not None:
            self._send("WATCHDOG=1")

    def status(self, text: str) -> None:
        """Sets the status line shown by `systemctl status`."""
        self._send("STATUS=" + " ".join(text.split()))

    def stopping(self) -> None:
        """Reports that the service is shutting down."""
        self._send("STOPPING=1")

    def _send(self, message: str) -> None:
        if not self._address.startswith(("/", "\0")):
            return
        # A manager that has ended, or is too busy, must not stop or delay the game.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as wire:
            wire.setblocking(False)
            wire.sendto(message.encode(), self._address)
