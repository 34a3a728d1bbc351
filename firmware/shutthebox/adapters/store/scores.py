"""What the scores say: the match on the table, the rules of its game, what the store has of earlier ones."""

import dataclasses
import sqlite3
import time
from typing import Any, NamedTuple

from shutthebox.adapters.store import fame, queries
from shutthebox.adapters.store.fame import Honour
from shutthebox.adapters.store.queries import PlayedMatch
from shutthebox.config import puzzles
from shutthebox.game.effects import Show
from shutthebox.game.messages import Translate, told
from shutthebox.game.mode import Mode
from shutthebox.rules.profile import Profile, Stakes
from shutthebox.rules.words import SENTENCES, explain
from shutthebox.translations import told_screen

SHOWN_FAULTS = 5
"""The latest faults are told to the uplink, so many of them."""

SHOWN_MATCHES = 6
"""The latest matches are shown, so many of them."""

SHOWN_CAPTAINS = 6
"""The latest Captains are shown, so many of them."""


class Titles(NamedTuple):
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


def past(db: sqlite3.Connection, day: str, title: Titles) -> dict[str, Any]:
    """What the store has: the latest matches, the best results, and figures for the owner.

    Args:
        db: the store.
        day: today, like ``2026-11-22``.
        title: of the games.

    Raises:
        sqlite3.Error, ValueError, ...: if it cannot be read; any of `UNREADABLE`.
    """
    today, month = spans(day)
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


def running(show: Show, translate: Translate) -> dict[str, Any] | None:
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


def puzzle_games(show: Show) -> tuple[str, ...]:
    """The games of which the puzzle of the day can be."""
    return puzzles.puzzle_games(show.form.settings.games) if show.form else ()


def _says(show: Show, translate: Translate) -> str:
    """What happened last, or what the player is asked; nothing about buttons, which only the player has."""
    screen = told_screen(show)
    if show.winners:
        return f"{screen.title} {told(show.reason, translate)}".strip()
    asked = show.mode is Mode.FLIPPING and show.verdict != "complete"
    return " ".join(filter(None, f"{screen.big} {screen.prompt if asked else ''}".split(" ")))


def rules(show: Show, translate: Translate) -> dict[str, Any] | None:
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


def _match(match: PlayedMatch, title: Titles) -> dict[str, Any]:
    profile = fame.profile_of(match.keys)
    game = match.profile if profile is None else title.of(profile)
    players = [dataclasses.asdict(player) for player in match.players]
    return {"began_s": match.began_s, "game": game, "players": players}


def _honour(honour: Honour, title: Titles) -> dict[str, Any]:
    game = title.of(honour.profile, honour.rounds)
    return {
        "initials": honour.initials,
        "score": honour.score,
        "game": game,
        "began_s": honour.began_s,
    }
