"""The store of all that must survive a pulled plug, in one SQLite file.

Every fact is committed (WAL, synchronous FULL) before `keep` returns, and the runner shows nothing that
hasn't been kept. A match is its beginning and its actions. Resuming replays them by the rules, so a kept
match is always in a legal position.

The facts form a chain (`shutthebox.adapters.store.chain`) and are the only truth; the other tables
(`shutthebox.adapters.store.tables`) follow from them.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from shutthebox import __version__
from shutthebox.adapters.store import retention
from shutthebox.adapters.store.chain import Head, Mark, add, head_of
from shutthebox.adapters.store.errors import UNREADABLE, StoreError
from shutthebox.adapters.store.schema import NotOursError, create, is_new
from shutthebox.adapters.store.stored_facts import (
    BoxKeys,
    BoxQuit,
    BoxSigned,
    FaultKept,
    MatchBegun,
    MatchDecided,
    MatchLeft,
    MatchLinked,
    MatchResumed,
    PlayedAgain,
    RematchSecret,
    ResultSigned,
    StoredFact,
    SwitchesWorn,
    conditions_text,
    known_conditions,
    results_of,
)
from shutthebox.adapters.store.tables import LatestMatch, Tables, remembered_of, tally_of
from shutthebox.files import check_regular
from shutthebox.game.facts import (
    Began,
    BoxLeft,
    ClockShown,
    Fact,
    Faulted,
    Finished,
    LogSigned,
    PlayersLeft,
    RematchWanted,
    Remembered,
    Resumed,
    Signed,
)
from shutthebox.game.stored_match import KeptMatch
from shutthebox.link.match import LinkError, Revealed, Rolled
from shutthebox.rules.actions import Action
from shutthebox.rules.conditions import RULES_VERSION, Conditions
from shutthebox.rules.match import Match
from shutthebox.rules.profile import Draw
from shutthebox.rules.writer import to_lines

STORE_FILE = "box.sqlite3"

BUSY_MS = 100
"""SQLite's busy timeout in ms: the longest that the main loop blocks."""

_THIS_BOX = Conditions(versions=(f"{__version__} rules {RULES_VERSION}",))

_FAULT_AGAIN_S = 3600


class DatedFact(NamedTuple):
    """A fact that isn't durable yet.

    Attributes:
        fact: any.
        at_s: when it happened, in seconds since 1970.
    """

    fact: Fact
    at_s: int


