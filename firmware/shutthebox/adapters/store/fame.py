"""The best signed results since a date, game by game, and the Captains: for the scoreboard."""

import sqlite3
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, islice
from math import inf

from shutthebox.adapters.store.records import kept_profile
from shutthebox.rules.profile import Profile

SHOWN_GAMES = 3
"""The best results of so many games are shown, those with the most signed results."""

_SIGNED = """
select *, row_number() over (partition by profile, rounds order by score, began_s) as low,
    row_number() over (partition by profile, rounds order by score desc, began_s) as high,
    count(*) over (partition by profile, rounds) as results,
    max(id) over (partition by profile, rounds) as latest
from match join result on result.match = match.id
where initials is not null and score is not null and began_s >= ? and began_s < ?
"""
_BEST = f"""
select initials, score, profile, rounds, began_s from ({_SIGNED})
where min(low, high) <= ? order by results desc, latest desc, low
"""

_CAPTAINS = """
select initials, profile, rounds, began_s from match join result on match.id = result.match
where captain and initials is not null order by match.id desc
"""


@dataclass(frozen=True, slots=True)
class Honour:
    """A signed result that is shown.

    Attributes:
        initials: three letters.
        score: in the whole match.
        profile: the game.
        rounds: of the match.
        began_s: the time of day the match began, in seconds.
    """

    initials: str
    score: int
    profile: Profile
    rounds: int
    began_s: int


def best(
    db: sqlite3.Connection, since_s: float = -inf, until_s: float = inf, *, count: int = 6
) -> tuple[Honour, ...]:
    """The best signed results of the matches begun in a span of time, game by game, the best first.

    Args:
        db: the store.
        since_s: its begin, a time of day, in seconds.
        until_s: its end, not counted. A match may be dated in the future: the clock was wrong.
        count: how many at most; they are shared out among up to `SHOWN_GAMES` games.

    Raises:
        sqlite3.Error: if it cannot be read.
    """
    rows = db.execute(_BEST, (since_s, until_s, 2 * count)).fetchall()
    games: list[list[Honour]] = []
    for (keys, rounds), group in groupby(rows, lambda row: (row[2], row[3])):
        profile = profile_of(keys)
        if profile is None:
            continue
        found = [Honour(initials, score, profile, rounds, began_s) for initials, score, *_, began_s in group]
        found.sort(key=lambda honour: -honour.score if honour.profile.highest_wins else honour.score)
        games.append(found)
    each = max(1, count // max(1, len(games[:SHOWN_GAMES])))
    return tuple(honour for game in games[:SHOWN_GAMES] for honour in game[:each])


def captains(db: sqlite3.Connection, count: int) -> tuple[Honour, ...]:
    """Winners who have shut the box in the very first turn of a match and signed, the latest first.

    Raises:
        sqlite3.Error: if it cannot be read.
    """
    found = (
        Honour(initials, 0, profile, rounds, began_s)
        for initials, keys, rounds, began_s in db.execute(_CAPTAINS)
        if (profile := profile_of(keys))
    )
    return tuple(islice(found, count))


@lru_cache(maxsize=64)
def profile_of(keys: str) -> Profile | None:
    """The profile of a match; None where today's rules refuse it."""
    try:
        return kept_profile(keys, "the store")
    except ValueError:
        return None
