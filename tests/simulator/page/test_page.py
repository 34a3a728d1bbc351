"""The page in a real Chromium: the effect of a finger, a mouse and a keyboard on the contacts."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from gpiozero import PWMOutputDevice
from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select
from tests.simulator.page.pages import FakePanel, shown
from tests.support.chromium import serious_findings, start_chromium
from tests.support.waiting import until

from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.adapters.display.layout import draw
from shutthebox.config.profiles import builtin
from shutthebox.game.effects import Form, Sound, Sounded
from shutthebox.game.inputs import CursorMoved, FormInput, NamesGiven, SettingChosen
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.game.settings import Settings
from shutthebox.odds.coach import review
from shutthebox.rules.actions import Moved, Thrown
from shutthebox.rules.match import begin
from shutthebox.rules.tiles import to_tiles
from shutthebox.simulator.hardware.box import (
    BUZZER_LINE,
    Change,
    SimulatedBox,
    default_lever_lines,
)
from shutthebox.simulator.hardware.workshop import Workshop
from shutthebox.simulator.page.server import PageServer
from shutthebox.simulator.page.transcript import BoxInWords

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


def noise() -> FakePanel:
    """A picture of noise, so that no pixel can be mistaken for another."""
    return FakePanel(Bitmap.frombytes(128, random.Random(7).randbytes(1024)))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    browser = start_chromium(tmp_path_factory.mktemp("chromium"))
    try:
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": SPY})
        yield browser
    finally:
        browser.quit()


class Plug:
    """A plug that is only counted when it is pulled."""

    recording = Path("recording.scn")
    is_recording = False
    pulled = 0

    def cut(self) -> None:
        self.pulled += 1

    def record(self, on: bool) -> None:
        raise AssertionError("nobody records")


class Table:
    """A box, its page, and the hands of a test."""

    def __init__(self, browser: webdriver.Chrome, levers: int = 9, port: int = 0) -> None:
        self.browser = browser
        self.box = SimulatedBox(default_lever_lines(levers), levers_down=(2,))
        self.panel = noise()
        self.transcript = BoxInWords()
        self.workshop = Workshop(self.box, self.panel)
        self.plug = Plug()
        self.filled_in: list[FormInput] = []
        self.server = PageServer(self.workshop, port, self.transcript, self.plug, self.filled_in.append)
        self.server.start()

    def open(self) -> None:
        self.browser.get(self.server.url)
        until(lambda: len(self.levers) == len(self.box.levers))

    def close(self) -> None:
        self.browser.get("about:blank")
        self.server.close()
        self.box.close()

    @property
    def levers(self) -> list[WebElement]:
        return self.browser.find_elements(By.CSS_SELECTOR, "#bank button")

    @property
    def dice(self) -> WebElement:
        return self.browser.find_element(By.ID, "dice")

    @property
    def shown_down(self) -> set[int]:
        down = self.js(
            "[...document.querySelectorAll('#bank [aria-pressed=true]')].map(e => e.dataset.number)"
        )
        assert isinstance(down, list)
        return set(map(int, down))

    def js(self, expression: str) -> object:
        return self.browser.execute_script(f"return {expression}")


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
    until(lambda: table.box.levers_down == {2, 5})
    until(lambda: table.shown_down == {2, 5})
    table.levers[1].click()
    until(lambda: table.shown_down == {5})
    assert table.box.levers_down == {5}


def test_keys_are_levers_1_to_12(tables: Callable[..., Table]) -> None:
    table = tables(12)
    for number, key in enumerate("1234567890-=", start=1):
        before = table.box.levers_down
        ActionChains(table.browser).send_keys(key).perform()
        until(lambda before=before, number=number: table.box.levers_down == before ^ {number})  # type: ignore[misc]
    until(lambda: table.shown_down == set(range(1, 13)) - {2})


def test_a_key_with_a_modifier_is_the_browsers(table: Table) -> None:
    ActionChains(table.browser).key_down(Keys.ALT).send_keys("5").key_up(Keys.ALT).send_keys("7").perform()
    until(lambda: 7 in table.box.levers_down)
    assert table.box.levers_down == {2, 7}


# -- sweeps ------------------------------------------------------------------------------


def test_a_mouse_sweeps_across_levers(table: Table) -> None:
    levers = table.levers
    mouse = ActionChains(table.browser, duration=30)
    mouse.click_and_hold(levers[4]).move_to_element(levers[7]).release().perform()
    until(lambda: table.box.levers_down == {2, 5, 6, 7, 8})
    until(lambda: table.shown_down == {2, 5, 6, 7, 8})
    # The first one decides: up again, and those that are up stay there.
    mouse.click_and_hold(levers[5]).move_to_element(levers[1]).release().perform()
    until(lambda: table.box.levers_down == {7, 8})


def touch(table: Table, *points: tuple[float, float]) -> None:
    """A finger that goes from point to point, and is lifted."""
    for kind, (x, y) in zip(("touchStart", *["touchMove"] * len(points)), points, strict=False):
        dots = {"type": kind, "touchPoints": [{"x": x, "y": y}]}
        table.browser.execute_cdp_cmd("Input.dispatchTouchEvent", dots)
    table.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def middle(table: Table, lever: int) -> tuple[float, float]:
    where = table.js(
        f"(r => [r.x + r.width / 2, r.y + r.height / 2])"
        f"(document.querySelector('#bank [data-number=\"{lever}\"]').getBoundingClientRect())"
    )
    assert isinstance(where, list)
    return where[0], where[1]


@pytest.mark.parametrize("levers", [9, 54])
def test_a_finger_sweeps_and_stays_on_the_page(
    browser: webdriver.Chrome, tables: Callable[..., Table], levers: int
) -> None:
    with window(browser, 390, 844, mobile=True):
        table = tables(levers)
        touch(table, middle(table, 3), middle(table, 4), middle(table, 5))
        until(lambda: table.box.levers_down == {2, 3, 4, 5})
        touch(table, middle(table, 4))
        until(lambda: table.box.levers_down == {2, 3, 5})
        assert table.js("getComputedStyle(document.documentElement).overscrollBehaviorX") == "none"


# -- sizes -------------------------------------------------------------------------------


@contextmanager
def window(browser: webdriver.Chrome, width: int, height: int, *, mobile: bool = False) -> Iterator[None]:
    size = {"width": width, "height": height, "deviceScaleFactor": 2 if mobile else 1, "mobile": mobile}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": mobile})
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def rectangle(table: Table, selector: str) -> dict[str, float]:
    found = table.js(f"document.querySelector({selector!r}).getBoundingClientRect().toJSON()")
    assert isinstance(found, dict)
    return found


def in_view(table: Table, selector: str) -> bool:
    found = rectangle(table, selector)
    wide, high = table.js("innerWidth"), table.js("innerHeight")
    assert isinstance(wide, int)
    assert isinstance(high, int)
    inside = found["left"] >= 0 and found["top"] >= 0 and found["right"] <= wide and found["bottom"] <= high
    middle = f"{found['left'] + found['width'] / 2}, {found['top'] + found['height'] / 2}"
    covered = table.js(f"document.elementFromPoint({middle}).closest({selector!r}) === null")
    return inside and not covered


@pytest.mark.parametrize(("width", "height"), [(320, 568), (844, 390), (1280, 900)])
@pytest.mark.parametrize("levers", [9, 12, 54])
def test_nothing_is_cut_and_fingers_fit(
    browser: webdriver.Chrome, tables: Callable[..., Table], width: int, height: int, levers: int
) -> None:
    with window(browser, width, height, mobile=width < 1000):
        table = tables(levers)
        assert table.js("document.documentElement.scrollWidth <= window.innerWidth")
        for edge in ("#panel", ".display", "#dice", "#bank", ".rail"):
            found, inside = rectangle(table, edge), rectangle(table, "#box")
            assert inside["left"] <= found["left"] <= found["right"] <= inside["right"], edge
        assert all(lever.size["width"] >= 44 and lever.size["height"] >= 44 for lever in table.levers)
        assert in_view(table, "#panel")
        assert in_view(table, "#dice")
        last = table.levers[levers - 1]
        table.browser.execute_script("arguments[0].focus()", last)
        assert in_view(table, f"[data-number='{levers}']"), "what has the focus is seen"
        last.click()
        until(lambda: table.box.levers_down == {2, levers})
        assert in_view(table, "#panel")
        assert in_view(table, "#dice")
        if levers <= 12:
            assert in_view(table, "#bank")


# -- the dice button ---------------------------------------------------------------------


def test_the_mouse_presses_and_holds(table: Table) -> None:
    ActionChains(table.browser).click_and_hold(table.dice).perform()
    until(lambda: table.box.button_down)
    until(lambda: table.dice.get_attribute("aria-pressed") == "true")
    time.sleep(0.9)
    assert table.box.button_down
    ActionChains(table.browser).release().perform()
    until(lambda: not table.box.button_down)
    until(lambda: table.dice.get_attribute("aria-pressed") == "false")


@pytest.mark.parametrize("key", [" ", Keys.ENTER])
def test_a_key_presses_and_holds(table: Table, key: str) -> None:
    ActionChains(table.browser).key_down(key).perform()
    until(lambda: table.box.button_down)
    time.sleep(0.2)
    assert table.box.button_down
    ActionChains(table.browser).key_up(key).perform()
    until(lambda: not table.box.button_down)


@pytest.mark.parametrize("event", ["window.dispatchEvent(new Event('blur'))", "location.reload()"])
def test_the_button_never_sticks(table: Table, event: str) -> None:
    ActionChains(table.browser).click_and_hold(table.dice).perform()
    until(lambda: table.box.button_down)
    table.browser.execute_script(event)
    until(lambda: not table.box.button_down)
    ActionChains(table.browser).release().perform()


def test_a_screen_reader_holds_the_button_by_a_control_of_its_own(table: Table) -> None:
    pressed_s: list[float] = []
    table.box.subscribe(
        lambda change: pressed_s.append(time.monotonic()) if change is Change.BUTTON else None
    )
    table.browser.execute_script("document.getElementById('long').click()")
    until(lambda: len(pressed_s) == 2)
    assert pressed_s[1] - pressed_s[0] > 0.8, "shorter would be a press"


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
    assert bits == [int(table.panel.shown.lit(x, y)) for y in range(64) for x in range(128)]
    dot = Bitmap.of(128, 64).fill((127, 63, 128, 64))
    table.panel.show(dot)
    until(lambda: read_canvas(table) == dot.tobytes())


def test_the_buzzer_is_heard_after_a_gesture_unless_muted(table: Table) -> None:
    buzzer = PWMOutputDevice(BUZZER_LINE, frequency=880, initial_value=0.5, pin_factory=table.box.factory)
    table.panel.show(dot := Bitmap.of(128, 64))
    until(lambda: read_canvas(table) == dot.tobytes())  # the page has been told of the sound before
    assert table.js("window.tones") == []  # browsers allow no sound before a gesture
    table.levers[4].click()
    until(lambda: 880 in table.js("window.tones"))  # type: ignore[operator]
    buzzer.frequency = 1320
    until(lambda: 1320 in table.js("window.tones"))  # type: ignore[operator]
    assert table.js("window.loudness.at(-1) > 0")
    buzzer.value = 0
    until(lambda: table.js("window.loudness.at(-1)") == 0)
    mute = table.browser.find_element(By.ID, "mute")
    mute.click()
    assert mute.get_attribute("aria-pressed") == "true"
    table.browser.refresh()
    mute = table.browser.find_element(By.ID, "mute")
    until(lambda: mute.get_attribute("aria-pressed") == "true")  # remembered
    mute.click()
    assert mute.get_attribute("aria-pressed") == "false"
    assert table.js("window.loudness.at(-1)") == 1
    buzzer.close()


def test_a_lost_connection_is_said_and_mended(table: Table, tables: Callable[..., Table]) -> None:
    notice = table.browser.find_element(By.ID, "notice")
    table.server.close()
    until(notice.is_displayed)
    assert "No connection" in notice.text
    assert table.shown_down == {2}
    table.levers[4].click()  # goes nowhere, and breaks nothing
    box = SimulatedBox(default_lever_lines(10), levers_down=(10,))
    with box, PageServer(Workshop(box, table.panel), table.server.port):
        until(lambda: not notice.is_displayed())
        until(lambda: table.shown_down == {10})
        assert len(table.levers) == 10
        table.levers[0].click()
        until(lambda: box.levers_down == {1, 10})


# -- the dice ----------------------------------------------------------------------------

TUMBLING = Screen(Mode.ROLLING, "Player 1", dice=(1, 1), tumbling=True)
LYING = (
    "[...document.querySelectorAll('#felt .cube')].map(e => [...e.children].map(s => s.childElementCount))"
)
ROLLS = "getComputedStyle(document.querySelector('.cube')).animationName"


def test_the_dice_roll_and_stop_as_the_boxs_do(table: Table) -> None:
    assert table.js(LYING) == []
    table.transcript(shown(TUMBLING), 0)
    until(lambda: table.js(LYING) == [[1, 2, 3, 4, 5, 6]] * 2)
    assert str(table.js(ROLLS)).startswith("roll")
    table.transcript(replace(shown(SHUT_8), throw=(3, 5)), 0)
    until(lambda: table.js(LYING) == [[3], [5]])
    assert table.js(ROLLS) == "settle"
    table.transcript(replace(shown(SHUT_8), throw=(12,)), 0)
    until(lambda: table.js("document.querySelector('#felt').textContent") == "12")
    table.transcript(shown(SHUT_8), 0)
    until(lambda: table.js(LYING) == [])


# -- help, and who cannot see or point ---------------------------------------------------

SHUT_8 = Screen(Mode.FLIPPING, "Player 1", dice=(3, 5), total=8, prompt="Shut 8")


def text_of(table: Table, name: str) -> str:
    return str(table.js(f"document.getElementById({name!r}).textContent"))


def press(table: Table, key: str) -> None:
    ActionChains(table.browser).send_keys(key).perform()


def is_open(table: Table) -> object:
    return table.js("document.getElementById('help').open")


def test_a_status_says_what_the_display_says(table: Table) -> None:
    status = table.browser.find_element(By.CSS_SELECTOR, "[role=status]")
    assert status.get_attribute("id") == "said"
    table.transcript(shown(Screen(Mode.ROLLING, "Player 1", dice=(3, 5), tumbling=True)), 0)
    table.transcript(shown(SHUT_8), 0)
    until(lambda: text_of(table, "said") == "Player 1. Thrown: 3 and 5, which is 8. Shut 8.")
    table.transcript(Sounded(Sound.REFUSED), 0)
    table.transcript(shown(SHUT_8), 0)
    # A text that is the same is announced again only if it is not quite the same.
    until(lambda: text_of(table, "said") == "Shut 8.\u00a0")
    label = table.browser.find_element(By.ID, "panel").get_attribute("aria-label")
    assert label == "Display: Player 1. Thrown: 3 and 5, which is 8. Shut 8."


def test_the_page_speaks_the_language_of_the_box(table: Table) -> None:
    assert table.js("document.documentElement.lang") == "en"
    table.transcript(shown(SHUT_8, "fr", builtin("trac")), 0)
    until(lambda: table.js("document.documentElement.lang") == "fr")
    assert [lever.get_attribute("aria-label") for lever in table.levers][:2] == ["Levier 1", "Levier 2"]
    assert text_of(table, "rules-title") == "Les règles\u00a0: Trac"
    table.open()
    assert table.js("document.documentElement.lang") == "fr"
    assert table.levers[0].get_attribute("aria-label") == "Levier 1"


def test_help_lies_over_the_box(table: Table) -> None:
    table.transcript(shown(SHUT_8, game=builtin("trac")), 0)
    press(table, "?")
    assert is_open(table)
    until(lambda: text_of(table, "rules-title") == "The rules: Trac")
    words = table.browser.find_element(By.ID, "help").text
    assert "add up to it" in words
    assert "sweep across" in words
    assert "The loser, with the worst score, buys the round." in words
    press(table, "5")
    press(table, " ")
    until(lambda: not is_open(table))  # the space bar is for the close button, which has the focus
    press(table, "?")
    press(table, Keys.ESCAPE)
    assert not is_open(table)
    assert table.box.levers_down == {2}
    assert not table.box.button_down
    table.browser.find_element(By.ID, "help-toggle").click()
    assert is_open(table)
    table.browser.find_element(By.ID, "help-close").click()
    assert not is_open(table)
    table.browser.find_element(By.ID, "help-toggle").click()
    outside = ActionBuilder(table.browser)
    outside.pointer_action.move_to_location(3, 3).click()  # type: ignore[no-untyped-call]
    outside.perform()
    until(lambda: not is_open(table))


def test_everything_is_reached_by_the_tab_key(table: Table) -> None:
    table.browser.execute_script("document.activeElement.blur()")
    reached = []
    for _ in range(16):
        press(table, Keys.TAB)
        reached.append(table.js("document.activeElement.id || document.activeElement.dataset.number"))
    assert reached == [
        "mute",
        "settings-toggle",
        "workshop-toggle",
        "help-toggle",
        *"123456789",
        "dice",
        "long",
        "turns-toggle",
    ]


def test_less_motion_for_who_wants_less(browser: webdriver.Chrome, table: Table) -> None:
    moving = "getComputedStyle(document.querySelector('.flap')).transitionDuration !== '0s'"
    assert table.js(moving)
    media = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    try:
        assert not table.js(moving)
        table.transcript(shown(TUMBLING), 0)
        until(lambda: table.js("document.querySelectorAll('.cube').length") == 2)
        assert table.js(ROLLS) == "none"
        assert table.js("getComputedStyle(document.querySelector('.pip')).visibility") == "hidden"
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.parametrize("width", [320, 1400])
@pytest.mark.parametrize("part", ["box", "help", "settings", "workshop", "film", "lost", "coach"])
def test_axe_finds_nothing_serious(
    browser: webdriver.Chrome, tables: Callable[..., Table], tmp_path: Path, part: str, width: int
) -> None:
    with window(browser, width, 900):
        table = tables(12)
        table.transcript(shown(SHUT_8, game=builtin("pub")), 0)
        until(lambda: "Shut 8" in text_of(table, "said"))
        if part == "help":
            press(table, "?")
        elif part == "settings":
            open_settings(table)
        elif part == "workshop":
            open_workshop(table)
        elif part == "film":
            watch(table, tmp_path, "wait 1")
        elif part == "lost":
            table.server.close()
            until(lambda: table.js("!document.getElementById('notice').hidden"))
        elif part == "coach":
            open_coach(table)
        assert serious_findings(browser) == []


# -- the settings ------------------------------------------------------------------------

GAMES = (builtin("pub"), builtin("trac"), builtin("digits"))


def show_form(table: Table, *, is_open: bool = True, players: int = 2) -> None:
    form = Form(Settings(GAMES, GAMES[0], players=players), ("ANN",), is_open=is_open, walks=is_open)
    table.transcript(replace(shown(Screen(Mode.ATTRACT, "Pub"), game=GAMES[0]), form=form), 0)


def open_settings(table: Table) -> None:
    show_form(table)
    table.browser.find_element(By.ID, "settings-toggle").click()
    until(lambda: len(settings_parts(table, "select")) > 5)


def settings_parts(table: Table, tag: str) -> list[WebElement]:
    return table.browser.find_elements(By.CSS_SELECTOR, f"#settings {tag}")


def test_settings_go_to_the_box_and_come_from_it(table: Table) -> None:
    open_settings(table)
    game, players = (Select(select) for select in settings_parts(table, "select")[:2])
    assert [option.text for option in game.options] == ["Digits", "English pub", "Trac"]
    groups = table.browser.find_elements(By.CSS_SELECTOR, "#settings optgroup")
    assert [group.get_attribute("label") for group in groups] == ["Classic", "French"]
    assert "A shut box wins double stakes." in settings_parts(table, ".about")[0].text
    assert game.first_selected_option.text == "English pub"
    game.select_by_visible_text("Trac")
    until(lambda: table.filled_in == [SettingChosen("game.profile", "trac")])
    show_form(table, players=3)
    until(lambda: players.first_selected_option.text == "3")
    assert len(settings_parts(table, "input[type=text]")) == 3
    show_form(table, is_open=False)
    until(lambda: not settings_parts(table, "select")[0].is_enabled())
    assert table.browser.find_element(By.ID, "settings-wait").is_displayed()


def test_names_are_typed_and_the_keys_are_the_boxs_again(table: Table) -> None:
    open_settings(table)
    first, second = settings_parts(table, "input[type=text]")
    assert first.get_attribute("value") == "ANN"
    second.click()
    press(table, "zo1\u00e9")
    until(lambda: table.filled_in[-1:] == [NamesGiven(("ANN", "ZOE"))])
    assert second.get_attribute("value") == "ZOE"
    press(table, Keys.ENTER)
    press(table, "5")
    until(lambda: table.box.levers_down == {2, 5})


def test_a_list_is_walked_by_keys_wheel_and_clicks(table: Table) -> None:
    rows = Screen(
        Mode.MENU, "Menu", rows=("1 Game", "2 Players", "3 Rounds"), cursor=1, prompt="Press: choose"
    )
    form = Form(Settings(GAMES, GAMES[0]), (), is_open=True, walks=True)
    table.transcript(replace(shown(rows), form=form), 0)
    picture = draw(rows.told(str), 0)
    table.panel.show(picture)
    until(lambda: table.js("document.getElementById('panel').classList.contains('rows')"))
    press(table, Keys.ARROW_DOWN)
    press(table, Keys.ARROW_UP)
    until(lambda: table.filled_in == [CursorMoved(1), CursorMoved(-1)])
    panel = table.browser.find_element(By.ID, "panel")
    ActionChains(table.browser).scroll_from_origin(ScrollOrigin.from_element(panel), 0, 100).perform()
    until(lambda: table.filled_in[2:] == [CursorMoved(1)])
    until(lambda: read_canvas(table) == picture.tobytes())
    height = panel.size["height"]
    for row, wanted in ((2, [CursorMoved(1)]), (0, [CursorMoved(1), CursorMoved(-1)])):
        offset = round(height * (row * 16 + 8) / 64 - height / 2)
        ActionChains(table.browser).move_to_element_with_offset(panel, 0, offset).click().perform()
        until(lambda wanted=wanted: table.filled_in[3:] == wanted)  # type: ignore[misc]
    pressed: list[Change] = []
    table.box.subscribe(pressed.append)
    middle = round(height * 24 / 64 - height / 2)
    ActionChains(table.browser).move_to_element_with_offset(panel, 0, middle).click().perform()
    until(lambda: pressed.count(Change.BUTTON) == 2)
    show_form(table, is_open=False)
    until(lambda: not table.js("document.getElementById('panel').classList.contains('rows')"))


# -- the coach ---------------------------------------------------------------------------


def open_coach(table: Table) -> None:
    """The end of a turn with one mistake, and the coach's words on it."""
    pub = builtin("pub")
    actions = (Thrown((6, 4)), Moved(to_tiles([4, 6])), Thrown((6, 6)), Moved(to_tiles([5, 7])))
    found = review(begin(pub, 2), actions, for_win=False)
    table.transcript(replace(shown(SHUT_8, game=pub), seats=("Ann", "Bob"), review=found), 0)
    until(lambda: table.js("!document.getElementById('coach').hidden"))
    table.browser.find_element(By.ID, "turns-toggle").click()
    table.browser.find_element(By.CSS_SELECTOR, "#coach summary").click()


