"""The modes of the box, by name."""

from enum import StrEnum
from typing import Self


class Mode(StrEnum):
    """What the box is doing. The machine is in exactly one mode; each has its class.

    Attributes:
        in_scenarios: the name in scenarios and JSON, if different: there, names and a roll-off count as
            setup, entering real dice and waiting for the other box's link as rolling, a stick as service.
    """

    in_scenarios: str

    def __new__(cls, name: str, in_scenarios: str = "") -> Self:
        """A mode by its name."""
        mode = str.__new__(cls, name)
        mode._value_ = name
        mode.in_scenarios = in_scenarios or name
        return mode

    ATTRACT = "attract"
    MENU = "menu"
    SETUP = "setup"
    NAMING = "naming", "setup"
    ROLL_OFF = "roll-off", "setup"
    RAISING = "raise"
    READY = "ready"
    ROLLING = "rolling"
    ENTERING = "entering", "rolling"
    FLIPPING = "flipping"
    TURN_OVER = "turn-over"
    MATCH_OVER = "match-over"
    INITIALS = "initials"
    SERVICE = "service"
    STICK = "stick", "service"
    PUZZLE = "puzzle"
    LINKING = "linking"
    WATCHING = "watching"
    AWAITING = "awaiting", "rolling"
