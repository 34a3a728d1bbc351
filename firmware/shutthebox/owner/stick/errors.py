"""Errors of jobs with a stick."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from shutthebox.errors import ShutTheBoxError
from shutthebox.game.stick import StickOutcome

_OUTCOMES = {
    errno.ENOSPC: StickOutcome.FULL,
    errno.EDQUOT: StickOutcome.FULL,
    errno.EFBIG: StickOutcome.FULL,
    errno.EROFS: StickOutcome.PROTECTED,
    errno.EPERM: StickOutcome.PROTECTED,
    errno.EACCES: StickOutcome.PROTECTED,
    errno.ENODEV: StickOutcome.PULLED_OUT,
    errno.ENXIO: StickOutcome.PULLED_OUT,
    errno.ENOMEDIUM: StickOutcome.PULLED_OUT,
}


class JobError(ShutTheBoxError):
    """A job could not be done; the text says more."""

    def __init__(self, outcome: StickOutcome, text: str = "") -> None:
        super().__init__(text)
        self.outcome = outcome


def outcome_of(error: OSError, *, gone: bool) -> StickOutcome:
    """The outcome that an OSError means for the stick's owner.

    Args:
        error: while a file of the stick was read or written.
        gone: the stick has been pulled out, which shows as almost any error.
    """
    if gone:
        return StickOutcome.PULLED_OUT
    return _OUTCOMES.get(error.errno or 0, StickOutcome.UNREADABLE)


@contextmanager
def box_disk_errors() -> Iterator[None]:
    """Turns OSErrors raised inside into errors about the box's own disk.

    Raises:
        JobError: in place of an OSError.
    """
    try:
        yield
    except OSError as error:
        number = getattr(error.__cause__, "errno", None) or error.errno
        is_full = number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        outcome = StickOutcome.NO_ROOM if is_full else StickOutcome.FAILED
        raise JobError(outcome, error.strerror or str(error)) from None
