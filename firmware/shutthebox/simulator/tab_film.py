"""A film in a browser tab: a scenario or a match's record at its original speed.

It has its own worker, so a long script delays nothing else, and ends with its worker.
"""

import base64
import json
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

from shutthebox.errors import ShutTheBoxError
from shutthebox.simulator.film import Film
from shutthebox.simulator.hardware.lit_picture import LitPicture
from shutthebox.simulator.page.message import MAX_SCENARIO
from shutthebox.simulator.page.state import all_texts
from shutthebox.simulator.scenario.from_record import script_or_record
from shutthebox.simulator.scenario.script import Scenario
from shutthebox.translations import ENGLISH, translations

MAX_LINK = 16 * 1024
"""The longest packed script, in characters."""


def pack(script: str) -> str:
    """Packs a scenario or record into the fragment of an address; empty if it's too long."""
    text = base64.urlsafe_b64encode(zlib.compress(script.encode(), 9)).decode("ascii").rstrip("=")
    return text if len(text) <= MAX_LINK else ""


def unpack(text: str) -> str:
    """Unpacks what `pack` returned.

    Raises:
        ShutTheBoxError: it's something else.
    """
    try:
        if len(text) > MAX_LINK:
            raise ValueError("too long")
        packed_bytes = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        unpacker = zlib.decompressobj()
        script = unpacker.decompress(packed_bytes, MAX_SCENARIO)
        if not unpacker.eof:
            raise ValueError("not all of it, or too much")
        return script.decode()
    except (ValueError, zlib.error):
        raise ShutTheBoxError("link: incomplete; use a link made by the box") from None


class TabFilm:
    """The film of a script in a tab.

    Args:
        script: a scenario or a record; packed, if it came with a link.
        is_packed: whether it did.
        post: called with every state for the page, as JSON.
        language: of a page that has no box yet, so that the first state is complete; None for one that has.
    """

    def __init__(
        self, script: str, is_packed: bool, post: Callable[[str], None], language: str | None = None
    ) -> None:
        self._post, self._posted, self._link = post, "", ""
        self._complete: dict[str, object] = {}
        if language is not None:
            known = language if language in translations() else ENGLISH
            self._complete = {"type": "box", "language": known, "texts": all_texts(known)}
        folder = Path(tempfile.mkdtemp())

        def scenario() -> Scenario:
            text = unpack(script) if is_packed else script
            found = script_or_record(text, folder)
            self._link = pack(text)
            return found

        self._film = Film(scenario, folder, lambda config: LitPicture())

    def advance(self, now_ns: int) -> int:
        """Shows what's due. Returns when to come back, -1 for never. Times may count from any zero."""
        due_ns = self._film.advance(now_ns)
        film = {**self._film.progress, "link": self._link}
        state = {"type": "change", **self._film.state, "film": film}
        text = json.dumps(state)
        if text != self._posted:
            self._posted = text
            self._post(json.dumps(state | self._complete) if self._complete else text)
            self._complete = {}
        return due_ns
