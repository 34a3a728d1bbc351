"""The box in a tab of a real browser, and its scenarios on the browser's Python. Needs node and npm."""

import json
import os
import re
import shutil
import signal
import subprocess
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from tests.support.chromium import start_chromium
from tests.support.http_client import answering, ask
from tests.support.lighttpd import LACKING, lighttpd
from tests.support.same_lines import lines_of
from tests.support.tab import GAME, begin, forgets, notice, open_box, press, until, words
from tests.support.web_build import made_web, serving

from shutthebox.config.profiles import builtin
from shutthebox.web.scoreboard.folder import InATab, ScoreboardFolder

PROJECT = Path(__file__).resolve().parents[3]
SCENARIOS = PROJECT / "tests/box/scenarios"
NEEDS = re.compile(r"^(expect panel|config \S+ .*\.toml|profile )", re.MULTILINE)
"""Lines that need a file beside the scenario: a picture, a profile."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="session")
def built() -> Path:
    """The folder that `make web` makes."""
    return made_web()


@pytest.fixture
def server(built: Path) -> Iterator[ThreadingHTTPServer]:
    """Any server of static files."""
    with serving(built) as served:
        yield served


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    chromium = start_chromium(tmp_path / "chromium")
    yield chromium
    chromium.quit()


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
    until(lambda: browser.execute_script("return navigator.serviceWorker.controller !== null"), "offline")
    server.shutdown()
    server.socket.close()
    open_box(browser, server, "?seed=3&language=de")
    until(lambda: "6 und 2" in words(browser), f"after a restart: {words(browser)!r}, before it: {thrown!r}")
    errors = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]  # type: ignore[no-untyped-call]
    assert not [entry for entry in errors if "ERR_CONNECTION_REFUSED" not in entry["message"]]


OF_CHROMIUM = re.compile(r"(http://)?[a-z0-9.-]+\.(google|googleapis|gstatic|duckduckgo)\.com[:/]")
"""Asked by the browser itself, also for an empty page."""


class Recorder(BaseHTTPRequestHandler):
    """A proxy: every request of the browser and its workers comes by. It passes on to one server."""

    server: "RecordingProxy"

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.server.cookies += self.headers.get_all("Cookie") or ()
        address = urlsplit(self.path)
        if address.port is None or address.port != self.server.passes_to:
            self.send_error(403)
            return
        answer, body = ask(address.port, self.path.partition(address.netloc)[2], Host=address.netloc)
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_CONNECT(self) -> None:
        self.server.asked.append(self.path)
        self.send_error(403)

    def log_message(self, *_: object) -> None:
        """Nothing: the test says what matters."""


class RecordingProxy(ThreadingHTTPServer):
    """Notes all that it is asked for."""

    def __init__(self, passes_to: int) -> None:
        super().__init__(("127.0.0.1", 0), Recorder)
        self.passes_to = passes_to
        self.asked: list[str] = []
        self.cookies: list[str] = []


@pytest.fixture
def under_a_folder(built: Path, tmp_path: Path) -> Iterator[str]:
    """The address of the box in a folder of the scoreboard's server; elsewhere it's at the top of one."""
    if LACKING:
        pytest.skip(str(LACKING))
    scores, beside = tmp_path / "scoreboard", tmp_path / "lighttpd"
    beside.mkdir()
    ScoreboardFolder(scores, InATab(9, built)).write_lasting([builtin("pub")], "http://box.local:8090/")
    with lighttpd(scores, beside) as server:
        yield f"http://127.0.0.1:{server.port}/play/"


def test_it_plays_from_any_folder_and_asks_for_nothing_outside(under_a_folder: str, tmp_path: Path) -> None:
    """No request leaves the folder, whoever makes it: the page, a worker, the service worker."""
    port = urlsplit(under_a_folder).port
    assert port is not None
    with answering(RecordingProxy(port)) as proxy:
        flags = (f"--proxy-server=127.0.0.1:{proxy.server_port}", "--proxy-bypass-list=<-loopback>")
        browser = start_chromium(tmp_path / "chromium", *flags)
        try:
            browser.get(f"{under_a_folder}?game=pub&players=2&levers=9&language=fr")
            until(lambda: words(browser), "the box starts")
            press(browser, "Joueurs")
            until(
                lambda: browser.execute_async_script(
                    "navigator.serviceWorker.ready.then(() => arguments[arguments.length - 1](true))"
                ),
                "it is kept for offline",
            )
            assert browser.execute_script("return document.cookie") == ""
            refused = browser.execute_async_script(
                "fetch('http://other.example/').then(() => arguments[arguments.length - 1](''), "
                "(error) => arguments[arguments.length - 1](String(error)))"
            )
            assert "TypeError" in refused
        finally:
            browser.quit()
    assert len(proxy.asked) > 20
    outside = [asked for asked in proxy.asked if not asked.startswith(under_a_folder)]
    assert [asked for asked in outside if not OF_CHROMIUM.match(asked)] == []
    assert proxy.cookies == []


def test_a_browser_that_is_killed_loses_nothing_that_was_shown(
    browser: webdriver.Chrome, server: ThreadingHTTPServer, tmp_path: Path
) -> None:
    open_box(browser, server, GAME)
    begin(browser)
    thrown = words(browser)
    driver = browser.service.process.pid
    children = " ".join(path.read_text() for path in Path(f"/proc/{driver}/task").glob("*/children"))
    os.kill(int(children.split()[0]), signal.SIGKILL)
    browser.service.stop()
    again = start_chromium(tmp_path / "chromium")
    try:
        open_box(again, server, GAME)
        # The tip is for a box that has never been played on.
        kept = thrown.removesuffix(" Flip, then press.")
        until(lambda: words(again) == kept, f"{kept!r} after a kill; {words(again)!r}")
    finally:
        again.quit()


def test_a_full_storage_is_told_and_healed(browser: webdriver.Chrome, server: ThreadingHTTPServer) -> None:
    origin = f"http://127.0.0.1:{server.server_port}"
    browser.execute_cdp_cmd("Storage.overrideQuotaForOrigin", {"origin": origin, "quotaSize": 1})
    open_box(browser, server, GAME)
    begin(browser)
    until(lambda: forgets(browser), f"the box says that it forgets: {words(browser)!r}")
    browser.execute_cdp_cmd("Storage.overrideQuotaForOrigin", {"origin": origin})
    throw_again(browser)
    until(lambda: not forgets(browser), f"the box keeps again: {words(browser)!r}")


def throw_again(browser: webdriver.Chrome) -> None:
    """Answers the throw of 6 and 2 that seed 3 gives, and throws."""
    ActionChains(browser).send_keys("8").perform()
    until(lambda: "Right!" in words(browser), f"the throw is answered: {words(browser)!r}")
    press(browser, "1 and 2")


def test_a_browser_without_storage_plays_and_says_that_it_forgets(
    browser: webdriver.Chrome, built: Path, tmp_path: Path
) -> None:
    worker = shutil.copytree(built, tmp_path / "web") / "worker.js"
    worker.write_bytes(b"delete self.IDBFactory.prototype.open;" + worker.read_bytes())
    with serving(worker.parent) as server:
        open_box(browser, server, GAME)
        until(lambda: forgets(browser), f"the box says that it forgets: {words(browser)!r}")
        begin(browser)


def test_a_browser_without_webassembly_gets_one_sentence(
    browser: webdriver.Chrome, server: ThreadingHTTPServer
) -> None:
    without = "delete globalThis.WebAssembly"
    browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": without})
    open_box(browser, server, "?language=de")
    assert notice(browser).startswith("Dieser Browser ist zu alt für die Box.")


DROP = """
const dropped = new DataTransfer();
dropped.items.add(new File([arguments[1]], arguments[0]));
document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: dropped, bubbles: true, cancelable: true}));
"""


def test_files_that_are_dropped_are_played(browser: webdriver.Chrome, server: ThreadingHTTPServer) -> None:
    open_box(browser, server, GAME)
    browser.execute_script(DROP, "friday.toml", 'like = "pub"\ndice = 0')
    said = browser.find_element("id", "rules-said")
    wrong = "friday.toml: dice: 0 is not allowed"
    until(lambda: said.text.startswith(wrong), f"the complaint: {said.text!r}")
    browser.execute_script(DROP, "friday.toml", 'title.en = "Friday night"')
    until(lambda: "Friday night" in words(browser), f"the game is another: {words(browser)!r}")
    browser.find_element("id", "settings-close").click()
    scenario = "config game.players 1\nseed 3\npress\npress\npress\nwait 3\n"
    browser.execute_script(DROP, "try.scn", scenario)
    until(lambda: "6 and 2" in words(browser), f"the scenario is played: {words(browser)!r}")
    link = str(browser.find_element("css selector", "#film-link a").get_attribute("href"))
    ActionChains(browser).send_keys("5").perform()
    browser.find_element("id", "film-stop").click()
    until(lambda: "Friday night" in words(browser), f"the box is back: {words(browser)!r}")
    assert not browser.find_elements("css selector", ".lever[aria-pressed=true]")
    browser.get("about:blank")
    browser.get(link)
    until(lambda: "6 and 2" in words(browser), f"the link is played: {words(browser)!r}")


def printed_by_node(script: str, built: Path, *arguments: object) -> list[str]:
    """The lines that a script beside prints, which plays the built box in the browser's Python."""
    where = (Path(__file__).with_name(script), built / "pyodide", built / "box.zip", *arguments)
    played = subprocess.run(["node", *map(str, where)], capture_output=True, text=True, check=False)
    assert played.returncode == 0, (played.stdout + played.stderr)[-2000:]
    return played.stdout.splitlines()


