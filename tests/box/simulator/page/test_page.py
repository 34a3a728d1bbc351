"""The page in a real Chromium: the effect of a finger, a mouse and a keyboard on the contacts."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from gpiozero import PWMOutputDevice
from mock import Mock, call
from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select
from tests.box.simulator.page.pages import FakePanel, server_of, shown
from tests.support.chromium import note_tones, resize, serious_findings, start_chromium, touch
from tests.support.machine import settings_for
from tests.support.shows import changed, plain_show
from tests.support.waiting import until

from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.adapters.display.layout import draw
from shutthebox.config.profiles import builtin
from shutthebox.game.effects import Form, PlaySound, Sound
from shutthebox.game.inputs import CursorMoved, FormInput, LeaveAsked, NamesGiven, SettingChosen
from shutthebox.game.lever_tiles import lever_tiles
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.game.settings import Settings
from shutthebox.network import address_of_process
from shutthebox.odds.coach import review
from shutthebox.rules.actions import Moved, Thrown
from shutthebox.rules.match import begin
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import to_tiles
from shutthebox.simulator.hardware.box import (
    BUZZER_LINE,
    Change,
    SimulatedBox,
)
from shutthebox.simulator.hardware.workshop import Workshop
from shutthebox.simulator.page.http import LOOPBACK
from shutthebox.simulator.page.request_guard import visitor_of
from shutthebox.simulator.page.server import PageServer
from shutthebox.simulator.page.transcript import Transcript

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    browser = start_chromium(tmp_path_factory.mktemp("chromium"))
    try:
        note_tones(browser)
        yield browser
    finally:
        browser.quit()


class Table:
    """A box, its page, and the hands of a test."""

    def __init__(self, browser: webdriver.Chrome, levers: int, listen: str) -> None:
        self.browser = browser
        self.box = SimulatedBox(levers, levers_down=(2,))
        # Noise, so that no pixel can be mistaken for another.
        self.panel = FakePanel(Bitmap.frombytes(128, random.Random(7).randbytes(1024)))
        self.transcript = Transcript()
        self.workshop = Workshop(self.box, self.panel)
        self.plug = Mock(recording=Path("recording.scn"), is_recording=False, boxes=())
        self.filled_in: list[FormInput] = []
        fill_in = self.filled_in.append
        self.server = PageServer(self.workshop, 0, self.transcript, self.plug, fill_in, address=listen)
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
        return self.all("#bank button")

    def one(self, selector: str) -> WebElement:
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def says(self, name: str) -> str:
        return str(self.js(f"document.getElementById({name!r}).textContent"))

    def press(self, *keys: str) -> None:
        ActionChains(self.browser).send_keys(*keys).perform()

    def tell(self, screen: Screen, language: str = "en", game: Profile | None = None, **more: Any) -> None:
        """The box shows this."""
        self.transcript(changed(shown(screen, language, game), **more), 0)

    @property
    def shown_down(self) -> set[int]:
        down = self.js(
            "[...document.querySelectorAll('#bank [aria-pressed=true]')].map(e => e.dataset.number)"
        )
        assert isinstance(down, list)
        return set(map(int, down))

    def js(self, expression: str) -> object:
        return self.browser.execute_script(f"return {expression}")


@contextmanager
def opened(browser: webdriver.Chrome, levers: int = 9, listen: str = LOOPBACK) -> Iterator[Table]:
    table = Table(browser, levers, listen)
    try:
        table.open()
        yield table
    finally:
        table.close()


@pytest.fixture
def table(browser: webdriver.Chrome) -> Iterator[Table]:
    with opened(browser) as table:
        yield table


@contextmanager
def window(browser: webdriver.Chrome, width: int, height: int, *, mobile: bool = False) -> Iterator[None]:
    resize(browser, width, height, mobile=mobile)
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


# -- levers ------------------------------------------------------------------------------


def test_the_page_shows_the_box_without_a_complaint(table: Table) -> None:
    assert [lever.get_attribute("aria-label") for lever in table.levers] == [
        f"Lever {n}" for n in range(1, 10)
    ]
    # A lever is called by its number, and shows it once: people who speak to their machine say what they see.
    assert [lever.text for lever in table.levers] == list("123456789")
    assert table.shown_down == {2}
    assert not table.one("#notice").is_displayed()
    assert table.browser.get_log("browser") == []  # type: ignore[no-untyped-call]


def test_keys_are_levers_1_to_12_and_with_a_modifier_the_browsers(browser: webdriver.Chrome) -> None:
    with opened(browser, 12) as table:
        table.press(*"1234567890-=")
        until(lambda: table.shown_down == set(range(1, 13)) - {2})
        ActionChains(browser).key_down(Keys.ALT).send_keys("5").key_up(Keys.ALT).send_keys("7").perform()
        until(lambda: 7 not in table.box.levers_down)
        assert 5 in table.box.levers_down


def test_a_screen_reader_names_the_keys_of_the_keyboard_in_use(table: Table) -> None:
    """On a French one, the key of lever 1 is &; unless a browser tells, no key is named before it is used."""
    shortcuts = "[...document.querySelectorAll('#bank .lever')].slice(0, 2).map("
    shortcuts += "e => e.getAttribute('aria-keyshortcuts'))"
    told = table.browser.execute_async_script(
        "const done = arguments[0];"
        "const of = (map) => ['Digit1', 'Digit2'].map((code) => map?.get(code) ?? null);"
        "const asked = navigator.keyboard?.getLayoutMap() ?? Promise.resolve();"
        "asked.then((map) => done(of(map)), () => done(of()));"
    )
    until(lambda: table.js(shortcuts) == told)
    for code, sign in (("Digit1", "&"), ("Digit2", "é")):
        for kind in ("keyDown", "keyUp"):
            table.browser.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": kind, "code": code, "key": sign})
    until(lambda: table.js(shortcuts) == ["&", "é"])


def test_a_phone_stays_awake_while_a_match_is_on(table: Table) -> None:
    table.browser.execute_script(
        "window.locks = new Set();"
        "WakeLock.prototype.request = async (kind) => {"
        "  const lock = {kind, released: false, release() { this.released = true; locks.delete(this); }};"
        "  locks.add(lock);"
        "  return lock;"
        "};"
    )
    assert table.js("locks.size") == 0
    table.tell(SHUT_8, seats=("Ann",))
    until(lambda: table.js("locks.size") == 1)
    table.tell(SHUT_8, seats=("Ann",), winners=(1,))
    until(lambda: table.js("locks.size") == 0)


def test_a_mouse_sweeps_across_levers(table: Table) -> None:
    levers = table.levers
    mouse = ActionChains(table.browser, duration=30)
    mouse.click_and_hold(levers[4]).move_to_element(levers[7]).release().perform()
    until(lambda: table.box.levers_down == table.shown_down == {2, 5, 6, 7, 8})
    # The first one decides: up again, and those that are up stay there.
    mouse.click_and_hold(levers[5]).move_to_element(levers[1]).release().perform()
    until(lambda: table.box.levers_down == {7, 8})


@pytest.mark.parametrize("levers", [9, 54])
@pytest.mark.parametrize("by", ["a click", "a key"])
def test_one_gesture_lifts_all_levers(browser: webdriver.Chrome, levers: int, by: str) -> None:
    with opened(browser, levers) as table:
        table.box.set_lever(levers, True)
        until(lambda: table.shown_down == {2, levers})
        assert table.one("#lift").text == "Lift all levers"
        if by == "a click":
            table.one("#lift").click()
        else:
            table.press("l")
        until(lambda: table.box.levers_down == table.shown_down == set())
        table.press(" ")
        until(lambda: not table.box.button_down)
        assert table.box.levers_down == set(), "the space bar is the dice button again"


@pytest.mark.parametrize("levers", [9, 54])
def test_a_finger_sweeps_and_stays_on_the_page(browser: webdriver.Chrome, levers: int) -> None:
    with window(browser, 390, 844, mobile=True), opened(browser, levers) as table:
        on = {lever: middle(rectangle(table, f"#bank [data-number='{lever}']")) for lever in (3, 4, 5)}
        touch(browser, on[3], on[4], on[5])
        until(lambda: table.box.levers_down == {2, 3, 4, 5})
        touch(browser, on[4])
        until(lambda: table.box.levers_down == {2, 3, 5})
        assert table.js("getComputedStyle(document.documentElement).overscrollBehaviorX") == "none"


# -- sizes -------------------------------------------------------------------------------


def rectangle(table: Table, selector: str) -> dict[str, float]:
    found = table.js(f'document.querySelector("{selector}").getBoundingClientRect().toJSON()')
    assert isinstance(found, dict)
    return found


def lever_rectangles(table: Table) -> list[dict[str, float]]:
    """Of all levers at once: the driver takes a while for each question."""
    found = table.js(
        "[...document.querySelectorAll('#bank button')].map(e => e.getBoundingClientRect().toJSON())"
    )
    assert isinstance(found, list)
    return found


def middle(of: dict[str, float]) -> tuple[float, float]:
    return of["x"] + of["width"] / 2, of["y"] + of["height"] / 2


IN_VIEW = """
const element = document.querySelector(arguments[0]), r = element.getBoundingClientRect();
const inside = r.left >= 0 && r.top >= 0 && r.right <= innerWidth && r.bottom <= innerHeight;
return inside && element.contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2));
"""


@pytest.mark.parametrize(("width", "height"), [(320, 568), (844, 390), (1280, 900)])
@pytest.mark.parametrize("levers", [9, 12, 54])
def test_nothing_is_cut_and_fingers_fit(
    browser: webdriver.Chrome, width: int, height: int, levers: int
) -> None:
    with window(browser, width, height, mobile=width < 1000), opened(browser, levers) as table:
        assert table.js("document.documentElement.scrollWidth <= window.innerWidth")
        for edge in ("#panel", ".display", "#dice", "#bank", ".rail"):
            found, inside = rectangle(table, edge), rectangle(table, "#box")
            assert inside["left"] <= found["left"] <= found["right"] <= inside["right"], edge
        # In one row a lever may be narrow; it's long.
        least = 44 if levers > 12 else 24
        sizes = lever_rectangles(table)
        assert len(sizes) == levers
        assert all(lever["width"] >= least and lever["height"] >= 44 for lever in sizes)
        last = table.levers[levers - 1]
        browser.execute_script("arguments[0].focus()", last)
        seen = ["#panel", "#dice", f"[data-number='{levers}']"]
        assert [part for part in seen if not browser.execute_script(IN_VIEW, part)] == []
        last.click()
        until(lambda: table.box.levers_down == {2, levers})
        seen = ["#panel", "#dice", *(["#bank"] if levers <= 12 else [])]
        assert [part for part in seen if not browser.execute_script(IN_VIEW, part)] == []


@pytest.mark.parametrize("levers", [9, 10, 12])
def test_levers_of_a_wooden_box_stand_in_one_row_however_narrow_the_window_is(
    browser: webdriver.Chrome, levers: int
) -> None:
    with opened(browser, levers) as table:
        for width, height in ((320, 568), (390, 844), (500, 800), (844, 390), (1280, 900)):
            with window(browser, width, height, mobile=width < 1000):
                until(lambda: len({lever["y"] for lever in lever_rectangles(table)}) == 1)
                assert table.js("innerWidth") == width


def test_a_lever_bears_the_tile_that_it_moves_now(table: Table) -> None:
    def name(lever: int) -> tuple[str, str | None]:
        element = table.levers[lever - 1]
        return element.text, element.get_attribute("aria-label")

    profile = builtin("double-shutter")
    match = begin(profile, 1).throw((6, 4)).move(to_tiles([1, 9]))
    tiles = lever_tiles(profile, match.turn, 0)
    show = plain_show(Screen(Mode.READY), player=1, game=profile, lever_tiles=tiles, flips_tiles=True)
    table.transcript(show, 0)
    until(lambda: name(1) == ("9", "Lever 1: 9 at the back"))
    assert name(2) == ("2", "Lever 2: 2, counts ×2")
    assert name(9) == ("1", "Lever 9: 1 at the back")
    # Between turns levers are choices again.
    table.transcript(changed(show, flips_tiles=False), 0)
    until(lambda: name(1) == ("1", "Lever 1"))


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (3840, 2160)])
def test_the_box_fills_a_television(browser: webdriver.Chrome, width: int, height: int) -> None:
    with window(browser, width, height), opened(browser) as table:
        box = rectangle(table, "#box")
    assert box["height"] > 0.9 * height
    assert box["width"] > 0.7 * width


# -- the dice button ---------------------------------------------------------------------


@pytest.mark.parametrize("by", ["the mouse", " ", Keys.ENTER])
def test_mouse_and_keys_press_and_hold(table: Table, by: str) -> None:
    dice, hands = table.one("#dice"), ActionChains(table.browser)
    (hands.click_and_hold(dice) if by == "the mouse" else hands.key_down(by)).perform()
    until(lambda: table.box.button_down and dice.get_attribute("aria-pressed") == "true")
    time.sleep(0.9)
    assert table.box.button_down
    hands = ActionChains(table.browser)
    (hands.release() if by == "the mouse" else hands.key_up(by)).perform()
    until(lambda: not table.box.button_down and dice.get_attribute("aria-pressed") == "false")


@pytest.mark.parametrize("event", ["window.dispatchEvent(new Event('blur'))", "location.reload()"])
def test_the_button_never_sticks(table: Table, event: str) -> None:
    ActionChains(table.browser).click_and_hold(table.one("#dice")).perform()
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


# -- display, sound, dice ----------------------------------------------------------------


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
    dot = Bitmap.of(128, 64).fill((127, 63, 128, 64))
    table.panel.show(dot)
    until(lambda: read_canvas(table) == dot.tobytes())


def test_the_buzzer_is_heard_after_a_gesture_unless_muted(table: Table) -> None:
    buzzer = PWMOutputDevice(BUZZER_LINE, frequency=880, initial_value=0.5, pin_factory=table.box.factory)
    table.panel.show(dot := Bitmap.of(128, 64))
    until(lambda: read_canvas(table) == dot.tobytes())  # the page has been told of the sound before
    assert table.js("window.tones") == []  # browsers allow no sound before a gesture
    table.levers[4].click()
    until(lambda: table.js("window.tones.includes(880)"))
    buzzer.frequency = 1320
    until(lambda: table.js("window.tones.includes(1320)"))
    assert table.js("window.loudness.at(-1) > 0")
    buzzer.value = 0
    until(lambda: table.js("window.loudness.at(-1)") == 0)
    table.one("#mute").click()
    table.browser.refresh()
    until(lambda: table.one("#mute").get_attribute("aria-pressed") == "true")  # remembered
    table.one("#mute").click()
    assert table.one("#mute").get_attribute("aria-pressed") == "false"
    assert table.js("window.loudness.at(-1)") == 1
    buzzer.close()


def test_a_lost_connection_is_said_and_mended(table: Table) -> None:
    notice = table.one("#notice")
    table.server.close()
    until(notice.is_displayed)
    assert "No connection" in notice.text
    assert table.shown_down == {2}
    table.levers[4].click()  # goes nowhere, and breaks nothing
    box = SimulatedBox(10, levers_down=(10,))
    with box, server_of(box, table.panel, port=table.server.port):
        until(lambda: not notice.is_displayed())
        until(lambda: table.shown_down == {10})
        table.levers[0].click()
        until(lambda: box.levers_down == {1, 10})


SHUT_8 = Screen(Mode.FLIPPING, "Player 1", dice=(3, 5), total=8, prompt="Shut 8")
TUMBLING = Screen(Mode.ROLLING, "Player 1", dice=(3, 5), tumbling=True)
LYING = (
    "[...document.querySelectorAll('#felt .cube')].map(e => [...e.children].map(s => s.childElementCount))"
)
ROLLS = "getComputedStyle(document.querySelector('.cube')).animationName"


def test_the_dice_roll_and_stop_as_the_boxs_do(table: Table) -> None:
    assert table.js(LYING) == []
    table.tell(TUMBLING)
    until(lambda: table.js(LYING) == [[1, 2, 3, 4, 5, 6]] * 2)
    assert str(table.js(ROLLS)).startswith("roll")
    table.tell(SHUT_8, throw=(3, 5))
    until(lambda: table.js(LYING) == [[3], [5]])
    assert table.js(ROLLS) == "settle"
    table.tell(SHUT_8, throw=(12,))
    until(lambda: table.one("#felt").text == "12")
    table.tell(SHUT_8)
    until(lambda: table.js(LYING) == [])


# -- help, and who can't see or point ---------------------------------------------------


def test_a_status_says_what_the_display_says(table: Table) -> None:
    assert table.one("[role=status]").get_attribute("id") == "said"
    table.tell(TUMBLING)
    table.tell(SHUT_8)
    until(lambda: table.says("said") == "Player 1. Thrown: 3 and 5, which is 8. Shut 8.")
    table.transcript(PlaySound(Sound.REFUSED), 0)
    table.tell(SHUT_8)
    # A text that is the same is announced again only if it is not quite the same.
    until(lambda: table.says("said") == "Shut 8.\u00a0")
    label = table.one("#panel").get_attribute("aria-label")
    assert label == "Display: Player 1. Thrown: 3 and 5, which is 8. Shut 8."


def test_the_page_speaks_the_language_of_the_box(table: Table) -> None:
    table.tell(SHUT_8, "fr", builtin("trac"))
    until(lambda: table.js("document.documentElement.lang") == "fr")
    assert table.says("rules-title") == "Les règles\u00a0: Trac"
    for _ in range(2):
        assert table.levers[0].get_attribute("aria-label") == "Levier 1"
        table.open()


def test_help_lies_over_the_box(table: Table) -> None:
    def is_open() -> object:
        return table.js("document.getElementById('help').open")

    table.tell(SHUT_8, game=builtin("trac"))
    table.press("?")
    assert is_open()
    until(lambda: table.says("rules-title") == "The rules: Trac")
    words = table.one("#help").text
    assert "sweep across" in words
    assert "the loser with the worst score buys the drinks" in words
    table.press("5", " ")
    until(lambda: not is_open())  # the space bar is for the close button, which has the focus
    table.press("?", Keys.ESCAPE)
    assert not is_open()
    assert table.box.levers_down == {2}
    assert not table.box.button_down
    table.one("#help-toggle").click()
    table.one("#help-close").click()
    assert not is_open()
    table.one("#help-toggle").click()
    outside = ActionBuilder(table.browser)
    outside.pointer_action.move_to_location(3, 3).click()  # type: ignore[no-untyped-call]
    outside.perform()
    until(lambda: not is_open())


def test_everything_is_reached_by_the_tab_key(table: Table) -> None:
    table.browser.execute_script("document.activeElement.blur()")
    reached = []
    for _ in range(17):
        table.press(Keys.TAB)
        reached.append(table.js("document.activeElement.id || document.activeElement.dataset.number"))
    drawers = ["mute", "settings-toggle", "workshop-toggle", "help-toggle"]
    assert reached == [*drawers, *"123456789", "lift", "dice", "long", "turns-toggle"]


def test_less_motion_for_who_wants_less(browser: webdriver.Chrome, table: Table) -> None:
    moving = "getComputedStyle(document.querySelector('.flap')).transitionDuration !== '0s'"
    assert table.js(moving)
    media = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    try:
        assert not table.js(moving)
        table.tell(TUMBLING)
        until(lambda: len(table.all(".cube")) == 2)
        assert table.js(ROLLS) == "none"
        assert table.js("getComputedStyle(document.querySelector('.pip')).visibility") == "hidden"
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


# -- the drawers -------------------------------------------------------------------------

GAMES = (builtin("pub"), builtin("trac"), builtin("digits"))


def settings_of(**values: object) -> Settings:
    return settings_for(GAMES[0], **values)._replace(profiles=GAMES)


def show_form(table: Table, *, is_open: bool = True, players: int = 2) -> None:
    form = Form(settings_of(players=players), ("ANN",), is_open=is_open, walks=is_open)
    table.tell(Screen(Mode.ATTRACT, "Pub"), game=GAMES[0], form=form)


def open_settings(table: Table) -> None:
    show_form(table)
    table.one("#settings-toggle").click()
    until(lambda: len(table.all("#settings select")) > 5)


def open_workshop(table: Table) -> None:
    table.one("#workshop-toggle").click()
    until(lambda: table.all("#workshop tbody tr"))


def workshop_part(table: Table, name: str) -> WebElement:
    return table.one(f"#workshop [data-part={name}]")


def watch(table: Table, folder: Path, scenario: str = "wait 1") -> None:
    """Opens the workshop and replays a file."""
    script = folder / "match.scn"
    script.write_text(scenario, "utf-8")
    open_workshop(table)
    workshop_part(table, "file").send_keys(str(script))
    until(table.one("#film").is_displayed)


def open_coach(table: Table) -> None:
    """The end of a turn with one mistake, and the coach's words on it."""
    pub = builtin("pub")
    actions = (Thrown((6, 4)), Moved(to_tiles([4, 6])), Thrown((6, 6)), Moved(to_tiles([5, 7])))
    found = review(begin(pub, 2), actions, for_win=False)
    table.tell(SHUT_8, game=pub, seats=("Ann", "Bob"), review=found)
    until(lambda: table.js("!document.getElementById('coach').hidden"))
    table.one("#turns-toggle").click()
    table.one("#coach summary").click()


