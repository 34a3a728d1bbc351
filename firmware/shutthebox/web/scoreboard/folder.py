"""The scoreboard's folder: finished files for any server of files, and nothing else.

The daemon writes `index.html`, `scores.json` and the rules of the game on the table as the match goes. Style
and rules of every game do not change while it runs: `shutthebox scoreboard --write` writes them once.
"""

import json
import socket
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from shutthebox.files import replace_file
from shutthebox.rules.profile import Profile
from shutthebox.translations import finished_codes, translations
from shutthebox.web.scoreboard.page import RULES, page, rules_page

FOLDER_NAME = "scoreboard"
"""In the folder of the scores' file."""

PORT = 8090
"""Of `shutthebox-scoreboard.socket`."""

_SHOWN = ("version", "language", "running", "rules", "day", "matches", "today", "month", "ever", "captains")
"""Keys of the scores' file that are for everybody; the others are for the owner."""


class ScoreboardFolder:
    """Writes the files; each is replaced as a whole. One thread at a time may use it.

    Args:
        folder: made where it is missing.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._game: tuple[Profile, str] | None = None
        self._latest: dict[str, str] = {}

    def show(self, scores: Mapping[str, Any], game: Profile | None) -> None:
        """Writes what the scores' file says.

        Args:
            scores: the document.
            game: on the table, or the usual one.

        Raises:
            OSError: it cannot be written.
        """
        language = scores["language"]
        words = translations()[language]
        if game is not None and (game, language) != self._game:
            self.write_rules(game, language)
            self._game = (game, language)
        rules = None if game is None else rules_path(game, language)
        shown = {key: scores[key] for key in _SHOWN if key in scores}
        for path, text in (("scores.json", json.dumps(shown)), ("index.html", page(scores, words, rules))):
            if text != self._latest.get(path):  # a new file is news to every visitor
                self._write(path, text)
                self._latest[path] = text

    def write_lasting(self, games: Iterable[Profile], address: str | None) -> None:
        """Writes what does not change while the box runs.

        Args:
            games: that the box offers.
            address: of the page for visitors' telephones, which becomes a QR code; None for no code.

        Raises:
            OSError: it cannot be written.
        """
        style = (resources.files("shutthebox.web.scoreboard") / "style.css").read_text("utf-8")
        self._write("style.css", style + (_code(address) if address else ""))
        for game in games:
            for language in finished_codes():
                self.write_rules(game, language)

    def write_rules(self, game: Profile, language: str) -> None:
        """Writes the rules of a game.

        Raises:
            OSError: they cannot be written.
        """
        self._write(rules_path(game, language), rules_page(game, language, translations()[language]))

    def _write(self, path: str, text: str) -> None:
        file = self._folder / path
        try:
            replace_file(file, text.encode("utf-8", "replace"))
        except FileNotFoundError:
            _make_readable(file.parent, self._folder)
            replace_file(file, text.encode("utf-8", "replace"))


def own_address() -> str:
    """The page's address on a box, for telephones in its network."""
    return f"http://{socket.gethostname().partition('.')[0]}.local:{PORT}/"


def rules_path(game: Profile, language: str) -> str:
    """The path of a game's rules in the folder, as a link has it too."""
    return f"rules/{language}/{game.name}.html"


def _make_readable(folder: Path, top: Path) -> None:
    """Makes a folder, and those above it up to the top one, for everybody to read."""
    if folder != top:
        _make_readable(folder.parent, top)
    if not folder.is_dir():
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)


def _code(address: str) -> str:
    """The style's last rule: a QR code of the address."""
    import segno  # some MB, which the daemon does without

    code = segno.make_qr(f"{address}{RULES}", error="m")
    picture = code.svg_data_uri(border=2, dark="#1b0f07", light="#fff", omitsize=True)
    return f'.code {{ display: block; background: url("{picture}"); }}\n'
