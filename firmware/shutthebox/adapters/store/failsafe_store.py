"""The box's memory: what the machine stores and looks up. If the store fails, the box plays on without it.

Whenever the store can't be used, the same holds: facts are held in order, and once a second it's tried again.
A store that couldn't be read at the start may have a match with another box. That one goes first: what was
played meanwhile is written once that match is over.
"""

import logging
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import dropwhile
from typing import TypeAlias, TypeVar

from shutthebox.adapters.store.chain import Head
from shutthebox.adapters.store.database import DatedFact, Store
from shutthebox.adapters.store.errors import UNREADABLE, StoreError, is_damage, is_spoilt
from shutthebox.adapters.store.open_store import StoreFault, suspect
from shutthebox.adapters.store.verification_worker import VerificationWorker
from shutthebox.game.earlier_results import EarlierResults
from shutthebox.game.facts import Began, Fact, Faulted, PlayersLeft, Resumed
from shutthebox.game.faults import Fault
from shutthebox.game.messages import Text
from shutthebox.game.stored_match import NO_MATCH, KeptMatch, NoMatch, StoredMatch, Unread
from shutthebox.rules.match import Match

_log = logging.getLogger(__name__)

_Found = TypeVar("_Found")

MAX_HELD = 10_000
"""The most facts to hold, in some megabytes, when a match begins; older ones are lost."""

Reopen: TypeAlias = Callable[[], tuple[Store | None, StoreFault | None]]
"""Reopens a store. Returns the store or None, and the fault, if any."""


