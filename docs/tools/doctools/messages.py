"""The catalogues: the texts that there are, and what each language lacks of them. Run by `make messages`.

A text that a catalogue lacks is added to it without a translation, so a translator sees what to write. A new
language is a new folder: `firmware/shutthebox/locale/CODE`, and this command makes its catalogue.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from gettext import c2py
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import PoFileError, read_po

import shutthebox
from shutthebox.adapters.display.fonts import Size, tighten, wrap_text
from shutthebox.adapters.display.layout import ONE_LINE
from shutthebox.config.profiles import builtins
from shutthebox.rules.turn import Refusal
from shutthebox.texts import plural
from shutthebox.translations import (
    ARTICLES,
    ENGLISH,
    OWN_NAME,
    UNFINISHED,
    has_same_blanks,
    plural_rule,
    read_catalogue,
)

PACKAGE = Path(shutthebox.__file__).parent
LOCALE = PACKAGE / "locale"

KEYWORDS = {"_": None, "message": None, "N_": None, "plural": (1, 2)}
"""The functions whose arguments are a text to translate."""

VOICE = {"say_as": {1: (1,), 2: (1, 2)}}
"""The same, of texts that are only heard."""

NUL = "\0"
"""Between the plural forms of a text."""

GLOSSARY = ("turn", "throw", "round", "match", "tile", "box")
"""Each catalogue begins with its own word for each of these: ``# turn: ...``. It may go on with others, and
with the words that it rules out: ``# head start: Vorgabe; not Vorsprung, im Voraus``."""

_HEAD = re.compile(r"^# ([a-z][^:\n]*): *([^;\s][^;\n]*)(?:; not (.+))?$", re.MULTILINE)

PANEL = ("game", "adapters", "owner/report.py", "runtime")
"""The folders and modules whose texts the small display shows."""

LARGEST = {"tiles": "3, 4, 7", "answers": "8 or 4", "fault": "Lift 4", "cost": "1.99", "score": "124"}
"""The widest usual values of a text's blanks; the others are numbers of two digits."""

IN_TWO_PARTS = {
    "Make {answers} with {tile}",
    "Lost: no {tile} this\u00a0time",
    "Next time!",
    "Bad config",
    "Which seat?",
    "Who gets a head start?",
    "Up to how many points?",
    "Keep holding: end match",
    "Lever {tile}: line taken",
    "{tile} at the back: lever {lever}",
    "Flip lever {levers}",
}
"""Questions and reasons that may be longer: the display shows one half after the other."""

IN_THREE_PARTS = {"No press: it stands once the levers fit"}
"""Likewise, with three parts."""

_WIDTH = 124
"""Pixels of a line of the panel."""

_ELSEWHERE = ("texts.py", *{path.parent.name for path in PACKAGE.glob("*/__init__.py")} - set(PANEL))


def texts_of_the_source(*folders: str, keywords: Mapping[str, Any] = KEYWORDS) -> set[str]:
    """The texts to translate in these folders and modules of the package."""
    found = set[str]()
    for folder in folders:
        for path in [PACKAGE / folder] if folder.endswith(".py") else (PACKAGE / folder).rglob("*.py"):
            found |= _texts_of(path, keywords)
    return found


def _texts_of(path: Path, keywords: Iterable[str]) -> frozenset[str]:
    # Most modules have no text, and reading one takes far longer than looking for a keyword.
    source = path.read_text("utf-8")
    return _extracted(path, frozenset(name for name in keywords if f"{name}(" in source))


@cache
def _extracted(path: Path, keywords: frozenset[str]) -> frozenset[str]:
    if not keywords:
        return frozenset()
    spots: dict[str, Any] = {name: place for name, place in {**KEYWORDS, **VOICE}.items() if name in keywords}
    found = extract_from_file("python", path, keywords=spots)
    return frozenset(message if isinstance(message, str) else plural(*message) for _, message, _, _ in found)


