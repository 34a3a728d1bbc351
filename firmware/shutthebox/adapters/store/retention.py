"""Forgets old matches, so that the store's file stays small.

The latest matches are kept whole, and so are those in the hall of fame. The checkpoint at the beginning of
the chain sums up the others. SQLite reuses the space of deleted rows, so the file needs no vacuum.
"""

import sqlite3

from shutthebox.adapters.store.chain import Checkpoint, read_checkpoint, read_facts
from shutthebox.adapters.store.errors import UNREADABLE
from shutthebox.adapters.store.schema import in_memory
from shutthebox.adapters.store.stored_facts import fact_from_text
from shutthebox.adapters.store.tables import Tables

KEPT_MATCHES = 5000
"""Matches kept whole, besides those in the hall of fame: some 6 MB, read once at startup."""

FAME = 10
"""Results in the hall of fame."""

AT_ONCE = 4
"""Matches forgotten at a time: few enough to be quick, and enough to keep checkpoints rare."""

_OLD = """
select id, first, (select min(later.first) - 1 from match as later where later.id > match.id) from match
where id <= (select max(id) from match) - ?
    and id not in (select match from result where initials is not null order by match desc limit ?)
order by id limit ?
"""
"""Matches to forget, with the numbers of their first and last fact."""


def forget(db: sqlite3.Connection) -> None:
    """Forgets the oldest matches once enough are too old. Call it in the transaction that begins another.

    Matches after a damaged fact stay, so that the verification can report it.

    Raises:
        sqlite3.Error: if the store can't be read or written.
    """
    old = db.execute(_OLD, (KEPT_MATCHES, FAME, AT_ONCE)).fetchall()
    if len(old) < AT_ONCE:
        return
    try:
        before = read_checkpoint(db)
        number, head = max(before.number, old[-1][-1]), before.head
        with in_memory() as cache:
            tables = Tables(cache, before)
            for fact in read_facts(db, before, before.number):
                if fact.number > number:
                    break
                if fact.missing or not fact.good:
                    return
                tables.apply(fact.number, fact_from_text(fact.text))
            sums = tables.sums()
    except UNREADABLE:
        return
    if number > before.number:
        (head,) = db.execute("select checksum from fact where number = ?", (number,)).fetchone()
    # Facts before the first match belong to none.
    db.execute("delete from fact where number < (select min(first) from match)")
    for match, first, end in old:
        db.execute("delete from fact where number between ? and ?", (first, end))
        db.execute("delete from result where match = ?", (match,))
        db.execute("delete from match where id = ?", (match,))
    (facts,) = db.execute("select count(*) from fact where number <= ?", (number,)).fetchone()
    Checkpoint(number, head, facts, sums).write(db)
