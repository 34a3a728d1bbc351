"""The languages of the box, through gettext: every language with a catalogue under `locale/`.

English is the language of the source. A catalogue is one ``.po`` file and, made from it by
``make messages``, the ``.mo`` file that is read here.
"""

import gettext
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from shutthebox.game.messages import Translate

ENGLISH = "en"

OWN_NAME = "English"
"""Every catalogue has its own language's name under this text."""


@cache
def _catalogues() -> Mapping[str, Traversable]:
    """Per language its catalogue."""
    folders = sorted((resources.files("shutthebox") / "locale").iterdir(), key=lambda entry: entry.name)
    found = {folder.name: folder / "LC_MESSAGES" / "shutthebox.mo" for folder in folders}
    return {code: catalogue for code, catalogue in found.items() if catalogue.is_file()}


def codes() -> tuple[str, ...]:
    """The codes of all languages, English first; no catalogue is read for it."""
    return ENGLISH, *_catalogues()


@cache
def translations() -> Mapping[str, Translate]:
    """Per language, how an English text is translated; a text without a translation stays English."""
    found: dict[str, Translate] = {ENGLISH: gettext.NullTranslations().gettext}
    for code, catalogue in _catalogues().items():
        with catalogue.open("rb") as file:
            found[code] = gettext.GNUTranslations(file).gettext
    return found


def reader_language(environ: Mapping[str, str], otherwise: str) -> str:
    """The code of the language that a terminal asks for, in gettext's order; `otherwise` if none is known."""
    wanted = (environ.get(name, "") for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"))
    for value in wanted:
        for locale in value.split(":"):
            code = locale.partition(".")[0].partition("_")[0]
            if code in codes():
                return code
    return otherwise


@cache
def languages() -> Mapping[str, str]:
    """Code and own name of every language, English first."""
    return {code: translate(OWN_NAME) for code, translate in translations().items()}
