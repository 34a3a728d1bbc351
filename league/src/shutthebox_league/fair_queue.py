"""A queue in which every sender gets a turn: a sender of many messages delays only itself."""

from collections import OrderedDict, deque
from threading import Condition

EACH = 4
"""Most waiting messages of one sender. A box sends one entry at a time and awaits its receipt."""

BYTES = 128 * 1024 * 1024
"""Most bytes that wait; then the sender with most bytes loses its latest message."""


class FairQueue:
    """First come, first served among senders, one message each in a round. Safe for several threads.

    Args:
        each: messages of one sender that may wait; more are dropped.
        senders: that may have messages waiting at once; messages of more are dropped.
        most_bytes: of all messages that wait.
    """

    def __init__(self, each: int = EACH, senders: int = 100_000, most_bytes: int = BYTES) -> None:
        self._each, self._most, self._most_bytes, self._bytes = each, senders, most_bytes, 0
        self._waiting: OrderedDict[str, deque[bytes]] = OrderedDict()
        self._changed = Condition()
        self.dropped = 0
        """How many messages were dropped so far."""

    def put(self, sender: str, message: bytes) -> bool:
        """Adds a message; False if it was dropped."""
        with self._changed:
            messages = self._waiting.get(sender)
            if messages is None and len(self._waiting) < self._most:
                messages = self._waiting[sender] = deque()
            if messages is None or len(messages) >= self._each:
                self.dropped += 1
                return False
            messages.append(message)
            self._bytes += len(message)
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

    def take(self, most: int, timeout_s: float) -> list[tuple[str, bytes]]:
        """One message of each sender whose turn it is, so many at most; waits for the first."""
        with self._changed:
            if not self._waiting:
                self._changed.wait(timeout_s)
            taken = []
            for sender in list(self._waiting)[:most]:
                messages = self._waiting.pop(sender)
                taken.append((sender, messages.popleft()))
                self._bytes -= len(taken[-1][1])
                if messages:
                    self._waiting[sender] = messages  # at the end
            return taken

    def __len__(self) -> int:
        """How many messages wait."""
        with self._changed:
            return sum(map(len, self._waiting.values()))
