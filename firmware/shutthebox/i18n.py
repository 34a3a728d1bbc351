"""The languages of the screens, through gettext. English is the language of the source."""

import gettext
from collections.abc import Mapping
from importlib import resources

from shutthebox.game.menu import LANGUAGES, Translate


def translations() -> Mapping[str, Translate]:
    """Per language of the screens, how a text is translated; a text without one stays English."""
    folder = resources.files("shutthebox") / "locale"
    found: dict[str, Translate] = {}
    for language in LANGUAGES:
        catalog = folder / language / "LC_MESSAGES" / "shutthebox.mo"
        if catalog.is_file():
            with catalog.open("rb") as file:
                found[language] = gettext.GNUTranslations(file).gettext
        else:
            found[language] = gettext.NullTranslations().gettext
    return found
