"""What a browser has kept and can't give back is never written over: it plays without, and says so."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from tests.support.chromium import start_chromium
from tests.support.tab import GAME, begin, forgets, until, words
from tests.support.web_build import made_web, serving

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

UNREADABLE = b"IDBObjectStore.prototype.getAll = () => { throw new DOMException('', 'UnknownError'); };"

LOSE_A_SIZE = """
const done = arguments[arguments.length - 1];
indexedDB.open("shutthebox").onsuccess = ({target: {result: database}}) => {
  const transaction = database.transaction("pages", "readwrite");
  transaction.objectStore("pages").delete([arguments[0] + "/box.sqlite3", -1]);
  transaction.oncomplete = () => { database.close(); done(true); };
};
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """The address of two boxes with one memory: `broken/` can't read it."""
    shutil.copytree(made_web(), tmp_path / "site/good")
    worker = shutil.copytree(made_web(), tmp_path / "site/broken") / "worker.js"
    worker.write_bytes(UNREADABLE + worker.read_bytes())
    with serving(tmp_path / "site") as server:
        yield f"http://127.0.0.1:{server.server_port}/"


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    chromium = start_chromium(tmp_path / "chromium")
    yield chromium
    chromium.quit()


def visit(browser: webdriver.Chrome, address: str) -> None:
    browser.get("about:blank")
    browser.get(f"{address}{GAME}")
    until(lambda: words(browser), "the box starts")


def test_a_memory_that_cannot_be_read_once_is_whole_at_the_next_visit(
    browser: webdriver.Chrome, site: str
) -> None:
    visit(browser, f"{site}good/")
    begin(browser)
    visit(browser, f"{site}broken/")
    said = str(browser.find_element("id", "note").text)
    assert said.startswith("The memory in this browser can't be read now.")
    until(lambda: forgets(browser), f"the box says that it forgets: {words(browser)!r}")
    begin(browser)
    assert not browser.find_element("id", "note").is_displayed(), "the line is in the player's way"
    visit(browser, f"{site}good/")
    assert "6 and 2" in words(browser)


def test_a_file_whose_size_is_lost_keeps_its_match(browser: webdriver.Chrome, site: str) -> None:
    visit(browser, f"{site}good/")
    begin(browser)
    browser.get("about:blank")
    browser.get(f"{site}good/style.css")
    browser.execute_async_script(LOSE_A_SIZE, GAME.removeprefix("?").replace("=", "%3D").replace("&", "%26"))
    visit(browser, f"{site}good/")
    assert "6 and 2" in words(browser)
