"""The socket to the helper that mounts the owner's stick: a Unix socket, one line of JSON per message.

The box listens, because the helper runs only while a stick is in. The helper sends the complete state of
the stick whenever it changes; the box sends the name of a job.
"""

import json
import logging
import os
import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any

from shutthebox.errors import one_line
from shutthebox.game.inputs import StickReported
from shutthebox.game.stick import Stick, StickJob, StickOutcome

SOCKET = Path("/run/shutthebox/stick")
"""Where the service listens."""

RESTART = "restart"
"""A file beside the socket. When it appears, systemd restarts a card's machine: by then, the helper may have
gone with its stick."""

MOST_LINE = 64 * 1024
"""The longest line, in bytes; a helper that sends a longer one is disconnected."""

MOST_LINES = 20
"""The most lines of a list, such as mistakes."""

MOST_TEXT = 300
"""The most characters of a text."""

_REST_S = 0.05
"""Seconds between two lines of a helper, and between accepting two helpers, so that one that never stops
can't slow the game down."""

_HELPERS = 4
"""Connected at a time: one for the card's first partition, and some for sticks."""

_log = logging.getLogger(__name__)


def to_line(stick: Stick) -> bytes:
    """A stick as a line, with its texts sanitized and cut to length."""
    return json.dumps(_tidy(stick)._asdict(), ensure_ascii=False).encode() + b"\n"


def from_line(line: bytes) -> Stick:
    """Parses a stick's line.

    Raises:
        ValueError: if it isn't one.
    """
    found = json.loads(line)
    if not isinstance(found, dict):
        raise ValueError("no object")
    percent = found.get("percent")
    if percent is not None and not (type(percent) is int and 0 <= percent <= 100):
        raise ValueError("percent")
    offers = tuple(map(StickJob, _texts(found, "offers")))
    if not all(job.is_offered for job in offers):
        raise ValueError("offers")
    return _tidy(
        Stick(
            offers=offers,
            checked=_get_typed(found, "checked", bool),
            earlier=_get_typed(found, "earlier", bool),
            forgets=_get_typed(found, "forgets", bool),
            is_card=_get_typed(found, "is_card", bool),
            doing=None if found.get("doing") is None else StickJob(found["doing"]),
            percent=percent,
            outcome=None if found.get("outcome") is None else StickOutcome(found["outcome"]),
            version=_get_typed(found, "version", str),
            memory=_get_typed(found, "memory", str),
            detail=_get_typed(found, "detail", str),
            unknown=_texts(found, "unknown"),
            mistakes=_texts(found, "mistakes"),
        )
    )


def _get_typed(found: dict[str, Any], key: str, kind: type) -> Any:  # noqa: ANN401  (the kind says)
    value = found.get(key, kind())
    if type(value) is not kind:
        raise ValueError(key)
    return value


def _texts(found: dict[str, Any], key: str) -> tuple[str, ...]:
    values = _get_typed(found, key, list)
    if not all(isinstance(value, str) for value in values):
        raise ValueError(key)
    return tuple(values)


def _tidy(stick: Stick) -> Stick:
    """The stick with its texts made to fit a line and a screen, whatever its files are called."""
    changes: dict[str, Any] = {
        name: tuple(map(_short, value[:MOST_LINES])) if isinstance(value, tuple) else _short(value)
        for name, value in stick._asdict().items()
    }
    return stick._replace(**changes)


def _short(value: Any) -> Any:  # noqa: ANN401  (only texts change)
    if isinstance(value, str) and not isinstance(value, Enum):
        return one_line(value[:MOST_TEXT])[:MOST_TEXT]
    return value


class StickSocket:
    """Listens for helpers in its own threads, so that a stuck helper delays nobody.

    Args:
        path: the socket; a stale one there is replaced.
        put: receives every report, from any thread.

    Raises:
        OSError: if it can't listen there.
    """

    def __init__(self, path: Path, put: Callable[[StickReported], object]) -> None:
        self._path, self._put = path, put
        self._lock = threading.Lock()
        self._closed = False
        self._wires: list[socket.socket] = []
        self._sticks: dict[socket.socket, Stick] = {}
        with suppress(FileNotFoundError):
            path.unlink()
        self._listener = socket.socket(socket.AF_UNIX)
        try:
            self._listener.bind(str(path))
            path.chmod(0o600)
            self._listener.listen(_HELPERS)
        except OSError:
            self._listener.close()
            raise
        threading.Thread(target=self._accept, name="stick", daemon=True).start()

    def ask(self, job: StickJob) -> None:
        """Asks the current stick's helper for a job, or the system for a restart. Never blocks."""
        if job is StickJob.RESTART:
            try:
                self._path.with_name(RESTART).touch()
            except OSError as error:
                _log.error("stick: no restart: %s", error.strerror)
            return
        with self._lock:
            wire = self._pick_wire()
            if wire is not None:
                with suppress(OSError):  # it has gone, which its thread notices
                    wire.send(f"{job.value}\n".encode(), socket.MSG_DONTWAIT)

    def close(self) -> None:
        """Stops listening and closes the connections."""
        self._closed = True
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for wire in self._wires:
                with suppress(OSError):
                    wire.shutdown(socket.SHUT_RDWR)
        self._path.unlink(missing_ok=True)

    def _accept(self) -> None:
        while True:
            try:
                wire, _ = self._listener.accept()
            except OSError:
                if self._listener.fileno() < 0 or self._closed:
                    return
                time.sleep(1.0)  # too many open files, say
                continue
            with self._lock:
                welcome = _is_ours(wire) and len(self._wires) < _HELPERS
                if welcome:
                    self._wires.append(wire)
            if welcome:
                threading.Thread(target=self._listen, args=(wire,), name="stick", daemon=True).start()
            else:
                wire.close()
            time.sleep(_REST_S)

    def _listen(self, wire: socket.socket) -> None:
        try:
            with wire.makefile("rb") as lines:
                while (line := lines.readline(MOST_LINE)).endswith(b"\n"):
                    stick = from_line(line)
                    with self._lock:
                        self._sticks[wire] = stick
                        self._report()
                    time.sleep(_REST_S)
        except (OSError, ValueError, RecursionError) as error:
            _log.warning("stick: %s", one_line(str(error)))
        finally:
            with self._lock:
                self._wires.remove(wire)
                self._sticks.pop(wire, None)
                self._report()
            wire.close()

    def _pick_wire(self) -> socket.socket | None:
        """The stick to show: the latest one, or the card's own update if there is none."""
        known = [wire for wire in self._wires if wire in self._sticks]
        return max(
            known, key=lambda wire: (not self._sticks[wire].is_card, self._wires.index(wire)), default=None
        )

    def _report(self) -> None:
        wire = self._pick_wire()
        self._put(StickReported(None if wire is None else self._sticks[wire]))


def _is_ours(wire: socket.socket) -> bool:
    """Whether the peer is root, or runs as the same user as this process."""
    peer = wire.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", peer)
    return user in (0, os.geteuid())
