"""What has gone wrong around the box that its players should know, though it plays on."""

from enum import Enum

from shutthebox.game.menu import Translate


class Trouble(Enum):
    """Said in attract until somebody touches the box, and in a corner while a match is played."""

    SET_ASIDE = "set aside"
    """The store was damaged or not ours: it is kept under another name, a new one is begun."""
    FORGETS = "forgets"
    """Nothing can be kept for now: a full disk, a folder that cannot be written to."""
    CONFIG = "config"
    """The box's own configuration cannot be used: the built-in one is."""
    RULES = "rules"
    """A file of house rules cannot be used and is left out."""


def trouble_text(trouble: Trouble, words: Translate) -> str:
    """The trouble in words, for the prompt."""
    _ = words
    match trouble:
        case Trouble.SET_ASIDE:
            return _("Memory was damaged")
        case Trouble.FORGETS:
            return _("Plays without memory")
        case Trouble.CONFIG:
            return _("Bad config: default")
        case Trouble.RULES:
            return _("Bad house rules")


def trouble_word(trouble: Trouble, words: Translate) -> str:
    """The trouble in ten characters, for the corner in which the round and the score stand."""
    _ = words
    match trouble:
        case Trouble.SET_ASIDE:
            return _("new memory")
        case Trouble.FORGETS:
            return _("no memory")
        case Trouble.CONFIG:
            return _("bad config")
        case Trouble.RULES:
            return _("bad rules")
