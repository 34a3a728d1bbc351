"""The scoreboard's data: the match on the table, the rules of its game, and earlier matches."""

import dataclasses
import sqlite3
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import groupby, islice
from math import inf
from operator import itemgetter
from typing import Any, TypeAlias

from shutthebox.adapters.store import queries
from shutthebox.adapters.store.queries import PlayedMatch
from shutthebox.adapters.store.records import kept_profile
from shutthebox.adapters.store.tables import WHOLE
from shutthebox.config import puzzles
from shutthebox.game.effects import Show
from shutthebox.game.judge import VerdictKind
from shutthebox.game.messages import Translate, localize
from shutthebox.game.mode import Mode
from shutthebox.night import start_of_night
from shutthebox.rules.profile import Profile, Stakes
from shutthebox.rules.words import STAKES, explain
from shutthebox.texts import fill_in, plural
from shutthebox.translations import localize_screen, translations

SHOWN_GAMES = 3
"""How many games' best results are shown: those with the most signed results."""

SHOWN_RESULTS = 6
"""How many best results are shown in all, in equal shares."""

SHOWN_FAULTS = 5
"""How many of the latest faults the uplink gets."""

SHOWN_MATCHES = 6
"""How many of the latest matches are shown."""

SHOWN_CAPTAINS = 6
"""How many of the latest Captains are shown."""


_SIGNED = f"""
select *, row_number() over (partition by profile, rounds order by score, began_s) as low,
    row_number() over (partition by profile, rounds order by score desc, began_s) as high,
    count(*) over (partition by profile, rounds) as results,
    max(id) over (partition by profile, rounds) as latest
from match join result on result.match = match.id
where initials is not null and score is not null and {WHOLE} and began_s >= ? and began_s < ?
"""
_BEST = f"""
select profile, rounds, initials, score, began_s from ({_SIGNED})
where min(low, high) <= ? order by results desc, latest desc, low
"""
_CAPTAINS = f"""
select profile, rounds, initials, 0, began_s from match join result on match.id = result.match
where captain and initials is not null and {WHOLE} order by match.id desc
"""

Title: TypeAlias = Callable[[Profile, int], str]
"""Names a game, and the number of rounds where it matters."""


def past(db: sqlite3.Connection, day: str, language: str) -> dict[str, Any]:
    """The latest matches, the best results, and figures for the owner.

    Args:
        db: the store.
        day: the night, like ``2026-11-22``.
        language: of the games' titles.

    Raises:
        sqlite3.Error, ValueError, ...: it can't be read; any of `UNREADABLE`.
    """
    today, month = spans(day)
    title = partial(_title, language)
    streak = queries.streak(db)
    return {
        "day": day,
        "matches": [_match(match, title) for match in queries.latest(db, SHOWN_MATCHES)],
        "today": best(db, title, *today),
        "month": best(db, title, *month),
        "ever": best(db, title),
        "captains": captains(db, title),
        "streak": {"day": streak.day, "count": streak.days},
        "health": _health(db, today),
    }


def _title(language: str, profile: Profile, rounds: int) -> str:
    _ = translations()[language]
    title = profile.title(language, _)
    if rounds == 1 or not profile.has_rounds:
        return title
    return fill_in(
        plural("{game}, one round", "{game}, {rounds} rounds"), _, {"game": title, "rounds": rounds}
    )


