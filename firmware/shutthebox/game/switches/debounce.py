"""Turns chattering contacts into switch events: a state counts once it has stood long enough.

A lock-out after the first edge ends in a wrong state when the last edges fall into it; standing
for the settle window cannot, as long as the last edge is seen. Edges that the kernel loses are
made good by `reconcile`, which takes in the level of every contact.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.switches.switch import switch as row_of

RESTLESS_NS = 2_000_000_000
"""A contact that has not settled for so long is broken: no hand moves it that fast."""

WORN = 20
"""From so many edges in the settle window of a move, a contact is called worn: a sound snap switch has a
few, a worn one dozens."""


PAUSE_NS = 250_000_000
"""Changes that follow each other faster are one run."""

FAST_RUN, FAST_NS = 30, 50_000_000
"""A run of so many changes, on average so far apart or less, is no hand's."""

LONG_RUN = 100
"""Nor is a run of so many changes, whatever its pace."""

REST_NS = 1_000_000_000
"""A contact with such a run has to stand for so long before it counts again."""


class SwitchChanged(NamedTuple):
    """A switch has settled.

    Attributes:
        switch: `DICE_BUTTON`, `SERVICE_BUTTON`, or the lever's number.
        active: pressed, or down.
        t_ns: when the settle window ended.
    """

    switch: int
    active: bool
    t_ns: int


@dataclass(slots=True)
class _Contact:
    settle_ns: int
    settled: bool
    seen: bool
    since_ns: int
    settled_ns: int
    moving_ns: int = 0
    moves: int = 0
    moved_at: int = 0
    chatter: int = 0
    run: int = 0
    run_ns: int = 0
    runs: bool = False

    @property
    def due_ns(self) -> int:
        """When the state that was seen counts, if it stands."""
        return self.since_ns + (REST_NS if self.runs else self.settle_ns)

    def settle(self, t_ns: int) -> None:
        """Takes the state that was seen for true."""
        if t_ns - self.settled_ns > PAUSE_NS:
            self.run, self.run_ns = 0, t_ns
        self.settled, self.settled_ns = self.seen, t_ns
        self.moves += 1
        self.run += 1
        is_fast = self.run >= FAST_RUN and t_ns - self.run_ns <= self.run * FAST_NS
        self.runs = is_fast or self.run >= LONG_RUN


class Debouncer:
    """Settles any number of switches, each with a window of its own.

    Args:
        settle_ns: per switch, how long a state must stand.
        active: per switch, its state now; read silently, so it causes no event.
        t_ns: now.
    """

    def __init__(self, settle_ns: Mapping[int, int], active: Mapping[int, bool], t_ns: int) -> None:
        self._contacts = {
            switch: _Contact(settle, active[switch], active[switch], t_ns, t_ns, run_ns=t_ns)
            for switch, settle in settle_ns.items()
        }
        self._unsettled: set[int] = set()
        self._moves = 0

    def edge(self, switch: int, active: bool, t_ns: int) -> list[SwitchChanged]:
        """Takes an edge to `active` in, and returns what had settled before it.

        An edge to the state already seen means that another was lost: the contact moved, so its
        window starts again. An edge stamped before one already seen counts as simultaneous.
        """
        due = self.settle(t_ns)
        contact = self._contacts[switch]
        if switch in self._unsettled:
            contact.chatter += 1
        else:
            contact.moving_ns = t_ns
        contact.seen = active
        contact.since_ns = max(contact.since_ns, t_ns)
        self._unsettled.add(switch)
        return due

    def reconcile(self, active: Mapping[int, bool], t_ns: int) -> list[SwitchChanged]:
        """Takes in the level of every contact; a difference counts as an edge now."""
        due = self.settle(t_ns)
        for switch, state in active.items():
            if self._contacts[switch].seen != state:
                due += self.edge(switch, state, t_ns)
        return due

    def settle(self, t_ns: int) -> list[SwitchChanged]:
        """The switches whose new state has stood until `t_ns`, in the order they settled."""
        if not self._unsettled:
            return []
        events = []
        for switch in tuple(self._unsettled):
            contact = self._contacts[switch]
            settled_at = contact.due_ns
            if settled_at <= t_ns:
                self._unsettled.discard(switch)
                if contact.seen == contact.settled:
                    contact.runs = False
                else:
                    contact.settle(settled_at)
                    self._moves += switch > 0
                    contact.moved_at = self._moves
                    events.append(SwitchChanged(switch, contact.settled, settled_at))
        return sorted(events, key=lambda event: event.t_ns)

    @property
    def deadline_ns(self) -> int | None:
        """When the next switch settles; None if all have settled."""
        return min((self._contacts[switch].due_ns for switch in self._unsettled), default=None)

    @property
    def chatter(self) -> dict[int, int]:
        """Per switch, the edges so far that fell into a settle window: many foretell a dying switch."""
        return {switch: contact.chatter for switch, contact in self._contacts.items()}

    def is_restless(self, switch: int, t_ns: int) -> bool:
        """Whether a contact chatters without a rest, or changes faster than any hand moves it."""
        contact = self._contacts[switch]
        return contact.runs or (switch in self._unsettled and t_ns - contact.moving_ns >= RESTLESS_NS)

    def active_ns(self, switch: int, t_ns: int) -> int:
        """For how long a switch has been active; 0 if it is not."""
        contact = self._contacts[switch]
        return t_ns - contact.settled_ns if contact.settled else 0

    def health(self, t_ns: int) -> dict[int, ContactHealth]:
        """Per switch what it has done until now."""
        return {
            switch: ContactHealth(
                contact.moves,
                contact.chatter,
                self._moves - contact.moved_at,
                self.is_restless(switch, t_ns),
                (limit := row_of(switch).stuck_ns) is not None and self.active_ns(switch, t_ns) >= limit,
            )
            for switch, contact in self._contacts.items()
        }
