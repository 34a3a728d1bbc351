"""Ratings of all players by the places of whole tables (Weng and Lin), one match at a time.

A match is rated once, when all its seats are signed and confirmed or had time for it, in the order in which
matches come to that. Nothing is ever rated again.
"""

from openskill.models import PlackettLuce
from sqlalchemy import Connection, select, update

from shutthebox_league.database import upsert
from shutthebox_league.schema import MATCH, RATING, SEAT

SIGNING_S = 3600
"""A match is rated when all its seats are signed and confirmed; if some are not signed, after so long."""

CONFIRMING_S = 14 * 24 * 3600
"""If a seat waits to be confirmed, after so long at the latest."""

_MODEL = PlackettLuce()


def due_s(db: Connection, match_id: int, now_s: int) -> int:
    """When a match that counts is to be rated: now, or when its seats had time to be signed and confirmed."""
    seats = db.execute(
        select(SEAT.c.initials, SEAT.c.confirmed).where(
            SEAT.c.match_id == match_id, SEAT.c.computer.is_(False), SEAT.c.total.is_not(None)
        )
    ).all()
    if not all(seat.confirmed for seat in seats):
        return now_s + CONFIRMING_S
    return now_s if all(seat.initials for seat in seats) else now_s + SIGNING_S


def rate(db: Connection, match_id: int) -> None:
    """Rates the players of a match and notes that it is done. The caller has locked the match."""
    db.execute(update(MATCH).where(MATCH.c.id == match_id).values(due_s=None))
    seats = db.execute(
        select(SEAT.c.initials, SEAT.c.place)
        .where(
            SEAT.c.match_id == match_id, SEAT.c.initials.is_not(None), SEAT.c.confirmed,
            SEAT.c.place > 0, SEAT.c.computer.is_(False),
        )
        .order_by(SEAT.c.initials)
    ).all()  # fmt: skip
    if len(seats) < 2:
        return
    who = [seat.initials for seat in seats]
    known = {
        row.initials: row
        for row in db.execute(
            select(RATING).where(RATING.c.initials.in_(who)).order_by(RATING.c.initials).with_for_update()
        )
    }
    before = [
        [_MODEL.rating(known[initials].mu, known[initials].sigma) if initials in known else _MODEL.rating()]
        for initials in who
    ]
    rated = _MODEL.rate(before, ranks=[float(seat.place) for seat in seats])
    for initials, (after,) in zip(who, rated, strict=True):
        values = {"mu": after.mu, "sigma": after.sigma, "at_least": after.ordinal()}
        row = upsert(db, RATING).values(initials=initials, **values)
        db.execute(row.on_conflict_do_update(index_elements=[RATING.c.initials], set_=values))
