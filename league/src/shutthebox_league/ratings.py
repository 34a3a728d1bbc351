"""Ratings of all players, one period a night, from ranked matches of every game.

The players of a table are compared in pairs, by their places. A match that arrives late changes its night
and all nights after it, which are rated anew.
"""

from collections import defaultdict
from datetime import date

from sqlalchemy import Connection, Engine, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from shutthebox_league.glicko2 import Rating, rate
from shutthebox_league.schema import MATCH, RATING, SEAT

_MOST = 500  # matches, below the variables that a statement of SQLite may have


def rate_new(engine: Engine) -> bool:
    """Rates the nights whose matches have changed; False if none have, or another consumer does it.

    Raises:
        SQLAlchemyError: if the database is away.
    """
    with engine.connect().execution_options(reads=True) as db:
        changed = db.execute(
            select(MATCH.c.id, MATCH.c.night).where(MATCH.c.rated.is_(False)).limit(_MOST)
        ).all()
    if not changed:
        return False
    try:
        with engine.begin() as db:
            # Before the matches are read: later changes are rated next time.
            ids = [row.id for row in changed]
            db.execute(update(MATCH).where(MATCH.c.id.in_(ids)).values(rated=True))
            _rate_from(db, min(row.night for row in changed))
    except IntegrityError:
        return False
    return True


def ratings_before(db: Connection, night: date) -> dict[str, tuple[date, Rating]]:
    """The latest rating of everybody before a night, and the night it is of."""
    latest = (
        select(RATING.c.initials, func.max(RATING.c.night).label("night"))
        .where(RATING.c.night < night)
        .group_by(RATING.c.initials)
        .subquery()
    )
    joined = (RATING.c.initials == latest.c.initials) & (RATING.c.night == latest.c.night)
    found = db.execute(select(RATING).join(latest, joined)).all()
    return {row.initials: (row.night, Rating(row.rating, row.deviation, row.volatility)) for row in found}


def _rate_from(db: Connection, first: date) -> None:
    db.execute(delete(RATING).where(RATING.c.night >= first))
    rows = db.execute(
        select(MATCH.c.night, MATCH.c.id, SEAT.c.initials, SEAT.c.place)
        .join(SEAT, SEAT.c.match_id == MATCH.c.id)
        .where(
            MATCH.c.night >= first, MATCH.c.unranked == "", SEAT.c.initials.is_not(None),
            SEAT.c.confirmed, SEAT.c.place > 0, SEAT.c.computer.is_(False),
        )
    ).all()  # fmt: skip
    tables: dict[date, dict[int, list[tuple[str, int]]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        tables[row.night][row.id].append((row.initials, row.place))
    known = ratings_before(db, first)
    for night in sorted(tables):
        before: dict[str, Rating] = {}
        results: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for players in tables[night].values():
            for initials, place in players:
                for other, other_place in players:
                    if other != initials:
                        results[initials].append(
                            (other, (1 + (place < other_place) - (place > other_place)) / 2)
                        )
        for initials in results:
            since, rating = known.get(initials, (night, Rating()))
            # The night itself is a period too, and `rate` counts it.
            before[initials] = rating.idle(max((night - since).days - 1, 0))
        for initials, of_player in results.items():
            new = rate(before[initials], [(before[other], score) for other, score in of_player])
            known[initials] = (night, new)
            db.execute(
                insert(RATING).values(
                    night=night, initials=initials, rating=new.rating,
                    deviation=new.deviation, volatility=new.volatility,
                )
            )  # fmt: skip
