"""The site: built whole, with every link leading somewhere, and nothing loaded from elsewhere."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from doctools import site
from shutthebox.config.profiles import builtins
from shutthebox.translations import finished_codes

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
pytest.importorskip("mkdocs", reason="no mkdocs here: pip install mkdocs")


class Links(HTMLParser):
    """What a page loads, and where it leads."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.leading: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        if tag in ("script", "img") and (source := found.get("src")):
            self.loaded.append(source)
        if tag == "link" and (source := found.get("href")):
            self.loaded.append(source)
        if tag == "a" and (source := found.get("href")):
            self.leading.append(source)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    site.build(folder)
    return folder / "site"


def test_the_five_pages_and_the_screens_are_there(built: Path) -> None:
    index = (built / "index.html").read_text(encoding="utf-8")
    for page in ("docs/play", "docs/own", "docs/build", "CONTRIBUTING", "docs/reference", "docs/gallery"):
        assert (built / f"{page}.html").is_file()
        assert f'href="{page}.html"' in index


def test_blocks_of_code_are_blocks_and_numbered_lists_go_on(built: Path) -> None:
    for page in built.rglob("*.html"):
        text = re.sub(r"(?s)<pre>.*?</pre>", "", page.read_text(encoding="utf-8"))
        assert "```" not in text, f"{page.name} shows a raw fence"
    house_rules = (built / "docs/house-rules.html").read_text(encoding="utf-8")
    assert house_rules.count("<ol>") == 1, "its steps are one list"


def test_every_page_loads_and_leads_to_what_is_there(built: Path) -> None:
    pages = [*built.rglob("docs/*.html"), built / "index.html"]
    assert len(pages) > 10
    for page in pages:
        links = Links()
        links.feed(page.read_text(encoding="utf-8"))
        assert not [link for link in links.loaded if re.match(r"(https?:)?//", link)], page
        for link in (*links.loaded, *links.leading):
            path = link.partition("#")[0].partition("?")[0]
            if path and "://" not in path:
                assert (page.parent / path).exists(), f"{page.name}: {link}"


def test_every_game_has_its_sheet_in_every_language(built: Path) -> None:
    for code in finished_codes():
        for profile in builtins():
            for ending in ("pdf", "html"):
                assert (built / "sheets" / code / f"{profile.name}.{ending}").stat().st_size > 1000
