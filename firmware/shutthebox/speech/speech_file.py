"""A small file with the latest announcements, from the daemon to the voice, which runs as another user.

The file is replaced atomically at every announcement and holds the last few, so a reader that polls often
enough misses none.
"""

import json
import logging
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shutthebox.files import read_bytes, replace_file
from shutthebox.game.effects import Effect
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.speech.sentences import Announcement, Announcer
from shutthebox.translations import codes

_log = logging.getLogger(__name__)

FILE_NAME = "said.json"

VERSION = 1
"""The version of the file's format. The voice reads no other, such as one from before an update."""

KEPT = 20
"""How many of the latest announcements are in the file."""

MAX_BYTES = 64 * 1024
MAX_TEXT = 1000
"""The most characters of an announcement that are read; no screen has more."""


class SpeechFileWriter:
    """A runner observer that keeps the file up to date. Called in the main thread.

    Failing to write it doesn't stop the game.

    Args:
        folder: the file's folder; the runtime directory, if systemd provides one.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._announcer = Announcer()
        self._started = time.time_ns()
        self._count = 0
        self._latest: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self._failing = False

    def __call__(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        """Adds to the file what is to be said now, if there's anything new."""
        announcement = self._announcer.take(what)
        if announcement is None:
            return
        self._count += 1
        text, language, waits = announcement.text, announcement.language, announcement.waits
        self._latest.append({"number": self._count, "text": text, "language": language, "waits": waits})
        document = {"version": VERSION, "started": self._started, "said": list(self._latest)}
        try:
            replace_file(self._path, json.dumps(document).encode())
        except OSError as error:
            if not self._failing:
                _log.warning("%s: %s; the voice isn't told", self._path, error.strerror)
            self._failing = True
        else:
            self._failing = False


class SpeechFileReader:
    """Polls the file.

    Args:
        folder: where the daemon writes it.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._content = b""
        self._started = self._number = 0
        # Announcements from before the start are over.
        list(self.new())

    def new(self) -> Iterator[Announcement]:
        """The announcements since the last call, oldest first. Invalid entries are passed over."""
        try:
            content = read_bytes(self._path, MAX_BYTES, follow_links=False)
            if content == self._content:
                return
            self._content = content
            document = json.loads(content)
            if document["version"] != VERSION:
                return
            started, said = int(document["started"]), list(document["said"])
        except (OSError, ValueError, LookupError, TypeError, OverflowError, RecursionError):
            return
        if started != self._started:
            self._started, self._number = started, 0
        for entry in said:
            if (announcement := _announcement(entry, self._number)) is not None:
                self._number = entry["number"]
                yield announcement


def _announcement(entry: object, after: int) -> Announcement | None:
    """The entry, if it is one that comes after this number."""
    match entry:
        case {"number": int(number), "text": str(text), "language": str(language), "waits": bool(waits)}:
            if number > after and language in codes():
                return Announcement(text[:MAX_TEXT], language, waits)
        case _:
            pass
    return None
