"""A match in a tab of a telephone, played to its end by touches alone. Needs node and npm."""

import re
from itertools import combinations
from pathlib import Path

import pytest
from selenium import webdriver
from tests.support.chromium import resize, start_chromium, touch
from tests.support.tab import until, words
from tests.support.web_build import made_web, serving

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

THROWN = re.compile(r"Thrown: .* which is (\d+)\. These fit: ([^.]*)\. (?:Hold: 1 die\. )?Make")


class Thumb:
    """One finger on the screen."""

    def __init__(self, browser: webdriver.Chrome) -> None:
        self.browser = browser

    def tap(self, selector: str) -> None:
        """Touches the middle of an element, which must be in view and not narrower than a finger.

        Twelve levers stay in one row on a narrow telephone, where a finger has 24 pixels of each.
        """
        x, y, width, height, hit = self.browser.execute_script(
            """const element = document.querySelector(arguments[0]);
            const {left, top, width, height} = element.getBoundingClientRect();
            const [x, y] = [left + width / 2, top + height / 2];
            return [x, y, width, height, element.contains(document.elementFromPoint(x, y))];""",
            selector,
        )
        assert hit, f"{selector} is not under the finger at {x}, {y}"
        narrowest = 24 if selector.startswith(".lever") and height >= 88 else 44
        assert min(width, height) >= narrowest, f"{selector} is {width} x {height}"
        touch(self.browser, (x, y))

    def flip(self, number: int) -> None:
        lever = f'.lever[data-number="{number}"]'
        before = self.browser.find_element("css selector", lever).get_attribute("aria-pressed")
        self.tap(lever)
        until(
            lambda: self.browser.find_element("css selector", lever).get_attribute("aria-pressed") != before,
            f"lever {number} moves",
        )


def numbers_in(text: str) -> list[int]:
    """Of "1 to 3, 8" the 1, 2, 3 and 8."""
    spans = [[int(end) for end in part.split(" to ")] for part in text.split(", ")]
    return [number for span in spans for number in range(span[0], span[-1] + 1)]


def turn(browser: webdriver.Chrome, *, upright: bool) -> None:
    """Turns the telephone; nothing is wider than its screen."""
    width, height = (360, 640) if upright else (640, 360)
    resize(browser, width, height, mobile=True)
    until(lambda: browser.execute_script("return innerWidth") == width, "the telephone is turned")
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")


def test_a_thumb_plays_a_match_to_its_end_on_a_telephone_that_is_turned(tmp_path: Path) -> None:
    """On twelve levers, which leave a thumb least."""
    built = made_web()
    browser = start_chromium(tmp_path / "chromium")
    try:
        with serving(built) as server:
            resize(browser, 360, 640, mobile=True)
            browser.get(f"http://127.0.0.1:{server.server_port}/?seed=3&players=1&levers=12&language=en")
            until(lambda: words(browser), "the box starts")
            play(Thumb(browser))
    except AssertionError:
        browser.save_screenshot(str(tmp_path / "failed.png"))
        raise
    finally:
        browser.quit()


def play(thumb: Thumb) -> None:
    """From the first screen to the result; the telephone is turned after each step."""
    browser = thumb.browser
    down: set[int] = set()
    for step in range(200):
        turn(browser, upright=step % 2 == 0)
        before = words(browser)
        if "Press: again" in before:
            assert step > 3, "it has been played in both positions"
            return
        if thrown := THROWN.search(before):
            for tile in answer(int(thrown[1]), numbers_in(thrown[2])):
                thumb.flip(tile)
                down.add(tile)
            until(lambda: "Right!" in words(browser), "the throw is answered")
            before = words(browser)
            thumb.tap("#dice")
        elif "lift" in before.lower():
            for tile in sorted(down):
                thumb.flip(tile)
            down.clear()
        else:
            thumb.tap("#dice")
        goes_on(browser, before)
    raise AssertionError(f"no end: {words(browser)!r}")


def answer(total: int, open_tiles: list[int]) -> tuple[int, ...]:
    """Tiles that make a throw."""
    return next(
        tiles for count in range(1, 5) for tiles in combinations(open_tiles, count) if sum(tiles) == total
    )


def goes_on(browser: webdriver.Chrome, before: str) -> None:
    """Waits until the box shows something else, and no rolling dice."""
    until(lambda: words(browser) != before and " roll." not in words(browser), f"{before!r} goes on")
