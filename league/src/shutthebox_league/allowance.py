"""The share of the league's work that each key has, so that a key that sends too much waits alone."""

from collections import OrderedDict
from dataclasses import dataclass

MESSAGES_A_MINUTE = 12_000
"""A box awaits a receipt before it sends the next entry, so it comes nowhere near."""

CPU_S_AN_HOUR = 60.0
"""Of the consumer, for one key. A full outbox of 16,000 entries takes 12 s."""

BYTES_A_DAY = 64 * 1024 * 1024
"""Of messages, which stay for ever. A box keeps so many at most, so a full outbox goes at once."""

REVIEW_CPU_S_AN_HOUR = 120.0
"""Of the reviews, for one box. A match of nine tiles takes some hundredths of a second."""

_MOST_KEYS = 10_000


@dataclass(slots=True)
class _Spent:
    amount: float
    at_s: float


class Allowance:
    """An amount that each key may spend at once, and that grows again at a steady rate.

    Args:
        amount: of anything.
        within_s: the time in which a spent amount is whole again.
    """

    def __init__(self, amount: float, within_s: float) -> None:
        self._amount, self._rate = amount, amount / within_s
        self._spent: OrderedDict[str, _Spent] = OrderedDict()

    def is_spent(self, key: str, now_s: float) -> bool:
        """Whether a key has to wait.

        Args:
            key: its name.
            now_s: by a clock that only goes on.
        """
        return self._now(key, now_s) >= self._amount

    def spent(self, key: str, now_s: float) -> float:
        """The share of its amount that a key has spent; more than 1 if it was more."""
        return self._now(key, now_s) / self._amount

    def spend(self, key: str, amount: float, now_s: float) -> None:
        """Takes an amount off; it may be more than was left."""
        self._spent[key] = _Spent(self._now(key, now_s) + amount, now_s)
        self._spent.move_to_end(key)
        while len(self._spent) > _MOST_KEYS:
            self._spent.popitem(last=False)

    def _now(self, key: str, now_s: float) -> float:
        spent = self._spent.get(key)
        return max(0.0, spent.amount - (now_s - spent.at_s) * self._rate) if spent else 0.0
