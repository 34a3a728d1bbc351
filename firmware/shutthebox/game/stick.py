"""The owner's USB stick, as the game sees it: what it offers, the job in progress, and how that ended.

A helper that may mount sticks reports all of this at once, as one value that replaces the last. So a stick
pulled out, a restarted helper and a lost report need no special handling.
"""

from enum import StrEnum
from typing import NamedTuple


class StickJob(StrEnum):
    """A job for the helper, or the restart, which the system does."""

    SAVE = "save"
    """Write the memory, results, statistics and a report into a new folder on the stick."""
    TAKE_OVER = "take-over"
    """Replace the box's memory with a saved one."""
    SETTINGS = "settings"
    """Install the settings files from the stick's folder `shutthebox`."""
    INSPECT = "inspect"
    """Check the update's signature and read its description, before asking whether to install it."""
    UPDATE = "update"
    """Write another version of the system next to the running one."""
    RESTART = "restart"
    """Restart the Pi, which some outcomes need."""

    @property
    def is_offered(self) -> bool:
        """Whether it can be in the list; the others follow from one that is."""
        return self not in (StickJob.INSPECT, StickJob.RESTART)


class StickOutcome(StrEnum):
    """How a job ended, or why a stick offers nothing."""

    SAVED = "saved"
    TAKEN_OVER = "taken-over"
    SETTINGS_TAKEN = "settings-taken"
    """They take effect at the next start."""
    UPDATE_WRITTEN = "update-written"
    """The new version runs from the next start."""
    FULL = "full"
    """The stick has no room for the save."""
    PROTECTED = "protected"
    """The stick can't be written to."""
    PULLED_OUT = "pulled-out"
    """The stick is gone or has stopped answering, and nothing was changed."""
    UNSURE = "unsure"
    """The job was cut off at the very end, and may or may not be done."""
    UNREADABLE = "unreadable"
    """The stick can't be read."""
    NO_ROOM = "no-room"
    """The card has no room for what's on the stick."""
    BAD_MEMORY = "bad-memory"
    BAD_SETTINGS = "bad-settings"
    BAD_UPDATE = "bad-update"
    """Not signed by the card's maker, or not for this box."""
    SAME_VERSION = "same-version"
    """The update is the version that's running."""
    UPDATE_FAILED = "update-failed"
    """The update couldn't be written."""
    FAILED = "failed"
    """Anything else; the journal says more."""


NEEDS_RESTART = frozenset((StickOutcome.SETTINGS_TAKEN, StickOutcome.UPDATE_WRITTEN))


class Stick(NamedTuple):
    """A stick in the box, or the card's first partition if there's an update on it.

    Attributes:
        offers: the jobs it can be used for, in the list's order.
        version: the update's, from its file name until it's checked; empty if the name has none.
        checked: the update's signature is good, so its description can be trusted.
        earlier: the update is older than the running version.
        forgets: that version can't read the memory, which would be set aside until this one is back.
        unknown: configuration keys in use that that version doesn't know.
        memory: the name of the saved memory.
        mistakes: one line for each in the settings files: file, line or key, and what's allowed.
        is_card: it's the card itself, and no stick is in.
        is_out: it was pulled out, but what it brought is waiting for a restart.
        doing: the job in progress, if any.
        percent: how much of the job is done; None if unknown.
        outcome: of the latest job, or why the stick offers nothing; None before the first.
        detail: of the outcome: a folder's name, or a line of English that says more.
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
