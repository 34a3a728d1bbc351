"""A queue in which every sender gets a turn: a sender of many items delays only itself."""

from collections import OrderedDict, deque
from collections.abc import Sized
from threading import Condition
from typing import Generic, TypeVar

_T = TypeVar("_T", bound=Sized)

EACH = 4
"""Most waiting items of one sender. A box sends one entry at a time and awaits its receipt."""

BYTES = 128 * 1024 * 1024
"""Most bytes that wait; then the sender with most bytes loses its latest item."""


class FairQueue(Generic[_T]):
    """First come, first served among senders, one item each in a round. Safe for several threads.

    Args:
        each: items of one sender that may wait; more are dropped.
        senders: that may have items waiting at once; items of more are dropped.
        most_bytes: of all items that wait.
    """

    def __init__(self, each: int = EACH, senders: int = 100_000, most_bytes: int = BYTES) -> None:
        self._each, self._most, self._most_bytes, self._bytes = each, senders, most_bytes, 0
        self._waiting: OrderedDict[str, deque[_T]] = OrderedDict()
        self._changed = Condition()
        self.dropped = 0
        """How many items were dropped so far."""

    def put(self, sender: str, item: _T) -> bool:
        """Adds an item; False if it was dropped."""
        with self._changed:
            items = self._waiting.get(sender)
            if items is None and len(self._waiting) < self._most:
                items = self._waiting[sender] = deque()
            if items is None or len(items) >= self._each:
                self.dropped += 1
                return False
            items.append(item)
            self._bytes += len(item)
            if self._bytes > self._most_bytes:
                self._drop()
            self._changed.notify()
            return True

    def _drop(self) -> None:
        heaviest = max(self._waiting, key=lambda sender: sum(map(len, self._waiting[sender])))
        self._bytes -= len(self._waiting[heaviest].pop())
        self.dropped += 1
        if not self._waiting[heaviest]:
            del self._waiting[heaviest]

    def take(self, most: int, timeout_s: float) -> list[tuple[str, _T]]:
        """One item of each sender whose turn it is, so many at most; waits for the first."""
        with self._changed:
            if not self._waiting:
                self._changed.wait(timeout_s)
            taken = []
            for sender in list(self._waiting)[:most]:
                items = self._waiting.pop(sender)
                taken.append((sender, items.popleft()))
                self._bytes -= len(taken[-1][1])
                if items:
                    self._waiting[sender] = items  # at the end
            return taken

    def __len__(self) -> int:
        """How many items wait."""
        with self._changed:
            return sum(map(len, self._waiting.values()))
