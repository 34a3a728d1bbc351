"""What waits for the ledger: requests that go into its batches, and who goes first."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from shutthebox_league.keys import Signed
from shutthebox_league.ledger import Outcome

BATCH = 64
"""The most entries in one transaction, each under a different key."""

MAX_BYTES = 64 * 1024 * 1024
"""The most bytes of all waiting entries."""

LIGHT = 8 * 1024
"""The most bytes of a light message: a few hundredths of a second of work. A match for two has a tenth;
the largest takes most of a second."""

LIGHT_AT_ONCE = 64 * 1024
"""The most bytes of light messages in a batch."""

QUIET_S = 0.002
"""How long a batch waits for another of the boxes that have just been answered. A backlog's next entry comes
at once, and a transaction for many takes little longer than for one."""


class BusyError(Exception):
    """There's no room for an entry now; it can come again soon."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request that waits for its answer."""

    signed: Signed
    answer: asyncio.Future[Outcome]


class Intake:
    """The requests that wait, one of each key. Only for the thread of the event loop.

    A batch has light messages or one heavy message, and the two alternate; the cheapest keys go first. So
    however many send, a new one waits for at most one heavy message. No key is in two batches: its next entry
    is checked once the one before is in the chain.

    Args:
        spent: what a key has cost so far.
    """

    def __init__(self, spent: Callable[[str], float]) -> None:
        self._spent = spent
        self._waiting: OrderedDict[str, Waiting] = OrderedDict()
        self._under_way: set[str] = set()
        self._bytes = 0
        self._answered = 0  # in the last batch
        self._changed = asyncio.Condition()
        self._was_heavy = False

    def __len__(self) -> int:
        """How many requests wait."""
        return len(self._waiting)

    def is_waiting(self, name: str) -> bool:
        """Whether an entry of this key waits already, or is being committed."""
        return name in self._waiting or name in self._under_way

    async def put(self, signed: Signed) -> Outcome:
        """Waits for the outcome of an entry.

        Raises:
            BusyError: if the key has another entry here, or too much waits.
            Exception: whatever kept its batch from being committed.
        """
        if self.is_waiting(signed.name) or self._bytes + len(signed.message) > MAX_BYTES:
            raise BusyError
        waiting = Waiting(signed, asyncio.get_running_loop().create_future())
        self._bytes += len(signed.message)
        self._waiting[signed.name] = waiting
        async with self._changed:
            self._changed.notify()
        return await waiting.answer

    async def take(self) -> list[Waiting]:
        """Waits for requests, and takes the next batch. Each has to be answered, or put back."""
        async with self._changed:
            likely = min(len(self) + self._answered, BATCH)
            await self._changed.wait_for(self.__len__)
            with suppress(TimeoutError):  # they have no more
                while len(self) < likely:
                    async with asyncio.timeout(QUIET_S):
                        await self._changed.wait()
        names = self._choose_batch()
        self._under_way.update(names)
        return [self._waiting.pop(name) for name in names]

    def put_back(self, waiting: list[Waiting]) -> None:
        """Has some of a batch wait for the next one, before all others."""
        for each in reversed(waiting):
            self._under_way.discard(each.signed.name)
            self._waiting[each.signed.name] = each
            self._waiting.move_to_end(each.signed.name, last=False)

    def done(self, waiting: list[Waiting]) -> None:
        """Forgets requests that have been answered."""
        self._answered = len(waiting)
        for each in waiting:
            self._under_way.discard(each.signed.name)
            self._bytes -= len(each.signed.message)

    def _choose_batch(self) -> list[str]:
        light, heavy = list[str](), list[str]()
        for name, waiting in self._waiting.items():
            (light if len(waiting.signed.message) <= LIGHT else heavy).append(name)
        self._was_heavy = bool(heavy) and not (light and self._was_heavy)
        if self._was_heavy:
            return [min(heavy, key=self._spent)]
        if len(light) > BATCH:
            light.sort(key=self._spent)
        chosen, size = list[str](), 0
        for name in light[:BATCH]:
            size += len(self._waiting[name].signed.message)
            if chosen and size > LIGHT_AT_ONCE:
                break
            chosen.append(name)
        return chosen
