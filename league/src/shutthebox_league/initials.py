"""Initials as people type them."""

import hashlib
import re

from shutthebox.errors import quoted
from shutthebox_league.errors import LeagueError

INITIALS = re.compile("[A-Z]{3}", re.ASCII)
_MAX = 50  # initials in one go


def read_initials(text: str) -> list[str]:
    """Reads initials as somebody types them, such as ``ANN bob``, without duplicates.

    Raises:
        LeagueError: if there are none, or something else is among them.
    """
    found = list(dict.fromkeys(text[:1000].upper().replace(",", " ").split()))
    for initials in found:
        if not INITIALS.fullmatch(initials):
            raise LeagueError(f"{quoted(initials)} is not allowed; use three letters A-Z each")
    if not 1 <= len(found) <= _MAX:
        raise LeagueError(f"use 1 to {_MAX} initials, such as ANN BOB")
    return found


def digest_of(initials: str) -> str:
    """The hash that keeps initials forgotten. Hides them from a glance, not from brute force."""
    return hashlib.sha256(f"shutthebox forgotten {initials}".encode()).hexdigest()