class Store:
    """The box's memory. Main thread only.

    Args:
        folder: where the file is or will be; created if missing.
        wall_clock_s: returns the time in seconds since 1970.
        count_throws: count the throws, to judge whether the box's own dice are fair.

    Raises:
        StoreError: the file can't be opened, or isn't a store of this version.
    """

    def __init__(self, folder: Path, wall_clock_s: Callable[[], float], *, count_throws: bool = True) -> None:
        self.path = folder / STORE_FILE
        self._count_throws = count_throws
        self._wall_clock_s = wall_clock_s
        self._mark = Mark(self.path)
        self._db = _open_to_write(self.path)
        try:
            self._head, self._tables = head_of(self._db), Tables(self._db)
        except (sqlite3.Error, OSError, ValueError) as error:
            self._db.close()
            raise StoreError(f"{self.path}: {error}") from error
        self._files: dict[Path, os.stat_result] = {}
        self._note_files()
        self._waiting: list[DatedFact] = []
        self._is_due = False

    @property
    def waiting(self) -> bool:
        """Whether facts are waiting to be written, because the last `keep` or `catch_up` failed."""
        return bool(self._waiting)

    def check_files(self) -> None:
        """Checks, in microseconds, that the files are still the ones that were opened.

        SQLite doesn't notice when its files are removed or renamed.

        Raises:
            StoreError: one was removed, replaced or truncated.
        """
        gone = cut = ""
        for path, then in self._files.items():
            now = _stat(path)
            if now is None or not os.path.samestat(then, now):
                gone = gone or f"{path.name} was {'removed' if now is None else 'replaced'}"
            elif now.st_size < then.st_size:
                cut = cut or f"{path.name} was cut from {then.st_size} to {now.st_size} bytes"
        if gone:
            # A renamed file still gets what only the log has.
            with suppress(*UNREADABLE):
                self._db.execute("pragma wal_checkpoint(truncate)")
        elif not cut:
            return
        elif self._is_there():
            self._note_files()  # somebody has written the log back into the store
            return
        raise StoreError(f"{self.path}: {gone or cut} while the box played")

    def _note_files(self) -> None:
        """Remembers the store's files as they are now, unless one has been replaced."""
        paths = (self.path.with_name(self.path.name + ending) for ending in ("", "-wal", "-shm"))
        now = {path: found for path in paths if (found := _stat(path))}
        if all(path in now and os.path.samestat(then, now[path]) for path, then in self._files.items()):
            self._files = now

    def _is_there(self) -> bool:
        """Whether the files on disk have the last fact, and every page."""
        with suppress(OSError, *UNREADABLE), closing(open_to_read(self.path)) as db:
            whole = db.execute("pragma quick_check(1)").fetchone() == ("ok",)
            return whole and head_of(db) == self._head
        return False

    def keep(self, fact: Fact) -> None:
        """Makes a fact durable: once this returns, pulling the plug can't lose it.

        Raises:
            StoreError: it couldn't be written. Then it waits, with all later facts.
        """
        self.queue([DatedFact(fact, int(self._wall_clock_s()))])
        self.catch_up()

    def queue(self, facts: Iterable[DatedFact]) -> None:
        """Lets facts wait for `catch_up`."""
        self._waiting += facts

    @property
    def queued(self) -> Sequence[DatedFact]:
        """The facts that wait to be written."""
        return self._waiting

    def catch_up(self) -> None:
        """Makes all waiting facts durable, or none of them.

        Raises:
            StoreError: they couldn't be written, or the files aren't the ones that were opened.
        """
        self.check_files()
        if not self._waiting:
            return
        with self._transaction():
            for fact, at_s in self._waiting:
                if (stored := self._to_stored(fact, at_s)) is not None:
                    self._add(stored)
                if isinstance(fact, Began) and isinstance(stored, MatchBegun):
                    if fact.link is not None:
                        self._add(MatchLinked.of(stored.match, fact.link))
                        if any(keys := fact.link.agreement.keys):
                            self._add(BoxKeys(stored.match, keys))
                        if fact.link.pairing:
                            self._add(PlayedAgain(stored.match, fact.link.pairing))
                    retention.forget(self._db)
                if isinstance(stored, MatchDecided) or self._is_given_up(stored):
                    self._is_due = True
        self._waiting.clear()

    def write_back(self) -> None:
        """Moves the log into the store. Call it after a match, when nobody is waiting.

        SQLite drops everything in the log behind a wrong bit, so it should hold one match at most.
        """
        if self._is_due:
            self._is_due = False
            with suppress(*UNREADABLE):  # it is tried again after the next match
                self._db.execute("pragma wal_checkpoint(passive)")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """A transaction: its facts, and what follows from them, become durable together or not at all."""
        with self._telling_the_file(), self._db:
            self._db.execute("begin immediate")
            yield
            head = head_of(self._db)
        self._head = head
        self._note_files()
        self.mark_head()

    @contextmanager
    def _telling_the_file(self) -> Iterator[None]:
        try:
            yield
        except UNREADABLE as error:
            raise StoreError(f"{self.path}: {error}") from error

    def _add(self, fact: StoredFact) -> None:
        self._tables.apply(add(self._db, fact.to_text()), fact)

    def _is_given_up(self, stored: StoredFact | None) -> bool:
        return isinstance(stored, MatchLeft) and not self._tables.is_decided(stored.match)

    def _has(self, query: str, *values: object) -> bool:
        return self._db.execute(query, values).fetchone() is not None

    def _to_stored(self, fact: Fact, at_s: int) -> StoredFact | None:
        """What to store for a fact; None if it's nothing new."""
        if isinstance(fact, Remembered):
            key, value = fact.entry
            known = "select 1 from setting where key = ? and value = ?"
            return None if self._has(known, key, json.dumps(value)) else fact
        latest = self._tables.match
        match fact:
            case Faulted(kind, text):
                again = "select 1 from fault where kind = ? and text = ? and abs(at_s - ?) < ?"
                is_known = self._has(again, kind, text, at_s, _FAULT_AGAIN_S)
                return None if is_known else FaultKept(at_s, kind, text)
            case Began(match, conditions):
                return self._begin(match, conditions, at_s)
            case Resumed(conditions):
                return self._resume(latest, conditions) if latest else None
            case PlayersLeft():
                return MatchLeft(latest.id) if latest and not latest.left else None
            case BoxLeft(player, has_thrown):
                return BoxQuit(latest.id, player, has_thrown) if latest and not latest.left else None
            case LogSigned(player, signature):
                return BoxSigned(latest.id, player, signature) if latest else None
            case RematchWanted(secret):
                return RematchSecret(latest.id, secret) if latest and not latest.left else None
            case Finished(match):
                is_new = latest and not self._tables.is_decided(latest.id)
                return MatchDecided(latest.id, results_of(match)) if latest and is_new else None
            case Signed(player, initials):
                result = "select 1 from result where (match, player) = (?, ?)"
                is_there = latest and self._has(result, latest.id, player)
                return ResultSigned(latest.id, player, initials) if latest and is_there else None
            case _:
                return _as_it_is(fact)

    def _begin(self, match: Match, conditions: Conditions, at_s: int) -> MatchBegun:
        latest = self._tables.match
        counted = self._count_throws and match.game.draw is Draw.DICE
        return MatchBegun(
            latest.id + 1 if latest else 1,
            at_s,
            "\n".join(to_lines(match.game)),
            match.players,
            match.rounds,
            conditions_text(conditions.joined(_THIS_BOX)),
            match.game.sides if counted else 0,
        )

    def _resume(self, row: LatestMatch, conditions: Conditions) -> MatchResumed | None:
        before = known_conditions(row.conditions)
        joined = before.joined(conditions.joined(_THIS_BOX))
        return MatchResumed(row.id, conditions_text(joined)) if joined != before else None

    def keep_health(self, presses: Mapping[int, int], chatter: Mapping[int, int]) -> None:
        """Adds to the counts of each switch (0 is the button).

        Args:
            presses: how often each was pressed or flipped down.
            chatter: edges in settle windows.

        Raises:
            StoreError: they couldn't be written, and are lost.
        """
        found = [(switch, presses.get(switch, 0), chatter.get(switch, 0)) for switch in {*presses, *chatter}]
        if worn := sorted(counts for counts in found if any(counts[1:])):
            with self._transaction():
                self._add(SwitchesWorn(tuple(worn)))

    def tally(self) -> tuple[Fraction, ...]:
        """Like `tally_of`.

        Raises:
            StoreError: if it can't be read.
        """
        with self._telling_the_file():
            return tally_of(self._db)

    def running_match(self) -> KeptMatch | None:
        """The match that the players haven't left.

        Raises:
            StoreError: its facts don't make a match.
        """
        with self._telling_the_file():
            latest = self._tables.match
            if latest is None or latest.left:
                return None
            # Imported lazily to keep startup fast.
            from shutthebox.adapters.store.records import kept_facts, record_of

            kept = kept_facts(self._db, latest.id, str(self.path))
            if kept.conditions.lost:
                raise StoreError(f"{self.path}: {kept.conditions.lost} of its facts are lost")
            record = record_of(kept, str(self.path))
            beginning = record.beginning
            try:
                linked = kept.replay(beginning)
            except LinkError as error:
                raise StoreError(f"{self.path}: {error}") from error
            except ValueError as error:
                why = _why_not_by_the_rules(beginning, kept.conditions, error)
                raise StoreError(f"{self.path}: {why}") from error
            if linked is None and kept.conditions.linked:
                raise StoreError(f"{self.path}: its link to the other box is missing")
            return KeptMatch(beginning, record.actions, self.tally(), kept.clock, linked)

    def has_linked_match(self) -> bool:
        """Whether the file has a match with another box that this one hasn't left.

        Raises:
            StoreError: if it can't be read.
        """
        with self._telling_the_file():
            latest = self._tables.match
            if latest is None or latest.left:
                return False
            return known_conditions(latest.conditions).linked is not None

    @property
    def head(self) -> Head:
        """The number and checksum of the last fact, to which the next one is chained."""
        return self._head

    def choices(self) -> tuple[Remembered, ...]:
        """The latest of each setting chosen, and each total reached, at the box.

        Raises:
            StoreError: if it can't be read.
        """
        with self._telling_the_file():
            return remembered_of(self._db)

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, for reading with `shutthebox.adapters.store.queries`."""
        return self._db

    def mark_head(self) -> None:
        """Writes the head mark. Call it once the store has been checked."""
        self._mark.write(self._head)

    def close(self) -> None:
        """Closes the file."""
        self._db.close()
        self._mark.sync()


def _open_to_write(store: Path) -> sqlite3.Connection:
    """A connection that makes each commit durable; a missing or empty store gets its folder and tables.

    Raises:
        StoreError: it can't be opened, or isn't a store of this version.
    """
    with ExitStack() as undone:
        try:
            store.parent.mkdir(parents=True, exist_ok=True)
            # A card that loses power may spoil the whole sector it was writing: psow=0 keeps the
            # next commit out of the sector in which the last one ends.
            where = f"{store.absolute().as_uri()}?psow=0"
            db = sqlite3.connect(where, uri=True, isolation_level=None, timeout=BUSY_MS / 1000)
            undone.callback(db.close)
            # Nothing is written until we know that the file is one of our stores.
            new = is_new(db)
            if not os.access(store, os.W_OK):
                # SQLite would open it for reading, and complain only at the first write.
                raise PermissionError("can't be written to")
            db.execute("pragma journal_mode = wal")
            db.execute("pragma synchronous = full")
            # The log only outgrows this while another program reads for long.
            db.execute(f"pragma journal_size_limit = {8 << 20}")
            if new:
                create(db)
        except (sqlite3.Error, OSError, ValueError) as error:
            raise StoreError(f"{store}: {error}") from error
        undone.pop_all()
        return db


def open_to_read(store: Path, wait_ms: int = BUSY_MS) -> sqlite3.Connection:
    """A read-only connection that doesn't disturb a running box. Nothing is read until the first query.

    Args:
        store: the file.
        wait_ms: how long to wait while another program locks it.

    Raises:
        OSError: it doesn't exist, or isn't a regular file.
        sqlite3.Error, ValueError: it can't be opened.
    """
    # Not opened here, because closing it would drop the locks that SQLite holds in this process.
    try:
        check_regular(store)
    except FileNotFoundError:
        raise FileNotFoundError(f"{store}: no such store; the box makes one with its first match") from None
    if not store.stat().st_size:
        # SQLite would delete the log, which may hold everything that was played.
        raise NotOursError("it is empty")
    return sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True, timeout=wait_ms / 1000)


def _why_not_by_the_rules(beginning: Match, conditions: Conditions, error: ValueError) -> str:
    """Why a match can't be played on: its version had other rules, or an action was never allowed."""
    first = conditions.versions[0] if conditions.versions else ""
    if first and not first.endswith(f" rules {RULES_VERSION}"):
        game = beginning.game.name
        return f"{game} was begun on version {first}, and rules {RULES_VERSION} play it otherwise"
    return str(error)


def _as_it_is(fact: Action | Rolled | Revealed | ClockShown) -> StoredFact:
    """A fact that's stored as it is. If a new kind isn't, the type checker complains here."""
    return fact


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None
