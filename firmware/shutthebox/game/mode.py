"""The modes of the box, by name."""

from enum import StrEnum
from typing import Self


class Mode(StrEnum):
    """The kinds of things that the box does; the machine is in exactly one mode, and each has its class.

    Attributes:
        in_scenarios: the name in scenarios and JSON, where it is another: there names and a roll-off are in
            setup, real dice roll, a stick is in service.
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