@cache
def texts() -> tuple[str, ...]:
    """All texts to translate, in order."""
    titles = {profile.title() for profile in builtins()}
    refusals = {str(refusal) for refusal in Refusal}
    found = texts_of_the_source(*PANEL, *_ELSEWHERE, keywords={**KEYWORDS, **VOICE})
    return tuple(sorted(found | titles | refusals | {ARTICLES, OWN_NAME}))


@cache
def _families() -> Mapping[str, str]:
    """Per text the part of the box that says it, which a translator can finish by itself."""
    parts = [*dict.fromkeys(part.partition("/")[0] for part in PANEL), *sorted(_ELSEWHERE)]
    found = {
        text: part
        for part in reversed(parts)
        for text in texts_of_the_source(part, keywords={**KEYWORDS, **VOICE})
    }
    return {text: found.get(text, "rules") for text in texts()}


@cache
def panel_texts() -> frozenset[str]:
    """The texts that the small display shows on a line; sentences have pages, where they turn."""
    refusals = {str(refusal) for refusal in Refusal}
    return frozenset(text for text in texts_of_the_source(*PANEL) | refusals if not text.endswith("."))


def too_wide(text: str, words: str) -> str:
    """By how much a text of the panel does not fit its line in these words; empty if it fits."""
    for form in words.split("\0"):
        filled = re.sub(r"{(\w+)}", lambda blank: LARGEST.get(blank[1], "12"), form)
        size = Size.SMALL if ONE_LINE in text else Size.MEDIUM
        parts = 3 if text in IN_THREE_PARTS else 2 if text in IN_TWO_PARTS else 1
        if len(wrap_text(filled, size, _WIDTH)) > parts:
            return f"{max(1, tighten(filled, size).width - parts * _WIDTH)} pixels too wide for the panel: {form}"
    return ""


def blanks(text: str) -> list[str]:
    """The places of a text that are filled in."""
    return sorted(re.findall(r"{\w+}", text))


def _mistake(text: str, words: str, forms: int, rule: str) -> str:
    """What keeps a translation from being shown."""
    if not words:
        return f"no translation: {_shown(text)}"
    if not has_same_blanks(text, words):
        return f"other blanks than {', '.join(blanks(text.split(NUL)[-1])) or 'none'}: {_shown(words)}"
    if NUL not in text:
        return ""
    if len(words.split(NUL)) != forms:
        return f"not {forms} plural forms: {_shown(words)}"
    form_of = c2py(rule)
    of_many = {form_of(number) for number in range(2, 200)}
    if any(blanks(words.split(NUL)[form]) != blanks(text.split(NUL)[1]) for form in of_many):
        return f"a form for many numbers does not say which: {_shown(words)}"
    return ""


def _shown(text: str) -> str:
    return text.replace(NUL, " / ")


def glossary(catalogue: Path) -> dict[str, str]:
    """The words that stand in the catalogue's head."""
    return {thing: word for thing, word, _ in _HEAD.findall(_head(catalogue))}


def ruled_out(catalogue: Path) -> Iterator[tuple[str, str, "re.Pattern[str]"]]:
    """What must not stand in a translation, by the catalogue's head: a thing, its word, and a wrong one."""
    for thing, word, others in _HEAD.findall(_head(catalogue)):
        for other in filter(None, others.split(", ")):
            after = r"(?!\w)" if other[-1].isalnum() else ""
            yield thing, word, re.compile(rf"(?<!\w){re.escape(other)}{after}")


def _head(catalogue: Path) -> str:
    return catalogue.read_text("utf-8").partition("msgid")[0]


