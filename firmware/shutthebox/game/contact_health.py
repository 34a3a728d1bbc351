"""Health counters of a contact, since startup."""

from typing import NamedTuple


class ContactHealth(NamedTuple):
    """Counts of a contact's changes since the start.

    Attributes:
        moves: settled changes of state.
        chatter: edges inside settle windows; a high count means the switch is wearing out.
        idle: moves of any lever since this contact last moved.
        restless: it chatters without settling, or changes faster than a hand could.
        stuck: it has been closed longer than anyone would hold it.
    """

    moves: int = 0
    chatter: int = 0
    idle: int = 0
    restless: bool = False
    stuck: bool = False
