"""Decides which entry to send and when: one at a time, until the league sends a receipt for it.

Sans I/O: events and times come in, the entry to send goes out. The broker's own acknowledgement doesn't
count, because a broker may lose a message after acknowledging it.
"""

from dataclasses import dataclass

from shutthebox_uplink.signing import Receipt

FIRST_WAIT_S = 5.0
LONGEST_WAIT_S = 300.0
"""Seconds without a receipt until an entry is sent again; doubled each time, up to the maximum."""


@dataclass(frozen=True, slots=True)
class Sent:
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
        self._on_its_way: Sent | None = None
        self._connected = False
        self._wait_s = FIRST_WAIT_S
        self._due_s = 0.0

    @property
    def connected(self) -> bool:
        """Whether there is a connection to the broker."""
        return self._connected

    def connect(self, now_s: float) -> None:
        """The broker is connected or the league has restarted: the entry on its way is resent at once."""
        self._connected = True
        self._wait_s, self._due_s = FIRST_WAIT_S, now_s

    def disconnect(self) -> None:
        """The connection to the broker is lost."""
        self._connected = False

    def wants(self, now_s: float) -> bool:
        """Whether the oldest entry should be sent now, if there is one."""
        return self._connected and (self._on_its_way is None or now_s >= self._due_s)

    def sent(self, entry: Sent, now_s: float) -> None:
        """The entry has been given to the broker."""
        if self._on_its_way is not None and entry.sequence == self._on_its_way.sequence:
            self._wait_s = min(self._wait_s * 2, LONGEST_WAIT_S)
        else:
            self._wait_s = FIRST_WAIT_S
        self._on_its_way, self._due_s = entry, now_s + self._wait_s

    def receive(self, receipt: Receipt) -> bool:
        """Takes a receipt; True if it's for the entry on its way, which can be removed then."""
        sent = self._on_its_way
        if sent is None or (receipt.sequence, receipt.hash) != (sent.sequence, sent.hash):
            return False
        self._on_its_way = None
        return True