def test_the_coach_draws_each_choice(browser: webdriver.Chrome, tables: Callable[..., Table]) -> None:
    with window(browser, 1000, 1400):
        table = tables(9)
        assert table.js("document.getElementById('coach').hidden")
        open_coach(table)
        first = "document.querySelector('.move')"
        texts = "[...{}.querySelectorAll('{}')].map(e => e.textContent)"
        assert table.js(texts.format(first, ".tile.chosen")) == ["4", "6"]
        assert table.js(texts.format(first, ".tile.best")) == ["1", "9"]
        assert table.js(f"[...{first}.querySelectorAll('.die')].map(e => e.children.length)") == [6, 4]
        assert table.js(f"{first}.querySelector('.cost').textContent.startsWith('-')")
        said = table.js(f"{first}.querySelector('.unseen').textContent")
        assert "6+4: 4+6, 1+9 is better" in str(said)
        table.transcript(shown(SHUT_8, game=builtin("pub")), 0)
        until(lambda: table.js("document.getElementById('coach').hidden"))


# -- the workshop ------------------------------------------------------------------------


def open_workshop(table: Table) -> None:
    table.browser.find_element(By.ID, "workshop-toggle").click()
    until(lambda: len(table.browser.find_elements(By.CSS_SELECTOR, "#workshop tbody tr")) > 0)


