"""The pages of promises name a test for each, and those tests are there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("SECURITY.md", "tests/promises.md")}
RAISES_BY_ITSELF = (
    "test_nothing_but_a_complaint",
    "test_one_damaged_byte",
    "test_what_is_not_there_is_said",
    "test_nothing_that_a_broker_sends_ends_the_uplink",
)
NAMED = sorted({n for page in PAGES.values() for n in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page)})


def promises(page: str) -> list[list[str]]:
    section = PAGES[page].split("## Promises")[1].split("\n## ")[0]
    tables = re.findall(r"^\|.*\n\|-.*\n((?:\|.*\n)+)", section, re.MULTILINE)
    rows = [row for table in tables for row in table.splitlines()]
    return [[cell.strip() for cell in row[1:-1].split("|")] for row in rows]


def test_each_promise_names_its_tests() -> None:
    assert len(NAMED) >= 60
    tests = r"`tests/[\w/]+\.py::test_\w+`(, `tests/[\w/]+\.py::test_\w+`)*"
    for promise in (promise for page in PAGES for promise in promises(page)):
        assert all(promise[:3]), promise
        assert re.fullmatch(tests, promise[2]), promise


def test_a_promise_is_read_in_one_look() -> None:
    """What it is, how it is kept and its proof, in a row of 300 characters at most."""
    rows = [line for page in PAGES.values() for line in page.splitlines() if line.startswith("|")]
    assert [row for row in rows if len(row) > 300] == []


@pytest.mark.slow
def test_the_named_tests_are_there() -> None:
    trees = {file: ast.parse((ROOT / file).read_text(encoding="utf-8")) for file, _ in NAMED}
    for file, name in NAMED:
        found = [node for node in trees[file].body if isinstance(node, ast.FunctionDef) and node.name == name]
        assert len(found) == 1, f"{file}::{name}"
        checks = any(isinstance(node, ast.Assert) or _expects(node) for node in ast.walk(found[0]))
        assert checks or name in RAISES_BY_ITSELF, f"{file}::{name} asserts nothing"


def _expects(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("pytest.raises", "town.beside")


@pytest.mark.parametrize("page", PAGES)
def test_what_it_links_to_is_there(page: str) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", PAGES[page])
    assert links
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_the_readme_leads_there(page: str) -> None:
    assert f"({page})" in (ROOT / "README.md").read_text(encoding="utf-8")