def lose_the_connection(table: Table) -> None:
    table.server.close()
    until(table.one("#notice").is_displayed)


PARTS: dict[str, Callable[[Table, Path], None]] = {
    "box": lambda table, folder: None,
    "help": lambda table, folder: table.press("?"),
    "settings": lambda table, folder: open_settings(table),
    "workshop": lambda table, folder: open_workshop(table),
    "film": watch,
    "lost": lambda table, folder: lose_the_connection(table),
    "coach": lambda table, folder: open_coach(table),
}


@pytest.mark.parametrize("part", PARTS)
def test_axe_finds_nothing_serious(browser: webdriver.Chrome, tmp_path: Path, part: str) -> None:
    with window(browser, 320, 900), opened(browser, 12) as table:
        table.tell(SHUT_8, game=builtin("pub"))
        until(lambda: "Shut 8" in table.says("said"))
        PARTS[part](table, tmp_path)
        assert serious_findings(browser) == []
        resize(browser, 1400, 900)
        until(lambda: table.js("innerWidth") == 1400)
        assert serious_findings(browser) == []


def click_a_lever(table: Table) -> None:
    table.levers[4].click()
    until(lambda: table.box.levers_down == {2, 5})


def open_and_leave_a_select(table: Table) -> None:
    open_settings(table)
    table.all("#settings select")[1].click()
    table.press(Keys.ESCAPE)


