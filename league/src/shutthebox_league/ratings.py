"""Ratings of all players by the places of whole tables (Weng and Lin), one match at a time.

A match is rated once all its seats are signed and confirmed, or have had time to be, in the order in which
matches get there. If one is voided or put back, the ones after it are rated again, in the same order.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from openskill.models import PlackettLuce
from sqlalchemy import ColumnElement, Connection, Row, Table, bindparam, delete, func, insert, select, update

from shutthebox_league.database import lock_books, one_of, upsert
from shutthebox_league.schema import IS_RERATED, MATCH, RATING, RERATED, RERATING, SEAT, TO_RERATE

SIGNING_S = 3600
"""How long a match waits for its signatures before it is rated without them."""

CONFIRMING_S = 14 * 24 * 3600
"""How long a match waits for a seat to be confirmed."""

MAX_MU = 1000.0
"""The limit of a mean, above and below 0, which only forged matches approach. From a few thousand up,
openskill's exponentials overflow, and nobody could be rated again."""

_AT_A_TIME = 100
"""How many matches are rated again in one transaction."""

_Rating: TypeAlias = tuple[float, float]
"""Mean and standard deviation."""

_MODEL = PlackettLuce()
_NEWCOMER: _Rating = (_MODEL.rating().mu, _MODEL.rating().sigma)
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

_STORE_BEFORE = (
    update(SEAT)
    .where(SEAT.c.match_id == bindparam("of_match"), SEAT.c.seat == bindparam("of_seat"))
    .values(mu=bindparam("mu"), sigma=bindparam("sigma"))
)


def set_due(db: Connection, which: ColumnElement[bool], now_s: int) -> None:
    """Schedules the rating of ranked matches: now, or once there was time to sign and confirm their seats."""
    due = dict[int, int]()
    columns = [SEAT.c.match_id, SEAT.c.initials, SEAT.c.confirmed, SEAT.c.computer, SEAT.c.total]
    seats = select(*columns).join(MATCH, MATCH.c.id == SEAT.c.match_id).where(which)
    for seat in db.execute(seats.execution_options(yield_per=1000)):
        due[seat.match_id] = max(due.get(seat.match_id, now_s), now_s + wait_s(seat))
    if due:
        rows = [{"of_match": match_id, "from_s": due_s} for match_id, due_s in due.items()]
        own = update(MATCH).where(MATCH.c.id == bindparam("of_match"))
        db.execute(own.values(due_s=bindparam("from_s")), rows)


def wait_s(seat: Row[Any], initials: str | None = None, *, confirmed: bool = True) -> int:
    """How long a match waits for this seat, which may be about to be signed with initials."""
    if seat.computer or seat.total is None:
        return 0
    if not (confirmed if initials else seat.confirmed):
        return CONFIRMING_S
    return 0 if initials or seat.initials else SIGNING_S


def rate(db: Connection, match_id: int, now_s: int) -> None:
    """Rates the players of a match if it is still due. The caller has locked the books and the match."""
    due_s = db.execute(select(MATCH.c.due_s).where(MATCH.c.id == match_id)).scalar_one()
    if due_s is None or due_s > now_s:
        return
    number = (db.execute(select(func.max(MATCH.c.rated))).scalar() or 0) + 1
    db.execute(update(MATCH).where(MATCH.c.id == match_id).values(due_s=None, rated=number))
    seats: list[Row[Any]] = list(db.execute(_SEATS.where(SEAT.c.match_id == match_id)))
    who = [seat.initials for seat in seats if seat.initials]
    query = select(RATING).where(RATING.c.initials.in_(who)).order_by(RATING.c.initials).with_for_update()
    ratings = {row.initials: (row.mu, row.sigma) for row in db.execute(query)}
    if changed := _changed_ratings_before(seats, ratings):
        db.execute(_STORE_BEFORE, changed)
    _store_ratings(db, _ratings_after(seats, ratings))


def leave_out(db: Connection, initials: str, pub_id: int) -> None:
    """Takes a pub's matches out of a player's rating, before the player is forgotten there.

    Afterwards nothing says whose seats they were, so forged results could never be taken back. A run
    of `rate_again` contains these matches, so it starts over.
    """
    db.execute(update(MATCH).where(IS_RERATED).values(to_rerate=True, rerated=False))
    _forget_run(db)
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
            _store_ratings(db, {initials: (before["mu"], before["sigma"])})
        elif after.pub_id != pub_id and more:
            changed.append({"of_match": after.match_id, "of_seat": after.seat, **before})
    if changed:
        db.execute(_STORE_BEFORE, changed)


