"""Rate limits per key, so that a key that sends too much only delays itself."""

from collections import OrderedDict
from dataclasses import dataclass

MESSAGES_A_MINUTE = 12_000
"""A box waits for a receipt before it sends the next entry, so it never comes close."""

CPU_S_AN_HOUR = 60.0
"""CPU time of a worker per key. A full outbox of 16,000 entries takes 12 s."""

BYTES_A_DAY = 64 * 1024 * 1024
"""Message bytes per key, stored for good. An outbox holds no more, so a full one goes through at once."""

REVIEW_CPU_S_AN_HOUR = 120.0
"""Review CPU time per box. A match on nine tiles takes a few hundredths of a second."""

_MAX_KEYS = 10_000


@dataclass(slots=True)
class _Spent:
    amount: float
    at_s: float


class Allowance:
    """A token bucket per key.

    Args:
        amount: the most a key may spend at once.
        within_s: seconds in which an empty bucket fills up again.
    """

    def __init__(self, amount: float, within_s: float) -> None:
        self._amount, self._rate = amount, amount / within_s
        self._spent: OrderedDict[str, _Spent] = OrderedDict()

    def is_spent(self, key: str, now_s: float) -> bool:
        """Whether a key has to wait.

        Args:
            key: its name.
            now_s: monotonic time.
        """
        return self._amount_spent(key, now_s) >= self._amount

    def wait_s(self, key: str, now_s: float) -> float:
        """The seconds until a key may spend again; 0 if it may now."""
        return max(0.0, (self._amount_spent(key, now_s) - self._amount) / self._rate) + self.is_spent(
            key, now_s
        )

    def spent(self, key: str, now_s: float) -> float:
        """The fraction of its amount that a key has spent; above 1 if it overspent."""
        return self._amount_spent(key, now_s) / self._amount

    def spend(self, key: str, amount: float, now_s: float) -> None:
        """Spends an amount, even if less is left."""
        self._spent[key] = _Spent(self._amount_spent(key, now_s) + amount, now_s)
        self._spent.move_to_end(key)
        while len(self._spent) > _MAX_KEYS:
            self._spent.popitem(last=False)

    def _amount_spent(self, key: str, now_s: float) -> float:
        spent = self._spent.get(key)
        return max(0.0, spent.amount - (now_s - spent.at_s) * self._rate) if spent else 0.0
