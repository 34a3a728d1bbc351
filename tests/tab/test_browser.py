"""The box in a tab of a real browser, and its scenarios on the browser's Python. Needs node and npm."""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from tests.support.chromium import start_chromium
from tests.support.same_lines import lines_of

PROJECT = Path(__file__).resolve().parents[2]
SCENARIOS = PROJECT / "tests/scenarios"
NEEDS = re.compile(r"^(expect panel|config \S+ .*\.toml|profile )", re.MULTILINE)
"""Lines that need a file beside the scenario: a picture, a profile."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="session")
def built() -> Path:
    """The folder that `make web` makes; made once, also where several workers of one run want it."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("NOT TESTED: the box in a tab, because node or npm is not installed")
    parts = PROJECT / "build/web-parts"
    parts.mkdir(parents=True, exist_ok=True)
    with (parts / "run").open("a+") as run:
        fcntl.flock(run, fcntl.LOCK_EX)
        run.seek(0)
        this_run = os.environ.get("PYTEST_XDIST_TESTRUNUID", "")
        if not this_run or run.read() != this_run:
            _build()
            run.truncate(0)
            run.write(this_run)
    return PROJECT / "build/web"


def _build() -> None:
    made = subprocess.run(
        [sys.executable, str(PROJECT / "packaging/web/build.py")], capture_output=True, text=True, check=False
    )
    if made.returncode and "npm" in made.stderr:
        pytest.skip("NOT TESTED: the box in a tab, because npm cannot fetch Pyodide")
    assert made.returncode == 0, made.stderr


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing: the test says what matters."""


@pytest.fixture
def server(built: Path) -> Iterator[ThreadingHTTPServer]:
    """Any server of static files."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Silent, directory=str(built))) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield served
        served.shutdown()


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    chromium = start_chromium(tmp_path / "chromium")
    yield chromium
    chromium.quit()


def until(check: Callable[[], Any], what: str) -> None:
    end = time.monotonic() + 90
    while not check():
        assert time.monotonic() < end, what
        time.sleep(0.1)


def words(browser: webdriver.Chrome) -> str:
    return str(browser.find_element("id", "panel").get_attribute("aria-label") or "")


def open_box(browser: webdriver.Chrome, server: ThreadingHTTPServer, query: str) -> None:
    browser.get("about:blank")
    browser.get(f"http://127.0.0.1:{server.server_port}/{query}")
    until(lambda: words(browser) or notice(browser), "the box starts")


def notice(browser: webdriver.Chrome) -> str:
    return str(browser.find_element("id", "notice").text)


def press(browser: webdriver.Chrome, follows: str) -> None:
    ActionChains(browser).send_keys(" ").perform()
    until(lambda: follows in words(browser), f"{follows!r} after a press; {words(browser)!r} is shown")


def test_a_match_goes_on_in_a_new_tab_and_without_a_network(
    browser: webdriver.Chrome, server: ThreadingHTTPServer
) -> None:
    open_box(browser, server, "?seed=3&language=de")
    press(browser, "Spieler")
    press(browser, "würfeln")
    press(browser, "6 und 2")
    browser.find_element("css selector", '.lever[data-number="8"]').click()
    until(lambda: "8" in words(browser), "the lever moves")
    thrown = words(browser)
    # What was shown is kept; the browser writes its database a moment later.
    kept = "const done = arguments[0];navigator.locks.query().then(() => setTimeout(() => done(true), 1000));"
    browser.execute_async_script(kept)
    until(lambda: browser.execute_script("return navigator.serviceWorker.controller !== null"), "offline")
    server.shutdown()
    server.socket.close()
    open_box(browser, server, "?seed=3&language=de")
    until(lambda: "6 und 2" in words(browser), f"after a restart: {words(browser)!r}, before it: {thrown!r}")
    errors = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]  # type: ignore[no-untyped-call]
    assert not [entry for entry in errors if "ERR_CONNECTION_REFUSED" not in entry["message"]]


def test_a_mistyped_address_gets_one_line(browser: webdriver.Chrome, server: ThreadingHTTPServer) -> None:
    open_box(browser, server, "?gmae=pub")
    assert notice(browser) == "address: 'gmae' is unknown; allowed are game, players, levers, language, seed"


def test_a_second_tab_says_that_the_box_is_open_in_another(
    browser: webdriver.Chrome, server: ThreadingHTTPServer
) -> None:
    open_box(browser, server, "")
    browser.switch_to.new_window("tab")
    open_box(browser, server, "")
    assert notice(browser) == "The box is open in another tab."


def test_scenarios_print_the_same_lines_and_pictures_as_here(built: Path, tmp_path: Path) -> None:
    folder = tmp_path / "scenarios"
    folder.mkdir()
    for path in SCENARIOS.glob("*.scn"):
        if not NEEDS.search(path.read_text("utf-8")):
            shutil.copy(path, folder)
    here = list(lines_of(folder))
    packed = tmp_path / "scenarios.zip"
    with zipfile.ZipFile(packed, "w") as made:
        for path in folder.iterdir():
            made.write(path, path.name)
    script = Path(__file__).with_name("same_lines.mjs")
    there = subprocess.run(
        ["node", str(script), str(built / "pyodide"), str(built / "box.zip"), str(packed)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert there.returncode == 0, there.stdout[-2000:]
    assert len(here) > 1000
    assert there.stdout.splitlines() == here
