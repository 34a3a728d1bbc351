"""The scoreboard's folder: finished files for any static web server.

The daemon writes `index.html`, `scores.json` and the rules of the game on the table during the match. The
style and every game's rules don't change while it runs: `shutthebox scoreboard` writes them once. If the
owner allows it, guests find the box in a tab there, as `play`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from shutthebox.config.profiles import builtin
from shutthebox.config.schema import Config
from shutthebox.files import remove_parts, replace_file
from shutthebox.network import address_in_network, name
from shutthebox.rules.profile import Profile
from shutthebox.rules.reader import ProfileError
from shutthebox.texts import N_
from shutthebox.translations import finished_codes, translations
from shutthebox.web.scoreboard.page import RULES, box_page, page, rules_page

if TYPE_CHECKING:
    from shutthebox.adapters.store.scores import Scores

FOLDER_NAME = "scoreboard"
"""The folder's name, beside the scores file."""

PORT = 8090
"""The port of `shutthebox-scoreboard.socket`."""

WEB = Path("/usr/share/shutthebox/web")
"""Where the package shutthebox-web installs the box in a tab, built by `make web`."""

AT_REST = N_("The box is at rest")
"""In `resting.html`, in every finished language: `make generated`."""

PLAY = "play"
"""The link to it, in the folder."""


@dataclass(frozen=True, slots=True)
class InATab:
    """The box in a tab, for guests.

    Attributes:
        levers: how many this box has, and so the one in the tab.
        files: the folder built by `make web`.
    """

    levers: int
    files: Path = WEB

    def path(self, game: Profile, language: str, players: int | None) -> str | None:
        """The path from the page to this game; None for house rules, which it doesn't have.

        Args:
            game: the one on the table.
            language: of the players.
            players: how many play; None if nobody does.
        """
        try:
            builtin(game.name)
        except ProfileError:
            return None
        many = "" if players is None else f"&players={players:d}"
        return f"{PLAY}/?game={game.name}&levers={self.levers:d}&language={language}{many}"


def offered(config: Config, levers: int, files: Path = WEB) -> InATab | None:
    """The box in a tab, if it's switched on and installed; else None."""
    return InATab(levers, files) if config.scoreboard.play and files.is_dir() else None


class ScoreboardFolder:
    """Writes the files, replacing each as a whole. Not thread-safe.

    Args:
        folder: created if missing.
        tab: offered to guests; None for nothing.
    """

    def __init__(self, folder: Path, tab: InATab | None = None) -> None:
        self._folder, self._tab = folder, tab
        self._game: tuple[Profile, str, int | None] | None = None
        self._latest: dict[str, str] = {}
        remove_parts(folder)

    def show(self, scores: "Scores", game: Profile | None) -> None:
        """Writes the page and the public part of the scores.

        Args:
            scores: the document.
            game: on the table, or the usual one.

        Raises:
            OSError: it can't be written.
        """
        language = scores.language
        words = translations()[language]
        players = len(scores.running.seats) if scores.running else None
        if game is not None and (game, language, players) != self._game:
            self.write_rules(game, language, players)
            self._game = (game, language, players)
        rules = None if game is None else rules_path(game, language)
        play = None if game is None else self._play(game, language, players)
        self._write_news("scores.json", scores.to_json(public=True))
        self._write_news("index.html", page(scores, words, rules, play))

    def show_box(self, language: str, topics: Iterable[tuple[str, Iterable[str]]]) -> None:
        """Writes the owner's page, if it has changed.

        Args:
            language: of the box.
            topics: the heading of each, and its lines.

        Raises:
            OSError: it can't be written.
        """
        self._write_news("box.html", box_page(language, translations()[language], topics))

    def write_lasting(self, games: Iterable[Profile], address: str) -> None:
        """Writes everything that doesn't change while the box runs.

        Args:
            games: the games the box offers.
            address: the page's address for visitors' phones, for the QR code.

        Raises:
            OSError: it can't be written.
        """
        style = (resources.files("shutthebox.web.scoreboard") / "style.css").read_text("utf-8")
        self._write("style.css", style + _code(address))
        for game in games:
            for language in finished_codes():
                self.write_rules(game, language)
        link = self._folder / PLAY
        link.unlink(missing_ok=True)
        if self._tab is not None:
            link.symlink_to(self._tab.files)

    def write_rules(self, game: Profile, language: str, players: int | None = None) -> None:
        """Writes the rules of a game, for this many players if a match is on.

        Raises:
            OSError: they can't be written.
        """
        play = self._play(game, language, players)
        self._write(rules_path(game, language), rules_page(game, language, translations()[language], play))

    def _play(self, game: Profile, language: str, players: int | None) -> str | None:
        return None if self._tab is None else self._tab.path(game, language, players)

    def _write_news(self, path: str, text: str) -> None:
        if text != self._latest.get(path):  # a new file is news to every visitor
            self._write(path, text)
            self._latest[path] = text

    def _write(self, path: str, text: str) -> None:
        file = self._folder / path
        try:
            replace_file(file, text.encode("utf-8", "replace"))
        except FileNotFoundError:
            _make_readable(file.parent, self._folder)
            replace_file(file, text.encode("utf-8", "replace"))


def own_address() -> str:
    """The page's address by the box's name, which doesn't change."""
    return f"http://{name()}:{PORT}/"


def address_now() -> str:
    """The page's address by number, for phones that can't resolve names."""
    return f"http://{address_in_network()}:{PORT}/"


def rules_path(game: Profile, language: str) -> str:
    """The path of a game's rules in the folder, also used in links."""
    return f"rules/{language}/{game.name}.html"


def _make_readable(folder: Path, top: Path) -> None:
    """Creates a folder and its parents up to `top`, readable by everybody."""
    if folder != top:
        _make_readable(folder.parent, top)
    if not folder.is_dir():
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)


def _code(address: str) -> str:
    """The style's last rule: a QR code with the address."""
    import segno  # imported lazily: several MB that the daemon doesn't need

    code = segno.make_qr(f"{address}{RULES}", error="m")
    picture = code.svg_data_uri(border=2, dark="#1b0f07", light="#fff", omitsize=True)
    return f'.code {{ display: block; background: url("{picture}"); }}\n'
