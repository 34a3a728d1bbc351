"""The languages of the box, through gettext: whatever has a catalogue under `locale/` is there.

English is the language of the source. A catalogue is one ``.po`` file and, made from it by
``make messages``, the ``.mo`` file that is read here.
"""

import gettext
from collections.abc import Mapping
from functools import cache
from importlib import resources

from shutthebox.game.messages import Translate

ENGLISH = "en"

OWN_NAME = "English"
"""Every catalogue has its own language's name under this text."""


@cache
def translations() -> Mapping[str, Translate]:
    """Per language, how an English text is translated; a text without a translation stays English."""
    found: dict[str, Translate] = {ENGLISH: gettext.NullTranslations().gettext}
    for folder in sorted((resources.files("shutthebox") / "locale").iterdir(), key=lambda entry: entry.name):
        catalogue = folder / "LC_MESSAGES" / "shutthebox.mo"
        if catalogue.is_file():
            with catalogue.open("rb") as file:
                found[folder.name] = gettext.GNUTranslations(file).gettext
    return found


@cache
def languages() -> Mapping[str, str]:
    """Code and own name of every language, English first."""
    return {code: translate(OWN_NAME) for code, translate in translations().items()}
