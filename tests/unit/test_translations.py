"""Every text of the screens has a translation, with the same places to fill in."""

import ast
import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest
from babel import Locale
from babel.messages.pofile import read_po
from tests.support.sources import nodes_of

from doctools import messages
from doctools.messages import GLOSSARY, KEYWORDS, PACKAGE, complaints, english_complaints, glossary
from shutthebox.texts import fill_in, plural
from shutthebox.translations import (
    ENGLISH,
    UNFINISHED,
    _Catalogue,
    codes,
    finished_codes,
    has_same_blanks,
    languages,
    plural_rule,
    read_catalogue,
    translations,
)

CATALOGUES = {
    folder.name: folder / "LC_MESSAGES" / "shutthebox.po"
    for folder in messages.LOCALE.iterdir()
    if folder.is_dir()
}

every_catalogue = pytest.mark.parametrize("code", sorted(CATALOGUES))
every_finished_one = pytest.mark.parametrize("code", [code for code in finished_codes() if code != ENGLISH])


def test_every_catalogue_is_a_language() -> None:
    assert set(translations()) == set(codes()) == {ENGLISH, *CATALOGUES}
    assert len(set(languages().values())) == len(languages())


def test_no_text_is_hidden_in_another() -> None:
    """Before Python 3.12 nothing looks for texts to translate within an f-string."""
    hidden = [
        f"{path.relative_to(PACKAGE)}:{call.lineno}"
        for path in PACKAGE.rglob("*.py")
        for filled in nodes_of(path)
        if isinstance(filled, ast.JoinedStr)
        for call in ast.walk(filled)
        if isinstance(call, ast.Call) and ast.unparse(call.func) in KEYWORDS
    ]
    assert hidden == []


def test_a_finished_language_lacks_nothing() -> None:
    """Every text, with the same places to fill in, and nothing that the program does not say."""
    lacking = {code: list(complaints(CATALOGUES[code])) for code in finished_codes() if code != ENGLISH}
    assert not any(lacking.values()), f"make messages: {lacking}"


def as_read(texts: str | Sequence[str] | None) -> str:
    return texts if isinstance(texts, str) else "\0".join(texts or ()) if all(texts or ()) else ""


@every_catalogue
def test_the_box_reads_a_catalogue_as_gettext_does(code: str) -> None:
    with CATALOGUES[code].open("rb") as file:
        catalogue = read_po(file, abort_invalid=True)
    assert str(catalogue.locale) == code
    read = read_catalogue(CATALOGUES[code].read_text("utf-8"))
    assert {as_read(entry.id): as_read(entry.string) for entry in catalogue if entry.id} == {
        text: words for text, words in read.items() if text
    }
    assert plural_rule(read) == (catalogue.num_plurals, catalogue.plural_expr)


@every_catalogue
def test_no_translation_would_be_shown_in_english_for_its_blanks(code: str) -> None:
    """In unfinished languages either: the box shows the English text, so that nobody is stopped by it."""
    texts = read_catalogue(CATALOGUES[code].read_text("utf-8"))
    assert [
        words for text, words in texts.items() if text and words and not has_same_blanks(text, words)
    ] == []