def watch(table: Table, folder: Path, scenario: str) -> None:
    """Opens the workshop and replays a file."""
    script = folder / "match.scn"
    script.write_text(scenario, "utf-8")
    open_workshop(table)
    workshop_part(table, "file").send_keys(str(script))
    until(lambda: table.js("!document.getElementById('film').hidden"))


def workshop_part(table: Table, name: str) -> WebElement:
    return table.browser.find_element(By.CSS_SELECTOR, f"#workshop [data-part={name}]")


@pytest.mark.parametrize("part", ["plug", "display_unplugged"])
def test_the_space_bar_throws_after_a_click_in_the_workshop(table: Table, part: str) -> None:
    open_workshop(table)
    workshop_part(table, part).click()
    for key in ("5", "6"):
        ActionChains(table.browser).send_keys(key).key_down(" ").perform()
        until(lambda: table.box.button_down)
        ActionChains(table.browser).key_up(" ").perform()
        until(lambda: not table.box.button_down)
    until(lambda: table.box.levers_down == {2, 5, 6})
    assert table.plug.pulled == (part == "plug")
    assert table.panel.unplugged == (part == "display_unplugged")


def test_a_file_is_replayed_and_left(table: Table, tmp_path: Path) -> None:
    watch(table, tmp_path, "config box.levers 10\n@0 flip 10\nwait 0.5\n")
    until(lambda: table.shown_down == {10})
    bar = table.browser.find_element(By.ID, "film")
    assert bar.is_displayed()
    until(lambda: text_of(table, "film-text") == "The replay is over.")
    bar.find_element(By.TAG_NAME, "button").click()
    until(lambda: table.shown_down == {2})
    assert len(table.levers) == 9
    assert not bar.is_displayed()
    script = tmp_path / "long.scn"
    script.write_text("#" * 70_000, "utf-8")
    workshop_part(table, "file").send_keys(str(script))
    until(lambda: workshop_part(table, "too_large").text == "The file is larger than 64 KB.")


