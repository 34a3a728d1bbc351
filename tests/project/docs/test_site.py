"""The site: built whole, with every link leading somewhere, and nothing loaded from elsewhere."""

import importlib.util
import re
from contextlib import suppress
from html.parser import HTMLParser
from pathlib import Path

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from tests.support.chromium import start_chromium
from tests.support.waiting import until
from tests.support.web_build import first_in_run, made_web, serving

from doctools import PROJECT, site
from shutthebox.config.profiles import builtins
from shutthebox.translations import finished_codes

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
if importlib.util.find_spec("mkdocs") is None:
    pytest.skip("no mkdocs here: pip install mkdocs", allow_module_level=True)


class Links(HTMLParser):
    """What a page loads, and where it leads."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.leading: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        if tag in ("script", "img", "iframe") and (source := found.get("src")):
            self.loaded.append(source)
        if tag == "link" and (source := found.get("href")):
            self.loaded.append(source)
        if tag == "a" and (source := found.get("href")):
            self.leading.append(source)


@pytest.fixture(scope="module")
def built() -> Path:
    with suppress(pytest.skip.Exception):  # a site without the box in a tab is one too
        made_web()
    folder = PROJECT / "build/docs-tested"
    with first_in_run(folder) as is_first:
        if is_first:
            site.build(folder)
    return folder / "site"


def test_the_five_pages_and_the_screens_are_there(built: Path) -> None:
    index = (built / "index.html").read_text(encoding="utf-8")
    assert re.search("<h1[^>]*>Play</h1>", index), "the first page is to play"
    for page in ("README", "docs/own", "docs/build", "CONTRIBUTING", "docs/reference", "docs/gallery"):
        assert (built / f"{page}.html").is_file()
        assert f'href="{page}.html"' in index


def test_the_first_page_is_played_on(built: Path, tmp_path: Path) -> None:
    if not (built / "box").is_dir():
        pytest.skip("NOT TESTED: the box on the first page, because make web can't make it here")
    with serving(built) as server:
        browser = start_chromium(tmp_path / "chromium")
        try:
            browser.get(f"http://127.0.0.1:{server.server_port}/")
            browser.switch_to.frame(browser.find_element("css selector", "iframe.box"))
            panel = browser.find_element("id", "panel")
            until(lambda: "Press to play" in str(panel.get_attribute("aria-label")), "the box starts")
            ActionChains(browser).click(browser.find_element("id", "dice")).perform()
            until(lambda: "players" in str(panel.get_attribute("aria-label")).lower(), "it asks for players")
        finally:
            browser.quit()


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
