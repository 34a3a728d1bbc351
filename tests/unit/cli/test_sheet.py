"""Sheets to hang beside the box: one page of A5 for every game in every language."""

from pathlib import Path

import pytest
from tests.support.command import printed, refused

from shutthebox.cli.sheet import sheet
from shutthebox.config.profiles import builtin
from shutthebox.rules.words import explain
from shutthebox.translations import translations


@pytest.mark.slow
def test_the_page_is_an_a5() -> None:
    """One is enough for every game in every language, or `make docs` fails."""
    weasyprint = pytest.importorskip("weasyprint", exc_type=(ImportError, OSError))  # type: ignore[arg-type]
    (page,) = weasyprint.HTML(string=sheet(builtin("pub"), "de", translations()["de"])).render().pages
    assert [round(size / 96 * 25.4) for size in (page.width, page.height)] == [148, 210]


def test_the_sheet_has_all_rules(tmp_path: Path) -> None:
    printed("profiles", "trac", "--sheet", tmp_path / "trac.html", "--language", "fr")
    text = (tmp_path / "trac.html").read_text(encoding="utf-8")
    assert '<html lang="fr">' in text
    for sentence in explain(builtin("trac"), translations()["fr"]):
        assert sentence.replace("'", "&#x27;") in text


def test_house_rules_have_one_too_and_nothing_in_them_becomes_markup(tmp_path: Path) -> None:
    (tmp_path / "friday.toml").write_text('like = "pub"\n[title]\nen = "<b>Friday</b> & more"\n')
    sheet_file = tmp_path / "friday.html"
    printed("profiles", tmp_path / "friday.toml", "--sheet", sheet_file)
    assert "<h1>&lt;b&gt;Friday&lt;/b&gt; &amp; more</h1>" in sheet_file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("game", "aim", "dice"),
    [
        ("pub", "The lowest score wins.", "⚄⚁"),
        ("cards", "9 dice, 54 tiles.", "9 × ⚄"),
        ("2012", "One die with 20 sides.", '<span class="die">20</span>'),
        ("domino-bag", "Dominoes instead of dice.", "\N{DOMINO TILE HORIZONTAL-05-02}"),
    ],
)
def test_a_guest_sees_the_aim_and_what_is_thrown(game: str, aim: str, dice: str) -> None:
    text = sheet(builtin(game), "en", translations()["en"])
    assert aim in text
    assert f'<div class="dice">{dice}</div>' in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--sheet x.html", "--sheet: needs a game; use an id or a file before it"),
        ("pub --sheet /nowhere/x.html", "--sheet: /nowhere/x.html: No such file or directory"),
        ("pub --language xx", "--language: 'xx' is not known; use en, "),
    ],
)
def test_fail__what_cannot_be_written(words: str, said: str) -> None:
    assert said in refused("profiles", *words.split())
