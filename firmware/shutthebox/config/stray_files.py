"""Tells the owner's files from what computers and people leave beside them.

Folders on cards and sticks collect desktop.ini, Thumbs.db, friday.toml~, copies and hidden files.
"""

import re
from collections.abc import Set as AbstractSet

_COPY_WORDS = "copy|copie|copia|kopie|kopia"
_COPY_OF = rf"(?i:{_COPY_WORDS}) (?i:of|de|von|van) (?=.)"
_COPY = rf"(?:(?: - | |-|_)?\b(?i:{_COPY_WORDS})(?: \d+)?| ?\(\d+\))$"
_ENDING = r"(?i:(?:\.(?:toml|txt|pem|pub|crt|cer|yaml|yml))+(?:\.rtf)?)$"
_WORD = r"[^\W\d_]{2}"


def is_hidden(name: str) -> bool:
    """Whether a system put the file beside another one, such as ``._friday.toml``."""
    return name.startswith(".")


def is_copy(name: str, beside: AbstractSet[str]) -> bool:
    """Whether a file is a computer's copy of one of those beside it, whose names are in small letters.

    >>> [is_copy(name, {"friday.toml"}) for name in ("Friday - Copy (2).toml", "friday 2.toml")]
    [True, False]
    """
    original = _original(name)
    return original != name and original.lower() in beside


def is_misnamed(given: str, name: str) -> bool:
    """Whether a file can only be meant to have this name: its ending, or a sign or number, is wrong.

    >>> is_misnamed("League (1).toml.txt", "league.toml"), is_misnamed("league table.pdf", "league.toml")
    (True, False)
    """
    stem, ending = name.partition(".")[0], re.search(_ENDING, given)
    if ending is None and given.lower() != stem:
        return False
    rest = _original(given if ending is None else given[: ending.start()]).lower()
    return rest.startswith(stem) and re.search(_WORD, rest.removeprefix(stem)) is None


def _original(name: str) -> str:
    """The name before a computer copied the file or downloaded it again."""
    stem, dot, ending = name.rpartition(".")
    stem, dot, ending = (stem, dot, ending) if dot else (name, "", "")
    stem = re.sub(rf"\A{_COPY_OF}", "", stem)
    while stem and (shorter := re.sub(_COPY, "", stem)) != stem:
        stem = shorter
    return f"{stem}{dot}{ending}"
