"""`make duel`: two linked boxes in one page of a real browser play a match, and its recording plays again."""

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue

import pytest
from demos.duel import Duel, Page, page_of
from selenium import webdriver
from tests.support.box import config_with
from tests.support.chromium import note_tones, start_chromium
from tests.support.waiting import HANG_S, until
from tests.support.walk import read_prompts

from shutthebox.config.schema import Config
from shutthebox.game.effects import Effect, Keep
from shutthebox.game.inputs import Held, LeversMoved, Pressed
from shutthebox.game.mode import Mode
from shutthebox.game.screen import LocalizedScreen
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.game.switches.switch import DICE_BUTTON
from shutthebox.rules.tiles import to_numbers, to_tiles
from shutthebox.simulator.scenario.effect_lines import fact_text
from shutthebox.simulator.scenario.player import ScenarioPlayer
from shutthebox.simulator.scenario.script import read
from shutthebox.translations import localize_screen

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

LAST_LEVER = 9


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    chromium = start_chromium(tmp_path / "chromium")
    note_tones(chromium)
    yield chromium
    chromium.quit()


class Player:
    """Hands at one of the two boxes in the page, which do what its prompts say."""

    def __init__(self, duel: Duel, end: int, browser: webdriver.Chrome) -> None:
        self.box, self._end, self._browser = duel.boxes[end], end, browser
        self.facts: list[str] = []
        self._presses = 0
        self.box.observe(self._observe)

    def _observe(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        match what:
            case Keep(fact):
                self.facts.append(fact_text(fact))
            case SwitchChanged(switch, active) if switch == DICE_BUTTON and not active:
                self._presses += 1

    @property
    def screen(self) -> LocalizedScreen:
        return localize_screen(self.box.show)

    @property
    def signatures(self) -> list[str]:
        return [fact for fact in self.facts if fact.startswith("signature ")]

    def has_signatures(self, count: int) -> bool:
        return len(self.signatures) == count

    @property
    def mode(self) -> Mode:
        return self.box.show.mode

    def js(self, script: str) -> object:
        self._browser.switch_to.default_content()
        self._browser.switch_to.frame(self._end)
        return self._browser.execute_script(script)

    @property
    def words(self) -> str:
        return str(self.js("return document.getElementById('panel').getAttribute('aria-label')"))

    def press(self) -> None:
        before = self._presses
        self.js("document.getElementById('dice').click()")
        until(lambda: self._presses > before)  # a click while it's down is none

    def move(self, lever: int) -> None:
        it = f"document.querySelector('.lever[data-number=\"{lever}\"]')"
        before = self.js(f"return {it}.getAttribute('aria-pressed')")
        self.js(f"{it}.click()")
        until(lambda: self.js(f"return {it}.getAttribute('aria-pressed')") != before)

    def flick(self, lever: int) -> None:
        def seen() -> object:
            return self.screen.title, self.screen.cursor, self.screen.big

        before = seen()
        self.move(lever)
        self.move(lever)
        until(lambda: seen() != before, f"nothing follows a flick of {lever} at {before}")

    def choose(self, wanted: str) -> None:
        while wanted not in self.screen.rows[self.screen.cursor or 0]:
            self.flick(LAST_LEVER)
        before = self.screen
        self.press()
        until(lambda: self.screen != before)

    def open_menu(self) -> None:
        # As long as it takes on a busy machine; it also lets the page make sounds.
        key = "document.body.dispatchEvent(new KeyboardEvent('{}', {{code: 'Space', bubbles: true}}))"
        before = self._presses
        self.js(key.format("keydown"))
        until(lambda: self.mode is Mode.MENU)
        self.js(key.format("keyup"))
        until(lambda: self._presses > before)
        self.choose("Another box")

    def follow(self) -> None:
        """Does what the prompts say, if anything; stays with a match that is over."""
        down, before = to_tiles(self.box.box.levers_down), self.screen
        if before.mode is Mode.MATCH_OVER:
            return
        match next(iter(read_prompts(before, down) or ()), None):
            case Pressed() | Held():
                self.press()
            case LeversMoved(wanted):
                for lever in to_numbers(down ^ wanted):
                    self.move(lever)
            case _:
                return
        until(lambda: self.screen != before, f"nothing follows {before.text!r}")


@pytest.fixture
def page() -> Iterator[Page]:
    with closing(Page()) as page:
        yield page


@contextmanager
def two_boxes(config: Config, page: Page, folder: Path, recording: Path) -> Iterator[Duel]:
    """Two boxes and their loop, in a thread of its own, as SQLite wants."""
    found = SimpleQueue[Duel]()

    def play() -> None:
        with (
            recording.open("w", encoding="utf-8") as file,
            suppress(SystemExit),
            closing(Duel(config, folder, page.url, file)) as duel,
        ):
            found.put(duel)
            duel.run()

    loop = threading.Thread(target=play)
    loop.start()
    duel = found.get(timeout=HANG_S)
    page.content = page_of(duel).encode()
    try:
        yield duel
    finally:
        duel.wake(sys.exit)
        loop.join()


def test_two_boxes_in_one_page_play_a_match_that_plays_again(
    browser: webdriver.Chrome, page: Page, tmp_path: Path
) -> None:
    recording = tmp_path / "duel.scn"
    (folder := tmp_path / "duel").mkdir()
    with two_boxes(config_with(game__profile="pub", game__rounds=1), page, folder, recording) as duel:
        host, guest = players = [Player(duel, end, browser) for end in range(2)]
        browser.get(page.url)
        for player in players:
            until(partial(player.js, "return document.querySelector('.lever')"))
        host.open_menu()
        host.choose("Show a room")
        until(lambda: "Code" in host.words)
        digits = "".join(re.findall(r"\d{4}", host.words))
        guest.open_menu()
        guest.choose("Enter a room")
        for digit in digits:
            guest.flick(int(digit))
        until(lambda: "The Anchor invites you" in guest.words)
        guest.press()
        until(lambda: guest.mode is Mode.WATCHING)
        duel.wake(partial(duel.cut_power, 1))
        while playing := [player for player in players if player.mode is not Mode.MATCH_OVER]:
            for player in playing:
                player.follow()
        for player in players:
            assert " wins" in player.words
            assert player.js("return window.tones.length > 0")
            until(partial(player.has_signatures, 2), "both boxes sign, so that `verify` proves the choices")
    again: tuple[list[str], list[str]] = ([], [])

    def note(facts: list[str], what: Effect, t_ns: int) -> None:
        if isinstance(what, Keep):
            facts.append(fact_text(what.fact))

    tell, tell_second = (partial(note, facts) for facts in again)
    ScenarioPlayer(read(recording), tmp_path / "again", tell=tell, tell_second=tell_second).run()
    assert any(fact.startswith("finish") for fact in again[0])
    for facts, player in zip(again, players, strict=True):
        assert facts == [fact for fact in player.facts if fact not in player.signatures], "it has no keys"