def work(part: str) -> Callable[[Table], None]:
    def click(table: Table) -> None:
        open_workshop(table)
        workshop_part(table, part).click()
        until(lambda: table.plug.cut.called if part == "plug" else table.panel.unplugged)

    return click


@pytest.mark.parametrize(
    "before",
    [
        click_a_lever,
        open_and_leave_a_select,
        open_coach,
        pytest.param(work("plug"), id="the plug"),
        pytest.param(work("display_unplugged"), id="the display"),
    ],
)
def test_the_keys_are_the_boxs_after_a_click(table: Table, before: Callable[[Table], None]) -> None:
    before(table)
    down = table.box.levers_down
    ActionChains(table.browser).send_keys("6").key_down(" ").perform()
    until(lambda: table.box.button_down)
    ActionChains(table.browser).key_up(" ").perform()
    until(lambda: not table.box.button_down)
    until(lambda: table.box.levers_down == down ^ {6})
    assert table.filled_in == []
    if before is open_coach:
        assert table.js("document.querySelector('#coach').open"), "the space bar has not folded it"


def test_a_lever_with_the_focus_flips_by_the_space_bar(table: Table) -> None:
    table.browser.execute_script("arguments[0].focus()", table.levers[3])
    table.press(" ")
    until(lambda: table.shown_down == {2, 4})
    assert not table.box.button_down


