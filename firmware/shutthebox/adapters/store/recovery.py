"""Rebuilds a store's tables from its facts, to check them or to keep the good part of a damaged store.

From a damaged store, or one of an earlier version, only the chain is taken over: the checkpoint, and every
fact whose checksum is right. If a match has an altered or missing fact, the moves before it are kept, and so
are later facts that stand alone: its result, a signature.
"""

import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple, TypeVar

from shutthebox.adapters.store.chain import (
    Checkpoint,
    Head,
    RawFact,
    add,
    check_facts,
    head_of,
    read_checkpoint,
    read_facts,
)
from shutthebox.adapters.store.errors import UNREADABLE
from shutthebox.adapters.store.schema import in_memory
from shutthebox.adapters.store.stored_facts import (
    FactsLost,
    MatchBegun,
    MatchLeft,
    ResultSigned,
    StoredFact,
    conditions_text,
    fact_from_text,
    is_play,
    known_conditions,
)
from shutthebox.adapters.store.tables import CACHE, Tables, rows_of
from shutthebox.adapters.store.trust import trust
from shutthebox.rules.conditions import Conditions

_What = TypeVar("_What")


def first_fault(db: sqlite3.Connection, mark: Head | None, *, most: int | None = None) -> str | None:
    """The first fault of a store in a few words, and how many more there are; None if it's sound.

    Args:
        db: of this version.
        mark: its head mark; None if there's none.
        most: check only this many of the latest facts, and no tables; None for everything.

    Raises:
        sqlite3.Error: if it can't be read.
        ValueError, TypeError, LookupError, ArithmeticError: its facts make no sense.
    """
    try:
        checkpoint = read_checkpoint(db)
    except ValueError as error:
        return str(error)
    last = head_of(db).number
    found = list(_compare_with_mark(db, mark, last)) if mark is not None else []
    with in_memory() as built:
        tables, kept = Tables(built, checkpoint), 0
        for fact in read_facts(db, checkpoint, 0 if most is None else max(0, last - most)):
            kept += fact.number <= checkpoint.number
            if fact.missing:
                found.append(_missing(fact.number - fact.missing, fact.number - 1))
            if not fact.good:
                found.append(f"fact {fact.number} was altered")
            if most is None and not found:
                tables.apply(fact.number, fact_from_text(fact.text))
        if most is None and kept != checkpoint.facts:
            found.append(f"{abs(kept - checkpoint.facts)} facts are missing, or there although forgotten")
        if most is None and not found:
            for table in CACHE:
                wrong = {row[0] for row in {*rows_of(db, table)} ^ {*rows_of(built, table)}}
                found += (f"{table} {name} differs from the facts" for name in sorted(wrong, key=str))
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    return found[0] + more if found else None


def _compare_with_mark(db: sqlite3.Connection, mark: Head, last: int) -> Iterator[str]:
    if mark.number > last:
        yield f"{_missing(last + 1, mark.number)} at the end"
        return
    row = db.execute("select checksum from fact where number = ?", (mark.number,)).fetchone()
    if row is not None and row[0] != mark.checksum:
        yield f"fact {mark.number} is not the last one kept"


def _missing(first: int, last: int) -> str:
    return f"fact {first} is missing" if first == last else f"facts {first} to {last} are missing"


class Recovered(NamedTuple):
    """The good part of an old store.

    Attributes:
        content: of the new store's file.
        matches: kept, whole or in part.
        facts: in all.
        lost: known facts that couldn't be taken over.
    """

    content: bytes
    matches: int
    facts: int
    lost: int

    @property
    def in_words(self) -> str:
        """For the journal and for the owner."""
        good = f"the {self.facts} facts and {self.matches} matches that are good"
        return f"{good}, {self.lost} facts are lost" if self.lost else good


def good_part(store: Path, mark: Head | None) -> Recovered:
    """Makes a new store from everything trusted in another, whatever state its files are in.

    Args:
        store: its file, of any version; only read, with its log.
        mark: its head mark; None if there's none.

    Raises:
        ValueError: nothing in it comes from a store.
        OSError: it can't be read at all.
    """
    # Imported lazily to keep startup fast.
    from shutthebox.adapters.store.salvage import salvage

    checkpoint, facts = salvage(store)
    try:
        with in_memory() as new:
            Tables(new, checkpoint)
    except UNREADABLE:
        checkpoint = Checkpoint()
    with in_memory() as new:
        rebuild = Rebuild(new, checkpoint)
        rebuild.take(facts, mark)
        count = "select (select count(*) from match), (select count(*) from fact)"
        matches, kept = new.execute(count).fetchone()
        new.execute("commit")
        return Recovered(new.serialize(), matches, kept, rebuild.lost)