class FailsafeStore:
    """The store, and what to tell players and owner if it fails. Main thread only.

    Args:
        store: None if it can't be opened now.
        reopen: opens it, or a new one; None for a box without memory.
        forgetting: the players already know that nothing is kept.
        verification: checks the store in the background; None if it has been checked.
        clock_s: the time of day, in seconds since 1970, of facts that are held.

    Attributes:
        store: None if none is open.
    """

    def __init__(
        self,
        store: Store | None,
        reopen: Reopen | None = None,
        *,
        forgetting: bool = False,
        verification: VerificationWorker | None = None,
        clock_s: Callable[[], float] = time.time,
    ) -> None:
        self.store = store
        self._clock_s = clock_s
        self._stored: StoredMatch = Unread() if store is None else NO_MATCH
        self._is_read = False
        self._held: list[DatedFact] = []
        """Facts for the store once it can be used, and its match is over or given up."""
        self._left_at: Head | None = None
        """Where the store ended when it was closed."""
        self._verification = verification
        self._faults: list[Fault | None] = []
        self._reopen, self._forgetting = reopen, forgetting
        self._kept_presses: Counter[int] = Counter()
        self._kept_chatter: Counter[int] = Counter()

    def running_match(self, levers: int) -> StoredMatch:
        """The match to continue, until it's resumed. One that can never be continued is abandoned."""
        if self._is_absent:
            return NO_MATCH
        if self._is_read or self.store is None:
            return self._stored
        try:
            running = self._read_running_match(self.store, levers)
        except StoreError as error:
            if not is_damage(error.__cause__) or is_spoilt(error.__cause__):
                self._stored = Unread()
                if not self._forgetting:
                    self._forget(error)
                return self._stored
            text = f"the last match can't be continued: {error}"
            _log.error("%s", text)
            # Ahead of what is held: they're about the match in the store.
            self._held[:0] = [self._date(Faulted("store", text)), self._date(PlayersLeft())]
            running = None
        self._is_read, self._stored = True, running or NO_MATCH
        if self._begins and running is not None and running.linked is None:
            self._stored = NO_MATCH
        if isinstance(self._stored, NoMatch):
            self._write_held()
            self._remember()
        return self._stored

    def _read_running_match(self, store: Store, levers: int) -> KeptMatch | None:
        try:
            running = store.running_match()
        except StoreError:
            running = store.running_match()  # a card may fail to read a page, and read it the next time
        if running is not None and (game := running.beginning.game).tiles[-1] > levers:
            raise StoreError(f"{game.name} needs {game.tiles[-1]} levers, not {levers}")
        return running

    def statistics(self) -> Sequence[Text]:
        """Lines of statistics for the panel; none if they can't be read."""
        # Imported lazily, here and below, to keep startup fast.
        from shutthebox.adapters.store.queries import read, statistics_lines

        return self._read(lambda db: statistics_lines(read(db)), ())

    def lines(self, query: Callable[[sqlite3.Connection], Sequence[Text]]) -> Sequence[Text]:
        """The lines that a query returns; none if the store can't be read."""
        return self._read(query, ())

    @property
    def is_durable(self) -> bool:
        """Whether everything kept so far survives a power cut; also where nothing can ever be kept."""
        return self._is_absent or not (self._holds or self.store is None or self.store.waiting)

    def rules_out_linked_match(self) -> bool:
        """Whether it's certain that after a power cut, too, the box would have no match with another one."""
        if self._is_absent:
            return True
        if self.store is None or isinstance(self._stored, Unread):
            return False
        try:
            return not self.store.has_linked_match()
        except StoreError:
            return False

    @property
    def _is_absent(self) -> bool:
        """Whether the box has no memory at all, and never will."""
        return self.store is None and self._reopen is None

    @property
    def _holds(self) -> bool:
        """Whether facts are held: the store can't be used, or has a match that the box hasn't resumed yet."""
        return self.store is None or not isinstance(self._stored, NoMatch)

    @property
    def forgets(self) -> bool:
        """Whether nothing can be kept for now."""
        return self.store is None or self._forgetting

    def past(self, match: Match, letters: str) -> EarlierResults:
        """Earlier results recorded under the winner's initials; empty if they can't be read."""
        from shutthebox.adapters.store.queries import past

        return self._read(lambda db: past(db, match, letters), EarlierResults())

    def _read(self, query: Callable[[sqlite3.Connection], _Found], nothing: _Found) -> _Found:
        if self.store is not None:
            try:
                return query(self.store.connection)
            except UNREADABLE as error:
                _log.error("%s: %s", self.store.path, error)
        return nothing

    def is_new(self) -> bool:
        """Whether no match has ever been finished on this box; False if unknown."""
        # The total includes matches that the store has forgotten.
        finished = "select 1 from total where name = 'finished' and count > 0"
        return self._read(lambda db: db.execute(finished).fetchone() is None, False)

    def faults(self) -> Sequence[Fault | None]:
        """Faults since the last call, oldest first; None among them when everything is kept again."""
        faults, self._faults = self._faults, []
        return faults

    def keep(self, fact: Fact) -> None:
        """Keeps a fact. If that fails, it waits with all later ones, so no match has a gap."""
        if isinstance(fact, Began):
            self._prepare_for_match()
        if isinstance(fact, Resumed):
            self._stored = NO_MATCH  # from now on, its facts are of the match in the store
            if not self._begins:
                self._write_held()
        if self._holds:
            if not self._is_absent:
                self._held.append(self._date(fact))
                self._faults.append(Fault.FORGETS)
            return
        assert self.store is not None, "it can be used"
        try:
            self.store.keep(fact)
        except StoreError as error:
            self._forget(error)
        else:
            self._remember()
        if isinstance(fact, PlayersLeft):
            self._write_held()

    def _prepare_for_match(self) -> None:
        """Makes way for a new match, which ends the one in the store unless that's with another box."""
        if len(self._held) > MAX_HELD:
            _log.error("%d facts of earlier matches are lost", len(self._held))
            self._held.clear()
        if isinstance(self._stored, KeptMatch) and self._stored.linked is None:
            self._stored = NO_MATCH
            self._write_held()
        if not self._holds and not self._keeps_up():
            self._open_anew()

    @property
    def _begins(self) -> bool:
        """Whether a match that was begun meanwhile is held."""
        return any(isinstance(fact, Began) for fact, _ in self._held)

    def _date(self, fact: Fact) -> DatedFact:
        return DatedFact(fact, int(self._clock_s()))

    def _write_held(self) -> None:
        """Writes what was held, in one go."""
        held, self._held = self._held, []
        if not held or self.store is None:
            return
        self.store.queue(held)
        try:
            self.store.catch_up()
        except StoreError as error:
            self._forget(error)
        else:
            self._remember()

    def catch_up(self) -> None:
        """Checks that the store is still there and sound, and writes waiting facts."""
        if self.store is None:
            if self._reopen is not None:
                self._open()
            return
        if self._verification is not None and self._verification.found is not None:
            self._suspect(self.store, self._verification.found)
            self._verification = None
        try:
            self.store.catch_up()
        except StoreError as error:
            if not self._forgetting:
                self._forget(error)
        else:
            if not self._holds:
                self._remember()
            self.store.write_back()

    def close(self) -> None:
        """Writes waiting facts, and closes the store."""
        if self.store is not None:
            with suppress(StoreError):
                self.store.catch_up()
            self.store.close()

    def _suspect(self, store: Store, found: str) -> None:
        """Reports damage in a store that still works, and notes it for the next start."""
        text = f"{store.path}: {found}; the next start recovers the rest"
        try:
            suspect(store.path.parent, text)
        except OSError as error:
            text = f"{text}; {error}"
        self._complain(StoreFault(Fault.STORE_DAMAGED, text))
        self.keep(Faulted(Fault.STORE_DAMAGED.value, text))

    def _keeps_up(self) -> bool:
        """Whether there's a store with all facts so far."""
        if self.store is not None:
            with suppress(StoreError):
                self.store.catch_up()
                return True
        return False

    def _open_anew(self) -> None:
        """Opens the failing store again, or a new one. What waits for it is held for the same one."""
        if self.store is None or self._reopen is None:
            return
        self._held, self._left_at = [*self.store.queued, *self._held], self.store.head
        self.store.close()
        self._verification = None  # it was of the one before
        self.store = None
        self._open()

    def _open(self) -> None:
        """Opens the store, and writes what was held; unless it's read for the first time."""
        assert self._reopen is not None, "the box has a memory"
        self.store, store_fault = self._reopen()
        if self.store is not None and not isinstance(self._stored, Unread):
            if self.store.head != self._left_at:
                # It's another one, without the match whose rest is held.
                self._held = [*dropwhile(lambda held: not isinstance(held.fact, Began), self._held)]
            self._write_held()
        if store_fault is not None:
            if self.store is not None:
                # The new store works, but the screen still has to report the fault of the old one.
                self._forgetting = False
            if not self._forgetting:
                self._complain(store_fault)
        elif self.store is not None and not self._holds:
            self._remember()

    def _forget(self, error: StoreError) -> None:
        self._complain(StoreFault(Fault.FORGETS, f"{error}; playing without memory"))

    def _complain(self, store_fault: StoreFault) -> None:
        """Reports a fault to the players, and once to the journal until everything is kept again."""
        fault, text = store_fault
        self._faults.append(fault)
        if fault is Fault.FORGETS:
            if self._forgetting:
                return
            self._forgetting = True
            if self._holds:
                self._held.append(self._date(Faulted(fault.value, text)))
            elif self.store is not None:
                with suppress(StoreError):  # it waits with the others
                    self.store.keep(Faulted(fault.value, text))
        _log.error("%s", text)

    def _remember(self) -> None:
        if self._forgetting and self.store is not None:
            _log.info("%s: saving everything again", self.store.path)
            self._forgetting = False
            self._faults.append(None)

    def keep_counts(self, presses: Mapping[int, int], chatter: Mapping[int, int]) -> None:
        """Adds what the switches have counted since the last call; best effort.

        Args:
            presses: per switch, how often it was pressed or flipped down since startup.
            chatter: per switch, its edges in settle windows since startup.
        """
        if self.store is None or self._holds or self.store.waiting:
            return
        counts = Counter(presses), Counter(chatter)
        with suppress(StoreError):
            self.store.keep_health(counts[0] - self._kept_presses, counts[1] - self._kept_chatter)
            self._kept_presses, self._kept_chatter = counts