def test_a_dozen_evenings_whose_storage_ends_go_on_from_the_last_write(built: Path) -> None:
    lines = printed_by_node("evenings.mjs", built, PROJECT / "tests/support/clumsy_player.py", 12)
    assert len(lines) == 12
    assert not [line for line in lines if not re.fullmatch(r"same \S+ None and plays on", line)]


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
    assert len(here) > 1000
    assert printed_by_node("same_lines.mjs", built, packed) == here


def test_the_bill_of_materials_names_every_part_and_its_licence(built: Path) -> None:
    bill = json.loads((built / "sbom.cdx.json").read_text("utf-8"))
    parts = {bill["metadata"]["component"]["name"]: bill["metadata"]["component"]}
    left = bill["components"]
    for part in left:
        parts[part["name"]] = part
        left += part.get("components", [])
    assert all(part["licenses"] for part in parts.values())
    with zipfile.ZipFile(built / "box.zip") as box:
        packed = {name.split("/")[0] for name in box.namelist()}
    assert {name.split("-")[0] for name in packed} <= parts.keys()
    core = json.loads((built / "pyodide/pyodide-lock.json").read_text("utf-8"))["info"]
    assert parts["CPython"]["version"] == core["python"]
    assert parts["Emscripten"]["version"] == core["platform"].removeprefix("emscripten_").replace("_", ".")
    with zipfile.ZipFile(built.parent / "shutthebox-web.zip") as archive:
        assert archive.read("sbom.cdx.json") == (built / "sbom.cdx.json").read_bytes()
