"""The scores: a file for the uplink, and the scoreboard's folder, both readable by every user.

Their readers have a network, and the store must never wait for one. A reader of an SQLite file, even one that
can only read, can hold locks that keep the writer out. So they read a copy of the data. The daemon replaces
each file as a whole whenever it changes.
"""

import dataclasses
import json
import logging
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shutthebox import __version__
from shutthebox.adapters.store import fame, queries
from shutthebox.adapters.store.fame import Honour
from shutthebox.adapters.store.queries import PlayedMatch
from shutthebox.adapters.store.schema import UNREADABLE
from shutthebox.files import replace_file
from shutthebox.game.effects import Effect, Keep, Show
from shutthebox.game.facts import Began, Chosen, Finished, Left, Signed
from shutthebox.game.messages import Translate, told
from shutthebox.game.mode import Mode
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.rules.profile import Profile, Stakes
from shutthebox.rules.words import SENTENCES, explain
from shutthebox.translations import told_screen, translations

if TYPE_CHECKING:
    from shutthebox.web.scoreboard.folder import ScoreboardFolder

_log = logging.getLogger(__name__)

FILE_NAME = "scores.json"

VERSION = 2
"""Of the file. The uplink reads no other, such as one from before an update."""

SHOWN_FAULTS = 5
"""The latest faults are told to the uplink, so many of them."""

SHOWN_MATCHES = 6
"""The latest matches are shown, so many of them."""

SHOWN_CAPTAINS = 6
"""The latest Captains are shown, so many of them."""


