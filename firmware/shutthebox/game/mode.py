"""The modes of the box, by name."""

from enum import StrEnum


class Mode(StrEnum):
    """The kinds of things that the box does; the machine is in exactly one mode, and each has its class."""

    ATTRACT = "attract"
    MENU = "menu"
    SETUP = "setup"
    NAMING = "naming"
    RAISE = "raise"
    READY = "ready"
    ROLLING = "rolling"
    ENTERING = "entering"
    FLIPPING = "flipping"
    TURN_OVER = "turn-over"
    MATCH_OVER = "match-over"
    INITIALS = "initials"
    SERVICE = "service"
    STICK = "stick"
    PUZZLE = "puzzle"

    @property
    def in_scenarios(self) -> str:
        """The name in scenarios and JSON: there names are in setup, real dice roll, a stick is in service."""
        match self:
            case Mode.NAMING:
                return Mode.SETUP.value
            case Mode.ENTERING:
                return Mode.ROLLING.value
            case Mode.STICK:
                return Mode.SERVICE.value
            case _:
                return self.value