class Rebuild:
    """Copies the trusted facts of an old store into a new one, in order.

    Args:
        new: the new store.
        checkpoint: of the old one.

    Attributes:
        lost: how many couldn't be taken over.
    """

    def __init__(self, new: sqlite3.Connection, checkpoint: Checkpoint) -> None:
        self._new, self._checkpoint, self._tables = new, checkpoint, Tables(new, checkpoint)
        self.lost = self._unsaid = 0
        self._is_refused = False

    def take(self, facts: list[RawFact], mark: Head | None) -> None:
        """Copies the facts that are trusted.

        Args:
            facts: of the old store.
            mark: its head mark.
        """
        last = self._checkpoint.number
        behind = bisect_right(facts, last, key=itemgetter(0))
        self._copy_famous_matches(facts[:behind])
        for trusted in trust(check_facts(facts[behind:], self._checkpoint)):
            self._count_lost(trusted.lost)
            if trusted.fact is not None:
                self._take(trusted.fact, trusted.text)
        last = max(last, facts[-1][0] if facts else 0)
        if mark is not None and mark.number > last:
            self._count_lost(mark.number - last)
        self._say_what_is_lost()

    def _copy_famous_matches(self, facts: list[RawFact]) -> None:
        """Copies the matches that were kept despite the checkpoint, which are those in the hall of fame.

        Parts of forgotten matches may have turned up, too, and mustn't pass for whole ones.
        """
        matches: list[list[tuple[RawFact, StoredFact | None]]] = [[]]
        for raw, trusted in zip(facts, trust(check_facts(facts, self._checkpoint)), strict=True):
            if isinstance(trusted.fact, MatchBegun):
                matches.append([])
            matches[-1].append((raw, trusted.fact))
        kept = sum(len(match) for match in map(_signed_prefix, matches) if self._attempt(match, self._put))
        self.lost += max(0, self._checkpoint.facts - kept)
        if self._checkpoint.number:
            self._checkpoint._replace(facts=kept).write(self._new)

    def _put(self, match: list[tuple[RawFact, StoredFact]]) -> None:
        for (number, previous, raw, checksum), fact in match:
            self._tables.apply(number, fact)
            row = number, previous, (raw or b"").decode(), checksum
            self._new.execute("insert into fact values (?, ?, ?, ?)", row)

    def _take(self, fact: StoredFact, text: str) -> None:
        if isinstance(fact, MatchBegun):
            self._say_what_is_lost()
            self._is_refused = False
        elif self._is_refused and is_play(fact):
            self._count_lost(1)
            return
        elif isinstance(fact, MatchLeft) and (match := self._tables.match) and fact.match == match.id:
            self._say_what_is_lost()
        if not self._attempt((fact, text), self._add):
            self._is_refused = True
            self._count_lost(1)

    def _add(self, fact: tuple[StoredFact, str]) -> None:
        """Adds a fact byte for byte as it was written."""
        self._tables.apply(add(self._new, fact[1]), fact[0])

    def _attempt(self, what: _What, add_it: Callable[[_What], None]) -> bool:
        """Adds something wholly or not at all; returns whether it worked."""
        self._new.execute("savepoint before")
        try:
            add_it(what)
        except UNREADABLE:
            self._new.execute("rollback to before")
            return False
        finally:
            self._new.execute("release before")
        return True

    def _count_lost(self, facts: int) -> None:
        self.lost += facts
        if facts and (match := self._tables.match) and not self._tables.is_decided(match.id):
            self._unsaid += facts

    def _say_what_is_lost(self) -> None:
        """Adds a fact to the latest match that says how many it lost before it was over."""
        match, lost = self._tables.match, self._unsaid
        self._unsaid = 0
        if match is None or match.left or not lost:
            return
        known = known_conditions(match.conditions).joined(Conditions(lost=lost))
        fact = FactsLost(match.id, lost, conditions_text(known))
        self._add((fact, fact.to_text()))


def _signed_prefix(
    match: list[tuple[RawFact, StoredFact | None]],
) -> list[tuple[RawFact, StoredFact]]:
    """A match up to its first gap; nothing if that's before it was signed."""
    found = list[tuple[RawFact, StoredFact]]()
    for raw, fact in match:
        if fact is None or (found and raw[0] != found[-1][0][0] + 1):
            break
        found.append((raw, fact))
    return found if any(isinstance(fact, ResultSigned) for _, fact in found) else []