def best(
    db: sqlite3.Connection, title: Title, since_s: float = -inf, until_s: float = inf
) -> list[dict[str, Any]]:
    """The best signed results of matches begun in a time span, game by game, best first.

    Args:
        db: the store.
        title: of the games.
        since_s: the start, in seconds since 1970.
        until_s: the end, excluded. A match may be dated in the future, if the clock was wrong.

    Raises:
        sqlite3.Error: if it can't be read.
    """
    games = []
    for (keys, rounds), rows in groupby(
        db.execute(_BEST, (since_s, until_s, 2 * SHOWN_RESULTS)), itemgetter(0, 1)
    ):
        if profile := profile_of(keys):
            ranked = sorted(rows, key=itemgetter(3), reverse=profile.highest_total_wins)
            games.append([_honour(title(profile, rounds), row) for row in ranked])
    shown = games[:SHOWN_GAMES]
    return [honour for game in shown for honour in game[: SHOWN_RESULTS // len(shown)]]


def captains(db: sqlite3.Connection, title: Title) -> list[dict[str, Any]]:
    """Winners who shut the box in the very first turn of a match and signed, latest first.

    Raises:
        sqlite3.Error: if it can't be read.
    """
    found = (
        _honour(title(profile, row[1]), row)
        for row in db.execute(_CAPTAINS)
        if (profile := profile_of(row[0]))
    )
    return list(islice(found, SHOWN_CAPTAINS))


def _honour(game: str, row: tuple[Any, ...]) -> dict[str, Any]:
    *_, initials, score, began_s = row
    return {"initials": initials, "score": score, "game": game, "began_s": began_s}


@lru_cache(maxsize=64)
def profile_of(keys: str) -> Profile | None:
    """The profile of a match; None if today's rules refuse it."""
    try:
        return kept_profile(keys, "the store")
    except ValueError:
        return None


def running(show: Show, translate: Translate) -> dict[str, Any] | None:
    """The match on the table; None if there's none."""
    if show.scene.player is None or show.scene.game is None:
        return None
    screen, game = localize_screen(show), show.scene.game
    states = {lever: "open" if lever in show.scene.open else "shut" for lever in game.tiles}
    states |= {lever: state.value for lever, state in screen.tiles if lever in states}
    numbers = {tile.lever: tile.number for tile in show.scene.lever_tiles}
    staked = show.scene.staked and game.stakes is not Stakes.NONE
    return {
        "game": game.title(show.language, translate),
        "player": show.scene.player,
        "seats": [localize(seat, translate) for seat in show.scene.seats],
        "tiles": [(numbers.get(lever, lever), state) for lever, state in states.items()],
        "throw": None if screen.tumbling else show.scene.throw,
        "says": _says(show, translate),
        "scores": show.scene.scores,
        "totals": show.scene.totals,
        "winners": show.scene.winners,
        "stakes": fill_in(STAKES[game.stakes], translate, {"stake": game.stake}) if staked else None,
        "owes": [str(stakes) for stakes in show.scene.owes] if staked else [],
    }


def puzzle_games(show: Show) -> tuple[str, ...]:
    """The games that the puzzle of the day may come from."""
    return puzzles.puzzle_games(show.scene.form.settings.games) if show.scene.form else ()


def _says(show: Show, translate: Translate) -> str:
    """What happened last, or what the player is asked; without the buttons, which only the player has."""
    screen = localize_screen(show)
    if show.scene.winners:
        return f"{screen.title} {localize(show.scene.reason, translate)}".strip()
    asked = show.mode is Mode.FLIPPING and show.scene.verdict.kind is not VerdictKind.COMPLETE
    return " ".join(filter(None, f"{screen.big} {screen.prompt if asked else ''}".split(" ")))


@lru_cache(maxsize=1)
def rules(game: Profile | None, language: str) -> dict[str, Any] | None:
    """The rules of a game in words."""
    _ = translations()[language]
    return None if game is None else {"game": game.title(language, _), "rules": explain(game, _)}


def spans(day: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """The start and end of a night like ``2026-11-22``, and of its month, in seconds since 1970."""
    year, month, number = map(int, day.split("-"))
    return (start_of_night(year, month, number), start_of_night(year, month, number + 1)), (
        start_of_night(year, month, 1),
        start_of_night(year, month + 1, 1),
    )


def _health(db: sqlite3.Connection, today: tuple[float, float]) -> dict[str, Any]:
    """Figures for the owner; the scoreboard doesn't show them."""
    found = queries.read(db)
    return {
        "finished": found.finished,
        "finished_today": queries.finished_since(db, *today),
        "switches": {str(number): dataclasses.asdict(switch) for number, switch in found.switches.items()},
        "faults": [dataclasses.asdict(fault) for fault in found.faults[:SHOWN_FAULTS]],
    }


def _match(match: PlayedMatch, title: Title) -> dict[str, Any]:
    profile = profile_of(match.keys)
    game = match.profile if profile is None else title(profile, 1)
    players = [dataclasses.asdict(player) for player in match.players]
    return {"began_s": match.began_s, "game": game, "players": players}
