"""A match for two on the simulated box, played through a real browser and read off its pixels.

The test knows the rules and what each screen should look like; the throws it has to find out by
looking at the panel, as a player does.
"""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from tests.support.chromium import start_chromium
from tests.support.display_match import DisplayMatch, attract, pictures
from tests.support.waiting import HANG_S, until

from shutthebox.config.profiles import builtin
from shutthebox.game.machine import State
from shutthebox.game.settings import Settings
from shutthebox.rules.match import Stage
from shutthebox.rules.tiles import Tiles

pytestmark = pytest.mark.slow

PROFILE = builtin("pub")
SETTINGS = Settings((PROFILE,), PROFILE)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    driver = start_chromium(tmp_path / "chromium")
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
        assert box.wait(HANG_S) == 0


class Player:
    """Hands and eyes in front of the page."""

    def __init__(self, driver: webdriver.Chrome, url: str) -> None:
        self._driver = driver
        driver.get(url)
        self._until(lambda: driver.find_elements(By.CSS_SELECTOR, "#bank button"), "levers")

    def press(self) -> None:
        button = self._driver.find_element(By.ID, "dice")
        ActionChains(self._driver).click_and_hold(button).pause(0.12).release().perform()

    def stand(self, down: Tiles) -> None:
        for lever in self._driver.find_elements(By.CSS_SELECTOR, "#bank button"):
            number = int(re.findall(r"\d+", lever.get_attribute("aria-label") or lever.text)[0])
            if (lever.get_attribute("aria-pressed") == "true") != bool(down >> (number - 1) & 1):
                lever.click()

    def see(self, states: list[State]) -> State:
        """Waits until the panel shows one of these states, and says which."""
        shown = {picture: state for state in states for picture in pictures(state)}
        seen: list[State] = []

        def look() -> bool:
            bits = self._driver.execute_script("return Array.from(window.panelBits).join('')")
            if (picture := int(bits, 2).to_bytes(len(bits) // 8, "big")) in shown:
                seen.append(shown[picture])
            return bool(seen)

        self._until(look, " or ".join(sorted({state.mode.name for state in states})))
        return seen[0]

    def _until(self, condition: Callable[[], object], what: str) -> None:
        try:
            until(condition, f"the panel never showed {what}")
        except AssertionError:
            self.keep_picture("no-such-screen")
            raise

    def keep_picture(self, name: str) -> None:
        """Saves the page for people to look at, where SCREENSHOTS names a folder."""
        if folder := os.environ.get("SCREENSHOTS"):
            self._driver.save_screenshot(str(Path(folder) / f"{name}.png"))


@pytest.mark.timeout(120)
def test_two_people_play_a_match(browser: webdriver.Chrome, box_url: str) -> None:
    player = Player(browser, box_url)
    player.see([attract(SETTINGS)])
    play = DisplayMatch(player, SETTINGS)
    while play.match.stage is not Stage.FINISHED:
        play.go_on()
        if play.match.stage is Stage.ANSWER and play.match.turn.throws == 1:
            player.keep_picture("throw")
    match, result = play.match, play.match.result
    assert result is not None
    totals = [total if match.scores[i] is not None else 10**6 for i, total in enumerate(match.totals)]
    assert [totals[i] for i in result.winners] == [min(totals)] * len(result.winners)
    player.keep_picture("match-over")
