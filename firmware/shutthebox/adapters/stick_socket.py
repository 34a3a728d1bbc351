"""The socket to the helper that mounts the owner's stick, which runs only while a stick is in.

The helper sends the complete state of the stick whenever it changes, as a line of JSON. The box sends the
name of a job.
"""

import json
import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any

from shutthebox.adapters.helper_socket import HelperSocket, send_line
from shutthebox.errors import one_line
from shutthebox.game.inputs import StickReported
from shutthebox.game.stick import Stick, StickJob, StickOutcome

SOCKET = Path("/run/shutthebox/stick")
"""Where the service listens."""

RESTART = "restart"
"""A file beside the socket. When it appears, systemd restarts a card's machine: by then, the helper may have
gone with its stick."""

MAX_LINE = 64 * 1024
"""The longest line, in bytes."""

MAX_LINES = 20
"""The most lines of a list, such as mistakes."""

MAX_TEXT = 300
"""The most characters of a text."""

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
        name: tuple(map(_short, value[:MAX_LINES])) if isinstance(value, tuple) else _short(value)
        for name, value in stick._asdict().items()
    }
    return stick._replace(**changes)


def _short(value: Any) -> Any:  # noqa: ANN401  (only texts change)
    if isinstance(value, str) and not isinstance(value, Enum):
        return one_line(value[:MAX_TEXT])[:MAX_TEXT]
    return value


class StickSocket(HelperSocket):
    """Listens for the sticks' helpers, and one for the card's first partition.

    Args:
        path: the socket; a stale one there is replaced.
        put: receives every report, from any thread.

    Raises:
        OSError: if it can't listen there.
    """

    name, mode, most_helpers, most_bytes = "stick", 0o600, 4, MAX_LINE

    def __init__(self, path: Path, put: Callable[[StickReported], object]) -> None:
        self._put = put
        self._sticks: dict[socket.socket, Stick] = {}
        super().__init__(path)

    def ask(self, job: StickJob) -> None:
        """Asks the current stick's helper for a job, or the system for a restart. Never blocks."""
        if job is StickJob.RESTART:
            try:
                self._path.with_name(RESTART).touch()
            except OSError as error:
                _log.error("stick: no restart: %s", error.strerror)
            return
        with self.lock:
            wire = self._pick_wire()
            if wire is not None:
                with suppress(OSError):  # it has gone, which its thread notices
                    send_line(wire, f"{job.value}\n".encode())

    def greet(self, wire: socket.socket) -> None:
        """Says nothing: a stick's helper speaks first, once it has looked at the stick."""

    def hear(self, wire: socket.socket, line: bytes) -> None:
        """Takes a stick's state, and reports the stick that is shown now."""
        self._sticks[wire] = from_line(line)
        self._report()

    def forget(self, wire: socket.socket) -> None:
        """Drops the stick of a helper that has gone, and reports the one that is shown instead."""
        self._sticks.pop(wire, None)
        self._report()

    def _pick_wire(self) -> socket.socket | None:
        """The stick to show: the latest one, or the card's own update if there is none."""
        known = [wire for wire in self.wires if wire in self._sticks]
        return max(
            known, key=lambda wire: (not self._sticks[wire].is_card, self.wires.index(wire)), default=None
        )

    def _report(self) -> None:
        wire = self._pick_wire()
        self._put(StickReported(None if wire is None else self._sticks[wire]))
