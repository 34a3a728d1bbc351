"""Ratings of all players by the places of whole tables (Weng and Lin), one match at a time.

A match is rated when all its seats are signed and confirmed or had time for it, in the order in which matches
come to that. Where a match was made void or put back, the ones after it are rated again, in the same order.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from openskill.models import PlackettLuce
from sqlalchemy import ColumnElement, Connection, Row, bindparam, delete, func, select, update

from shutthebox_league.database import one_of, upsert
from shutthebox_league.schema import MATCH, RATING, SEAT

SIGNING_S = 3600
"""How long a match waits for its signatures before it is rated without them."""

CONFIRMING_S = 14 * 24 * 3600
"""How long a match waits for a seat to be confirmed."""

_AGAIN = 100
"""Matches that are rated again in one transaction."""

_Rating: TypeAlias = tuple[float, float]
"""Mean and standard deviation."""

_MODEL = PlackettLuce()
_NEWCOMER: _Rating = (_MODEL.rating().mu, _MODEL.rating().sigma)
_CHANGED = (MATCH.c.due_s == 0) & (MATCH.c.rated > 0)
_SEATS = (
    select(SEAT.c.match_id, SEAT.c.seat, SEAT.c.initials, SEAT.c.place, SEAT.c.mu, SEAT.c.sigma)
    .where(
        (SEAT.c.initials.is_not(None) & SEAT.c.confirmed) | SEAT.c.mu.is_not(None),
        SEAT.c.place > 0,
        SEAT.c.computer.is_(False),
    )
    .order_by(SEAT.c.match_id, SEAT.c.initials, SEAT.c.seat)
)
"""Seats that are rated."""

_KEEP_BEFORE = (
    update(SEAT)
    .where(SEAT.c.match_id == bindparam("of_match"), SEAT.c.seat == bindparam("of_seat"))
    .values(mu=bindparam("mu"), sigma=bindparam("sigma"))
)


def due_s(db: Connection, match_ids: Collection[int], now_s: int) -> dict[int, int]:
    """When ranked matches are to be rated: now, or once there was time to sign and confirm their seats."""
    due = dict.fromkeys(match_ids, now_s)
    columns = [SEAT.c.match_id, SEAT.c.initials, SEAT.c.confirmed, SEAT.c.computer, SEAT.c.total]
    for seat in db.execute(select(*columns).where(SEAT.c.match_id.in_(due))):
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
    if found.due_s is None or found.rated:
        return
    number = (db.execute(select(func.max(MATCH.c.rated))).scalar() or 0) + 1
    db.execute(update(MATCH).where(MATCH.c.id == match_id).values(due_s=None, rated=number))
    seats: list[Row[Any]] = list(db.execute(_SEATS.where(SEAT.c.match_id == match_id)))
    who = [seat.initials for seat in seats if seat.initials]
    query = select(RATING).where(RATING.c.initials.in_(who)).order_by(RATING.c.initials).with_for_update()
    ratings = {row.initials: (row.mu, row.sigma) for row in db.execute(query)}
    if changed := _before(seats, ratings):
        db.execute(_KEEP_BEFORE, changed)
    _keep(db, _after(seats, ratings))


@dataclass(frozen=True, slots=True)
class Rerating:
    """Rates again everything since the earliest match that was made void or put back, some matches at a time.

    The league's ratings change at its end. Until then, new matches are rated by those of before, and it comes
    to them too. What is made void behind it waits for the next one: however often that happens, one goes on.

    Attributes:
        at: the last match rated again, in the order of rating.
        ratings: after it, of everybody who was in a match so far.
        covered: changed matches that it came past, each with whether it was void.
    """

    at: int
    ratings: Mapping[str, _Rating]
    covered: Mapping[int, bool]


def leave_out(db: Connection, initials: str, pub_id: int) -> None:
    """Takes what the matches of a pub have changed out of a player's rating, before they are forgotten there.

    Nothing tells afterwards whose seats they were, so what was forged there could never be taken back.
    """
    columns = (SEAT.c.match_id, SEAT.c.seat, SEAT.c.mu, SEAT.c.sigma, MATCH.c.pub_id)
    joined = select(*columns).join(MATCH, MATCH.c.id == SEAT.c.match_id)
    own = joined.where(SEAT.c.initials == initials, SEAT.c.mu.is_not(None)).order_by(MATCH.c.rated)
    now = db.execute(select(RATING).where(RATING.c.initials == initials)).first()
    if now is None:
        return
    more, times, changed = 0.0, 1.0, list[dict[str, Any]]()
    for seat, after in pairwise([*db.execute(own), now]):
        if seat.pub_id == pub_id:
            more += seat.mu - after.mu
            times *= seat.sigma / after.sigma
        before = {"mu": after.mu + more, "sigma": after.sigma * times}
        if after is now:
            _keep(db, {initials: (before["mu"], before["sigma"])})
        elif after.pub_id != pub_id and more:
            changed.append({"of_match": after.match_id, "of_seat": after.seat, **before})
    if changed:
        db.execute(_KEEP_BEFORE, changed)


def mark_changed(db: Connection, which: ColumnElement[bool]) -> None:
    """Has ratings since these matches made again, which were made void or put back."""
    db.execute(update(MATCH).where(which, MATCH.c.rated > 0).values(due_s=0))


def has_changed(db: Connection) -> bool:
    """Whether ratings are to be made again."""
    return db.execute(select(MATCH.c.id).where(_CHANGED).limit(1)).first() is not None


def rate_again(db: Connection, going: Rerating | None) -> Rerating | None:
    """Begins to rate again, goes on with it or ends it. The caller has locked the books.

    Args:
        db: the league's database, in a transaction.
        going: what it returned before.

    Returns:
        What it is called with next; None if there's no more to do now.
    """
    first = db.execute(select(func.min(MATCH.c.rated)).where(_CHANGED)).scalar()
    if first is None:
        return None
    going = going or Rerating(first - 1, {}, {})
    next_ones = select(MATCH.c.id, MATCH.c.rated, MATCH.c.voided, MATCH.c.unrated, MATCH.c.due_s).where(
        MATCH.c.rated > going.at
    )
    matches = db.execute(next_ones.order_by(MATCH.c.rated).limit(_AGAIN)).all()
    if not matches:
        _end(db, going)
        return None
    seats: dict[int, list[Row[Any]]] = {row.id: [] for row in matches}
    of_all: list[Row[Any]] = list(db.execute(_SEATS.where(one_of(db, SEAT.c.match_id, seats))))
    for seat in of_all:
        seats[seat.match_id].append(seat)
    ratings, changed = dict(going.ratings), list[dict[str, Any]]()
    for row in matches:
        of_match, counts = seats[row.id], not (row.voided or row.unrated)
        for seat in of_match:
            if seat.initials and seat.initials not in ratings and (counts or seat.mu is not None):
                ratings[seat.initials] = _rating_at(db, seat, row.rated)
        if counts:
            changed += _before(of_match, ratings)
            ratings |= _after(of_match, ratings)
    if changed:
        db.execute(_KEEP_BEFORE, changed)
    covered = {row.id: row.voided > 0 for row in matches if row.due_s is not None}
    return Rerating(matches[-1].rated, ratings, {**going.covered, **covered})


def give_up_rating_again(db: Connection) -> None:
    """Leaves the ratings as they are."""
    db.execute(update(MATCH).where(_CHANGED).values(due_s=None))


def _rating_at(db: Connection, seat: Row[Any], rated: int) -> _Rating:
    """A player's rating before the first match that the run comes to; nothing has changed it yet."""
    if seat.mu is not None:
        return seat.mu, seat.sigma
    own = select(SEAT.c.mu, SEAT.c.sigma).join(MATCH, MATCH.c.id == SEAT.c.match_id)
    later = own.where(SEAT.c.initials == seat.initials, SEAT.c.mu.is_not(None), MATCH.c.rated > rated)
    now = select(RATING.c.mu, RATING.c.sigma).where(RATING.c.initials == seat.initials)
    # With a limit, PostgreSQL would look through all matches since then for one of theirs.
    found = db.execute(later.order_by(MATCH.c.rated)).first() or db.execute(now).first()
    return (found.mu, found.sigma) if found else _NEWCOMER


