"""The scoreboard's pages as text."""

import json
import os
import re
import stat
import time
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import segno
from tests.support.scoreboard import MATCH, NOW, NOW_S, RULES, RUNNING, SCORES, made
from tests.support.shows import SHOW, changed

from shutthebox.adapters.store.scores import PuzzleStreak
from shutthebox.adapters.store.scores_file import FILE_NAME, ScoresWriter
from shutthebox.config.profiles import builtin, builtins
from shutthebox.config.puzzles import puzzle_of
from shutthebox.config.schema import Config, parse_config
from shutthebox.game.judge import Verdict, VerdictKind
from shutthebox.rules.tiles import to_numbers
from shutthebox.rules.words import explain
from shutthebox.translations import finished_codes, translations
from shutthebox.web.scoreboard import page as page_module
from shutthebox.web.scoreboard.folder import (
    FOLDER_NAME,
    InATab,
    ScoreboardFolder,
    offered,
    own_address,
    rules_path,
)
from shutthebox.web.scoreboard.page import rules_page


@pytest.fixture(autouse=True, scope="module")
def no_midnight() -> Iterator[None]:
    """The day is that of `NOW`, for as long as these tests take."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page_module, "_today", lambda: NOW)
        yield


class _Reader(HTMLParser):
    """Keeps the words, and every tag with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.words.append(data)


WHOLE = _Reader(made())


def words_of(text: str) -> str:
    return " ".join(" ".join(_Reader(text).words).split())


def shown(**changes: object) -> str:
    return words_of(made(**changes))


def test_what_it_says() -> None:
    text = shown()
    assert "Now playing: English pub 1 2 3 4 3 5 3 to go last turn so far stakes" in text
    assert "ANN 15 40 owes 1 Player 2 – – gets 1/2 Everybody pays one stake." in text
    assert "Today English pub ANN 3 1970" in text
    assert "All time English pub ANN 3 1970‑01‑01 Trac BOB 3" in text
    assert "Captains English pub CAT 3" in text
    assert "Last matches 1970‑01‑01 English pub ANN: 3 ★, 2: 9" in text


