"""Faults that players should know about, although the box plays on."""

from enum import Enum

from shutthebox.game.messages import Message, message


class Fault(Enum):
    """Shown in attract mode until somebody touches the box, and in a corner during a match.

    The value is the fault's kind in the store.
    """

    STORE_REPLACED = "store-replaced"
    """The store was damaged or isn't ours: it's kept under another name, and a new one begun."""
    STORE_NEWER = "store-newer"
    """A newer version wrote the store: it's kept under another name until that version is back."""
    STORE_DAMAGED = "store-damaged"
    """Part of the store is damaged: the next start recovers the rest."""
    FORGETS = "forgets"
    """Nothing can be stored for now: the disk is full, or the folder can't be written to."""
    CONFIG = "config"
    """The box's configuration can't be used, so the built-in one is."""
    RULES = "rules"
    """A file of house rules can't be used and is left out."""


FAULT_TEXTS: dict[Fault, tuple[Message, Message]] = {
    Fault.STORE_REPLACED: (message("Memory damaged"), message("new memory")),
    Fault.STORE_NEWER: (message("Memory is newer"), message("new memory")),
    Fault.STORE_DAMAGED: (message("Memory damaged"), message("bad memory")),
    Fault.FORGETS: (message("Memory is off"), message("no memory")),
    Fault.CONFIG: (message("Bad config"), message("bad config")),
    Fault.RULES: (message("Bad house rules"), message("bad rules")),
}
"""Each fault's prompt in attract, and at most ten characters for the corner of a turn's screens."""


class Undelivered(Enum):
    """Why the league isn't getting this box's matches: a mark in attract mode and a line in service."""

    NO_LINE = "no line"
    HELD = "held"
    """The league has them but is holding them: an earlier one is missing, or the key is revoked."""
    OLDER_CARD = "older card"
    """They're delivered, but the card is an older copy, so the league may lack some."""
    OTHER = "other"


UNDELIVERED_TEXTS: dict[Undelivered, Message] = {
    Undelivered.NO_LINE: message("League: no line"),
    Undelivered.HELD: message("League: held"),
    Undelivered.OLDER_CARD: message("League: old card"),
    Undelivered.OTHER: message("League: unsent"),
}
"""Each reason's line in service; `shutthebox doctor` says more."""


class MachineFault(Enum):
    """A fault of the Pi itself, for the owner. The value is its kind in the store."""

    POWER = "power"
    HEAT = "heat"


MACHINE_FAULT_TEXTS: dict[MachineFault, Message] = {
    MachineFault.POWER: message("Power is too low"),
    MachineFault.HEAT: message("The Pi is hot"),
}
"""Each fault's line among the owner's faults."""
