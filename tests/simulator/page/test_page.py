"""The page in a real Chromium: what a finger, a mouse and a keyboard do to the contacts."""

import random
import re
import time
from collections.abc import Callable, Iterator
from importlib.resources import files

import pytest
from gpiozero import PWMOutputDevice
from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from tests.support.chromium import start_chromium

from shutthebox.simulator.hardware.box import BUZZER_LINE, LAMP_LINE, SimulatedBox, default_lever_lines
from shutthebox.simulator.page.server import PageServer

pytestmark = pytest.mark.slow

# Notes what reaches the buzzer, since a test has no ears.
SPY = """
window.tones = [];
const setValue = AudioParam.prototype.setValueAtTime;
AudioParam.prototype.setValueAtTime = function (value, when) {
  window.tones.push(value);
  return setValue.call(this, value, when);
};
window.loudness = [];
const setTarget = AudioParam.prototype.setTargetAtTime;
AudioParam.prototype.setTargetAtTime = function (value, when, constant) {
  window.loudness.push(value);
  return setTarget.call(this, value, when, constant);
};
"""


class FakePanel:
    """Shows one picture of noise, so that no pixel can be mistaken for another."""

    def __init__(self) -> None:
        self.shown = Image.frombytes("1", (128, 64), random.Random(7).randbytes(1024))
        self.changed: Callable[[], None] = lambda: None

    def image(self) -> Image.Image:
        return self.shown

    def on_change(self, callback: Callable[[], None]) -> None:
        self.changed = callback


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    browser = start_chromium(tmp_path_factory.mktemp("chromium"))
    try:
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": SPY})
        yield browser
    finally:
        browser.quit()


class Table:
    """A box, its page, and the hands of a test."""

    def __init__(self, browser: webdriver.Chrome, levers: int = 9, port: int = 0) -> None:
        self.browser = browser
        self.box = SimulatedBox(default_lever_lines(levers), levers_down=(2,))
        self.panel = FakePanel()
        self.server = PageServer(self.box, self.panel, port)
        self.server.start()

    def open(self) -> None:
        self.browser.get(self.server.url)
        self.until(lambda: len(self.levers) == len(self.box.levers))

    def close(self) -> None:
        self.browser.get("about:blank")
        self.server.close()
        self.box.close()

    @property
    def levers(self) -> list[WebElement]:
        return self.browser.find_elements(By.CSS_SELECTOR, "[role=switch]")

    @property
    def dice(self) -> WebElement:
        return self.browser.find_element(By.ID, "dice")

    @property
    def shown_down(self) -> set[int]:
        return {n for n, lever in enumerate(self.levers, 1) if lever.get_attribute("aria-checked") == "true"}

    def js(self, expression: str) -> object:
        return self.browser.execute_script(f"return {expression}")

    def until(self, condition: Callable[[], bool], seconds: float = 4.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "it never happened"
            time.sleep(0.01)


@pytest.fixture
def table(browser: webdriver.Chrome) -> Iterator[Table]:
    table = Table(browser)
    table.open()
    yield table
    table.close()


@pytest.fixture
def tables(browser: webdriver.Chrome) -> Iterator[Callable[..., Table]]:
    made: list[Table] = []

    def make(levers: int = 9, port: int = 0) -> Table:
        made.append(Table(browser, levers, port))
        made[-1].open()
        return made[-1]

    yield make
    for table in made:
        table.close()


# -- levers ------------------------------------------------------------------------------


def test_the_page_shows_the_box_without_a_complaint(table: Table) -> None:
    assert [lever.get_attribute("aria-label") for lever in table.levers] == [
        f"Lever {n}" for n in range(1, 10)
    ]
    assert table.shown_down == {2}
    assert not table.browser.find_element(By.ID, "notice").is_displayed()
    assert table.browser.get_log("browser") == []  # type: ignore[no-untyped-call]


def test_a_click_moves_the_contact_and_the_contact_the_lever(table: Table) -> None:
    table.levers[4].click()
    table.until(lambda: table.box.levers_down == {2, 5})
    table.until(lambda: table.shown_down == {2, 5})
    table.levers[1].click()
    table.until(lambda: table.shown_down == {5})
    assert table.box.levers_down == {5}


def test_a_lever_moves_only_if_its_contact_did(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, bool]] = []
    monkeypatch.setattr(table.box, "set_lever", lambda number, down: asked.append((number, down)))
    table.levers[4].click()
    table.until(lambda: asked == [(5, True)])
    time.sleep(0.1)
    assert table.shown_down == {2}


def test_a_hand_on_the_real_box_shows_too(table: Table) -> None:
    table.box.set_lever(7, True)
    table.until(lambda: table.shown_down == {2, 7})


def test_two_quick_clicks_are_there_and_back(table: Table) -> None:
    table.browser.execute_script("arguments[0].click(); arguments[0].click()", table.levers[4])
    time.sleep(0.3)
    assert table.shown_down == table.box.levers_down == {2}


