"""Commits a batch to the ledger in a separate thread while the next one is checked.

So the consumer computes while the database works or waits for the disk.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import Self, TypeAlias

from shutthebox_league.ledger import Ledger, Outcome

Messages: TypeAlias = Sequence[tuple[str, bytes]]
"""Messages, each with the name of its key."""


class Committer:
    """Commits one batch at a time. Leaving the context waits for the last.

    Args:
        ledger: of the league.
        finish: called in the thread with the messages of a batch and a function that commits them; it
            returns their outcomes, or raises as `Ledger.commit`.
    """

    def __init__(
        self, ledger: Ledger, finish: Callable[[Messages, Callable[[], list[Outcome]]], None]
    ) -> None:
        self._ledger, self._finish = ledger, finish
        self._thread = ThreadPoolExecutor(1)
        self._running: Future[None] | None = None
        self._names: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.shutdown()

    def take(self, messages: Messages) -> int:
        """Starts committing the first of these messages; returns how many. Pass the others in again.

        Raises:
            SQLAlchemyError: if the database is unavailable; nothing has changed then.
        """
        # A box's entry is checked once the one before it is in the chain.
        if self._names.intersection(name for name, _ in messages):
            self.wait()
        prepared = self._ledger.prepare(messages)
        self.wait()
        taken = messages[: len(prepared)]
        self._names = {name for name, _ in taken}
        self._running = self._thread.submit(self._finish, taken, partial(self._ledger.commit, prepared))
        return len(taken)

    def wait(self) -> None:
        """Waits until the previous batch is committed and answered."""
        running, self._running, self._names = self._running, None, set()
        if running is not None:
            running.result()