def complaints(catalogue: Path) -> Iterator[tuple[str, str]]:
    """What is to be done in a catalogue: the part of the box, and a line."""
    words = read_catalogue(catalogue.read_text("utf-8"))
    for word in GLOSSARY:
        if word not in glossary(catalogue):
            yield "head", f"no word for: {word}"
    forbidden = tuple(ruled_out(catalogue))
    forms, rule = plural_rule(words)
    if not forms:
        yield "head", "no Plural-Forms"
    for text, family in sorted(_families().items(), key=lambda each: (each[1], each[0])):
        translated = words.get(text, "")
        if mistake := _mistake(text, translated, forms, rule):
            yield family, mistake
        elif text in panel_texts() and (told := too_wide(text, translated)):
            yield family, told
        yield from ((family, told) for told in _wrong_words(translated, forbidden))
    known = {*texts(), ""}
    for text in words:
        if text not in known:
            yield "left over", f"no text of the program: {_shown(text)}"


def english_complaints() -> list[tuple[str, str]]:
    """The English texts that are too wide for the panel, with their part of the box."""
    return [(_families()[text], told) for text in sorted(panel_texts()) if (told := too_wide(text, text))]


def _wrong_words(words: str, forbidden: Iterable[tuple[str, str, "re.Pattern[str]"]]) -> Iterator[str]:
    for thing, word, wrong in forbidden:
        if found := wrong.search(words):
            yield f"{found[0]}: the head says {word} for {thing}: {_shown(words)}"


def _report(found: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The complaints by part of the box, so that a translator can finish one after the other."""
    sizes = Counter(_families().values())
    for family in sorted({family for family, _ in found}):
        told = [line for each, line in found if each == family]
        yield f"  {family}: {len(told)}{f' of {sizes[family]}' if family in sizes else ''} to do"
        yield from (f"    {line}" for line in told)


def complete(folder: Path) -> None:
    """Adds the texts that a language's catalogue lacks, without a translation; makes the catalogue."""
    catalogue = folder / "LC_MESSAGES" / "shutthebox.po"
    if not catalogue.exists():
        catalogue.parent.mkdir(parents=True, exist_ok=True)
        catalogue.write_text(_new_head(folder.name), "utf-8")
    known, forms = read_catalogue(catalogue.read_text("utf-8")), _read(catalogue).num_plurals
    with catalogue.open("a", encoding="utf-8") as file:
        for text in texts():
            if text not in known:
                one, *many = (json.dumps(form, ensure_ascii=False) for form in text.split(NUL))
                file.write(f"\nmsgid {one}\n")
                file.write("".join(f"msgid_plural {form}\n" for form in many))
                file.write("".join(f'msgstr[{i}] ""\n' for i in range(forms)) if many else 'msgstr ""\n')


def _new_head(code: str) -> str:
    words = "".join(f"# {word}:\n" for word in GLOSSARY)
    return (
        f'# One word for one thing, in every text:\n{words}msgid ""\nmsgstr ""\n'
        f'"Content-Type: text/plain; charset=UTF-8\\n"\n"Language: {code}\\n"\n'
        f'"Plural-Forms: {Catalog(locale=code).plural_forms}\\n"\n"{UNFINISHED}\\n"\n'
    )


def _read(catalogue: Path) -> Catalog:
    with catalogue.open("rb") as file:
        return read_po(file, abort_invalid=True)


def main() -> int:
    """Completes every catalogue and says what is to be done in it, and which English texts are too wide.

    Returns:
        1 if a finished language lacks something, or an English text has to be shorter.
    """
    unfinished = False
    if too_long := english_complaints():
        unfinished = True
        print(f"{ENGLISH}: {len(too_long)} to do", *_report(too_long), sep="\n")
    for folder in sorted(path for path in LOCALE.iterdir() if path.is_dir()):
        catalogue = folder / "LC_MESSAGES" / "shutthebox.po"
        try:
            complete(folder)
            found = list(complaints(catalogue))
        except PoFileError as error:
            print(f"{catalogue}: {error}")
            return 1
        marked = f'"{UNFINISHED}' in catalogue.read_text("utf-8")
        unfinished |= bool(found) and not marked
        state = f"{len(found)} to do" if found else "complete"
        hint = f"; it says {UNFINISHED}" if marked else ""
        print(f"{folder.name}: {state}{hint}", *_report(found), sep="\n")
    return int(unfinished)


if __name__ == "__main__":
    sys.exit(main())