def test_one_drawer_is_open_at_a_time_and_escape_closes_it(table: Table) -> None:
    open_settings(table)
    open_workshop(table)
    assert not table.one("#settings").is_displayed()
    table.press(Keys.ESCAPE)
    assert not table.one("#workshop").is_displayed()
    table.one("#settings-toggle").click()
    table.one("#settings-close").click()
    assert not table.one("#settings").is_displayed()


FOCUS = "document.activeElement.id"


@pytest.mark.parametrize("drawer", ["turns", "settings", "workshop"])
def test_a_drawer_that_a_key_opens_has_the_focus_and_gives_it_back(table: Table, drawer: str) -> None:
    show_form(table)
    toggle = table.one(f"#{drawer}-toggle")
    for close in ([Keys.ESCAPE], [Keys.TAB, " "], [Keys.TAB, Keys.TAB, Keys.ESCAPE]):
        table.browser.execute_script("arguments[0].focus()", toggle)
        table.press(Keys.ENTER)
        until(lambda: table.js(FOCUS) == f"{drawer}-title")
        assert table.one(f"#{drawer}").is_displayed()
        table.press(*close)
        until(lambda: not table.one(f"#{drawer}").is_displayed())
        assert table.js(FOCUS) == f"{drawer}-toggle"
    assert not table.box.button_down


