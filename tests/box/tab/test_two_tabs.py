"""Several tabs with the box in one browser: one plays, another may take over, and no throw is lost."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from tests.support.chromium import start_chromium
from tests.support.tab import GAME, TAP, begin, notice, press, until, words
from tests.support.web_build import made_web, serving

from shutthebox.simulator.tab_film import pack

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ELSEWHERE = "The box is open in another tab."

HOSTS = {"plain http": "box.test", "secure": "127.0.0.1"}
"""As guests have it in a pub, where a page has no `navigator.locks`; and as with https."""


class Tabs:
    """A browser, and a server of the box."""

    def __init__(self, browser: webdriver.Chrome, folder: Path, address: str) -> None:
        self.browser, self.folder, self._address = browser, folder, address

    def open(self, query: str = GAME) -> str:
        """A new tab, which need not be ready."""
        self.browser.switch_to.new_window("tab")
        self.browser.execute_script("setTimeout(() => location.assign(arguments[0]))", self._address + query)
        return self.browser.current_window_handle

    def look(self, tab: str) -> None:
        self.browser.switch_to.window(tab)

    def close(self, tab: str) -> None:
        self.look(tab)
        self.browser.close()

    def crash(self, tab: str) -> None:
        self.look(tab)
        self.browser.set_page_load_timeout(1)
        with pytest.raises(WebDriverException):
            self.browser.get("chrome://crash")
        self.browser.set_page_load_timeout(300)

    def take_over(self, tab: str) -> None:
        self.look(tab)
        self.browser.find_element("css selector", "#notice button").click()

    def until_it_plays(self, tab: str, what: str = "") -> None:
        self.look(tab)
        until(lambda: self.plays and what in words(self.browser), f"it plays: {notice(self.browser)!r}")

    def until_it_waits(self, tab: str) -> None:
        self.look(tab)
        until(lambda: notice(self.browser).startswith(ELSEWHERE), "it says that the box is open elsewhere")

    def playing(self, *tabs: str) -> list[str]:
        """Those of these tabs that play."""
        playing = []
        for tab in tabs:
            self.look(tab)
            playing += [tab] if self.plays else []
        return playing

    @property
    def plays(self) -> bool:
        ready = "return document.getElementById('panel') && !document.body.classList.contains('away')"
        return bool(self.browser.execute_script(ready))


@pytest.fixture
def host() -> str:
    return HOSTS["plain http"]


@pytest.fixture
def tabs(host: str, tmp_path: Path) -> Iterator[Tabs]:
    folder = shutil.copytree(made_web(), tmp_path / "web")
    with serving(folder) as server:
        browser = start_chromium(tmp_path / "chromium", "--host-resolver-rules=MAP box.test 127.0.0.1")
        try:
            yield Tabs(browser, folder, f"http://{host}:{server.server_port}/")
        finally:
            browser.quit()


@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
def test_of_two_tabs_one_plays_and_the_other_takes_over_or_goes_on(tabs: Tabs, host: str) -> None:
    both = {tabs.open(), tabs.open()}
    until(lambda: tabs.playing(*both), "one of them plays")
    (first,) = tabs.playing(*both)
    (second,) = both - {first}
    tabs.look(first)
    assert tabs.browser.execute_script("return Boolean(navigator.locks)") == (host == HOSTS["secure"])
    begin(tabs.browser)
    tabs.until_it_waits(second)
    tabs.take_over(second)
    tabs.until_it_plays(second, "6 and 2")
    tabs.until_it_waits(first)
    tabs.look(second)
    ActionChains(tabs.browser).send_keys("8").perform()
    until(lambda: "Right!" in words(tabs.browser), "the second tab plays the match")
    press(tabs.browser, "These fit: 1 to 7")
    tabs.close(second)
    tabs.until_it_plays(first, "Put 8 back")


def test_a_tab_goes_on_when_the_one_that_plays_has_crashed(tabs: Tabs) -> None:
    first = tabs.open()
    tabs.until_it_plays(first)
    begin(tabs.browser)
    second = tabs.open()
    tabs.until_it_waits(second)
    tabs.crash(first)
    tabs.until_it_plays(second, "6 and 2")


DEAF = b"BroadcastChannel.prototype.postMessage = () => {};"
"""No tab hears of another, as one that the system has put to sleep."""


def test_a_tab_that_does_not_know_that_it_was_taken_over_writes_nothing(tabs: Tabs) -> None:
    worker = tabs.folder / "worker.js"
    worker.write_bytes(DEAF + worker.read_bytes())
    first = tabs.open()
    tabs.until_it_plays(first)
    begin(tabs.browser)
    second = tabs.open()
    tabs.until_it_waits(second)
    tabs.take_over(second)
    tabs.until_it_plays(second, "6 and 2")
    tabs.look(first)
    assert tabs.plays
    ActionChains(tabs.browser).send_keys("8").perform()
    tabs.browser.execute_script(TAP)  # a throw is kept before it is shown
    tabs.until_it_waits(first)
    assert "These fit: 1 to 7" not in words(tabs.browser)
    tabs.close(second)
    tabs.until_it_plays(first, "6 and 2")
    assert "These fit: 1 to 8" in words(tabs.browser), "the first tab's answer was kept"


def test_another_game_and_a_replay_wait_for_no_tab(tabs: Tabs) -> None:
    first = tabs.open()
    tabs.until_it_plays(first)
    tabs.until_it_plays(tabs.open("?game=trac"), "Trac")
    scenario = "config game.players 1\nseed 3\npress\npress\npress\nwait 3\n"
    replay = tabs.open(f"{GAME}#replay={pack(scenario)}")
    tabs.until_it_plays(replay, "6 and 2")
    assert notice(tabs.browser) == ""
    tabs.browser.find_element("id", "film-stop").click()
    tabs.until_it_waits(replay)
    tabs.close(first)
    tabs.until_it_plays(replay, "Press to play")
