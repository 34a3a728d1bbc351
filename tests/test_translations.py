"""Every text of the screens has a translation, with the same places to fill in."""

import io
import re
from importlib import resources
from pathlib import Path

from babel.messages.extract import extract_from_dir
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po

import shutthebox
from shutthebox.config.profiles import builtins
from shutthebox.translations import OWN_NAME, translations

PACKAGE = Path(shutthebox.__file__).parent
CATALOG = resources.files("shutthebox") / "locale" / "fr" / "LC_MESSAGES"


PANEL = ("game", "adapters", "runtime")
ELSEWHERE = ("web", "cli", "rules")
TITLES = {profile.title() for profile in builtins()}


def texts_of_the_source(*folders: str) -> set[str]:
    keywords = {"_": None, "message": None, "N_": None}
    found = set()
    for folder in folders:
        for _, _, message, _, _ in extract_from_dir(str(PACKAGE / folder), keywords=keywords):
            found.add(message if isinstance(message, str) else message[0])
    return found


TEXTS = sorted(texts_of_the_source(*PANEL, *ELSEWHERE) | TITLES | {OWN_NAME})


def blanks(text: str) -> list[str]:
    return sorted(re.findall(r"{\w+}", text))


def test_every_text_is_in_french() -> None:
    with (CATALOG / "shutthebox.po").open("rb") as file:
        catalog = read_po(file)
    french = {text: str(entry.string) if (entry := catalog.get(text)) else "" for text in TEXTS}
    assert [text for text, translated in french.items() if not translated] == [], "missing in the .po"
    assert [text for text, translated in french.items() if blanks(translated) != blanks(text)] == []


def test_a_text_fits_the_panel() -> None:
    french = [translations()["fr"](text) for text in texts_of_the_source(*PANEL)]
    # A line of the panel has 21 characters, a long one scrolls.
    assert [text for text in french if len(text) - 4 * text.count("{") > 24] == []


def test_the_source_was_searched() -> None:
    assert "{points} to go" in TEXTS


def test_no_translation_is_left_over() -> None:
    with (CATALOG / "shutthebox.po").open("rb") as file:
        assert {str(entry.id) for entry in read_po(file) if entry.id} <= set(TEXTS)


def test_the_compiled_catalog_is_up_to_date() -> None:
    with (CATALOG / "shutthebox.po").open("rb") as file:
        catalog = read_po(file)
    compiled = io.BytesIO()
    write_mo(compiled, catalog)
    compiled.seek(0)
    with (CATALOG / "shutthebox.mo").open("rb") as file:
        kept = read_mo(file)
    # Message by message: the header has the time of day in it.
    assert {entry.id: entry.string for entry in kept if entry.id} == {
        entry.id: entry.string for entry in read_mo(compiled) if entry.id
    }, "run `make messages`"


def test_languages_at_work() -> None:
    words = translations()
    assert words["fr"]("{points} to go").format(points=3) == "Encore 3"
    assert words["en"]("{points} to go").format(points=3) == "3 to go"