# -- keys and size --------------------------------------------------------------------


def test_a_lever_with_the_focus_flips_by_the_space_bar(table: Table) -> None:
    table.browser.execute_script("arguments[0].focus()", table.levers[3])
    ActionChains(table.browser).send_keys(" ").perform()
    until(lambda: table.shown_down == {2, 4})
    assert not table.box.button_down


def test_the_box_fills_a_television(browser: webdriver.Chrome, tables: Callable[..., Table]) -> None:
    with window(browser, 1920, 1080):
        table = tables(9)
        small = rectangle(table, "#box")
    assert small["height"] > 0.9 * 1080
    assert small["width"] * small["height"] > 0.65 * 1920 * 1080
    with window(browser, 3840, 2160):
        table.open()
        assert rectangle(table, "#box")["height"] > 0.9 * 2160
    with window(browser, 500, 900):
        until(lambda: rectangle(table, "#box")["width"] < 500)


def test_the_space_bar_throws_after_a_lever_was_clicked(table: Table) -> None:
    table.levers[4].click()
    ActionChains(table.browser).key_down(" ").perform()
    until(lambda: table.box.button_down)
    ActionChains(table.browser).key_up(" ").perform()
    until(lambda: not table.box.button_down)
    assert table.box.levers_down == {2, 5}


