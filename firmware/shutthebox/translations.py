"""The box's languages: every folder under `locale/` that has a catalogue.

The source is in English. Catalogues are gettext ``.po`` files, read as they are, which takes no longer than
reading compiled ones. ``make messages`` checks them.
"""

import json
import re
from collections.abc import Mapping
from functools import cache, cached_property
from gettext import c2py
from importlib import resources
from importlib.resources.abc import Traversable
from string import Formatter

from shutthebox.game.effects import Show
from shutthebox.game.messages import Translate
from shutthebox.game.screen import LocalizedScreen
from shutthebox.rules.profile import Profile
from shutthebox.texts import RULE, plural

ENGLISH = "en"

OWN_NAME = "English"
"""Every catalogue has its own language's name under this text."""

ARTICLES = "the a an"
"""Every catalogue has its own language's under this text; one with an apostrophe is part of the next word."""

UNFINISHED = "X-Unfinished: yes"
"""In the head of a catalogue: its language is only shown if it's asked for."""

# Our catalogues have no contexts; a test compares what Babel reads. An English box compiles none of these.
_LINES = r'((?:"[^\n]*"\n?)+)'
_ENTRY = f"(?m)^msgid {_LINES}msgstr {_LINES}"
_PLURAL = f'(?m)^msgid {_LINES}msgid_plural {_LINES}((?:msgstr.+\n?(?:".*\n?)*)+)'
_FORM = rf"(?m)^msgstr\[\d\] {_LINES}"
_RULE = r"(?m)^Plural-Forms: nplurals=(\d+); plural=(.+);$"


class _Catalogue:
    """One language. Its texts are read when the first of them is asked for, and not kept before."""

    def __init__(self, file: Traversable) -> None:
        self._file = file
        raw = file.read_bytes()
        head, _, _ = raw.partition(b"\n\n")
        self.is_finished = UNFINISHED.encode() not in head
        _, _, after = raw.partition(f'msgid "{OWN_NAME}"\nmsgstr "'.encode())
        self.own_name = after.partition(b'"')[0].decode("utf-8", "replace") or OWN_NAME

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        texts = read_catalogue(self._file.read_bytes().decode("utf-8", "replace"))
        forms, rule = plural_rule(texts)
        return {RULE: rule} | {
            english: words
            for english, words in texts.items()
            if has_same_blanks(english, words) and ("\0" not in english or words.count("\0") == forms - 1)
        }

    def translate(self, text: str) -> str:
        """The text in this language; without a translation, or with other blanks in it, it stays English."""
        return self._texts.get(text) or text


@cache
def _files() -> Mapping[str, Traversable]:
    """The catalogue of each language."""
    folders = sorted((resources.files("shutthebox") / "locale").iterdir(), key=lambda entry: entry.name)
    found = {folder.name: folder / "LC_MESSAGES" / "shutthebox.po" for folder in folders}
    return {code: catalogue for code, catalogue in found.items() if catalogue.is_file()}


@cache
def _catalogues() -> Mapping[str, _Catalogue]:
    """The catalogue of each language except English, the language of the source."""
    return {code: _Catalogue(file) for code, file in _files().items()}


def read_catalogue(text: str) -> dict[str, str]:
    """Each English text with its translation, which may be empty; the head is under the empty text.

    Plural forms are joined as in `shutthebox.texts.plural`, in both languages.
    """
    texts = {_unquote(english): _unquote(words) for english, words in re.findall(_ENTRY, text)}
    for one, many, forms in re.findall(_PLURAL, text):
        words = [_unquote(form) for form in re.findall(_FORM, forms)]
        texts[plural(_unquote(one), _unquote(many))] = "\0".join(words) if all(words) else ""
    return texts


def plural_rule(texts: Mapping[str, str]) -> tuple[int, str]:
    """How many plural forms a language has, and which one a number takes: from its catalogue's head.

    Without a rule that works there are none, so every text with a number stays English.
    """
    found = re.search(_RULE, texts.get("", ""))
    try:
        if found:
            form_of, forms = c2py(found[2]), int(found[1])
            if all(0 <= form_of(number) < forms for number in range(200)):
                return forms, found[2]
    except (ValueError, ZeroDivisionError):
        pass
    return 0, RULE


def has_same_blanks(english: str, words: str) -> bool:
    """Whether a translation can be filled in as its English text is; with plural forms, as one of them.

    >>> has_same_blanks("Player {number}", "Jugador {numero}")
    False
    """
    try:
        blanks, others = ([sorted(_blanks(form)) for form in text.split("\0")] for text in (english, words))
    except ValueError:  # such as a brace without its partner
        return "{" not in english
    return all(form in blanks for form in others)


def _blanks(text: str) -> list[tuple[str, str | None, str | None]]:
    return [(name, spec, turn) for _, name, spec, turn in Formatter().parse(text) if name is not None]


def _unquote(lines: str) -> str:
    text = "".join(line[1:-1] for line in lines.splitlines())
    return str(json.loads(f'"{text}"')) if "\\" in text else text  # its escapes are those of gettext


def codes() -> tuple[str, ...]:
    """The codes of all languages, English first. Reads no catalogue."""
    return ENGLISH, *_files()


def finished_codes() -> tuple[str, ...]:
    """The codes of the languages that are offered to everybody, English first."""
    return ENGLISH, *(code for code, catalogue in _catalogues().items() if catalogue.is_finished)


@cache
def translations() -> Mapping[str, Translate]:
    """The translation function of each language, unfinished ones included."""
    return {ENGLISH: str} | {code: catalogue.translate for code, catalogue in _catalogues().items()}


def reader_language(environ: Mapping[str, str], otherwise: str) -> str:
    """The code of the language that a terminal asks for, in gettext's order; `otherwise` if none is known."""
    wanted = (environ.get(name, "") for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"))
    for value in wanted:
        for locale in value.split(":"):
            code = locale.partition(".")[0].partition("_")[0]
            if code in finished_codes():
                return code
    return otherwise


def languages(asked_for: str = ENGLISH) -> Mapping[str, str]:
    """Code and own name of every language to choose from, English first.

    Args:
        asked_for: a code; that language is among them, even if it is unfinished.
    """
    return {ENGLISH: OWN_NAME} | {
        code: catalogue.own_name
        for code, catalogue in _catalogues().items()
        if catalogue.is_finished or code == asked_for
    }


def title_order(profile: Profile, language: str) -> tuple[str, str]:
    """The sort key for lists of games: the title in this language, ignoring articles and accents."""
    translate = translations()[language]
    return _order(profile.title(language, translate), translate(ARTICLES)), profile.name


@cache
def _order(title: str, articles: str) -> str:
    import unicodedata  # lazily, to keep startup fast

    words = title.casefold()
    for article in articles.split():
        words = words.removeprefix(article if article.endswith("’") else f"{article} ")
    parts = unicodedata.normalize("NFKD", words)
    return "".join(part for part in parts if not unicodedata.combining(part))


def localize_screen(show: Show) -> LocalizedScreen:
    """The screen in the words of the panel, in the language of the players."""
    return show.screen.localize(translations()[show.language])
