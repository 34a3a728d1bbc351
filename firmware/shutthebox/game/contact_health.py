"""What a contact has done since the start."""

from typing import NamedTuple


class ContactHealth(NamedTuple):
    """Counts of a contact's changes since the start.

    Attributes:
        moves: how often it has settled in another state.
        chatter: edges that fell into settle windows; many foretell a dying switch.
        idle: how often levers have moved since this contact last did.
        restless: it chatters without a rest, or faster than any hand.
        stuck: it has been closed for longer than any hand holds it.
    """

    moves: int = 0
    chatter: int = 0
    idle: int = 0
    restless: bool = False
    stuck: bool = False
