"""Events: a named contest of entrants in one format, counted from the matches they play in its nights."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from shutthebox.errors import quoted
from shutthebox.game.menu_items import MAX_ROUNDS_AT_THE_BOX
from shutthebox_league.categories import Category, category_id, highest_wins, profile_of, read_category
from shutthebox_league.errors import LeagueError
from shutthebox_league.formats import (
    Format,
    Game,
    Standing,
    best_of_night,
    knockout,
    ladder,
    round_robin,
    swiss,
)
from shutthebox_league.players import INITIALS
from shutthebox_league.schema import ENTRANT, EVENT, MATCH, SEAT

MOST_ENTRANTS = 64

MOST_MATCHES = 2000
"""The matches of each entrant that an event looks at, the first that came after it was made."""

_AT_ONCE, _LATEST = 500, 20
_RULES = {
    Format.LADDER: ladder,
    Format.ROUND_ROBIN: round_robin,
    Format.SWISS: swiss,
    Format.KNOCKOUT: knockout,
}


@dataclass(frozen=True, slots=True)
class Event:
    """A contest.

    Attributes:
        name: for people.
        format: of it.
        category: the matches that count.
        first_night: of it.
        last_night: of it; the same for one night.
        standing: its table and its next pairings.
        matches: that it looks at, the latest last.
    """

    name: str
    format: Format
    category: Category
    first_night: date
    last_night: date
    standing: Standing
    matches: Sequence[int]


def make_event(
    db: Connection,
    name: str,
    format_: str,
    category: Category,
    entrants: Sequence[str],
    first_night: date,
    last_night: date,
) -> int:
    """Makes an event; returns its id.

    Raises:
        LeagueError: for a value that is not allowed.
    """
    if format_ not in list(Format):
        raise LeagueError(f"--format: {quoted(format_)} is not allowed; allowed are {', '.join(Format)}")
    if not 1 <= len(name) <= 60 or not name.isprintable():
        raise LeagueError(f"{quoted(name)} is not allowed; allowed are up to 60 characters for an event")
    for initials in entrants:
        if not INITIALS.fullmatch(initials):
            raise LeagueError(
                f"--entrants: {quoted(initials)} is not allowed; allowed are three letters A-Z each"
            )
    if not 2 <= len(entrants) <= MOST_ENTRANTS or len(set(entrants)) < len(entrants):
        raise LeagueError(f"--entrants: allowed are 2 to {MOST_ENTRANTS} different initials")
    if last_night < first_night:
        raise LeagueError("--last-night: allowed is the first night or a later one")
    if profile_of(category) is None or not 1 <= category.rounds <= MAX_ROUNDS_AT_THE_BOX:
        raise LeagueError(f"--tiles, --rounds: no box offers {category.game} so")
    values = {
        "name": name,
        "format": format_,
        "category_id": category_id(db, category),
        "first_night": first_night,
        "last_night": last_night,
    }
    # The nights of an event may have begun.
    in_time = (MATCH.c.category_id == values["category_id"]) & (MATCH.c.night >= first_night)
    first = db.execute(select(func.min(MATCH.c.id)).where(in_time)).scalar()
    last = db.execute(select(func.max(MATCH.c.id))).scalar() or 0
    values["after_match"] = last if first is None else first - 1
    event_id = int(db.execute(insert(EVENT).returning(EVENT.c.id), values).scalar_one())
    db.execute(
        insert(ENTRANT),
        [{"event_id": event_id, "position": i, "initials": name} for i, name in enumerate(entrants, 1)],
    )
    return event_id


def read_event(db: Connection, event_id: int, tonight: date) -> Event | None:
    """An event as it stands; None if there is none."""
    found = db.execute(select(EVENT).where(EVENT.c.id == event_id)).first()
    if found is None:
        return None
    entrants = list(
        db.execute(
            select(ENTRANT.c.initials).where(ENTRANT.c.event_id == event_id).order_by(ENTRANT.c.position)
        ).scalars()
    )
    format_, category = Format(found.format), read_category(db, found.category_id)
    assert category is not None, "an event's category stays"
    seats = _seats(db, found, entrants)
    if format_ is Format.BEST_OF_NIGHT:
        highest, totals = highest_wins(category.game), dict[str, int]()
        for seat in seats:
            best = totals.get(seat.initials, seat.total)
            totals[seat.initials] = (max if highest else min)(best, seat.total)
        standing = best_of_night(entrants, totals, highest=highest, over=tonight > found.last_night)
        ids = list(dict.fromkeys(seat.id for seat in seats))
    else:
        games = _games(seats)
        standing, ids = _RULES[format_](entrants, list(games.values())), list(games)
    nights = found.first_night, found.last_night
    return Event(found.name, format_, category, *nights, standing, ids[-_LATEST:])


def event_names(db: Connection, most: int = 100) -> Sequence[tuple[int, str]]:
    """The newest events, the newest first."""
    newest = select(EVENT.c.id, EVENT.c.name).order_by(EVENT.c.id.desc()).limit(most)
    return [(row.id, row.name) for row in db.execute(newest)]


def _seats(db: Connection, event: Row[Any], entrants: Sequence[str]) -> list[Row[Any]]:
    """The entrants' seats in matches that count, in the order in which these ended.

    A box may send any number of matches of an entrant. So each entrant's are found by an index, some of them.
    """
    ids = set[int]()
    for initials in entrants:
        of_entrant = (SEAT.c.initials == initials) & (SEAT.c.match_id > event.after_match)
        some = select(SEAT.c.match_id).where(of_entrant).order_by(SEAT.c.match_id).limit(MOST_MATCHES)
        ids.update(db.execute(some).scalars())
    seats = (
        select(MATCH.c.id, MATCH.c.ended_s, MATCH.c.players, SEAT.c.initials, SEAT.c.place, SEAT.c.total)
        .join(SEAT, SEAT.c.match_id == MATCH.c.id)
        .where(
            MATCH.c.category_id == event.category_id, MATCH.c.unranked == "",
            MATCH.c.night.between(event.first_night, event.last_night),
            SEAT.c.confirmed, SEAT.c.total.is_not(None), SEAT.c.initials.in_(entrants),
        )
        .order_by(MATCH.c.id, SEAT.c.seat)
    )  # fmt: skip
    found = list[Any]()
    ordered = sorted(ids)
    for begin in range(0, len(ordered), _AT_ONCE):
        found += db.execute(seats.where(MATCH.c.id.in_(ordered[begin : begin + _AT_ONCE]))).all()
    return sorted(found, key=lambda seat: seat.ended_s)


def _games(seats: Sequence[Row[Any]]) -> dict[int, Game]:
    """The matches between two entrants."""
    games = {}
    for match_id, table in groupby((seat for seat in seats if seat.players == 2), key=lambda seat: seat.id):
        places = {seat.initials: seat.place for seat in table}
        if len(places) == 2:
            (first, first_place), (second, second_place) = places.items()
            winner = None if first_place == second_place else first if first_place == 1 else second
            games[match_id] = Game(first, second, winner)
    return games
