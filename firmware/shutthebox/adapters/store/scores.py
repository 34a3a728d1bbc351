"""The scores as a document: the match on the table, the rules of its game, and earlier matches."""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import lru_cache, partial
from itertools import groupby, islice
from math import inf
from operator import itemgetter
from typing import Annotated, Any, TypeAlias

from shutthebox.adapters.store import queries
from shutthebox.adapters.store.queries import LoggedFault, PlayedMatch, Player, SwitchWear
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


class ShownIn(Enum):
    """Where a part of the scores is shown; the file for the uplink has all of them."""

    FILE = "scores.json in the scoreboard's folder, which everybody on the network can read"
    PAGE = "web/scoreboard/page.py"
    HOME = "the uplink's vitals.py, for the owner's Home Assistant"


_FILE, _PAGE, _HOME = ShownIn


@dataclass(frozen=True, slots=True)
class RunningMatch:
    """The match on the table. Players count from 1.

    Attributes:
        tiles: the number of each, and its state as in `TileState`.
        throw: the dice, once they lie still.
        says: what happened last, or what the player is asked.
        scores: of the last turns; None for a player who hasn't had one.
        stakes: what everybody pays; None if the box doesn't show stakes.
        owes: stakes by player, as fractions, negative for one who gets them; empty like `stakes`.
    """

    game: str
    player: int
    seats: tuple[str, ...]
    tiles: tuple[tuple[int, str], ...]
    throw: tuple[int, ...] | None
    says: str
    scores: tuple[int | None, ...]
    totals: tuple[int, ...]
    winners: tuple[int, ...]
    stakes: str | None
    owes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GameRules:
    """The rules of a game, in sentences."""

    game: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """A decided match, begun in seconds since 1970."""

    began_s: int
    game: str
    players: tuple[Player, ...]


@dataclass(frozen=True, slots=True)
class Honour:
    """A signed result of a match, begun in seconds since 1970. A Captain's score is 0."""

    initials: str
    score: int
    game: str
    began_s: int


@dataclass(frozen=True, slots=True)
class PuzzleStreak:
    """The day of the last puzzle answered, and how many days in a row were solved by then; 0 for none."""

    day: int
    count: int


@dataclass(frozen=True, slots=True)
class BoxHealth:
    """Matches decided, the wear of each lever (0: the button), and the latest faults."""

    finished: int
    finished_today: int
    switches: dict[str, SwitchWear]
    faults: tuple[LoggedFault, ...]


@dataclass(frozen=True, slots=True)
class Past:
    """What the store knows on a night like ``2026-11-22``: matches latest first, results best first."""

    day: Annotated[str, _FILE, _PAGE]
    matches: Annotated[tuple[FinishedMatch, ...], _FILE, _PAGE, _HOME]
    today: Annotated[tuple[Honour, ...], _FILE, _PAGE]
    month: Annotated[tuple[Honour, ...], _FILE, _PAGE]
    ever: Annotated[tuple[Honour, ...], _FILE, _PAGE]
    captains: Annotated[tuple[Honour, ...], _FILE, _PAGE]
    streak: Annotated[PuzzleStreak, _PAGE]
    health: Annotated[BoxHealth, _HOME]


@dataclass(frozen=True, slots=True)
class Scores:
    """The document: its fields, and those of `past`, are the keys of the JSON, in this order.

    Attributes:
        display: whether the panel accepts its data; None without a panel.
        running: None if nobody plays.
        puzzles: the games that the puzzle of the day may come from; None while somebody plays.
        rules: of the game on the table, or the usual one.
        past: None if the store can't be read; the JSON then lacks its keys.
    """

    version: Annotated[int, _FILE, _HOME]
    program: Annotated[str, _HOME]
    display: Annotated[bool | None, _HOME]
    language: Annotated[str, _FILE, _PAGE]
    running: Annotated[RunningMatch | None, _FILE, _PAGE, _HOME]
    puzzles: Annotated[tuple[str, ...] | None, _PAGE]
    rules: Annotated[GameRules | None, _FILE, _HOME]
    past: Past | None

    def to_json(self, *, public: bool = False) -> str:
        """The whole document, or only what everybody may read."""
        parts = _members(self)
        del parts["past"]
        parts |= {} if self.past is None else _members(self.past)
        if public:
            parts = {name: part for name, part in parts.items() if _FILE in SHOWN[name]}
        return json.dumps(parts, default=_members)


