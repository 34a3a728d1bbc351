"""The owner's USB stick, as the game sees it: what it offers, what is being done with it, how that ended.

A helper with the rights to mount a stick looks at it and says all of this at once, as one value; the game
replaces what it knows. So a stick that is pulled out, a helper that starts again and a missed word are
ordinary cases.
"""

from enum import StrEnum
from typing import NamedTuple


class StickJob(StrEnum):
    """Something to ask of the helper, except a restart, which the system does."""

    SAVE = "save"
    """Write the memory, results, statistics and a report into a new folder on the stick."""
    TAKE_OVER = "take-over"
    """Let a saved memory replace the box's."""
    SETTINGS = "settings"
    """Install the files of settings in the stick's folder `shutthebox`."""
    INSPECT = "inspect"
    """Check the update's signature and read what it says about itself, before its question is asked."""
    UPDATE = "update"
    """Write another version of the system beside the one that runs."""
    RESTART = "restart"
    """Start the machine anew, which an outcome may need."""

    @property
    def is_offered(self) -> bool:
        """Whether it can stand in the list; the others follow from a job that does."""
        return self not in (StickJob.INSPECT, StickJob.RESTART)


class StickOutcome(StrEnum):
    """How a job ended, or why a stick offers nothing."""

    SAVED = "saved"
    TAKEN_OVER = "taken-over"
    SETTINGS_TAKEN = "settings-taken"
    """They are in force from the next start on."""
    UPDATE_WRITTEN = "update-written"
    """It runs from the next start."""
    FULL = "full"
    """The stick has no room for the save."""
    PROTECTED = "protected"
    """The stick can't be written to."""
    PULLED_OUT = "pulled-out"
    """The stick has gone, or answers no more, and nothing was changed."""
    UNSURE = "unsure"
    """It was cut off at its end: nobody knows whether it was done."""
    UNREADABLE = "unreadable"
    """What lies on the stick can't be read."""
    NO_ROOM = "no-room"
    """The card has no room for what lies on the stick."""
    BAD_MEMORY = "bad-memory"
    BAD_SETTINGS = "bad-settings"
    BAD_UPDATE = "bad-update"
    """Not signed by the card's maker, or not for this box."""
    SAME_VERSION = "same-version"
    """The update is the version that plays."""
    UPDATE_FAILED = "update-failed"
    """It could not be written."""
    FAILED = "failed"
    """Anything else; the journal says more."""


NEEDS_RESTART = frozenset((StickOutcome.SETTINGS_TAKEN, StickOutcome.UPDATE_WRITTEN))


class Stick(NamedTuple):
    """A stick in the box, or the first partition of its card where an update lies on that.

    Attributes:
        offers: the jobs that it can be used for, in the order of the list.
        version: of the update, by the name of its file until it is checked; empty if that has none.
        checked: the update's signature is good, so its own description can be trusted.
        earlier: the update is an earlier version than the one that plays.
        forgets: that version can't read the memory, which would be set aside until this one is back.
        unknown: keys of the configuration in use that that version does not know.
        memory: the name of the saved memory.
        mistakes: in the files of settings, a line each: file, line or key, what is allowed.
        is_card: it is the card itself, and nobody has put anything in.
        is_out: it was pulled out, but what it has brought waits for a restart.
        doing: the job that is being done; None for none.
        percent: how much of it; None if that is not known.
        outcome: of the latest job, or why the stick offers nothing; None before.
        detail: of the outcome: the name of a folder, or a line in English that says more.
    """

    offers: tuple[StickJob, ...] = ()
    version: str = ""
    checked: bool = False
    earlier: bool = False
    forgets: bool = False
    unknown: tuple[str, ...] = ()
    memory: str = ""
    mistakes: tuple[str, ...] = ()
    is_card: bool = False
    is_out: bool = False
    doing: StickJob | None = None
    percent: int | None = None
    outcome: StickOutcome | None = None
    detail: str = ""