def _end(db: Connection, going: Rerating) -> None:
    now = {row.initials: (row.mu, row.sigma) for row in db.execute(select(RATING))}
    changed = {initials: found for initials, found in going.ratings.items() if found != now.get(initials)}
    newcomers = [initials for initials, found in changed.items() if found == _NEWCOMER]
    db.execute(delete(RATING).where(RATING.c.initials.in_(newcomers)))
    # Whoever was forgotten meanwhile has no seat any more.
    missing = set(changed).difference(now, newcomers)
    back = select(SEAT.c.initials).where(SEAT.c.initials.in_(missing), SEAT.c.mu.is_not(None)).distinct()
    stay = set(now).difference(newcomers).union(db.execute(back).scalars())
    _keep(db, {initials: changed[initials] for initials in stay.intersection(changed)})
    own = MATCH.c.id == bindparam("of_match")
    for void, same in ((True, MATCH.c.voided > 0), (False, MATCH.c.voided == 0)):
        matches = [{"of_match": match_id} for match_id, was_void in going.covered.items() if was_void == void]
        if matches:
            db.execute(update(MATCH).where(own, same).values(due_s=None), matches)
        if matches and void:
            # Ratings before them would be those of another history if they were put back.
            still = SEAT.c.match_id.in_(select(MATCH.c.id).where(own, same))
            db.execute(
                update(SEAT).where(still, SEAT.c.initials.is_not(None)).values(mu=None, sigma=None), matches
            )