def test_a_drawer_that_a_click_opens_leaves_the_keys_to_the_box(table: Table) -> None:
    for by_key in (True, False):
        table.one("#settings-toggle").click()
        if by_key:
            table.press(Keys.ESCAPE)
        else:
            table.one("#settings-close").click()
        until(lambda: not table.one("#settings").is_displayed())
        assert table.js("document.activeElement === document.body")


def test_settings_go_to_the_box_and_come_from_it(table: Table) -> None:
    open_settings(table)
    game, players = (Select(select) for select in table.all("#settings select")[:2])
    assert [option.text for option in game.options] == ["Digits", "English pub", "Trac"]
    groups = table.all("#settings optgroup")
    assert [group.get_attribute("label") for group in groups] == ["Classic", "French"]
    assert "A shut box wins double stakes." in table.one("#settings .about").text
    assert game.first_selected_option.text == "English pub"
    game.select_by_visible_text("Trac")
    until(lambda: table.filled_in == [SettingChosen("game.profile", "trac")])
    show_form(table, players=3)
    until(lambda: players.first_selected_option.text == "3")
    assert len(table.all("#settings input[type=text]")) == 3
    show_form(table, is_open=False)
    until(lambda: not table.one("#settings select").is_enabled())
    assert table.one("#settings-wait").is_displayed()


