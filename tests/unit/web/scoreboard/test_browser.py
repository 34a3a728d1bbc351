"""The scoreboard in a real Chromium: on a television, on a telephone, and as a match goes on."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from selenium import webdriver
from tests.support.chromium import resize, serious_findings, start_chromium
from tests.support.http_client import answering
from tests.support.scoreboard import HONOUR, MATCH, RUNNING, SCORES, scores_with
from tests.support.waiting import until

from shutthebox.adapters.store.scores import Scores
from shutthebox.config.profiles import builtin, builtins
from shutthebox.rules.profile import MAX_PLAYERS
from shutthebox.web.scoreboard.folder import ScoreboardFolder, rules_path

pytestmark = pytest.mark.slow

OVERLAPPING = """
const parts = [...document.querySelectorAll(".running :is(h2, .tiles, .die, .says, table, .stakes)")];
const boxes = parts.map((part) => part.getBoundingClientRect());
const along = (a, b) => a.left < b.right - 1 && b.left < a.right - 1;
const meet = (a, b) => along(a, b) && a.top < b.bottom - 1 && b.top < a.bottom - 1;
return boxes.filter((box, i) => boxes.slice(i + 1).some((other) => meet(box, other))).length;
"""
MANY = scores_with(
    running=replace(
        RUNNING,
        tiles=tuple((number, "open") for number in range(1, 55)),
        throw=(6,) * 9,
        seats=("Computer 20",) * MAX_PLAYERS,
        scores=(999,) * MAX_PLAYERS,
        totals=(9999,) * MAX_PLAYERS,
        owes=("1/8",) * MAX_PLAYERS,
    ),
    matches=(MATCH,) * 6,
    **dict.fromkeys(("today", "month", "ever", "captains"), (HONOUR,) * 6),
)


REST = scores_with(running=None)
"""Nobody plays: the puzzle of the day is there."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    browser = start_chromium(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.quit()


class Board:
    def __init__(self, browser: webdriver.Chrome, folder: Path, port: int) -> None:
        self.browser, self._folder, self._port = browser, ScoreboardFolder(folder), port

    def write(self, scores: Scores) -> None:
        self._folder.show(scores, builtin("pub"))

    def open(self, path: str = "/", width: int = 1280, height: int = 720) -> None:
        resize(self.browser, width, height, mobile=width < 500)
        self.browser.get(f"http://localhost:{self._port}{path}")

    def js(self, expression: str) -> object:
        return self.browser.execute_script(f"return {expression}")


@pytest.fixture
def board(browser: webdriver.Chrome, tmp_path: Path) -> Iterator[Board]:
    ScoreboardFolder(tmp_path).write_lasting(builtins(), "http://box.local:8090/")
    files = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))  # python3 -m http.server
    with answering(ThreadingHTTPServer(("127.0.0.1", 0), files)) as server:
        yield Board(browser, tmp_path, server.server_port)
        browser.get("about:blank")


def test_it_follows_the_match_without_loading_anew(board: Board) -> None:
    board.write(SCORES)
    board.open()
    board.browser.execute_script("window.sameWindow = true")
    board.write(scores_with(running=replace(RUNNING, says="2 over")))
    until(lambda: board.js("document.querySelector('.says').textContent") == "2 over")
    assert board.js("window.sameWindow")
    board.write(scores_with(language="fr"))
    until(lambda: board.js("document.documentElement.lang") == "fr")
    assert board.browser.get_log("browser") == []  # type: ignore[no-untyped-call]


def test_a_telephone_that_read_the_code_is_led_to_the_rules(board: Board) -> None:
    board.write(SCORES)
    board.open("/#rules")
    until(lambda: str(board.js("document.querySelector('h2').textContent")) == "The rules: English pub")


def test_it_says_when_it_cannot_reach_the_box(board: Board) -> None:
    board.write(SCORES)
    board.open()
    board.browser.set_network_conditions(offline=True, latency=0, throughput=0)
    try:
        until(lambda: board.js("document.body.classList.contains('away')"))
        assert "Now playing" in str(board.js("document.body.textContent"))
    finally:
        board.browser.delete_network_conditions()
    until(lambda: not board.js("document.body.classList.contains('away')"))


@pytest.mark.parametrize("scores", [SCORES, MANY, REST], ids=["few", "many", "puzzle"])
@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080), (3840, 2160)])
def test_it_fills_a_television(board: Board, width: int, height: int, scores: Scores) -> None:
    board.write(scores)
    board.open("/", width, height)
    assert board.js("document.documentElement.scrollHeight <= innerHeight")
    assert board.js("document.documentElement.scrollWidth <= innerWidth")
    lowest = board.js("Math.max(...[...document.querySelectorAll('section')].map("
                      "e => e.getBoundingClientRect().bottom))")  # fmt: skip
    assert isinstance(lowest, int | float)
    assert 0.95 * height < lowest <= height
    size = board.js("parseFloat(getComputedStyle(document.querySelector('.says')).fontSize)")
    assert isinstance(size, int | float)
    assert size >= height / 30
    # Of the match on the table nothing is cut, and nothing lies on top of something else.
    assert board.js("(e => e.scrollHeight <= e.clientHeight + 1)(document.querySelector('.running'))")
    assert board.browser.execute_script(OVERLAPPING) == 0


@pytest.mark.parametrize("path", ["/", f"/{rules_path(builtin('pub'), 'en')}"])
@pytest.mark.parametrize("scores", [SCORES, MANY], ids=["few", "many"])
def test_nothing_is_cut_on_a_telephone(board: Board, path: str, scores: Scores) -> None:
    board.write(scores)
    board.open(path, 320, 568)
    assert board.js("document.documentElement.scrollWidth <= innerWidth")
    assert board.js("[...document.querySelectorAll('section')].every(e => e.scrollWidth <= e.clientWidth)")


@pytest.mark.parametrize("path", ["/", f"/{rules_path(builtin('pub'), 'en')}"])
@pytest.mark.parametrize("width", [320, 1920])
def test_axe_finds_nothing_serious(board: Board, path: str, width: int) -> None:
    board.write(SCORES)
    board.open(path, width, 1080)
    assert serious_findings(board.browser) == []


FILLED = """
const part = (selector) => document.querySelector(selector).getBoundingClientRect();
const [tiles, dice, says, table, felt] = [".tiles", ".die", ".says", "table", ".running"].map(part);
const isCut = (element) => element.scrollWidth > element.clientWidth + 1;
return {
  felt: (felt.width * felt.height) / (innerWidth * innerHeight),
  tiles: tiles.width / innerWidth,
  dice: dice.height / innerHeight,
  low: Math.max(says.bottom, table.bottom) / innerHeight,
  cut: [...document.querySelectorAll(".tiles li, .running td")].filter(isCut).length,
};
"""


@pytest.mark.parametrize(("players", "tiles"), [(2, 9), (2, 12), (9, 12), (2, 36), (9, 54)])
def test_the_match_fills_a_television(board: Board, players: int, tiles: int) -> None:
    running = replace(
        RUNNING,
        tiles=tuple((number, "open") for number in range(1, tiles + 1)),
        seats=tuple(f"Player {number}" for number in range(1, players + 1)),
        scores=(99,) * players,
        totals=(999,) * players,
        owes=(),
        stakes=None,
    )
    board.write(scores_with(running=running))
    board.open("/", 1920, 1080)
    filled = board.browser.execute_script(FILLED)
    assert filled["felt"] > 0.9
    assert filled["tiles"] > 0.9
    assert filled["dice"] > 0.2
    assert filled["low"] > 0.9
    assert filled["cut"] == 0
