"""The modes of the box, by the names that scenarios and JSON use."""

from enum import StrEnum


class Mode(StrEnum):
    """The kinds of things that the box does; the machine is in exactly one mode."""

    ATTRACT = "attract"
    MENU = "menu"
    SETUP = "setup"
    RAISE = "raise"
    READY = "ready"
    ROLLING = "rolling"
    FLIPPING = "flipping"
    TURN_OVER = "turn-over"
    MATCH_OVER = "match-over"
    INITIALS = "initials"
    SERVICE = "service"
    PUZZLE = "puzzle"
