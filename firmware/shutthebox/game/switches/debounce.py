r"""Debounces contacts. A new state counts once it has been stable for the settle window.

    contact    ___/#\_/#\_/##########################\_/#\________________________
    edges         ^^ ^^ ^                            ^ ^ ^
    window              |<-- settle_ns -->|               |<-- settle_ns -->|
    settled    ___________________________/################################\_____
                                          SwitchChanged                    SwitchChanged

Ignoring edges for a while after the first one would end in the wrong state if the last edges fall into that
time; waiting for a stable level can't, as long as the last edge is seen. `reconcile` makes up for edges the
kernel lost, by comparing the level of every contact.
"""

from collections.abc import Mapping
from typing import NamedTuple

from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.switches.switch import switch as row_of

RESTLESS_NS = 2_000_000_000
"""A contact that hasn't settled for this long is broken: nobody moves it that fast."""

WORN = 20
"""A contact with this many edges per move counts as worn: a sound switch has a few, a worn one dozens."""


PAUSE_NS = 250_000_000
"""Changes closer together than this belong to one run."""

FAST_RUN, FAST_NS = 30, 50_000_000
"""A run of this many changes, on average this close together, can't be a hand."""

LONG_RUN = 100
"""Nor can a run of this many changes, at any pace."""

REST_NS = 1_000_000_000
"""After such a run a contact must be stable for this long before it counts again."""


class SwitchChanged(NamedTuple):
    """A switch settled in a new state.

    Attributes:
        switch: `DICE_BUTTON`, `SERVICE_BUTTON`, or the lever's number.
        active: pressed, or down.
        t_ns: when the settle window ended.
    """

    switch: int
    active: bool
    t_ns: int


class _Contact:
    def __init__(self, settle_ns: int, active: bool, t_ns: int) -> None:
        self.settle_ns = settle_ns
        self.settled = self.seen = active
        self.since_ns = self.settled_ns = self.run_ns = t_ns
        self.moving_ns = 0
        self.moves = self.moved_at = self.chatter = self.run = 0
        self.runs = False

    @property
    def due_ns(self) -> int:
        """When the new state counts, if it remains stable."""
        return self.since_ns + (REST_NS if self.runs else self.settle_ns)

    def settle(self, t_ns: int) -> None:
        """Accepts the new state."""
        if t_ns - self.settled_ns > PAUSE_NS:
            self.run, self.run_ns = 0, t_ns
        self.settled, self.settled_ns = self.seen, t_ns
        self.moves += 1
        self.run += 1
        is_fast = self.run >= FAST_RUN and t_ns - self.run_ns <= self.run * FAST_NS
        self.runs = is_fast or self.run >= LONG_RUN


class Debouncer:
    """Debounces any number of switches, each with its own settle window.

    Args:
        settle_ns: the settle window of each switch.
        active: the current state of each switch; it causes no event.
        t_ns: now.
    """

    def __init__(self, settle_ns: Mapping[int, int], active: Mapping[int, bool], t_ns: int) -> None:
        self._contacts = {
            switch: _Contact(settle, active[switch], t_ns) for switch, settle in settle_ns.items()
        }
        self._unsettled: set[int] = set()
        self._moves = 0

    def edge(self, switch: int, active: bool, t_ns: int) -> list[SwitchChanged]:
        """Handles an edge to `active`; returns what had settled before it.

        An edge to the state already seen means one was lost: the contact moved, so its window starts
        over. An edge with a timestamp before the last one counts as simultaneous.
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
        """Compares the level of every contact; a difference counts as an edge now."""
        due = self.settle(t_ns)
        for switch, state in active.items():
            if self._contacts[switch].seen != state:
                due += self.edge(switch, state, t_ns)
        return due

    def settle(self, t_ns: int) -> list[SwitchChanged]:
        """Returns the switches that have settled by `t_ns`, in the order they settled."""
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
        """Edges inside settle windows so far, by switch; a high count means the switch is wearing out."""
        return {switch: contact.chatter for switch, contact in self._contacts.items()}

    def is_restless(self, switch: int, t_ns: int) -> bool:
        """Whether a contact chatters without settling, or changes faster than a hand could."""
        contact = self._contacts[switch]
        return contact.runs or (switch in self._unsettled and t_ns - contact.moving_ns >= RESTLESS_NS)

    def active_ns(self, switch: int, t_ns: int) -> int:
        """How long a switch has been active; 0 if it isn't."""
        contact = self._contacts[switch]
        return t_ns - contact.settled_ns if contact.settled else 0

    def health(self, t_ns: int) -> dict[int, ContactHealth]:
        """The health counters of every switch so far."""
        return {
            switch: ContactHealth(
                contact.moves,
                contact.chatter,
                self._moves - contact.moved_at,
                self.is_restless(switch, t_ns),
                contact.settled
                and (limit := row_of(switch).stuck_ns) is not None
                and self.active_ns(switch, t_ns) >= limit,
            )
            for switch, contact in self._contacts.items()
        }
