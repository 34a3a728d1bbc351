"""What the runner keeps, as well as it can: the box plays on whatever happens to its store."""

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import TypeAlias

from shutthebox.game.debounce import SERVICE_BUTTON
from shutthebox.game.effects import Began, Fact, Faulted, Finished, Left
from shutthebox.game.trouble import Trouble
from shutthebox.platform.schema import UNREADABLE
from shutthebox.platform.setaside import Mishap
from shutthebox.platform.statistics import lines, read
from shutthebox.platform.store import Store, StoreError
from shutthebox.rules.actions import Action
from shutthebox.rules.match import Match

_log = logging.getLogger(__name__)

Reopen: TypeAlias = Callable[[], tuple[Store | None, Mishap | None]]
"""Tries to get a store; what went wrong with it, if something did."""

Counts: TypeAlias = tuple[Mapping[int, int], Mapping[int, int]]
"""Per switch since the start: how often it was pressed or flipped down, and its edges in settle windows."""


class Keeper:
    """The box's memory while it works. Used by the main thread only.

    Args:
        store: None to forget.
        reopen: asked for another store at the beginning of a match, where this one fails.
        counted: what the switches have gone through, kept with the end of every match.
        forgetting: the players know already that nothing is kept.

    Attributes:
        store: what there is of it now.
        news: what the players should be told, oldest first; None once everything is kept again.
            Whoever tells them takes it out.
    """

    def __init__(
        self, store: Store | None, reopen: Reopen, counted: Callable[[], Counts], *, forgetting: bool
    ) -> None:
        self.store = store
        self.news: list[Trouble | None] = []
        self._reopen, self._counted, self._forgetting = reopen, counted, forgetting
        self._kept_presses: Counter[int] = Counter()
        self._kept_chatter: Counter[int] = Counter()

    def running_match(self, levers: int) -> tuple[Match | None, Sequence[Action]]:
        """The match that was being played, and what happened in it.

        Args:
            levers: of this box.

        Raises:
            StoreError: if it cannot be gone on with.
        """
        if self.store is None:
            return None, ()
        match, actions = self.store.running_match() or (None, ())
        if match is not None and match.profile.tiles[-1] > levers:
            raise StoreError(f"{match.profile.name} needs {match.profile.tiles[-1]} levers, not {levers}")
        return match, actions

    def ledger(self) -> Sequence[Fraction]:
        """Who owes what, as `Store.ledger` has it; nobody anything, if that cannot be read."""
        try:
            return self.store.ledger() if self.store else ()
        except StoreError as error:
            _log.error("who owes what is not known: %s", error)
            return ()

    def statistics(self, words: Callable[[str], str]) -> tuple[str, ...]:
        """The statistics in lines for the panel; none, if they cannot be read."""
        if self.store is None:
            return ()
        try:
            return lines(read(self.store.connection), words)
        except UNREADABLE as error:
            _log.error("%s: %s", self.store.path, error)
            return ()

    def keep(self, fact: Fact) -> None:
        """Keeps it, if it can be; what cannot waits in the store, so that a match has no holes."""
        if isinstance(fact, Began) and not self._keeps_up():
            self._open_anew()
        if self.store is None:
            return
        try:
            self.store.keep(fact)
            if isinstance(fact, Finished | Left):
                self._keep_counts(self.store)
        except StoreError as error:
            self._complain(Mishap(Trouble.FORGETS, f"{error}; playing without memory"))
        else:
            self._remembers()

    def catch_up(self) -> None:
        """Finds out whether the store is still there, and keeps what could not be kept before."""
        if self.store is None:
            return
        try:
            self.store.catch_up()
        except StoreError as error:
            if not self._forgetting:
                self._complain(Mishap(Trouble.FORGETS, f"{error}; playing without memory"))
        else:
            self._remembers()

    def close(self) -> None:
        """Keeps what is left, and closes the store."""
        if self.store is not None:
            with suppress(StoreError):
                self.store.catch_up()
                self._keep_counts(self.store)
            self.store.close()

    def _keeps_up(self) -> bool:
        """Whether there is a store, and in it all that happened so far."""
        if self.store is not None:
            with suppress(StoreError):
                self.store.catch_up()
                return True
        return False

    def _open_anew(self) -> None:
        """What still waits in a store that goes on failing is lost, the whole rest of its match."""
        if self.store is not None:
            self.store.close()
        self.store, mishap = self._reopen()
        if mishap is not None:
            if self.store is not None:
                # It keeps again; but what happened to the one before has to stay on the screen.
                self._forgetting = False
            self._complain(mishap)

    def _complain(self, mishap: Mishap) -> None:
        """Says so; in the journal once, until everything has been kept again."""
        self.news.append(mishap.trouble)
        if mishap.trouble is Trouble.FORGETS and self._forgetting:
            return
        _log.error("%s", mishap.text)
        if mishap.trouble is Trouble.FORGETS:
            self._forgetting = True
            if self.store is not None:
                with suppress(StoreError):  # it waits with the others
                    self.store.keep(Faulted("store", mishap.text))

    def _remembers(self) -> None:
        if self._forgetting and self.store is not None:
            _log.info("%s: everything is kept again", self.store.path)
            self._forgetting = False
            self.news.append(None)

    def _keep_counts(self, store: Store) -> None:
        """Adds what has been counted since the last time."""
        presses, chatter = map(Counter, self._counted())
        del presses[SERVICE_BUTTON], chatter[SERVICE_BUTTON]
        store.keep_health(presses - self._kept_presses, chatter - self._kept_chatter)
        self._kept_presses, self._kept_chatter = presses, chatter
