"""The box in a tab of a browser: what its player does there and reads."""

import time
from collections.abc import Callable
from http.server import ThreadingHTTPServer
from typing import Any

from selenium import webdriver


def until(check: Callable[[], Any], what: str) -> None:
    end = time.monotonic() + 150
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


TAP = """
for (const type of ["keydown", "keyup"]) {
  document.body.dispatchEvent(new KeyboardEvent(type, {code: "Space", bubbles: true}));
}
"""
"""At once: on a busy machine a key that the driver presses may be down for so long that it is a hold."""


def press(browser: webdriver.Chrome, follows: str) -> None:
    browser.execute_script(TAP)
    until(lambda: follows in words(browser), f"{follows!r} after a press; {words(browser)!r} is shown")


GAME = "?seed=3&players=1&game=pub&language=en"


def forgets(browser: webdriver.Chrome) -> bool:
    return "memory" in words(browser).lower()


def begin(browser: webdriver.Chrome) -> None:
    """From the first screen to the first throw."""
    press(browser, "Players?")
    press(browser, "throw")
    press(browser, "6 and 2")