@pytest.mark.parametrize(
    "words",
    ["Jugador {numero}", "Jugador", "Jugador {number", "Jugador {}", "{number} {number}", "{number!x}"],
)
def test_a_wrong_translation_is_an_english_text(words: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.po"
    file.write_text(f'msgid "Player {{number}}"\nmsgstr "{words}"\n')
    catalogue = _Catalogue(file)
    assert catalogue.translate("Player {number}") == "Player {number}"


VERBS = {"begins", "chatters", "ends", "has", "invites", "is", "ms", "replaces", "starts", "this", "wins"}
"""Words in -s after a blank that aren't what is counted."""

NO_COUNT = {
    "Boxes: {boxes} tiles": "a list",
    "The same rules are played on boxes with {boxes} tiles.": "a list",
    "costs {points} points": "a number with decimals",
    "costs {win} % and {points} points": "a number with decimals",
    "A turn may last {seconds} seconds from its first domino. Then it ends as if blocked.": "never one",
    "A turn may last {seconds} seconds from its first throw. Then it ends as if blocked.": "never one",
    "After {throws} throws, the player with fewer tiles left to move wins; if they're level, "
    "they share.": "always the same number",
    "All {dice} dice are always thrown.": "never one",
    "At least {least} tiles a throw.": "never one",
    "At least {least} tiles are shut in one move.": "never one",
    "At most {most} tiles a throw.": "never one",
    "If nobody has won after {rounds} rounds, the best total wins.": "always the same number",
    "If players tie for the win, everybody starts over with another round. After {most} such "
    "rounds the tied players share the win.": "always the same number",
    "If players tie for the win, everybody who hasn't lost starts over with another round. "
    "After {most} such rounds the tied players share the win.": "always the same number",
    "Players have {seconds} seconds for each domino. Then their turn ends as if blocked.": "never one",
    "Players have {seconds} seconds for each throw. Then their turn ends as if blocked.": "never one",
    "Players tied for the win play another round among themselves. After {most} such rounds "
    "they share the win.": "always the same number",
    "The seats belong to {teams} teams in rotation, if the players divide evenly. A team's "
    "scores are added up, and its players win or lose together.": "never one",
    "{count} tiles.": "never one",
    "{dice} dice, each plus or minus.": "never one",
    "{rounds} rounds, added up.": "never one",
    "{strikes} misses and you are out.": "never one",
    "1 or {dice} dice": "never one",
    "One die with {sides} sides.": "never one",
    "player {player}, round {round}, {open} open: {chosen} dice, 1 die is better": "never one",
    "player {player}, round {round}, {open} open: 1 die, {best} dice are better": "never one",
}


def test_no_player_reads_of_1_points() -> None:
    """Whatever may count one has a form for it, which is how it gets its forms in every language."""
    counting = {
        text
        for text in messages.texts()
        for noun in re.findall(r"\{\w+\} (?:such )?(\w+s|dice)\b", text)
        if "\0" not in text and noun not in VERBS
    }
    assert counting == set(NO_COUNT), "`plural(one, many)` gives a text both forms"


@every_finished_one
def test_no_player_reads_of_0_57_points_in_a_wrong_form(code: str) -> None:
    """French says 0,57 point and 2,10 points, which gettext has no rule for: there no noun may follow."""
    forms = {Locale(code).plural_form(Decimal(number)) for number in ("0.57", "1.00", "1.57", "2.10")}
    for text in (
        "costs {points} points",
        "costs {win} % and {points} points",
        "points {initial} expected, {final} scored: luck {luck}, decisions {skill}",
    ):
        words = translations()[code](text)
        assert words != text
        assert forms == {"other"} or not re.search(r"\{(points|initial)\} (?!en )\w", words), words


def test_a_form_is_chosen_by_the_one_blank_that_it_is_about() -> None:
    def blanks_of_many_alone(text: str) -> set[str]:
        one, many = (set(messages.blanks(form)) for form in text.split("\0"))
        return many - one

    counting = [text for text in messages.texts() if "\0" in text]
    assert [text for text in counting if len(blanks_of_many_alone(text)) != 1] == []


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("en", ["0 seconds", "1 second", "2 seconds"]),
        ("de", ["0 Sekunden", "1 Sekunde", "2 Sekunden"]),
        ("fr", ["0 seconde", "1 seconde", "2 secondes"]),
        ("nl", ["0 seconden", "1 seconde", "2 seconden"]),
    ],
)
def test_seconds_are_counted_as_people_there_do(code: str, told: list[str]) -> None:
    text = plural("1 second", "{seconds} seconds")
    assert [fill_in(text, translations()[code], {"seconds": count}) for count in range(3)] == told


LIKE_POLISH = "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);"
FORMS = ["1 punkt", "{points} punkty", "{points} punktów"]


def counted(folder: Path, rule: str, forms: list[str], count: int) -> str:
    lines = "".join(f'msgstr[{place}] "{form}"\n' for place, form in enumerate(forms))
    head = f'msgid ""\nmsgstr ""\n"Plural-Forms: {rule}\\n"\n\n'
    file = folder / "forms.po"
    file.write_text(f'{head}msgid "1 point"\nmsgid_plural "{{points}} points"\n{lines}')
    return fill_in(plural("1 point", "{points} points"), _Catalogue(file).translate, {"points": count})


def test_a_language_has_as_many_forms_as_it_needs(tmp_path: Path) -> None:
    told = [counted(tmp_path, LIKE_POLISH, FORMS, count) for count in (1, 3, 12, 22)]
    assert told == ["1 punkt", "3 punkty", "12 punktów", "22 punkty"]


@pytest.mark.parametrize(
    ("rule", "forms"),
    [
        ("nplurals=2; plural=(n != 1;", FORMS[:2]),
        ("nplurals=2; plural=(n);", FORMS[:2]),
        ("nplurals=2; plural=(5 % n);", FORMS[:2]),
        ("plural=(n != 1);", FORMS[:2]),
        (LIKE_POLISH, FORMS[:2]),
        (LIKE_POLISH, [*FORMS, FORMS[0]]),
        (LIKE_POLISH, [*FORMS[:2], "{liczba} punktów"]),
        (LIKE_POLISH, [*FORMS[:2], ""]),
    ],
)
def test_wrong_plural_forms_are_an_english_text(tmp_path: Path, rule: str, forms: list[str]) -> None:
    told = [counted(tmp_path, rule, forms, count) for count in (1, 3, 12)]
    assert told == ["1 point", "3 points", "12 points"]


@every_finished_one
def test_a_translator_keeps_to_the_words_of_the_head(code: str) -> None:
    """In an unfinished language the texts with them may still be to come."""
    said = " ".join(read_catalogue(CATALOGUES[code].read_text("utf-8")).values()).casefold()
    words = glossary(CATALOGUES[code])
    assert [word for word in words.values() if word.casefold() not in said] == []
    assert set(words) >= set(GLOSSARY)


def test_a_translator_is_told_of_a_word_that_the_head_rules_out(tmp_path: Path) -> None:
    catalogue = tmp_path / "shutthebox.po"
    entry = 'msgid "Hold: hint"\nmsgstr "{}"\n'

    def told(words: str) -> list[str]:
        catalogue.write_text("# hold: Lang; not Halte:, Halten, noch mal\n" + entry.format(words), "utf-8")
        return [line for _, line in complaints(catalogue) if "the head says" in line]

    assert told("Lang: Tipp") == told("Lang: Enthalten") == []
    assert told("Halte: Tipp") == ["Halte:: the head says Lang for hold: Halte: Tipp"]
    assert told("Tipp noch mal") == ["noch mal: the head says Lang for hold: Tipp noch mal"]


def test_what_a_translator_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder begins a language: the command makes its catalogue, and names what is still to be written."""
    monkeypatch.setattr(messages, "LOCALE", tmp_path)
    (tmp_path / "eo").mkdir()
    assert messages.main() == 0
    assert capsys.readouterr().out.startswith("eo: ")
    catalogue = tmp_path / "eo" / "LC_MESSAGES" / "shutthebox.po"
    new = catalogue.read_text("utf-8")
    assert read_catalogue(new).keys() == {"", *messages.texts()}
    begun = {
        "{points} to go": "restas",
        "Press to throw": "Premu nun la butonon",
        "Press to play": "Premu por ludi",
    }
    written = new.replace("# turn:", "# turn: vico")
    for text, words in begun.items():
        written = written.replace(f'msgid "{text}"\nmsgstr ""', f'msgid "{text}"\nmsgstr "{words}"')
    catalogue.write_text(written, "utf-8")
    messages.main()
    said = capsys.readouterr().out
    assert "other blanks than {points}: restas\n" in said
    assert re.search(r"^    \d+ pixels too wide for the panel: Premu nun la butonon$", said, re.MULTILINE)
    assert "no translation: Press: go on\n" in said
    assert "word for: throw\n" in said
    assert "word for: turn\n" not in said
    assert re.search(r"^  game: \d+ of \d+ to do$", said, re.MULTILINE), "a family of screens can be finished"
    catalogue.write_text(new.replace(UNFINISHED, "X-Other: no"), "utf-8")
    assert messages.main() == 1, "a finished language that lacks something"


def test_the_english_texts_fit_one_line_of_the_panel_and_nothing_is_cut() -> None:
    """In letters that can be read at the bar. Of the other languages it's a complaint like a missing text."""
    assert english_complaints() == []


def texts_in(code: str) -> dict[str, str]:
    return {
        text: words for text, words in read_catalogue(CATALOGUES[code].read_text("utf-8")).items() if text
    }


def test_a_french_sign_never_begins_a_line_and_there_is_one_apostrophe() -> None:
    """A plain space before it would let a line end there."""
    words = texts_in("fr").values()
    assert [text for text in words if re.search(r" [:;!?%»]|« |[^\s\u00a0\d:][;!?»]|\w:(?= )", text)] == []
    assert [text for text in words if "'" in text] == []


@pytest.mark.parametrize("code", [ENGLISH, *sorted(CATALOGUES)])
def test_three_dots_are_one_sign_without_a_space_before_it(code: str) -> None:
    texts = texts_in(code).values() if code in CATALOGUES else messages.texts()
    assert [text for text in texts if " …" in text or "..." in text] == []


@every_finished_one
def test_what_ends_as_a_sentence_does_so_in_every_language(code: str) -> None:
    ends = {text: (text.endswith("."), words.endswith(".")) for text, words in texts_in(code).items()}
    assert [text for text, (english, other) in ends.items() if english != other] == []