def test_the_answer_to_house_rules_is_seen_each_time(table: Table) -> None:
    open_settings(table)
    table.one("#house-rules summary").click()
    table.one("#rules-text").send_keys('title = "Friday"')
    for _ in range(2):
        table.one("#rules-play").click()
        until(
            lambda: table.says("rules-said").startswith("rules: title: unknown key; did you mean 'title.en'?")
        )
        # Only an element that is new is seen to appear, and read aloud.
        until(lambda: table.js("(window.seen ?? null) !== document.querySelector('#rules-said .answer')"))
        table.js("window.seen = document.querySelector('#rules-said .answer')")
    assert table.one("#rules-said").get_attribute("role") == "status"


def test_a_visitors_page_says_where_settings_are_changed(browser: webdriver.Chrome) -> None:
    address = address_of_process()
    if not visitor_of((address, 0)):
        pytest.skip("NOT TESTED: the page of a visitor, because this machine is in no network")
    with opened(browser, listen="0.0.0.0") as table:
        show_form(table)
        browser.get(f"http://{address}:{table.server.port}/")
        until(lambda: len(table.levers) == 9)
        table.one("#settings-toggle").click()
        until(table.one("#settings-wait").is_displayed)
        assert "at the computer itself" in table.one("#settings-wait").text
        assert not table.one("#house-rules").is_displayed()
        assert not table.one("#workshop-toggle").is_displayed()
        assert all(not select.is_enabled() for select in table.all("#settings select"))
        table.levers[4].click()
        until(lambda: table.box.levers_down == {2, 5})


