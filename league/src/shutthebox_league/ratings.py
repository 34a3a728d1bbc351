"""Ratings of all players by the places of whole tables (Weng and Lin), one match at a time.

A match is rated when all its seats are signed and confirmed or had time for it, in the order in which matches
come to that. Only where a match was made void are it and the ones after it rated again, in the same order.
"""

from collections.abc import Collection
from typing import Any

from openskill.models import PlackettLuce, PlackettLuceRating
from sqlalchemy import Connection, Row, delete, func, select, update

from shutthebox_league.database import upsert
from shutthebox_league.schema import MATCH, RATING, SEAT

SIGNING_S = 3600
"""How long a match waits for its signatures before it is rated without them."""

CONFIRMING_S = 14 * 24 * 3600
"""How long a match waits for a seat to be confirmed."""

_MODEL = PlackettLuce()


def due_s(db: Connection, match_ids: Collection[int], now_s: int) -> dict[int, int]:
    """When ranked matches are to be rated: now, or once there was time to sign and confirm their seats."""
    due = dict.fromkeys(match_ids, now_s)
    for seat in db.execute(select(SEAT).where(SEAT.c.match_id.in_(due))) if due else ():
        due[seat.match_id] = max(due[seat.match_id], now_s + wait_s(seat))
    return due


def wait_s(seat: Row[Any], initials: str | None = None, *, confirmed: bool = True) -> int:
    """How long a match waits for this seat, which may be about to be signed with initials."""
    if seat.computer or seat.total is None:
        return 0
    if not (confirmed if initials else seat.confirmed):
        return CONFIRMING_S
    return 0 if initials or seat.initials else SIGNING_S


def rate(db: Connection, match_id: int) -> None:
    """Rates the players of a match if it is still due. The caller has locked the books and the match."""
    found = db.execute(select(MATCH.c.rated, MATCH.c.due_s).where(MATCH.c.id == match_id)).one()
    if found.due_s is None:
        return
    number = found.rated or (db.execute(select(func.max(MATCH.c.rated))).scalar() or 0) + 1
    db.execute(update(MATCH).where(MATCH.c.id == match_id).values(due_s=None, rated=number))
    # A seat that was forgotten stays as strong as it was, so nobody else's rating changes.
    named = (SEAT.c.initials.is_not(None) & SEAT.c.confirmed) | SEAT.c.mu.is_not(None)
    seats = db.execute(
        select(SEAT.c.seat, SEAT.c.initials, SEAT.c.place, SEAT.c.mu, SEAT.c.sigma)
        .where(SEAT.c.match_id == match_id, named, SEAT.c.place > 0, SEAT.c.computer.is_(False))
        .order_by(SEAT.c.initials, SEAT.c.seat)
    ).all()
    if len(seats) < 2:
        return
    who = [seat.initials for seat in seats if seat.initials]
    known = {
        row.initials: row
        for row in db.execute(
            select(RATING).where(RATING.c.initials.in_(who)).order_by(RATING.c.initials).with_for_update()
        )
    }
    before = [
        [_MODEL.rating(row.mu, row.sigma) if (row := known.get(seat.initials)) else _MODEL.rating()]
        if seat.initials
        else [_MODEL.rating(seat.mu, seat.sigma)]
        for seat in seats
    ]
    rated = _MODEL.rate(before, ranks=[float(seat.place) for seat in seats])
    for seat, (was,), (after,) in zip(seats, before, rated, strict=True):
        if not seat.initials:
            continue
        of_seat = (SEAT.c.match_id == match_id) & (SEAT.c.seat == seat.seat)
        db.execute(update(SEAT).where(of_seat).values(mu=was.mu, sigma=was.sigma))
        _keep(db, seat.initials, after)


def rewind(db: Connection, first: int) -> None:
    """Resets all ratings to what they were before the `first` rated match; the matches since are due again.

    Until this is done, void matches have to keep their number and their seats' earlier ratings.
    """
    again = (MATCH.c.rated >= first) & MATCH.c.due_s.is_(None)
    earliest = (
        select(SEAT.c.initials, func.min(MATCH.c.rated).label("rated"))
        .join(MATCH, MATCH.c.id == SEAT.c.match_id)
        .where(again, SEAT.c.initials.is_not(None), SEAT.c.mu.is_not(None))
        .group_by(SEAT.c.initials)
        .subquery()
    )
    found = db.execute(
        select(SEAT.c.initials, SEAT.c.mu, SEAT.c.sigma)
        .join(MATCH, MATCH.c.id == SEAT.c.match_id)
        .join(earliest, (earliest.c.initials == SEAT.c.initials) & (earliest.c.rated == MATCH.c.rated))
        .where(again, SEAT.c.mu.is_not(None))
    ).all()
    newcomer = _MODEL.rating()
    for row in found:
        if (row.mu, row.sigma) == (newcomer.mu, newcomer.sigma):
            db.execute(delete(RATING).where(RATING.c.initials == row.initials))
        else:
            _keep(db, row.initials, _MODEL.rating(row.mu, row.sigma))
    due = again & (MATCH.c.voided == 0) & (MATCH.c.unrated == "")
    db.execute(update(MATCH).where(due).values(due_s=0))


def _keep(db: Connection, initials: str, rating: PlackettLuceRating) -> None:
    values = {"mu": rating.mu, "sigma": rating.sigma, "at_least": rating.ordinal()}
    row = upsert(db, RATING).values(initials=initials, **values)
    db.execute(row.on_conflict_do_update(index_elements=[RATING.c.initials], set_=values))
