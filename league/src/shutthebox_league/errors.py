"""Errors that a league's operator can fix."""

from shutthebox.errors import ShutTheBoxError


class LeagueError(ShutTheBoxError, ValueError):
    """A wrong name, file or option; the text is one line: what is wrong, what is allowed."""
