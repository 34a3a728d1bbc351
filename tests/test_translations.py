"""Every text of the screens has a translation, with the same places to fill in."""

import ast
import io
import re
from importlib import resources
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po

import shutthebox
from shutthebox.adapters.display.fonts import Size, fitting
from shutthebox.config.profiles import builtins
from shutthebox.rules.turn import Refusal
from shutthebox.translations import ENGLISH, OWN_NAME, languages, translations

PACKAGE = Path(shutthebox.__file__).parent
LOCALE = resources.files("shutthebox") / "locale"
CATALOGS = {folder.name: folder / "LC_MESSAGES" for folder in LOCALE.iterdir()}

every_catalog = pytest.mark.parametrize("code", sorted(CATALOGS))

PANEL = ("game", "adapters", "runtime")
ELSEWHERE = ("web", "cli", "rules", "odds", "speech", "simulator")
TITLES = {profile.title() for profile in builtins()}
REFUSALS = {str(refusal) for refusal in Refusal}


KEYWORDS = {"_": None, "message": None, "N_": None}


def texts_of_the_source(*folders: str) -> set[str]:
    found = set()
    for folder in folders:
        for _, _, message, _, _ in extract_from_dir(str(PACKAGE / folder), keywords=KEYWORDS):
            found.add(message if isinstance(message, str) else message[0])
    return found


TEXTS = sorted(texts_of_the_source(*PANEL, *ELSEWHERE) | TITLES | REFUSALS | {OWN_NAME})


def blanks(text: str) -> list[str]:
    return sorted(re.findall(r"{\w+}", text))


def catalog_of(code: str) -> Catalog:
    with (CATALOGS[code] / "shutthebox.po").open("rb") as file:
        return read_po(file)


def test_every_catalog_is_a_language() -> None:
    assert set(translations()) == {ENGLISH, *CATALOGS}
    assert len(set(languages().values())) == len(languages())


def test_no_text_is_hidden_in_another() -> None:
    """Before Python 3.12 nothing looks for texts to translate within an f-string."""
    hidden = [
        f"{path.relative_to(PACKAGE)}:{call.lineno}"
        for path in PACKAGE.rglob("*.py")
        for filled in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(filled, ast.JoinedStr)
        for call in ast.walk(filled)
        if isinstance(call, ast.Call) and ast.unparse(call.func) in KEYWORDS
    ]
    assert hidden == []


@every_catalog
def test_every_text_is_translated(code: str) -> None:
    catalog = catalog_of(code)
    assert str(catalog.locale) == code
    translated = {text: str(entry.string) if (entry := catalog.get(text)) else "" for text in TEXTS}
    assert [text for text, words in translated.items() if not words] == [], "missing in the .po"
    assert [text for text, words in translated.items() if blanks(words) != blanks(text)] == []


LARGEST = {"tiles": "3, 4, 7", "answers": "8 or 4", "fault": "Lift 4", "cost": "1.99", "score": "124"}
"""The widest usual values of a text's blanks; the others are numbers of two digits."""


@pytest.mark.parametrize("language", translations())
def test_a_text_fits_one_line_of_the_panel(language: str) -> None:
    """In letters that can be read at the bar; longer ones are read in parts."""
    words = translations()[language]
    texts = {words(text) for text in texts_of_the_source(*PANEL) | REFUSALS} - {
        words("Shut {answers} with {tile}")
    }
    filled = [re.sub(r"{(\w+)}", lambda blank: LARGEST.get(blank[1], "12"), text) for text in sorted(texts)]
    assert [text for text in filled if fitting(text, Size.MEDIUM, 124) is None] == []


def test_the_source_was_searched() -> None:
    assert "{points} to go" in TEXTS


@every_catalog
def test_no_translation_is_left_over(code: str) -> None:
    assert {str(entry.id) for entry in catalog_of(code) if entry.id} <= set(TEXTS)


@every_catalog
def test_the_compiled_catalog_is_up_to_date(code: str) -> None:
    compiled = io.BytesIO()
    write_mo(compiled, catalog_of(code))
    compiled.seek(0)
    with (CATALOGS[code] / "shutthebox.mo").open("rb") as file:
        kept = read_mo(file)
    # Message by message: the header has the time of day in it.
    assert {entry.id: entry.string for entry in kept if entry.id} == {
        entry.id: entry.string for entry in read_mo(compiled) if entry.id
    }, "run `make messages`"


def test_languages_at_work() -> None:
    words = translations()
    assert words["fr"]("{points} to go").format(points=3) == "Encore 3"
    assert words["de"]("{points} to go").format(points=3) == "Noch 3"
    assert words["nl"]("{points} to go").format(points=3) == "Nog 3"
    assert words["en"]("{points} to go").format(points=3) == "3 to go"
