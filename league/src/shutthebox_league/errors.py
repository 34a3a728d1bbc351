"""Errors that the owner of a league can put right."""

from shutthebox.errors import ShutTheBoxError


class LeagueError(ShutTheBoxError, ValueError):
    """A wrong name, file or option; the text is one line: what is wrong, what is allowed."""
