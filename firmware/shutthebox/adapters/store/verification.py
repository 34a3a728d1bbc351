"""Compares a store with its checksums, and its tables with those that its facts make."""

import sqlite3
from collections.abc import Iterator
from itertools import islice

from shutthebox.adapters.store.chain import Head, read_checkpoint, read_facts
from shutthebox.adapters.store.tables import Tables

_MOST_COUNTED = 1000
"""Faults that are listed at most."""


def faults(db: sqlite3.Connection, mark: Head | None, *, most: int | None = None) -> Iterator[str]:
    """The faults of a store, in a few words each; none for a sound one.

    Args:
        db: of this version.
        mark: its head mark; None if there is none.
        most: facts to look at, the latest, and no table; None for all of it.

    Raises:
        sqlite3.Error: where it cannot be read.
        ValueError, TypeError, LookupError: what its facts say makes no sense.
    """
    (last,) = db.execute("select ifnull(max(number), 0) from fact").fetchone()
    try:
        checkpoint = read_checkpoint(db)
    except ValueError as error:
        yield str(error)
        return
    last = max(last, checkpoint.number)
    found = list(_against_mark(db, mark, last)) if mark is not None else []
    yield from found
    tables, kept, is_sound = Tables(checkpoint), 0, not found
    for fact in read_facts(db, checkpoint, 0 if most is None else max(0, last - most)):
        kept += fact.number <= checkpoint.number
        if fact.missing:
            yield _missing(fact.number - fact.missing, fact.number - 1)
        if not fact.good:
            yield f"fact {fact.number} was altered"
        is_sound &= fact.good and not fact.missing
        if is_sound and most is None:
            tables.apply(fact.number, fact.text)
    if most is None and kept != checkpoint.facts:
        yield f"{abs(kept - checkpoint.facts)} facts are missing, or are there though forgotten"
    elif most is None and is_sound:
        yield from tables.differences(db)


def first_fault(db: sqlite3.Connection, mark: Head | None, *, most: int | None = None) -> str | None:
    """The first fault in the words of `faults`, and how many more there are; None if there is none.

    Raises:
        sqlite3.Error, ValueError, TypeError, LookupError: as `faults`.
    """
    found = list(islice(faults(db, mark, most=most), _MOST_COUNTED))
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    return found[0] + more if found else None


def _against_mark(db: sqlite3.Connection, mark: Head, last: int) -> Iterator[str]:
    if mark.number > last:
        yield f"{_missing(last + 1, mark.number)} at the end"
        return
    row = db.execute("select checksum from fact where number = ?", (mark.number,)).fetchone()
    if row is not None and row[0] != mark.checksum:
        yield f"fact {mark.number} is not the one that was kept last"


def _missing(first: int, last: int) -> str:
    return f"fact {first} is missing" if first == last else f"facts {first} to {last} are missing"
