"""What the store forgets, so that its file stays small however long the box is played on.

The latest matches are kept whole. Of those before them stays what they counted for: how many
there were, and who owes what; the dice and the levers are counted apart from matches anyway.
SQLite uses the room of what is deleted for what comes next, so the file needs no vacuum.
"""

import sqlite3
from fractions import Fraction

from shutthebox.platform.statistics import FAME, FAULTS

MATCHES = 5000
"""Matches that are kept whole, besides those in the hall of fame: some 5 MB, read once at the start."""


def forget(db: sqlite3.Connection) -> None:
    """Forgets the matches that are too old; called in the transaction that begins another."""
    old = db.execute(
        "select id from match where id <= (select max(id) from match) - ? and id not in"
        " (select match from result where initials is not null order by match desc limit ?)",
        (MATCHES - 1, FAME),
    ).fetchall()
    for (number,) in old:
        _forget_match(db, number)


def _forget_match(db: sqlite3.Connection, number: int) -> None:
    rows = db.execute(
        "select player, result.owes, owed.owes from result join match on match.id = result.match"
        " left join owed using (player) where match.id = ? and not settled",
        (number,),
    ).fetchall()
    db.executemany(
        "insert or replace into owed values (?, ?)",
        [(player, str(Fraction(owes) + Fraction(before or 0))) for player, owes, before in rows],
    )
    db.execute(
        "update forgotten set matches = matches + 1,"
        " finished = finished + exists (select 1 from result where match = ?)",
        (number,),
    )
    for table, key in (("action", "match"), ("result", "match"), ("match", "id")):
        db.execute(f"delete from {table} where {key} = ?", (number,))


def forget_faults(db: sqlite3.Connection) -> None:
    """Forgets all but the latest faults."""
    db.execute("delete from fault where id <= (select max(id) from fault) - ?", (FAULTS,))