def _members(part: object) -> dict[str, Any]:
    assert is_dataclass(part), "JSON knows the rest"
    return {each.name: getattr(part, each.name) for each in fields(part)}


SHOWN: dict[str, tuple[ShownIn, ...]] = {
    each.name: getattr(each.type, "__metadata__", ()) for kind in (Scores, Past) for each in fields(kind)
}
"""Where each key of the JSON is shown; a field that doesn't say so is in the file for the uplink only."""


def past(db: sqlite3.Connection, day: str, language: str) -> Past:
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
    return Past(
        day=day,
        matches=tuple(_match(match, title) for match in queries.latest(db, SHOWN_MATCHES)),
        today=best(db, title, *today),
        month=best(db, title, *month),
        ever=best(db, title),
        captains=captains(db, title),
        streak=PuzzleStreak(streak.day, streak.days),
        health=_health(db, today),
    )


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
) -> tuple[Honour, ...]:
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
    return tuple(honour for game in shown for honour in game[: SHOWN_RESULTS // len(shown)])


def captains(db: sqlite3.Connection, title: Title) -> tuple[Honour, ...]:
    """Winners who shut the box in the very first turn of a match and signed, latest first.

    Raises:
        sqlite3.Error: if it can't be read.
    """
    found = (
        _honour(title(profile, row[1]), row)
        for row in db.execute(_CAPTAINS)
        if (profile := profile_of(row[0]))
    )
    return tuple(islice(found, SHOWN_CAPTAINS))


def _honour(game: str, row: tuple[Any, ...]) -> Honour:
    *_, initials, score, began_s = row
    return Honour(initials, score, game, began_s)


@lru_cache(maxsize=64)
def profile_of(keys: str) -> Profile | None:
    """The profile of a match; None if today's rules refuse it."""
    try:
        return kept_profile(keys, "the store")
    except ValueError:
        return None


def running(show: Show, translate: Translate) -> RunningMatch | None:
    """The match on the table; None if there's none."""
    if show.scene.player is None or show.scene.game is None:
        return None
    screen, game = localize_screen(show), show.scene.game
    states = {lever: "open" if lever in show.scene.open else "shut" for lever in game.tiles}
    states |= {lever: state.value for lever, state in screen.tiles if lever in states}
    numbers = {tile.lever: tile.number for tile in show.scene.lever_tiles}
    staked = show.scene.staked and game.stakes is not Stakes.NONE
    return RunningMatch(
        game=game.title(show.language, translate),
        player=show.scene.player,
        seats=tuple(localize(seat, translate) for seat in show.scene.seats),
        tiles=tuple((numbers.get(lever, lever), state) for lever, state in states.items()),
        throw=None if screen.tumbling else show.scene.throw,
        says=_says(show, translate),
        scores=show.scene.scores,
        totals=show.scene.totals,
        winners=show.scene.winners,
        stakes=fill_in(STAKES[game.stakes], translate, {"stake": game.stake}) if staked else None,
        owes=tuple(str(stakes) for stakes in show.scene.owes) if staked else (),
    )


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
def rules(game: Profile | None, language: str) -> GameRules | None:
    """The rules of a game in words."""
    _ = translations()[language]
    return None if game is None else GameRules(game.title(language, _), tuple(explain(game, _)))


def spans(day: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """The start and end of a night like ``2026-11-22``, and of its month, in seconds since 1970."""
    year, month, number = map(int, day.split("-"))
    return (start_of_night(year, month, number), start_of_night(year, month, number + 1)), (
        start_of_night(year, month, 1),
        start_of_night(year, month + 1, 1),
    )


def _health(db: sqlite3.Connection, today: tuple[float, float]) -> BoxHealth:
    found = queries.read(db)
    return BoxHealth(
        finished=found.finished,
        finished_today=queries.finished_since(db, *today),
        switches={str(number): switch for number, switch in found.switches.items()},
        faults=found.faults[:SHOWN_FAULTS],
    )


def _match(match: PlayedMatch, title: Title) -> FinishedMatch:
    profile = profile_of(match.keys)
    game = match.profile if profile is None else title(profile, 1)
    return FinishedMatch(match.began_s, game, match.players)
