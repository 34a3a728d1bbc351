"""Names of pubs, events and tournaments, which everybody sees."""

import re
import unicodedata

from shutthebox.errors import quoted
from shutthebox_league.errors import LeagueError

_MAX = 60
_MAX_MARKS = 4  # in a row; no script has more on one letter
_BLANK = re.compile("[\u115f\u1160\u2800\u3164\uffa0]")  # letters and signs without ink

_LOOK_ALIKE = frozenset({"LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"})
"""Scripts with letters that look the same, as Unicode's names of their letters begin."""


def read_new_name(text: str, where: str) -> str:
    """A name that nobody can take for one in another script, as a whole: ``Тhe Bell`` has a Cyrillic letter.

    Raises:
        LeagueError: for anything else.
    """
    name = read_name(text, where)
    letters = (each for each in unicodedata.normalize("NFKC", name) if each.isalpha())
    scripts = {unicodedata.name(each, "").partition(" ")[0] for each in letters} & _LOOK_ALIKE
    if len(scripts) > 1:
        found = " and ".join(script.title() for script in sorted(scripts))
        raise LeagueError(f"{where}: {quoted(text)} has {found} letters; use letters of one alphabet")
    return name


def read_name(text: str, where: str) -> str:
    """A name with single spaces, which can be seen and stays in its line.

    Args:
        text: as somebody typed it.
        where: what it was typed for, for the message.

    Raises:
        LeagueError: for anything else.
    """
    name = " ".join(text.split())
    marks = "".join("m" if unicodedata.category(each).startswith("M") else " " for each in name)
    if not 1 <= len(name) <= _MAX or not name.isprintable():
        raise LeagueError(f"{where}: {quoted(text)} is not allowed; use up to {_MAX} characters")
    if _BLANK.search(name) or "m" * (_MAX_MARKS + 1) in marks or marks.startswith("m"):
        raise LeagueError(f"{where}: {quoted(text)} is not allowed; use characters that can be read")
    return name