def _after(seats: Sequence[Row[Any]], ratings: Mapping[str, _Rating]) -> dict[str, _Rating]:
    """The ratings of those at a table after their match."""
    if len(seats) < 2:
        return {}
    before = [[_MODEL.rating(*_rating_of(seat, ratings))] for seat in seats]
    rated = _MODEL.rate(before, ranks=[float(seat.place) for seat in seats])
    return {
        seat.initials: (after.mu, after.sigma)
        for seat, (after,) in zip(seats, rated, strict=True)
        if seat.initials
    }


def _before(seats: Sequence[Row[Any]], ratings: Mapping[str, _Rating]) -> list[dict[str, Any]]:
    """What seats have to keep, if they have other ratings from before their match than these."""
    return [
        {"of_match": seat.match_id, "of_seat": seat.seat, "mu": before[0], "sigma": before[1]}
        for seat in (seats if len(seats) > 1 else ())
        if (before := _rating_of(seat, ratings)) != (seat.mu, seat.sigma)
    ]


def _rating_of(seat: Row[Any], ratings: Mapping[str, _Rating]) -> _Rating:
    # A seat that was forgotten stays as strong as it was, so nobody else's rating changes.
    return ratings.get(seat.initials, _NEWCOMER) if seat.initials else (seat.mu, seat.sigma)


def _keep(db: Connection, ratings: Mapping[str, _Rating]) -> None:
    if not ratings:
        return
    row = upsert(db, RATING)
    rows = [
        {"initials": initials, "mu": mu, "sigma": sigma, "at_least": _MODEL.rating(mu, sigma).ordinal()}
        for initials, (mu, sigma) in sorted(ratings.items())
    ]
    new = {key: row.excluded[key] for key in ("mu", "sigma", "at_least")}
    db.execute(row.on_conflict_do_update(index_elements=[RATING.c.initials], set_=new), rows)
