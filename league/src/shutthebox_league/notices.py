"""Notices for the owner's page about a key or the league itself, one per kind and key."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, select

from shutthebox_league.database import upsert
from shutthebox_league.schema import BOX, KEY, NOTICE

CLOCK_IS_WRONG = "the league's clock is wrong"

SHOWN_S = 7 * 24 * 3600
"""How long a notice is shown after its cause was last seen."""

_MAX = 300


def notice(db: Connection, key_name: str, kind: str, text: str, now_s: int) -> None:
    """Notes something for the owner of a key's box; for everybody if the name is empty."""
    values = {"text": text[:_MAX], "last_s": now_s}
    row = upsert(db, NOTICE).values(key_name=key_name, kind=kind, first_s=now_s, **values)
    db.execute(row.on_conflict_do_update(index_elements=["key_name", "kind"], set_=values))


def has_notice(db: Connection, key_name: str, kind: str) -> bool:
    """Whether this kind has ever been noted for this key."""
    same = (NOTICE.c.key_name == key_name) & (NOTICE.c.kind == kind)
    return db.execute(select(NOTICE.c.kind).where(same)).first() is not None


def notices(db: Connection, pub_id: int, now_s: int) -> Sequence[Any]:
    """The league's notices, and those of the keys of a pub's boxes, each a row of `NOTICE`."""
    keys = select(KEY.c.name).join(BOX, BOX.c.id == KEY.c.box_id).where(BOX.c.pub_id == pub_id)
    return db.execute(
        select(NOTICE)
        .where(NOTICE.c.key_name.in_(keys) | (NOTICE.c.key_name == ""), NOTICE.c.last_s > now_s - SHOWN_S)
        .order_by(NOTICE.c.key_name, NOTICE.c.last_s.desc())
    ).all()
