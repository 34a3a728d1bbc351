"""SECURITY.md names a test for each promise, and those tests are there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))


def promises() -> list[list[str]]:
    section = PAGE.split("## Promises")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


@pytest.mark.parametrize("promise", promises(), ids=lambda promise: promise[0])
def test_each_promise_names_its_tests(promise: list[str]) -> None:
    assert len(promise) == 3
    assert re.fullmatch(r"`tests/[\w/]+\.py::test_\w+`(, `tests/[\w/]+\.py::test_\w+`)*", promise[2])


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_a_named_test_is_there(file: str, name: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    assert len(found) == 1
    assert any(isinstance(node, ast.Assert) or _expects(node) for node in ast.walk(found[0]))


def _expects(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.raises"


def test_there_are_promises() -> None:
    assert len(promises()) >= 10
    assert len(NAMED) >= 30


def test_what_it_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)]+)\)", PAGE)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_readme_leads_here() -> None:
    assert "(SECURITY.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
