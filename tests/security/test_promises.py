"""The pages of promises name a test for each, and those tests are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("SECURITY.md", "tests/promises.md")}
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


def test_the_named_tests_are_there() -> None:
    """Whoever drops or renames one learns here that somebody was promised it."""
    for file, name in NAMED:
        assert re.search(rf"^def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), name


@pytest.mark.parametrize("page", PAGES)
def test_what_it_links_to_is_there(page: str) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", PAGES[page])
    assert links
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []
