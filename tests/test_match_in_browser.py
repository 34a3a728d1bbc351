"""A match for two on the simulated box, played through a real browser and read off its pixels.

The test knows the rules and what each screen should look like; the throws it has to find out by
looking at the panel, as a player does.
"""

import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from shutthebox.game.judge import judge
from shutthebox.game.mode import Mode
from shutthebox.game.screens import build_screen
from shutthebox.game.settings import Settings
from shutthebox.game.state import State
from shutthebox.i18n import translations
from shutthebox.odds.advice import Step, account
from shutthebox.odds.book import Odds
from shutthebox.platform.draw import draw
from shutthebox.profiles import builtin
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match, Stage, begin
from shutthebox.rules.moves import Throw, dice_allowed
from shutthebox.rules.tiles import Tiles

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PROFILE = builtin("pub")
SETTINGS = Settings((PROFILE,), PROFILE)
ENGLISH = translations()["en"]


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    binary = next(filter(None, map(shutil.which, BROWSERS)), None)
    chromedriver = shutil.which("chromedriver")
    if binary is None or chromedriver is None:
        pytest.skip(
            "no Chromium with chromedriver here: the page is NOT tested (apt install chromium-driver)"
        )
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1280,900",
        f"--user-data-dir={tmp_path / 'chromium'}",
    ):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(chromedriver))
    yield driver
    driver.quit()


@pytest.fixture
def box_url(tmp_path: Path) -> Iterator[str]:
    config = tmp_path / "config.toml"
    config.write_text(
        f'[game]\nprofile = "pub"\nsetup = "usual"\n[store]\nfolder = "{tmp_path / "state"}"\n', "utf-8"
    )
    command = [
        sys.executable,
        "-m",
        "shutthebox",
        "sim",
        "--no-browser",
        "--port",
        "0",
        "--config",
        str(config),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as box:
        assert box.stdout is not None
        found = re.search(r"http://\S+", box.stdout.readline())
        assert found, "the box says where it stands"
        yield found[0]
        box.send_signal(signal.SIGTERM)
        assert box.wait(timeout=10) == 0


class Player:
    """Hands and eyes in front of the page."""

    def __init__(self, driver: webdriver.Chrome, url: str) -> None:
        self._driver = driver
        driver.get(url)
        self._until(lambda: driver.find_elements(By.CSS_SELECTOR, '#bank [role="switch"]'), "levers")

    def press(self) -> None:
        button = self._driver.find_element(By.ID, "dice")
        ActionChains(self._driver).click_and_hold(button).pause(0.12).release().perform()

    def set_levers(self, down: Tiles) -> None:
        for lever in self._driver.find_elements(By.CSS_SELECTOR, '#bank [role="switch"]'):
            number = int(re.findall(r"\d+", lever.get_attribute("aria-label") or lever.text)[0])
            if (lever.get_attribute("aria-checked") == "true") != bool(down >> (number - 1) & 1):
                lever.click()

    def look_for(self, states: list[State]) -> State:
        """Waits until the panel shows one of these states, and says which."""
        pictures = {picture: state for state in states for picture in pictures_of(state)}
        seen: list[State] = []

        def look() -> bool:
            bits = self._driver.execute_script("return Array.from(window.panelBits).join('')")
            if bits in pictures:
                seen.append(pictures[bits])
            return bool(seen)

        self._until(look, " or ".join(sorted({state.mode for state in states})))
        return seen[0]

    def _until(self, condition: Callable[[], object], what: str) -> None:
        deadline = time.monotonic() + 8
        while not condition():
            if time.monotonic() > deadline:
                self.keep_picture("no-such-screen")
                raise AssertionError(f"the panel never showed {what}")
            time.sleep(0.03)

    def keep_picture(self, name: str) -> None:
        """Saves the page for people to look at, where SCREENSHOTS names a folder."""
        if folder := os.environ.get("SCREENSHOTS"):
            self._driver.save_screenshot(str(Path(folder) / f"{name}.png"))


def pictures_of(state: State) -> set[str]:
    """Every phase of what a state looks like, as a string of pixels."""
    screen = build_screen(state, SETTINGS, ENGLISH)
    images = (draw(screen, phase * 100_000_000) for phase in range(20))
    return {"".join("1" if pixel else "0" for pixel in image.convert("L").tobytes()) for image in images}


class Bookkeeper:
    """Keeps what the box says of luck and decisions, and knows what it shows of a position."""

    def __init__(self) -> None:
        self._odds = Odds(PROFILE)
        self._steps: list[Step] = []
        self._sums = [(Fraction(0), Fraction(0))] * 2

    def thrown(self, faces: Throw) -> None:
        self._steps.append(Step(faces))

    def moved(self, shut: Tiles) -> None:
        self._steps[-1] = Step(self._steps[-1].faces, shut)

    def turn_over(self, player: int) -> None:
        made = account(self._odds, self._steps)
        given, luck = self._sums[player]
        self._sums[player] = given + made.given_away, luck + made.luck
        self._steps.clear()

    def shown(self, match: Match, levers: Tiles, faces: Throw | None = None) -> State:
        """How the box shows this position, with levers that are right or not yet moved."""
        mode = {Stage.ANSWER: Mode.FLIPPING, Stage.ADVANCE: Mode.TURN_OVER, Stage.FINISHED: Mode.MATCH_OVER}
        steps = [*self._steps, Step(faces)] if faces else self._steps
        return State(
            mode.get(match.stage, Mode.READY),
            levers,
            match,
            ledger=match.result.owes if match.result else (),
            account=account(self._odds, steps) if match.stage is Stage.ADVANCE else None,
            given_away=tuple(given for given, _ in self._sums),
            luck=tuple(luck for _, luck in self._sums),
        )


@pytest.mark.timeout(120)
def test_two_people_play_a_match(browser: webdriver.Chrome, box_url: str) -> None:
    player = Player(browser, box_url)
    player.look_for([State(Mode.ATTRACT, 0)])
    player.press()
    match, books = begin(PROFILE, players=2), Bookkeeper()
    levers = 0
    player.look_for([books.shown(match, 0)])
    press_to_throw = True
    while match.stage is not Stage.FINISHED:
        match match.stage:
            case Stage.THROW:
                if press_to_throw:
                    player.press()
                dice = dice_allowed(PROFILE, match.turn.open)[0]
                throws = itertools.product(range(1, 7), repeat=dice)
                candidates = [books.shown(match.throw(faces), levers, faces) for faces in throws]
                match = player.look_for(candidates).match or match
                books.thrown(match.turn.throw or ())
                assert match.turn.throws, "a throw was seen"
            case Stage.ANSWER:
                if match.turn.throws == 1:
                    player.keep_picture("throw")
                move = turns.answers(PROFILE, match.turn)[0]
                levers |= move
                player.set_levers(levers)
                before, match = match, match.move(move)
                books.moved(move)
                if match.stage is Stage.THROW:
                    complete = replace(
                        books.shown(before, levers), verdict=judge(PROFILE, before.turn, levers)
                    )
                    player.look_for([complete])
                    player.press()
                    # With a choice of dice the box waits for it, else it throws again by itself.
                    press_to_throw = len(dice_allowed(PROFILE, match.turn.open)) > 1
                    if press_to_throw:
                        player.look_for([books.shown(match, levers)])
            case Stage.ADVANCE:
                player.look_for([books.shown(match, levers)])
                books.turn_over(match.player)
                player.press()
                match = match.advance()
                if match.stage is Stage.THROW:
                    levers, press_to_throw = 0, True
                    player.set_levers(0)
                    player.look_for([books.shown(match, 0)])
    assert match.result is not None
    totals = [total if match.scores[i] is not None else 10**6 for i, total in enumerate(match.totals)]
    assert [totals[i] for i in match.result.winners] == [min(totals)] * len(match.result.winners)
    player.look_for([books.shown(match, levers)])
    player.keep_picture("match-over")