def test_keys_are_levers_1_to_12(tables: Callable[..., Table]) -> None:
    table = tables(12)
    for number, key in enumerate("1234567890-=", start=1):
        before = table.box.levers_down
        ActionChains(table.browser).send_keys(key).perform()
        table.until(lambda before=before, number=number: table.box.levers_down == before ^ {number})  # type: ignore[misc]
    table.until(lambda: table.shown_down == set(range(1, 13)) - {2})


def test_a_key_with_a_modifier_is_the_browsers(table: Table) -> None:
    ActionChains(table.browser).key_down(Keys.ALT).send_keys("5").key_up(Keys.ALT).perform()
    time.sleep(0.1)
    assert table.box.levers_down == {2}


def test_a_lever_with_the_focus_flips_by_the_space_bar(table: Table) -> None:
    table.browser.execute_script("arguments[0].focus()", table.levers[3])
    ActionChains(table.browser).send_keys(" ").perform()
    table.until(lambda: table.shown_down == {2, 4})
    assert not table.box.button_down


def test_54_levers_fit_a_phone(browser: webdriver.Chrome, tables: Callable[..., Table]) -> None:
    size = {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        table = tables(54)
        assert table.js("document.documentElement.scrollWidth <= window.innerWidth")
        assert all(lever.size["width"] >= 24 and lever.size["height"] >= 44 for lever in table.levers)
        table.levers[53].click()
        table.until(lambda: table.box.levers_down == {2, 54})
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


# -- the dice button ---------------------------------------------------------------------


def test_the_mouse_presses_and_holds(table: Table) -> None:
    ActionChains(table.browser).click_and_hold(table.dice).perform()
    table.until(lambda: table.box.button_down)
    table.until(lambda: table.dice.get_attribute("aria-pressed") == "true")
    time.sleep(0.9)
    assert table.box.button_down
    ActionChains(table.browser).release().perform()
    table.until(lambda: not table.box.button_down)
    table.until(lambda: table.dice.get_attribute("aria-pressed") == "false")


def test_a_finger_presses_and_holds(table: Table) -> None:
    place = table.dice.rect
    point = {"x": place["x"] + place["width"] / 2, "y": place["y"] + place["height"] / 2}
    touch = {"type": "touchStart", "touchPoints": [point]}
    table.browser.execute_cdp_cmd("Input.dispatchTouchEvent", touch)
    table.until(lambda: table.box.button_down)
    time.sleep(0.6)  # long enough for a browser to think of its context menu
    assert table.box.button_down
    touch = {"type": "touchEnd", "touchPoints": []}
    table.browser.execute_cdp_cmd("Input.dispatchTouchEvent", touch)
    table.until(lambda: not table.box.button_down)


def test_a_short_click_is_a_whole_press(table: Table) -> None:
    seen: list[bool] = []
    table.box.subscribe(lambda change: seen.append(table.box.button_down))
    table.dice.click()
    table.until(lambda: seen == [True, False])
    time.sleep(0.2)
    assert seen == [True, False]


@pytest.mark.parametrize("key", [" ", Keys.ENTER])
def test_a_key_presses_and_holds(table: Table, key: str) -> None:
    ActionChains(table.browser).key_down(key).perform()
    table.until(lambda: table.box.button_down)
    time.sleep(0.2)
    assert table.box.button_down
    ActionChains(table.browser).key_up(key).perform()
    table.until(lambda: not table.box.button_down)


def test_the_space_bar_throws_after_a_lever_was_clicked(table: Table) -> None:
    table.levers[4].click()
    ActionChains(table.browser).key_down(" ").perform()
    table.until(lambda: table.box.button_down)
    ActionChains(table.browser).key_up(" ").perform()
    table.until(lambda: not table.box.button_down)
    assert table.box.levers_down == {2, 5}


def test_sliding_off_lets_go(table: Table) -> None:
    ActionChains(table.browser).click_and_hold(table.dice).perform()
    table.until(lambda: table.box.button_down)
    ActionChains(table.browser).move_by_offset(0, -260).perform()
    table.until(lambda: not table.box.button_down)
    ActionChains(table.browser).release().perform()


@pytest.mark.parametrize("event", ["window.dispatchEvent(new Event('blur'))", "location.reload()"])
def test_the_button_never_sticks(table: Table, event: str) -> None:
    ActionChains(table.browser).click_and_hold(table.dice).perform()
    table.until(lambda: table.box.button_down)
    table.browser.execute_script(event)
    table.until(lambda: not table.box.button_down)
    ActionChains(table.browser).release().perform()


def test_a_screen_readers_click_is_a_press(table: Table) -> None:
    seen: list[bool] = []
    table.box.subscribe(lambda change: seen.append(table.box.button_down))
    table.browser.execute_script("arguments[0].click()", table.dice)
    table.until(lambda: seen == [True, False])


def test_the_lamp_glows(table: Table) -> None:
    lamp = PWMOutputDevice(LAMP_LINE, initial_value=0.4, pin_factory=table.box.factory)
    table.until(lambda: table.js("document.getElementById('dice').style.getPropertyValue('--lamp')") == "0.4")
    lamp.close()


# -- display, sound, words ---------------------------------------------------------------


def read_canvas(table: Table) -> bytes:
    alpha = table.js(
        "Array.from(document.getElementById('panel').getContext('2d').getImageData(0, 0, 128, 64).data)"
        ".filter((_, index) => index % 4 === 3)"
    )
    assert isinstance(alpha, list)
    image = Image.frombytes("L", (128, 64), bytes(alpha))
    return image.point(lambda value: 255 * (value > 127)).convert("1").tobytes()


def test_the_display_pixel_for_pixel(table: Table) -> None:
    assert read_canvas(table) == table.panel.shown.tobytes()
    bits = table.js("Array.from(window.panelBits)")
    assert bits == [pixel // 255 for pixel in table.panel.shown.convert("L").tobytes()]
    table.panel.shown = Image.new("1", (128, 64))
    table.panel.shown.putpixel((127, 63), 1)
    table.panel.changed()
    table.until(lambda: read_canvas(table) == table.panel.shown.tobytes())


@pytest.mark.parametrize("width", [360, 700, 1280])
def test_a_pixel_is_a_whole_number_of_dots(browser: webdriver.Chrome, table: Table, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        shown = table.js("document.getElementById('panel').getBoundingClientRect().width")
        assert shown in (256, 384, 512)
        assert table.js("document.documentElement.scrollWidth <= window.innerWidth")
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_buzzer_is_heard_after_a_gesture_unless_muted(table: Table) -> None:
    buzzer = PWMOutputDevice(BUZZER_LINE, frequency=880, initial_value=0.5, pin_factory=table.box.factory)
    time.sleep(0.1)
    assert table.js("window.tones") == []  # browsers allow no sound before a gesture
    table.levers[4].click()
    table.until(lambda: 880 in table.js("window.tones"))  # type: ignore[operator]
    buzzer.frequency = 1320
    table.until(lambda: 1320 in table.js("window.tones"))  # type: ignore[operator]
    assert table.js("window.loudness.at(-1) > 0")
    buzzer.value = 0
    table.until(lambda: table.js("window.loudness.at(-1)") == 0)
    mute = table.browser.find_element(By.ID, "mute")
    mute.click()
    assert mute.get_attribute("aria-pressed") == "true"
    table.browser.refresh()
    mute = table.browser.find_element(By.ID, "mute")
    table.until(lambda: mute.get_attribute("aria-pressed") == "true")  # remembered
    mute.click()
    assert mute.get_attribute("aria-pressed") == "false"
    assert table.js("window.loudness.at(-1)") == 1
    buzzer.close()


def test_a_lost_connection_is_said_and_mended(table: Table, tables: Callable[..., Table]) -> None:
    notice = table.browser.find_element(By.ID, "notice")
    table.server.close()
    table.until(notice.is_displayed)
    assert "No connection" in notice.text
    assert table.shown_down == {2}
    table.levers[4].click()  # goes nowhere, and breaks nothing
    box = SimulatedBox(default_lever_lines(10), levers_down=(10,))
    with box, PageServer(box, table.panel, table.server.port):
        table.until(lambda: not notice.is_displayed())
        table.until(lambda: table.shown_down == {10})
        assert len(table.levers) == 10
        table.levers[0].click()
        table.until(lambda: box.levers_down == {1, 10})


@pytest.mark.parametrize(
    ("accepts", "language", "title"),
    [
        ("fr-CA", "fr", "Comment jouer avec un seul bouton"),
        ("en-US", "en", "How to play with one button"),
        ("de-DE", "en", "How to play with one button"),
    ],
)
def test_help_in_the_language_of_the_browser(table: Table, accepts: str, language: str, title: str) -> None:
    agent = table.js("navigator.userAgent")
    override = {"userAgent": agent, "acceptLanguage": accepts}
    table.browser.execute_cdp_cmd("Emulation.setUserAgentOverride", override)
    table.open()
    assert table.js("document.documentElement.lang") == language
    assert not table.browser.find_element(By.ID, "help").is_displayed()
    toggle = table.browser.find_element(By.ID, "help-toggle")
    toggle.click()
    assert toggle.get_attribute("aria-expanded") == "true"
    assert title in table.browser.find_element(By.ID, "help").text
    toggle.click()
    assert not table.browser.find_element(By.ID, "help").is_displayed()
    table.browser.execute_cdp_cmd(
        "Emulation.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": "en-GB"}
    )


def test_both_languages_say_the_same_things() -> None:
    words = (files("shutthebox.simulator") / "page" / "texts.js").read_text("utf-8")
    english, french = words.split("const french")
    keys = re.findall(r"^  (\w+):", english, re.MULTILINE)
    assert len(keys) > 8
    assert re.findall(r"^  (\w+):", french, re.MULTILINE) == keys
    assert english.count('    ["') == french.count('    ["') == 5