def test_another_number_of_levers_is_chosen_in_the_settings(table: Table) -> None:
    table.plug.boxes = (9, 10, 12)
    open_settings(table)
    until(lambda: table.one("#settings-items .item:nth-child(2) label").text == "Levers")
    levers = Select(table.all("#settings select")[1])
    assert [option.text for option in levers.options] == ["9", "10", "12"]
    assert levers.first_selected_option.text == "9"
    levers.select_by_visible_text("12")
    until(lambda: table.plug.build.mock_calls == [call(12)])


def test_each_setting_has_a_line_that_says_what_it_changes(table: Table) -> None:
    table.plug.boxes = (9, 10, 12)
    open_settings(table)
    until(lambda: table.one("#settings-items .item:nth-child(2) label").text == "Levers")
    lines = [line.text for line in table.all("#settings .about")]
    assert len(lines) == len(table.all("#settings select"))
    assert all(lines)
    described = [select.get_attribute("aria-describedby") for select in table.all("#settings select")]
    assert [table.one(f"#{line}").text for line in filter(None, described)] == lines


def test_names_are_typed_and_the_keys_are_the_boxs_again(table: Table) -> None:
    open_settings(table)
    first, second = table.all("#settings input[type=text]")
    assert first.get_attribute("value") == "ANN"
    second.click()
    table.press("zo1\u00e9")
    until(lambda: table.filled_in[-1:] == [NamesGiven(("ANN", "ZOE"))])
    assert second.get_attribute("value") == "ZOE"
    table.press(Keys.ENTER, "5")
    until(lambda: table.box.levers_down == {2, 5})


