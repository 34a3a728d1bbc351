"""A fair queue: senders of many or large messages delay each other, not everybody else."""

from collections import OrderedDict, deque
from collections.abc import Callable
from threading import Condition

EACH = 4
"""The most waiting messages of one sender. A box sends one entry at a time and waits for its receipt."""

BYTES = 128 * 1024 * 1024
"""The most waiting bytes. Beyond that, the sender with the most bytes loses its latest message."""


LIGHT = 8 * 1024
"""The most bytes of a light message: a few hundredths of a second of work. A match for two has a tenth;
the largest takes most of a second."""

LIGHT_AT_ONCE = 64 * 1024
"""The most bytes of light messages taken at once."""


class FairQueue:
    """Round robin over senders, cheapest sender first.

    Thread-safe. However many senders there are, a new one waits for at most one heavy message.

    Args:
        each: messages of one sender that may wait; more are dropped.
        senders: how many may have messages waiting at once; messages of others are dropped.
        most_bytes: of all waiting messages.
    """

    def __init__(self, each: int = EACH, senders: int = 100_000, most_bytes: int = BYTES) -> None:
        self._each, self._most, self._most_bytes, self._bytes = each, senders, most_bytes, 0
        self._waiting: OrderedDict[str, deque[bytes]] = OrderedDict()
        self._changed = Condition()
        self._was_heavy = False
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

    def take(
        self, most: int, timeout_s: float, spent: Callable[[str], float] = lambda sender: 0.0
    ) -> list[tuple[str, bytes]]:
        """Takes light messages, at most one per sender, or one heavy message; the two alternate.

        Args:
            most: messages to take.
            timeout_s: how long to wait for the first.
            spent: returns what a sender has cost so far.
        """
        with self._changed:
            if not self._waiting:
                self._changed.wait(timeout_s)
            taken = []
            for sender in self._next(most, spent):
                messages = self._waiting.pop(sender)
                taken.append((sender, messages.popleft()))
                self._bytes -= len(taken[-1][1])
                if messages:
                    self._waiting[sender] = messages  # at the end
            return taken

    def _next(self, most: int, spent: Callable[[str], float]) -> list[str]:
        light, heavy = list[str](), list[str]()
        for sender, messages in self._waiting.items():
            (light if len(messages[0]) <= LIGHT else heavy).append(sender)
        self._was_heavy = bool(heavy) and not (light and self._was_heavy)
        if self._was_heavy:
            return [min(heavy, key=spent)]
        if len(light) > most:
            light.sort(key=spent)
        chosen, size = list[str](), 0
        for sender in light[:most]:
            size += len(self._waiting[sender][0])
            if chosen and size > LIGHT_AT_ONCE:
                break
            chosen.append(sender)
        return chosen

    def __len__(self) -> int:
        """How many messages wait."""
        with self._changed:
            return sum(map(len, self._waiting.values()))