def keep_strength(db: Connection, initials: str, pub_id: int | None) -> None:
    """Gives a rating to the seats that have none, as in void matches, before a player is forgotten there.

    Otherwise the others at the table would lose such a match in their ratings when it's put back.

    Args:
        db: the league's database.
        initials: of the player.
        pub_id: of the pub; None for the whole league.
    """
    columns = (SEAT.c.match_id, SEAT.c.seat, SEAT.c.mu, SEAT.c.sigma, MATCH.c.pub_id)
    own = (
        select(*columns)
        .join(MATCH, MATCH.c.id == SEAT.c.match_id)
        .where(SEAT.c.initials == initials, SEAT.c.confirmed, SEAT.c.place > 0, MATCH.c.rated.is_not(None))
        .order_by(MATCH.c.rated.desc())
    )
    now = db.execute(select(RATING).where(RATING.c.initials == initials)).first()
    mu, sigma = (now.mu, now.sigma) if now else _NEWCOMER
    changed = []
    for seat in db.execute(own):
        if seat.mu is not None:
            mu, sigma = seat.mu, seat.sigma
        elif pub_id in (None, seat.pub_id):
            changed.append({"of_match": seat.match_id, "of_seat": seat.seat, "mu": mu, "sigma": sigma})
    if changed:
        db.execute(_STORE_BEFORE, changed)


def mark_changed(db: Connection, which: ColumnElement[bool]) -> None:
    """Marks the ratings since these matches, which were voided or put back, to be computed again."""
    # The current run has passed them: their seats have ratings from the history before it.
    _clear_stored(db, which & IS_RERATED & (MATCH.c.voided == 0))
    db.execute(update(MATCH).where(which, MATCH.c.rated.is_not(None)).values(to_rerate=True, rerated=False))


def has_changed(db: Connection) -> bool:
    """Whether ratings have to be computed again, or are just being computed."""
    return (
        db.execute(select(MATCH.c.id).where(TO_RERATE).limit(1)).first() is not None
        or _rerated_up_to(db) is not None
    )


def rate_again(db: Connection) -> None:
    """Rates some more matches again, out of all since the earliest one that was voided or put back.

    The league's ratings change at the end of a run. Until then, new matches are rated by the old ones, and
    the run gets to them, too. Matches voided behind it wait for the next run, so a run always finishes. Its
    progress is in the database, so any reviewer can continue it, even after a restart. The caller has locked
    the books.
    """
    at = _rerated_up_to(db)
    if at is None:
        first = db.execute(select(func.min(MATCH.c.rated)).where(TO_RERATE)).scalar()
        if first is None:
            return
        at = first - 1
        db.execute(insert(RERATING).values(at=at))
    next_ones = select(MATCH.c.id, MATCH.c.rated, MATCH.c.voided, MATCH.c.unrated).where(MATCH.c.rated > at)
    matches = db.execute(next_ones.order_by(MATCH.c.rated).limit(_AT_A_TIME)).all()
    if not matches:
        _finish_run(db)
        return
    seats: dict[int, list[Row[Any]]] = {row.id: [] for row in matches}
    dialect, of_matches = db.dialect.name, {"matches": list(seats)}
    of_all: list[Row[Any]] = list(
        db.execute(_SEATS.where(one_of(dialect, SEAT.c.match_id, "matches")), of_matches)
    )
    for seat in of_all:
        seats[seat.match_id].append(seat)
    own = select(RERATED).where(one_of(dialect, RERATED.c.initials, "players"))
    names = list({seat.initials for seat in of_all if seat.initials})
    known = {row.initials: (row.mu, row.sigma) for row in db.execute(own, {"players": names})}
    ratings, changed = dict(known), list[dict[str, Any]]()
    for row in matches:
        of_match, counts = seats[row.id], not (row.voided or row.unrated)
        for seat in of_match:
            if seat.initials and seat.initials not in ratings and (counts or seat.mu is not None):
                ratings[seat.initials] = _rating_at(db, seat, row.rated)
        if counts:
            changed += _changed_ratings_before(of_match, ratings)
            ratings |= _ratings_after(of_match, ratings)
    if changed:
        db.execute(_STORE_BEFORE, changed)
    _upsert(
        db,
        RERATED,
        [
            {"initials": initials, "mu": found[0], "sigma": found[1]}
            for initials, found in sorted(ratings.items())
            if found != known.get(initials)
        ],
    )
    changed_ones = update(MATCH).where(one_of(dialect, MATCH.c.id, "matches"), TO_RERATE)
    db.execute(changed_ones.values(to_rerate=False, rerated=True), of_matches)
    db.execute(update(RERATING).values(at=matches[-1].rated))