class ScoresWriter:
    """An observer of the runner that keeps the files up to date. Called in the main thread.

    Neither a full disk nor a store that cannot be read stops the game: the files then stay as
    they are, or have no past matches.

    Args:
        folder: where the files are to be; in memory where systemd provides one, so that an SD
            card is not written to for it.
        open_store: a connection to read the store by, which is closed after; None for a box
            without memory.
        clock_s: the time of day in seconds, which the store's matches have too.
        display_works: whether the panel takes its data; None for a box without one.
        waits: nothing is written before `look_at_the_day` is called: the box is ready without the files.
    """

    def __init__(
        self,
        folder: Path,
        open_store: Callable[[], sqlite3.Connection] | None,
        clock_s: Callable[[], float] = time.time,
        *,
        display_works: Callable[[], bool] | None = None,
        waits: bool = False,
    ) -> None:
        self._path = folder / FILE_NAME
        self._open_store, self._clock_s = open_store, clock_s
        self._display_works, self._waits = display_works, waits
        self._scoreboard: ScoreboardFolder | None = None
        self._shown: Show | None = None
        self._past: dict[str, Any] = {}
        self._past_of: tuple[str, str] | None = None
        self._rules: tuple[tuple[Profile | None, str], dict[str, Any] | None] | None = None
        self._written_with: tuple[str, bool | None] | None = None
        self._failing = False

    def __call__(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        """Takes in an effect or a settled switch."""
        match what:
            case Keep(Began() | Finished() | Signed() | Left() | Chosen()):
                self._past_of = None
            case Show():
                # Everything shown has been kept. The scoreboard must not know more than the players have
                # seen.
                self._shown = what
                if not self._waits:
                    self._write(what)

    def look_at_the_day(self) -> None:
        """Writes the file again for a new day, a display that came or went, or after a write that failed."""
        self._waits = False
        if self._shown is not None and self._written_with != (self._day(), self._has_display()):
            self._write(self._shown)

    def _day(self) -> str:
        return time.strftime("%Y-%m-%d", time.localtime(self._clock_s()))

    def _has_display(self) -> bool | None:
        return None if self._display_works is None else self._display_works()

    def _write(self, show: Show) -> None:
        translate = translations()[show.language]
        day, display = self._day(), self._has_display()
        if self._past_of != (day, show.language):
            self._past_of = (day, show.language)
            self._past = self._look_back(_Titles(show.language, translate), day)
        if self._rules is None or self._rules[0] != (show.game, show.language):
            self._rules = ((show.game, show.language), _rules(show, translate))
        document = {
            "version": VERSION,
            "program": __version__,
            "display": display,
            "language": show.language,
            "running": _running(show, translate),
            "rules": self._rules[1],
            **self._past,
        }
        try:
            replace_file(self._path, json.dumps(document).encode())
            self._pages().show(document, show.game)
        except OSError as error:
            if not self._failing:
                _log.warning("%s: %s; the scoreboard is not up to date", self._path, error.strerror)
            self._failing, self._written_with = True, None
        else:
            self._failing, self._written_with = False, (day, display)

    def _pages(self) -> "ScoreboardFolder":
        if self._scoreboard is None:
            # Not above: the box is ready without it.
            from shutthebox.web.scoreboard.folder import FOLDER_NAME, ScoreboardFolder

            self._scoreboard = ScoreboardFolder(self._path.parent / FOLDER_NAME)
        return self._scoreboard

    def _look_back(self, title: "_Titles", day: str) -> dict[str, Any]:
        if self._open_store is None:
            return {}
        today, month = spans(day)
        try:
            with closing(self._open_store()) as db:
                return {
                    "day": day,
                    "matches": [_match(match, title) for match in queries.latest(db, SHOWN_MATCHES)],
                    "today": [_honour(honour, title) for honour in fame.best(db, *today)],
                    "month": [_honour(honour, title) for honour in fame.best(db, *month)],
                    "ever": [_honour(honour, title) for honour in fame.best(db)],
                    "captains": [_honour(honour, title) for honour in fame.captains(db, SHOWN_CAPTAINS)],
                    "streak": dataclasses.asdict(queries.streak(db)),
                    "health": _health(db, today),
                }
        except (OSError, *UNREADABLE) as error:
            _log.warning("the scoreboard shows no past: %s", error)
            return {}


@dataclass(frozen=True, slots=True)
class _Titles:
    """The games' titles in the language of the box."""

    language: str
    translate: Translate

    def of(self, profile: Profile, rounds: int = 1) -> str:
        """The title, with the number of rounds where it matters."""
        _ = self.translate
        title = profile.title(self.language, self.translate)
        if rounds == 1 or not profile.on_total:
            return title
        return _("{game}, {rounds} rounds").format(game=title, rounds=rounds)


def _running(show: Show, translate: Translate) -> dict[str, Any] | None:
    """The match on the table; None if there is none."""
    if show.player is None or show.game is None:
        return None
    screen, game = told_screen(show), show.game
    states = {tile: "open" if tile in show.open else "shut" for tile in game.tiles}
    states |= {tile: state.value for tile, state in screen.tiles if tile in states}
    staked = show.staked and game.stakes is not Stakes.NONE
    return {
        "game": game.title(show.language, translate),
        "player": show.player,
        "seats": [told(seat, translate) for seat in show.seats],
        "tiles": list(states.items()),
        "throw": None if screen.tumbling else show.throw,
        "says": _says(show, translate),
        "scores": show.scores,
        "totals": show.totals,
        "winners": show.winners,
        "stakes": translate(SENTENCES[f"stakes={game.stakes}"]) if staked else None,
        "owes": [str(stakes) for stakes in show.owes] if staked else [],
    }


def _says(show: Show, translate: Translate) -> str:
    """What happened last, or what the player is asked; nothing about buttons, which only the player has."""
    screen = told_screen(show)
    if show.winners:
        return f"{screen.title} {told(show.reason, translate)}".strip()
    asked = show.mode is Mode.FLIPPING and show.verdict != "complete"
    return " ".join(filter(None, f"{screen.big} {screen.prompt if asked else ''}".split(" ")))


def _rules(show: Show, translate: Translate) -> dict[str, Any] | None:
    """The rules in words of the game on the table, or of the usual one."""
    if show.game is None:
        return None
    return {"game": show.game.title(show.language, translate), "rules": explain(show.game, translate)}


def spans(day: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """The begin and the end of a day like ``2026-11-22``, and of its month, as times of day in seconds."""
    year, month, number = map(int, day.split("-"))

    def midnight(month: int, number: int) -> float:
        # Days and months beyond the end are the calendar's next.
        return time.mktime((year, month, number, 0, 0, 0, 0, 0, -1))

    return (midnight(month, number), midnight(month, number + 1)), (
        midnight(month, 1),
        midnight(month + 1, 1),
    )


def _health(db: sqlite3.Connection, today: tuple[float, float]) -> dict[str, Any]:
    """Figures for the owner of the box; the scoreboard does not show them."""
    found = queries.read(db)
    return {
        "finished": found.finished,
        "finished_today": queries.finished_since(db, *today),
        "switches": {str(number): dataclasses.asdict(switch) for number, switch in found.switches.items()},
        "faults": [dataclasses.asdict(fault) for fault in found.faults[:SHOWN_FAULTS]],
    }


def _match(match: PlayedMatch, title: _Titles) -> dict[str, Any]:
    profile = fame.profile_of(match.keys)
    game = match.profile if profile is None else title.of(profile)
    players = [dataclasses.asdict(player) for player in match.players]
    return {"began_s": match.began_s, "game": game, "players": players}


def _honour(honour: Honour, title: _Titles) -> dict[str, Any]:
    game = title.of(honour.profile, honour.rounds)
    return {
        "initials": honour.initials,
        "score": honour.score,
        "game": game,
        "began_s": honour.began_s,
    }
