"""Lists for the operator: what there is, a line each."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, tzinfo

from sqlalchemy import Connection, select

from shutthebox_league.schema import BOX, EVENT, KEY, PUB
from shutthebox_league.voiding import voidings

When = Callable[[int], str]


def listed(db: Connection, what: str, zone: tzinfo) -> Iterator[str]:
    """The lines of one of `LISTS`, in the order of names, or the latest first."""
    return LISTS[what](
        db, lambda time_s: datetime.fromtimestamp(time_s, UTC).astimezone(zone).strftime("%Y-%m-%d %H:%M")
    )


def _keys(db: Connection, when: When) -> Iterator[str]:
    query = select(KEY, PUB.c.name.label("pub")).join(BOX, BOX.c.id == KEY.c.box_id)
    for row in db.execute(query.join(PUB, PUB.c.id == BOX.c.pub_id).order_by(KEY.c.name)):
        revoked = "" if row.revoked_s is None else f"  revoked {when(row.revoked_s)}"
        yield f"{row.name}  {row.pub}  enrolled {when(row.enrolled_s)}{revoked}"


def _boxes(db: Connection, when: When) -> Iterator[str]:
    query = select(BOX.c.name, PUB.c.name.label("pub")).join(PUB, PUB.c.id == BOX.c.pub_id)
    for row in db.execute(query.order_by(BOX.c.name)):
        yield f"{row.name}  {row.pub}"


def _pubs(db: Connection, when: When) -> Iterator[str]:
    for row in db.execute(select(PUB.c.name, PUB.c.slug).order_by(PUB.c.name)):
        yield f"{row.name}  /pub/{row.slug}"


def _events(db: Connection, when: When) -> Iterator[str]:
    for row in db.execute(select(EVENT).order_by(EVENT.c.id.desc())):
        nights = f"{row.first_night} to {row.last_night}"
        yield f"{row.id}  {row.name}  {row.format}  {nights}, closes {when(row.closes_s)}"


def _voidings(db: Connection, when: When) -> Iterator[str]:
    for row in voidings(db, most=1000):
        undone = "" if row.undone_s is None else f"  undone {when(row.undone_s)}"
        who = f"by the landlord of {row.pub}" if row.pub else "by the operator"
        yield f"{row.id}  {when(row.made_s)}  {row.what}: {row.matches} matches, {who}{undone}"


LISTS: Mapping[str, Callable[[Connection, When], Iterator[str]]] = {
    "keys": _keys,
    "boxes": _boxes,
    "pubs": _pubs,
    "events": _events,
    "voidings": _voidings,
}
"""What can be listed."""
