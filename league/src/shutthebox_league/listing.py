"""Lists for the operator, as text or JSON."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any, NamedTuple, TypeAlias

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

_FormatTime: TypeAlias = Callable[[int], str]


class _Listing(NamedTuple):
    rows: Callable[[Connection], Sequence[Any]]
    line: Callable[[Any, _FormatTime], str]


def _key_line(row: Any, when: _FormatTime) -> str:  # noqa: ANN401  (a row)
    revoked = "" if row.revoked_s is None else f"  revoked {when(row.revoked_s)}"
    return f"{row.name}  {row.pub}  enrolled {when(row.enrolled_s)}{revoked}"


def _event_line(row: Any, when: _FormatTime) -> str:  # noqa: ANN401  (a row)
    nights = f"{row.first_night} to {row.last_night}, closes {when(row.closes_s)}"
    return f"{row.id}  {row.name}  {row.format}  {nights}"


def _voiding_line(row: Any, when: _FormatTime) -> str:  # noqa: ANN401  (a row)
    who = f"by the landlord of {row.pub}" if row.pub else "by the operator"
    undone = "" if row.undone_s is None else f"  undone {when(row.undone_s)}"
    return f"{row.id}  {when(row.made_s)}  {row.what}: {row.matches} matches, {who}{undone}"


LISTS: Mapping[str, _Listing] = {
    "keys": _Listing(lambda db: db.execute(_KEYS).all(), _key_line),
    "boxes": _Listing(lambda db: db.execute(_BOXES).all(), lambda row, when: f"{row.name}  {row.pub}"),
    "pubs": _Listing(lambda db: db.execute(_PUBS).all(), lambda row, when: f"{row.name}  /pub/{row.slug}"),
    "events": _Listing(lambda db: db.execute(_EVENTS).all(), _event_line),
    "voidings": _Listing(lambda db: voidings(db, most=1000), _voiding_line),
}
"""Everything that can be listed, in the order of names or the latest first."""


def list_rows(db: Connection, what: str) -> list[dict[str, Any]]:
    """The rows of one of `LISTS`, for JSON; times are seconds since 1970."""
    return [row._asdict() for row in LISTS[what].rows(db)]


def list_lines(db: Connection, what: str, zone: tzinfo) -> Iterator[str]:
    """The rows of one of `LISTS` as lines for people."""

    def when(time_s: int) -> str:
        return f"{datetime.fromtimestamp(time_s, UTC).astimezone(zone):%Y-%m-%d %H:%M}"

    for row in LISTS[what].rows(db):
        yield LISTS[what].line(row, when)