def test_the_head_asks_for_nothing_from_elsewhere() -> None:
    """Any server can show the page: its policy stands in it. Without scripts it asks again, too."""
    head = made().partition("<header>")[0]
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', head)
    assert policy.startswith("default-src 'none'; style-src 'self'; img-src data:; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert '<noscript><meta http-equiv="refresh" content="15"></noscript>' in head
    assert '<link rel="stylesheet" href="style.css">' in head


def test_the_page_of_a_box_at_rest_asks_again_by_itself() -> None:
    """The server of files shows it; it says so in every language, by `doctools.generated`."""
    text = (resources.files("shutthebox.web.scoreboard") / "resting.html").read_text("utf-8")
    assert '<meta http-equiv="refresh" content="15">' in text


def test_tiles_that_are_shut_are_struck_through() -> None:
    text = made()
    assert re.findall(r"<li class.*", text) == [
        '<li class="open">1</li>',
        '<li class="shut"><del>2</del></li>',
        '<li class="shut"><del>3</del></li>',
        '<li class="open">4</li>',
    ]


def test_a_winner_is_marked() -> None:
    text = made(running=replace(RUNNING, winners=(2,)))
    assert '<tr class="won"><td>Player 2</td>' in text
    assert '<tr class="now">' not in text


def test_what_was_written_yesterday_is_not_of_today() -> None:
    yesterday = time.strftime("%Y-%m-%d", time.localtime(NOW_S - 86400 * 40))
    text = shown(day=yesterday)
    assert "Today" not in text
    assert "This month" not in text
    assert "All time English pub ANN" in text


def test_matches_of_today_have_their_time_and_older_ones_their_date() -> None:
    text = shown(matches=(replace(MATCH, began_s=NOW_S), MATCH))
    assert f"Last matches {time.strftime('%H:%M', time.localtime(NOW_S))} {MATCH.game}" in text
    assert f"1970\u201101\u201101 {MATCH.game}" in text


TODAYS = puzzle_of(NOW.toordinal())


@pytest.mark.parametrize(
    ("streak", "words"),
    [
        (PuzzleStreak(NOW.toordinal(), 3), "Solved, 3 in a row. The best answer: "),
        (PuzzleStreak(NOW.toordinal(), 0), "Missed today. The best answer: "),
        (PuzzleStreak(NOW.toordinal() - 1, 3), "Which answer is best?"),
    ],
)
def test_while_nobody_plays_the_puzzle_of_the_day(streak: object, words: str) -> None:
    text = shown(running=None, streak=streak)
    faces = " ".join(map(str, TODAYS.throw))
    title = TODAYS.game.title()
    best = ", ".join(map(str, to_numbers(TODAYS.best)))
    assert f"Nobody is playing 1 2 3 4 5 6 7 8 9 {faces} Puzzle of the day: {title}, level" in text
    assert words in text
    assert (f"The best answer: {best}." in text) == ("best answer" in words)


def test_a_new_boxs_television_says_how_to_get_onto_it() -> None:
    nothing = {"today": (), "month": (), "ever": (), "captains": (), "matches": ()}
    says = "No match yet. Press the button on the box; whoever wins can sign, and stands here."
    assert says in shown(running=None, **nothing)
    assert says not in shown(running=None)


def test_the_puzzle_is_the_one_that_the_box_asks() -> None:
    """A box with twelve levers plays Traditional with twelve tiles, so its puzzles are of Digits alone."""
    box = puzzle_of(NOW.toordinal(), ["digits"])
    assert f"Puzzle of the day: {box.game.title()}, level" in shown(running=None, puzzles=["digits"])


# -- the folder --------------------------------------------------------------------------


def files_of(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def test_the_folder_has_nothing_else(tmp_path: Path) -> None:
    ScoresWriter(tmp_path, None)(SHOW, 0)
    assert files_of(tmp_path / FOLDER_NAME) == {"index.html", "scores.json", "rules/en/pub.html"}
    lasting = tmp_path / "lasting"
    ScoreboardFolder(lasting).write_lasting(builtins(), own_address())
    rules = {f"rules/{code}/{game.name}.html" for code in finished_codes() for game in builtins()}
    assert files_of(lasting) == {"style.css"} | rules


def test_everybody_may_read_the_folder(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        ScoreboardFolder(tmp_path / "new").write_lasting([builtin("pub")], "http://box.local:8090/")
    finally:
        os.umask(before)
    modes = {path.is_dir(): stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "new").rglob("*")}
    assert modes == {True: 0o755, False: 0o644}


def test_everybody_reads_scores_and_nothing_of_the_owners(evening: Path) -> None:
    shown = json.loads((evening / FOLDER_NAME / "scores.json").read_text("utf-8"))
    kept = json.loads((evening / FILE_NAME).read_text("utf-8"))
    assert kept.keys() - shown.keys() == {"program", "display", "health", "streak", "puzzles"}
    assert all(kept[key] == value for key, value in shown.items())


@pytest.mark.parametrize("language", finished_codes())
def test_the_rules_of_a_game(language: str) -> None:
    game, words = builtin("trac"), translations()[language]
    text = words_of(rules_page(game, language, words))
    assert all(words_of(sentence) in text for sentence in explain(game, words))
    assert words("How to play") in text


def test_a_code_leads_telephones_to_the_rules(tmp_path: Path) -> None:
    ScoreboardFolder(tmp_path).write_lasting([], "http://box.local:8090/")
    style = (tmp_path / "style.css").read_text("utf-8")
    (picture,) = re.findall(r'\.code \{ display: block; background: url\("(data:.*?)"\); \}', style)
    code = segno.make_qr("http://box.local:8090/#rules", error="m")
    assert picture == code.svg_data_uri(border=2, dark="#1b0f07", light="#fff", omitsize=True)


def test_what_is_the_same_is_no_news_to_visitors(tmp_path: Path) -> None:
    writer = ScoresWriter(tmp_path, None)
    writer(SHOW, 0)
    before = (tmp_path / FOLDER_NAME / "index.html").stat()
    writer(changed(SHOW, verdict=Verdict(VerdictKind.MISSING, amount=3)), 1)
    assert (tmp_path / FOLDER_NAME / "index.html").stat() == before


def test_a_box_is_ready_without_its_pages(tmp_path: Path) -> None:
    writer = ScoresWriter(tmp_path, None, waits=True)
    writer(SHOW, 0)
    assert not list(tmp_path.iterdir())
    writer.look_at_the_day()
    assert (tmp_path / FILE_NAME).exists()
    assert (tmp_path / FOLDER_NAME / "index.html").exists()


# -- rubbish -----------------------------------------------------------------------------

EVIL = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=y>',
    "'",
    "</td></table><h1>",
    "\0",
    "\ud800",
]


@pytest.mark.parametrize("evil", EVIL)
def test_no_text_becomes_markup(evil: str) -> None:
    """Names and titles are typed by people."""

    def spoiled(value: Any) -> Any:
        if is_dataclass(value) and not isinstance(value, type):
            names = [field.name for field in fields(value) if field.name not in KEPT]
            return replace(value, **{name: spoiled(getattr(value, name)) for name in names})
        if isinstance(value, tuple):
            return tuple(map(spoiled, value))
        return evil if isinstance(value, str) else value

    text = page_module.page(spoiled(SCORES), translations()["en"], RULES)
    reader = _Reader(text)
    assert reader.tags <= WHOLE.tags
    assert reader.attributes <= WHOLE.attributes
    assert text.count("<script") == made().count("<script")


KEPT = ("language", "day", "tiles", "owes")
"""Fields whose values are ours."""


# -- the box in a tab --------------------------------------------------------------------------------


def test_guests_are_led_to_the_game_on_the_table(tmp_path: Path) -> None:
    show = changed(SHOW, language="fr")
    ScoresWriter(tmp_path, None, tab=lambda: InATab(12))(show, 0)
    assert show.scene.game is not None
    asked = f"?game={show.scene.game.name}&amp;levers=12&amp;language=fr&amp;players={len(show.scene.seats)}"
    folder = tmp_path / FOLDER_NAME
    assert f'<a href="play/{asked}"><span>Jouer ici</span></a>' in (folder / "index.html").read_text("utf-8")
    rules = (folder / rules_path(show.scene.game, "fr")).read_text("utf-8")
    assert f'<a href="../../play/{asked}">' in rules, "so the QR code leads there"


def test_house_rules_are_not_offered_in_a_tab() -> None:
    """The tab has only the games that come with the box."""
    house = replace(builtin("pub"), name="friday")
    assert InATab(9).path(house, "en", 2) is None


def test_nothing_is_offered_unless_the_owner_wants_it_and_it_is_there(tmp_path: Path) -> None:
    wanted = parse_config("[scoreboard]\nplay = true\n", "config.toml")
    assert offered(wanted, 9, tmp_path) == InATab(9, tmp_path)
    assert offered(wanted, 9, tmp_path / "nothing") is None
    assert offered(Config(), 9, tmp_path) is None


# -- the owner's page --------------------------------------------------------------------------------


def test_the_owner_reads_on_a_telephone_what_service_says(tmp_path: Path) -> None:
    now_s, asked = [1.7e9], []

    def report(language: str) -> list[tuple[str, list[str]]]:
        asked.append(language)
        return [("About", ["Version\t1.0.0", "192.168.1.5"]), ("Faults", [f"<{len(asked)}>\t3x"])]

    writer = ScoresWriter(tmp_path, None, lambda: now_s[0], report=report)
    writer(SHOW, 0)
    writer.look_at_the_day()
    text = (tmp_path / FOLDER_NAME / "box.html").read_text("utf-8")
    assert "<h2>About</h2>" in text
    assert "<tr><td>Version</td><td>1.0.0</td></tr>" in text
    assert "&lt;1&gt;" in text
    assert "script-src &#x27;none&#x27;" in text or "script-src 'none'" in text
    now_s[0] += 59
    writer.look_at_the_day()
    assert len(asked) == 1
    now_s[0] += 1
    writer.look_at_the_day()
    assert "&lt;2&gt;" in (tmp_path / FOLDER_NAME / "box.html").read_text("utf-8")