def test_keys_are_the_boxs_after_a_select_was_opened_and_left(table: Table) -> None:
    open_settings(table)
    settings_parts(table, "select")[1].click()
    press(table, Keys.ESCAPE)
    ActionChains(table.browser).send_keys("5").key_down(" ").perform()
    until(lambda: table.box.levers_down == {2, 5})
    until(lambda: table.box.button_down)
    ActionChains(table.browser).key_up(" ").perform()
    assert table.filled_in == []


def test_one_drawer_is_open_at_a_time_and_escape_closes_it(table: Table) -> None:
    open_settings(table)
    open_workshop(table)
    assert not table.browser.find_element(By.ID, "settings").is_displayed()
    press(table, Keys.ESCAPE)
    assert not table.browser.find_element(By.ID, "workshop").is_displayed()
    table.browser.find_element(By.ID, "settings-toggle").click()
    table.browser.find_element(By.ID, "settings-close").click()
    assert not table.browser.find_element(By.ID, "settings").is_displayed()


def test_the_keys_are_the_boxs_after_a_click_on_the_coach(table: Table) -> None:
    open_coach(table)
    ActionChains(table.browser).send_keys("5").key_down(" ").perform()
    until(lambda: table.box.button_down)
    until(lambda: table.box.levers_down == {2, 5})
    ActionChains(table.browser).key_up(" ").send_keys("?").perform()
    until(lambda: not table.box.button_down)
    assert is_open(table)
    assert table.js("document.querySelector('#coach').open"), "the space bar has not folded it"
