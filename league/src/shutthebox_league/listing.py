"""Lists for the operator, as text or JSON."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any

from sqlalchemy import Connection, select

from shutthebox_league.schema import BOX, EVENT, KEY, PUB
from shutthebox_league.voiding import voidings

_KEYS = (
    select(KEY.c.name, PUB.c.name.label("pub"), KEY.c.enrolled_s, KEY.c.revoked_s)
    .join(BOX, BOX.c.id == KEY.c.box_id)
    .join(PUB, PUB.c.id == BOX.c.pub_id)
    .order_by(KEY.c.name)
)
_BOXES = select(BOX.c.name, PUB.c.name.label("pub")).join(PUB, PUB.c.id == BOX.c.pub_id).order_by(BOX.c.name)
_PUBS = select(PUB.c.name, PUB.c.slug).order_by(PUB.c.name)
_EVENTS = select(
    EVENT.c.id, EVENT.c.name, EVENT.c.format, EVENT.c.first_night, EVENT.c.last_night, EVENT.c.closes_s
).order_by(EVENT.c.id.desc())

LISTS: Mapping[str, Callable[[Connection], Sequence[Any]]] = {
    "keys": lambda db: db.execute(_KEYS).all(),
    "boxes": lambda db: db.execute(_BOXES).all(),
    "pubs": lambda db: db.execute(_PUBS).all(),
    "events": lambda db: db.execute(_EVENTS).all(),
    "voidings": lambda db: voidings(db, most=1000),
}
"""Everything that can be listed, in the order of names or the latest first."""


def list_rows(db: Connection, what: str) -> list[dict[str, Any]]:
    """The rows of one of `LISTS`, for JSON; times are seconds since 1970."""
    return [row._asdict() for row in LISTS[what](db)]


def list_lines(db: Connection, what: str, zone: tzinfo) -> Iterator[str]:
    """The rows of one of `LISTS` as lines for people."""

    def when(time_s: int | None, said: str = "") -> str:
        if time_s is None:
            return ""
        return f"{said}{datetime.fromtimestamp(time_s, UTC).astimezone(zone):%Y-%m-%d %H:%M}"

    for row in LISTS[what](db):
        match what:
            case "keys":
                revoked = when(row.revoked_s, "  revoked ")
                yield f"{row.name}  {row.pub}  enrolled {when(row.enrolled_s)}{revoked}"
            case "boxes":
                yield f"{row.name}  {row.pub}"
            case "pubs":
                yield f"{row.name}  /pub/{row.slug}"
            case "events":
                nights = f"{row.first_night} to {row.last_night}, closes {when(row.closes_s)}"
                yield f"{row.id}  {row.name}  {row.format}  {nights}"
            case "voidings":
                who = f"by the landlord of {row.pub}" if row.pub else "by the operator"
                undone = when(row.undone_s, "  undone ")
                yield f"{row.id}  {when(row.made_s)}  {row.what}: {row.matches} matches, {who}{undone}"
