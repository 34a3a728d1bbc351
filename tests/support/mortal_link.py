"""The simulated link with helpers that can be killed, as only tests do."""

from collections.abc import Callable

from shutthebox.link.requests import (
    Leave,
    LinkRequest,
    Peer,
    PeerIs,
    Rejoin,
    answer_without_helper,
    update_standing,
)
from shutthebox.simulator.virtual_link import NEWS_NS, VirtualLink


class MortalLink(VirtualLink):
    """A link of two helpers that die and start again.

    Args:
        seed: of rooms, codes and everything that happens to messages.
        now_ns: the clock.
    """

    def __init__(self, seed: int, now_ns: Callable[[], int]) -> None:
        super().__init__(seed, now_ns)
        self._dead = set[int]()
        self._standing: dict[int, Rejoin | Leave | None] = {}
        """What each box asks for whenever its helper starts."""

    @property
    def is_well(self) -> bool:
        """Whether every message gets through once and without delay."""
        return not (self._is_cut or self.lost or self.doubled or self.late_ns)

    def has_helper(self, box: int) -> bool:
        """Whether a box's helper is running."""
        return box not in self._dead

    def reaches_broker(self, box: int) -> bool:
        """Only while it's running."""
        return self.has_helper(box) and super().reaches_broker(box)

    def ask(self, box: int, request: LinkRequest) -> None:
        """Asks a box's helper; without one, the box's end of the wire answers."""
        self._standing[box] = update_standing(self._standing.get(box), request)
        if self.has_helper(box):
            super().ask(box, request)
        elif (report := answer_without_helper(request)) is not None:
            self._report(self._helpers[box], report)

    def kill_helper(self, box: int) -> None:
        """Ends a helper; its box is told that there's no connection."""
        helper = self._helpers[box]
        self._forget(helper)
        self._dead.add(box)
        self._report(helper, PeerIs(Peer.OFFLINE), NEWS_NS)
        self._look_for_peers()

    def start_helper(self, box: int) -> None:
        """Starts a helper, and repeats the standing request."""
        self._dead.discard(box)
        if (standing := self._standing.get(box)) is not None:
            self.ask(box, standing)

    def cut_power(self, box: int) -> None:
        """Cuts the power of a box and its helper, which runs again afterwards."""
        self._dead.discard(box)
        self._standing[box] = None
        super().cut_power(box)
