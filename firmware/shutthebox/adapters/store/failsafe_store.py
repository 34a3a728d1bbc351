"""The box's memory: what the machine stores and looks up. If the store fails, the box plays on without it."""

import logging
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias, TypeVar

from shutthebox.adapters.store.database import Store
from shutthebox.adapters.store.errors import UNREADABLE, StoreError
from shutthebox.adapters.store.open_store import StoreFault, suspect
from shutthebox.adapters.store.verification_worker import VerificationWorker
from shutthebox.game.earlier_results import EarlierResults
from shutthebox.game.facts import Began, Fact, Faulted, PlayersLeft
from shutthebox.game.faults import Fault
from shutthebox.game.messages import Text
from shutthebox.game.resuming import KeptMatch
from shutthebox.rules.match import Match

_log = logging.getLogger(__name__)

_Found = TypeVar("_Found")

Reopen: TypeAlias = Callable[[], tuple[Store | None, StoreFault | None]]
"""Reopens a store. Returns the store or None, and the fault, if any."""


class FailsafeStore:
    """The store, and what to tell players and owner if it fails. Main thread only.

    Args:
        store: None for a box without memory.
        reopen: opens a new store when a match begins and this one has failed.
        forgetting: the players already know that nothing is kept.
        verification: checks the store in the background; None if it has been checked.

    Attributes:
        store: None if none is open.
    """

    def __init__(
        self,
        store: Store | None,
        reopen: Reopen = lambda: (None, None),
        *,
        forgetting: bool = False,
        verification: VerificationWorker | None = None,
    ) -> None:
        self.store = store
        self._verification = verification
        self._faults: list[Fault | None] = []
        self._reopen, self._forgetting = reopen, forgetting
        self._kept_presses: Counter[int] = Counter()
        self._kept_chatter: Counter[int] = Counter()

    def running_match(self, levers: int) -> KeptMatch | None:
        """The match to continue; None if there's none. A match that can't be continued is abandoned."""
        if self.store is None:
            return None
        try:
            running = self.store.running_match()
            if running is not None and (game := running.beginning.game).tiles[-1] > levers:
                raise StoreError(f"{game.name} needs {game.tiles[-1]} levers, not {levers}")
            return running
        except StoreError as error:
            text = f"the last match can't be continued: {error}"
            _log.error("%s", text)
            self.keep(Faulted("store", text))
            self.keep(PlayersLeft())
            return None

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
        return self.store is None or not self.store.waiting

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
        if isinstance(fact, Began) and not self._keeps_up():
            self._open_anew()
        if self.store is None:
            return
        try:
            self.store.keep(fact)
        except StoreError as error:
            self._forget(error)
        else:
            self._remember()

    def catch_up(self) -> None:
        """Checks that the store is still there and sound, and writes waiting facts."""
        if self.store is None:
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
        """Opens a new store. Facts waiting in the failing one, the rest of its match, are lost."""
        if self.store is not None:
            self.store.close()
        self._verification = None  # it was of the one before
        self.store, store_fault = self._reopen()
        if store_fault is not None:
            if self.store is not None:
                # The new store works, but the screen still has to report the fault of the old one.
                self._forgetting = False
            self._complain(store_fault)

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
            if self.store is not None:
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
        if self.store is None or self.store.waiting:
            return
        counts = Counter(presses), Counter(chatter)
        with suppress(StoreError):
            self.store.keep_health(counts[0] - self._kept_presses, counts[1] - self._kept_chatter)
            self._kept_presses, self._kept_chatter = counts
