"""A Unix socket to a helper process: the box listens, and both sides send lines of bounded length.

The box listens so that either side may start first. It reads at a bounded rate, and never waits for a helper.
"""

import logging
import os
import socket
import stat
import struct
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from shutthebox.errors import one_line

MAX_PER_S = 20
"""Lines accepted per second from all helpers together; the rest wait in the sockets and at the helpers."""

REST_S = 0.2
"""Seconds between accepting two helpers, so that one that keeps calling can't slow the game down."""

_log = logging.getLogger(__name__)


def send_line(wire: socket.socket, line: bytes) -> None:
    """Sends a line without waiting. If only half of it fits, it hangs up: the peer ignores half a line.

    Raises:
        BlockingIOError: if the peer doesn't read; nothing was sent.
        OSError: if the peer has gone.
    """
    if wire.send(line, socket.MSG_DONTWAIT) < len(line):
        wire.shutdown(socket.SHUT_RDWR)


def read_lines(wire: socket.socket, most: int) -> Generator[bytes, None, None]:
    """Reads lines until the peer hangs up, or sends one of more than `most` bytes.

    Raises:
        OSError: if the connection fails.
    """
    with wire.makefile("rb") as lines:
        while (line := lines.readline(most)).endswith(b"\n"):
            yield line


class HelperSocket(ABC):
    """Listens for helpers, with a thread for each, so that a stuck helper delays nobody.

    A subclass says what is sent and heard; its methods are called with `lock` held.

    Args:
        path: the socket; a stale one there is replaced.

    Raises:
        OSError: if it can't listen there.
    """

    name: ClassVar[str]
    """Of its threads, and in the log."""
    mode: ClassVar[int]
    """The socket's permissions."""
    most_helpers: ClassVar[int]
    """Served at a time; further ones wait until one hangs up."""
    most_bytes: ClassVar[int]
    """The longest line; a helper that sends a longer one is disconnected."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.lock = threading.Condition()
        """Guards all state; notified when a helper hangs up."""
        self.wires: list[socket.socket] = []
        """The helpers being served, the latest last."""
        self._times = deque[float](maxlen=MAX_PER_S)
        """When the latest lines were heard, also from helpers that have hung up since."""
        self._closed = threading.Event()
        path.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX)
        try:
            self._listener.bind(str(path))
            path.chmod(self.mode)
            self._listener.listen(self.most_helpers)  # nobody gets in before
        except OSError:
            self._listener.close()
            raise
        threading.Thread(target=self._accept, name=self.name, daemon=True).start()

    @abstractmethod
    def greet(self, wire: socket.socket) -> None:
        """Greets a helper that has just connected. Called with `lock` held, so it mustn't block."""

    @abstractmethod
    def hear(self, wire: socket.socket, line: bytes) -> None:
        """A helper has sent a line.

        Raises:
            ValueError: if it makes no sense, which ends the connection.
        """

    @abstractmethod
    def forget(self, wire: socket.socket) -> None:
        """A helper has hung up, and is no longer among `wires`."""

    def close(self) -> None:
        """Stops listening and ends the connections."""
        with self.lock:
            self._closed.set()
            for wire in (self._listener, *self.wires):
                with suppress(OSError):  # it's closed already
                    wire.shutdown(socket.SHUT_RDWR)
            self.lock.notify_all()
        self._listener.close()
        self._path.unlink(missing_ok=True)

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                wire, _ = self._listener.accept()
            except OSError:  # closed; or too many open files, say
                self._closed.wait(1.0)
                continue
            with self.lock:
                is_welcome = self._may_call(wire)
                if is_welcome:
                    self.lock.wait_for(self._has_room)
                    is_welcome = not self._closed.is_set()
                if is_welcome:
                    self.wires.append(wire)
                    self.greet(wire)
            if is_welcome:
                threading.Thread(target=self._serve, args=(wire,), name=self.name, daemon=True).start()
            else:
                wire.close()
            self._closed.wait(REST_S)

    def _has_room(self) -> bool:
        return self._closed.is_set() or len(self.wires) < self.most_helpers

    def _serve(self, wire: socket.socket) -> None:
        try:
            for line in read_lines(wire, self.most_bytes):
                self._wait_for_turn()
                with self.lock:
                    self.hear(wire, line)
        except (OSError, ValueError, RecursionError) as error:
            _log.warning("%s: %s", self.name, one_line(str(error)))
        finally:
            with self.lock:
                self.wires.remove(wire)
                self.forget(wire)
                self.lock.notify_all()
            wire.close()

    def _wait_for_turn(self) -> None:
        with self.lock:
            now = due = time.monotonic()
            if len(self._times) == MAX_PER_S:
                due = max(now, self._times[0] + 1.0)
            self._times.append(due)
        self._closed.wait(due - now)

    def _may_call(self, wire: socket.socket) -> bool:
        """Whether the peer is root, this user, or in the group of a folder that lets in nobody else.

        A folder's permissions decide, because a unit's user namespace only has root and the box's user.
        """
        if sys.platform != "linux":
            return True  # there the socket's permissions have to do
        peer = wire.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        _, user, _ = struct.unpack("3i", peer)
        folder = self._path.parent.stat().st_mode
        is_for_helpers = bool(folder & stat.S_ISGID) and not folder & stat.S_IRWXO
        return user in (0, os.geteuid()) or is_for_helpers