def give_up_rating_again(db: Connection) -> None:
    """Leaves the ratings as they are. Locks the books."""
    lock_books(db)
    db.execute(update(MATCH).where(TO_RERATE | IS_RERATED).values(to_rerate=False, rerated=False))
    _forget_run(db)


def _rerated_up_to(db: Connection) -> int | None:
    """The last match rated again, in the order of rating; None if nothing is being rated again."""
    return db.execute(select(RERATING.c.at)).scalar()


def _forget_run(db: Connection) -> None:
    for table in (RERATED, RERATING):
        db.execute(delete(table))


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


def _finish_run(db: Connection) -> None:
    now, found = (
        {row.initials: (row.mu, row.sigma) for row in db.execute(select(table))}
        for table in (RATING, RERATED)
    )
    changed = {initials: rating for initials, rating in found.items() if rating != now.get(initials)}
    newcomers = [initials for initials, rating in changed.items() if rating == _NEWCOMER]
    db.execute(delete(RATING).where(RATING.c.initials.in_(newcomers)))
    _store_ratings(db, {initials: changed[initials] for initials in set(changed).difference(newcomers)})
    # If they were put back, the ratings stored with them would be from another history.
    _clear_stored(db, IS_RERATED & (MATCH.c.voided > 0))
    db.execute(update(MATCH).where(IS_RERATED).values(rerated=False))
    _forget_run(db)


def _clear_stored(db: Connection, which: ColumnElement[bool]) -> None:
    """Deletes the ratings from before these matches, but for seats that only they tell the strength of."""
    own = SEAT.c.match_id.in_(select(MATCH.c.id).where(which))
    db.execute(update(SEAT).where(own, SEAT.c.initials.is_not(None)).values(mu=None, sigma=None))


def _ratings_after(seats: Sequence[Row[Any]], ratings: Mapping[str, _Rating]) -> dict[str, _Rating]:
    """The ratings of those at a table after their match."""
    if len(seats) < 2:
        return {}
    before = [[_MODEL.rating(*_rating_of(seat, ratings))] for seat in seats]
    rated = _MODEL.rate(before, ranks=[float(seat.place) for seat in seats])
    return {
        seat.initials: (max(-MAX_MU, min(after.mu, MAX_MU)), after.sigma)
        for seat, (after,) in zip(seats, rated, strict=True)
        if seat.initials
    }


def _changed_ratings_before(
    seats: Sequence[Row[Any]], ratings: Mapping[str, _Rating]
) -> list[dict[str, Any]]:
    """The ratings before a match that its seats have to store, where they differ from the stored ones."""
    return [
        {"of_match": seat.match_id, "of_seat": seat.seat, "mu": before[0], "sigma": before[1]}
        for seat in (seats if len(seats) > 1 else ())
        if (before := _rating_of(seat, ratings)) != (seat.mu, seat.sigma)
    ]


def _rating_of(seat: Row[Any], ratings: Mapping[str, _Rating]) -> _Rating:
    # A seat that was forgotten stays as strong as it was, so nobody else's rating changes.
    return ratings.get(seat.initials, _NEWCOMER) if seat.initials else (seat.mu, seat.sigma)


def _store_ratings(db: Connection, ratings: Mapping[str, _Rating]) -> None:
    _upsert(
        db,
        RATING,
        [
            {"initials": initials, "mu": mu, "sigma": sigma, "at_least": _MODEL.rating(mu, sigma).ordinal()}
            for initials, (mu, sigma) in sorted(ratings.items())
        ],
    )


def _upsert(db: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    if not rows:
        return
    row = upsert(db, table)
    new = {key: row.excluded[key] for key in rows[0] if key != "initials"}
    db.execute(row.on_conflict_do_update(index_elements=[table.c.initials], set_=new), rows)
