"""Deletes old matches and faults, so that the store's file stays small for ever.

The latest matches are kept whole. Of older ones only their number is kept; dice and levers have counts of
their own. Stakes are owed for one evening only, so none are kept.
SQLite uses the space of deleted rows for new ones, so the file needs no vacuum.
"""

import sqlite3

from shutthebox.adapters.store.chain import forget_facts, reseal
from shutthebox.adapters.store.queries import FAME, KEPT_FAULTS, counts

KEPT_MATCHES = 5000
"""Matches that are kept whole, besides those in the hall of fame: some 6 MB, read once at the start."""

AT_ONCE = 4
"""Matches deleted at most when one begins, so that no fact waits long."""

OLD = (
    "id <= (select max(id) from match) - :matches and id not in"
    " (select match from result where initials is not null order by match desc limit :fame)"
)
"""In SQL, with `bounds`: the matches that are not kept whole."""


def bounds() -> dict[str, int]:
    """The values for the placeholders of `OLD`."""
    return {"matches": KEPT_MATCHES, "fame": FAME}


def forget(db: sqlite3.Connection) -> None:
    """Forgets matches that are too old, the oldest first; called in the transaction that begins another."""
    old = db.execute(
        f"select id from match where {OLD} order by id limit :most", {**bounds(), "most": AT_ONCE}
    ).fetchall()
    for (number,) in old:
        _forget_match(db, number)


def _forget_match(db: sqlite3.Connection, number: int) -> None:
    first, end = db.execute(
        "select first, (select min(later.first) from match as later where later.id > match.id)"
        " from match where id = ?",
        (number,),
    ).fetchone()
    counted = counts(db, "id = ?", (number,))
    db.execute(
        f"update forgotten set {', '.join(f'{column} = {column} + :{column}' for column in counted)}", counted
    )
    forget_facts(db, first, end - 1)
    reseal(db, "forgotten")
    for table, key in (("result", "match"), ("match", "id")):
        db.execute(f"delete from {table} where {key} = ?", (number,))


def forget_faults(db: sqlite3.Connection) -> None:
    """Forgets all but the latest faults."""
    db.execute("delete from fault where id <= (select max(id) from fault) - ?", (KEPT_FAULTS,))
