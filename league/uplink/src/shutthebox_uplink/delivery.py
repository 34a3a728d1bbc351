"""Decides which entry to send and when: one at a time, until the league's signed receipt for it has come.

Sans I/O: answers and times come in, whether to send goes out. No other answer counts, whoever has given it.
"""

from dataclasses import dataclass

from shutthebox_uplink.signing import HELD, Receipt

FIRST_WAIT_S = 5.0
LONGEST_WAIT_S = 300.0
"""Seconds until an entry is sent again; doubled each time, up to the maximum."""


@dataclass(frozen=True, slots=True)
class SentEntry:
    """The entry on its way.

    Attributes:
        sequence: of the entry.
        hash: of the entry.
    """

    sequence: int
    hash: str


class Delivery:
    """One entry at a time. Not thread-safe."""

    def __init__(self) -> None:
        self._on_its_way: SentEntry | None = None
        self._wait_s = FIRST_WAIT_S
        self._due_s = 0.0

    def is_due(self, now_s: float) -> bool:
        """Whether the oldest entry should be sent now, if there is one."""
        return now_s >= self._due_s

    def note_sent(self, entry: SentEntry) -> None:
        """Notes that this entry is on its way. A new one begins with the shortest wait."""
        if entry != self._on_its_way:
            self._on_its_way, self._wait_s = entry, FIRST_WAIT_S

    def fail(self, now_s: float, wait_s: float = 0.0) -> None:
        """There was no receipt, or one that holds the entry: it's sent again later.

        Args:
            now_s: monotonic time.
            wait_s: seconds that the league asks to wait; more than `LONGEST_WAIT_S` is too much to ask.
        """
        self._due_s = now_s + min(max(self._wait_s, wait_s), LONGEST_WAIT_S)
        self._wait_s = min(self._wait_s * 2, LONGEST_WAIT_S)

    def receive(self, receipt: Receipt) -> bool:
        """Takes a receipt; True if it's for the entry on its way, which can be removed then."""
        sent = self._on_its_way
        if sent is None or (receipt.sequence, receipt.hash) != (sent.sequence, sent.hash):
            return False
        if receipt.status == HELD:
            return False
        self._on_its_way, self._due_s, self._wait_s = None, 0.0, FIRST_WAIT_S
        return True
