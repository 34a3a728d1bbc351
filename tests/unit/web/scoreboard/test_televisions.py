"""The scoreboard on televisions whose browsers never change: Chrome 69 of 2018, and 76.

They freeze in silence on one character of a newer script, and drop a whole rule of the style for a selector.
"""

import re
from importlib import resources
from pathlib import Path
from types import ModuleType

import pytest
from tests.support.scoreboard import made

STYLES = {
    "the scoreboard": (resources.files("shutthebox.web.scoreboard") / "style.css").read_text("utf-8"),
    "a box at rest": (resources.files("shutthebox.web.scoreboard") / "resting.html").read_text("utf-8"),
    "a pub's page of the league": (
        Path(__file__).parents[4] / "league/src/shutthebox_league/page/style.css"
    ).read_text("utf-8"),
}


@pytest.fixture
def esprima() -> ModuleType:
    """Takes half a second to import, which only one worker needs to spend."""
    found: ModuleType = pytest.importorskip("esprima", reason="NOT TESTED: old scripts: pip install esprima")
    return found


def scripts() -> list[str]:
    return re.findall(r"<script>(.*?)</script>", made(), re.DOTALL)


def test_its_scripts_are_in_the_language_of_2017(esprima: ModuleType) -> None:
    for newer in ("a?.b", "a ?? b", "try { a } catch {}"):
        with pytest.raises(esprima.Error):
            esprima.parseScript(newer)
    for script in scripts():
        esprima.parseScript(script)


def test_a_browser_that_cannot_read_the_script_reloads_the_page(esprima: ModuleType) -> None:
    reload, follow = scripts()
    tokens = {token.value for token in esprima.tokenize(reload)}
    assert not tokens & {"const", "let", "=>", "async", "`"}, "any browser can read it"
    assert "location.reload()" in reload
    (flag,) = re.findall(r"window\.(is\w+)", reload)
    assert f"window.{flag} = true" in follow, "and the script that asks for news keeps it from doing so"


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_its_style_needs_nothing_newer(style: str) -> None:
    style = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    assert not re.findall(r":has\(|:is\(|:where\(|\binset:|(?:margin|padding)-(?:block|inline)", style)
    for rule in re.findall(r"[^{}]*\{[^{}]*\}", style):
        declared = [part.partition(":") for part in rule.partition("{")[2].rstrip("}").split(";")]
        plain = set[str]()
        for name, _, value in declared:
            if re.search(r"\b(?:min|max|clamp)\(", value):
                assert name.strip() in plain, f"{rule.strip()}: first a value without min, max or clamp"
            plain.add(name.strip())


def test_parts_of_the_scoreboard_are_not_kept_apart_by_a_gap_of_flex() -> None:
    for rule in re.findall(r"\{[^{}]*\}", STYLES["the scoreboard"]):
        assert not ("display: flex" in rule and re.search(r"\bgap:", rule)), rule
