"""What a contact has done since the start."""

from typing import NamedTuple


class ContactHealth(NamedTuple):
    """Counts of a contact's changes since the start.

    Attributes:
        moves: how often it has settled in another state.
        chatter: edges that fell into settle windows; many foretell a dying switch.
        idle: how often other contacts have moved since this one last did.
        restless: it chatters without a rest.
    """

    moves: int = 0
    chatter: int = 0
    idle: int = 0
    restless: bool = False
