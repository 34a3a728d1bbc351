"""What has gone wrong around the box that its players should know, though it plays on."""

from enum import Enum

from shutthebox.game.menu import Translate


class Trouble(Enum):
    """Said in attract until somebody touches the box."""

    SET_ASIDE = "set aside"
    """The store was damaged or not ours: it is kept under another name, a new one is begun."""
    FORGETS = "forgets"
    """Nothing can be kept for now: a full disk, a folder that cannot be written to."""
    CONFIG = "config"
    """The box's own configuration cannot be used: the built-in one is."""


def trouble_text(trouble: Trouble, words: Translate) -> str:
    """The trouble in words."""
    _ = words
    match trouble:
        case Trouble.SET_ASIDE:
            return _("Memory was damaged")
        case Trouble.FORGETS:
            return _("Plays without memory")
        case Trouble.CONFIG:
            return _("Bad config: default")