def test_a_list_is_walked_by_keys_wheel_and_clicks(table: Table) -> None:
    rows = Screen(
        Mode.MENU,
        "Menu",
        rows=("1 Game", "2 Players", "3 Rounds"),
        cursor=1,
        prompt="Press: choose",
        is_list=True,
    )
    table.tell(rows, form=Form(settings_of(), (), is_open=True, walks=True))
    picture = draw(rows.localize(str), 0)
    table.panel.show(picture)
    until(lambda: read_canvas(table) == picture.tobytes() and table.all("#panel.rows"))
    table.press(Keys.ARROW_DOWN, Keys.ARROW_UP)
    until(lambda: table.filled_in == [CursorMoved(1), CursorMoved(-1)])
    panel = table.one("#panel")
    ActionChains(table.browser).scroll_from_origin(ScrollOrigin.from_element(panel), 0, 100).perform()
    until(lambda: table.filled_in[2:] == [CursorMoved(1)])

    def click(row: int) -> None:
        y = round(panel.size["height"] * ((row * 16 + 8) / 64 - 0.5))
        ActionChains(table.browser).move_to_element_with_offset(panel, 0, y).click().perform()

    click(2)
    click(0)
    until(lambda: table.filled_in[3:] == [CursorMoved(1), CursorMoved(-1)])
    pressed: list[Change] = []
    table.box.subscribe(pressed.append)
    click(1)  # where the cursor is
    until(lambda: pressed.count(Change.BUTTON) == 2)
    show_form(table, is_open=False)
    until(lambda: not table.all("#panel.rows"))


def test_the_coach_draws_each_choice(browser: webdriver.Chrome) -> None:
    with window(browser, 1000, 1400), opened(browser) as table:
        assert table.js("document.getElementById('coach').hidden")
        open_coach(table)
        move = table.one(".move")

        def texts(selector: str) -> list[str]:
            return [part.text for part in move.find_elements(By.CSS_SELECTOR, selector)]

        assert (texts(".tile.chosen"), texts(".tile.best")) == (["4", "6"], ["1", "9"])
        assert [len(table.all(f".move:first-of-type .die:nth-of-type({n}) > *")) for n in (1, 2)] == [6, 4]
        assert texts(".cost")[0].startswith("-")
        said = move.find_element(By.CSS_SELECTOR, ".unseen").get_attribute("textContent")
        assert "6+4: 4+6, 1+9 is better" in str(said)
        table.tell(SHUT_8, game=builtin("pub"))
        until(lambda: table.js("document.getElementById('coach').hidden"))


def test_a_file_is_replayed_and_left(table: Table, tmp_path: Path) -> None:
    watch(table, tmp_path, "config box.levers 10\n@0 flip 10\nwait 0.5\n")
    until(lambda: table.shown_down == {10})
    until(lambda: table.says("film-text") == "The replay is over.")
    table.one("#film button").click()
    until(lambda: table.shown_down == {2})
    assert len(table.levers) == 9
    assert not table.one("#film").is_displayed()
    script = tmp_path / "long.scn"
    script.write_text("#" * 70_000, "utf-8")
    workshop_part(table, "file").send_keys(str(script))
    until(lambda: workshop_part(table, "too_large").text == "The file is larger than 64 KB.")


def test_a_match_is_ended_from_the_settings(table: Table) -> None:
    """The button is there only during a match; the box then asks on its display, so the drawer closes."""
    open_settings(table)
    assert not table.one("#leave").is_displayed()
    form = Form(settings_of(), (), is_open=False, walks=False, leaves=True)
    table.tell(Screen(Mode.READY, "Pub"), game=GAMES[0], form=form)
    until(lambda: table.one("#leave").is_displayed())
    table.one("#leave").click()
    until(lambda: table.filled_in == [LeaveAsked()])
    assert not table.one("#settings").is_displayed()
