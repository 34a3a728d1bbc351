"""The scoreboard's pages as text."""

import json
import re
import time
from collections.abc import Iterator
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import segno
from hypothesis import given
from hypothesis import strategies as st

from shutthebox.adapters.store.scores_file import FILE_NAME, VERSION
from shutthebox.config.puzzles import puzzle_of
from shutthebox.rules.tiles import to_numbers
from shutthebox.translations import translations
from shutthebox.web.scoreboard import page as page_module
from shutthebox.web.scoreboard.page import page, rules_page

NOW_S = int(time.time())
NOW = date.fromtimestamp(NOW_S)
TODAY = NOW.isoformat()
HONOUR = {"initials": "ANN", "score": 3, "game": "English pub", "began_s": 0}
SCORES: dict[str, Any] = {
    "version": VERSION,
    "language": "en",
    "running": {
        "game": "English pub",
        "player": 2,
        "seats": ["ANN", "Player 2"],
        "tiles": [[1, "open"], [2, "flipped"], [3, "shut"], [4, "viable"]],
        "throw": [3, 5],
        "says": "3 to go",
        "scores": [15, None],
        "totals": [15, 0],
        "winners": [],
        "stakes": "Everybody pays one stake.",
        "owes": ["1", "-1/2"],
    },
    "rules": {"game": "English pub", "rules": ["A throw is 2 dice.", "The lowest score wins."]},
    "day": TODAY,
    "matches": [
        {
            "began_s": 0,
            "game": "English pub",
            "players": [
                {"number": 1, "score": 3, "won": True, "initials": "ANN"},
                {"number": 2, "score": 9, "won": False, "initials": None},
            ],
        }
    ],
    "today": [HONOUR],
    "month": [HONOUR],
    "ever": [HONOUR, HONOUR | {"initials": "BOB", "game": "Trac"}],
    "captains": [HONOUR | {"initials": "CAT"}],
}
URL = "http://box.local:8090/rules"
REST = page("", "en", URL)


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


WHOLE = _Reader(page(json.dumps(SCORES), "en", URL))


def words_of(text: str) -> str:
    return " ".join(" ".join(_Reader(text).words).split())


def shown(**changes: object) -> str:
    return words_of(page(json.dumps(SCORES | changes), "en"))


def test_what_it_says() -> None:
    text = shown()
    assert "Now playing: English pub 1 2 3 4 3 5 3 to go last turn so far stakes" in text
    assert "ANN 15 15 owes 1 Player 2 – – gets 1/2 Everybody pays one stake." in text
    assert "Today English pub ANN 3 1970" in text
    assert "All time English pub ANN 3 1970‑01‑01 Trac BOB 3" in text
    assert "Captains English pub CAT 3" in text
    assert "Last matches 1970‑01‑01 English pub ANN: 3 ★, 2: 9" in text


def test_the_whole_page_of_a_box_at_rest() -> None:
    """It asks again by itself, also without scripts."""
    assert (
        page("", "en")
        == """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<noscript><meta http-equiv="refresh" content="15"></noscript>
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shut the Box</title>
<link rel="stylesheet" href="/style.css">
<script src="/board.js" defer></script>
</head>
<body class="board">
<header>
<h1>Shut the Box</h1>
<a href="/rules"><span>The rules</span></a>
</header>
<main>
<section class="running">
<h2>The box is at rest</h2>
</section>
</main>
</body>
</html>
"""
    )


def test_the_page_of_the_rules_is_to_be_read() -> None:
    """It stays as it is, and leads back to the scores."""
    text = rules_page(json.dumps(SCORES), "fr")
    assert text.startswith("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shut the Box</title>
<link rel="stylesheet" href="/style.css">
</head>
<body class="reading">
<header>
<h1>Shut the Box</h1>
<a href="/"><span>The scores</span></a>
</header>
<main>
<section class="rules">
<h2>The rules: English pub</h2>
<ul>
<li>A throw is 2 dice.</li>
<li>The lowest score wins.</li>
</ul>
</section>
<section class="rules">
<h2>How to play</h2>
<dl>
<dt>The aim</dt>
""")
    assert text.endswith("</dl>\n</section>\n</main>\n</body>\n</html>\n")


def test_the_whole_table_of_a_match() -> None:
    text = page(json.dumps(SCORES), "en")
    table = text[text.index("<table>") : text.index("<section", text.index("<table>"))]
    assert (
        table
        == """\
<table>
<tr><td></td><th scope="col">last turn</th><th scope="col">so far</th><th scope="col">stakes</th></tr>\
<tr><td>ANN</td><td>15</td><td>15</td><td>owes 1</td></tr>
<tr class="now"><td>Player 2</td><td>–</td><td>–</td><td>gets 1/2</td></tr>
</table>
<p class="stakes">Everybody pays one stake.</p>
</section>
"""
    )


@pytest.mark.parametrize(("count", "kind"), [(12, "tiles"), (13, "tiles many")])
def test_more_tiles_than_twelve_are_smaller(count: int, kind: str) -> None:
    tiles = [[tile, "open"] for tile in range(1, count + 1)]
    text = page(json.dumps(SCORES | {"running": SCORES["running"] | {"tiles": tiles}}), "en")
    assert f'<ol class="{kind}">\n<li class="open">1</li>' in text


def test_who_owes_nothing_has_a_dash() -> None:
    running = SCORES["running"] | {"owes": ["0", "3/2"]}
    assert "ANN 15 15 – Player 2 – – owes 3/2" in shown(running=running)


def test_nobody_has_a_captain_where_there_is_none() -> None:
    assert "Captains" not in shown(captains=[])


def test_tiles_that_are_shut_are_struck_through() -> None:
    text = page(json.dumps(SCORES), "en")
    tiles = [line for line in text.splitlines() if line.startswith("<li class")]
    assert tiles == [
        '<li class="open">1</li>',
        '<li class="shut"><del>2</del></li>',
        '<li class="shut"><del>3</del></li>',
        '<li class="open">4</li>',
    ]


def test_without_stakes_there_is_no_column_for_them() -> None:
    running = SCORES["running"] | {"stakes": None, "owes": []}
    assert "last turn so far ANN 15 15 Player 2" in shown(running=running)


def test_a_winner_is_marked() -> None:
    text = page(json.dumps(SCORES | {"running": SCORES["running"] | {"winners": [2]}}), "en")
    assert '<tr class="won"><td>Player 2</td>' in text
    assert '<tr class="now">' not in text


def test_what_was_written_yesterday_is_not_of_today() -> None:
    yesterday = time.strftime("%Y-%m-%d", time.localtime(NOW_S - 86400 * 40))
    text = shown(day=yesterday)
    assert "Today Nobody has signed yet This month Nobody has signed yet All time English pub ANN" in text


def test_results_of_today_have_their_time() -> None:
    text = shown(today=[HONOUR | {"began_s": NOW_S}])
    assert f"Today English pub ANN 3 {time.strftime('%H:%M', time.localtime(NOW_S))}" in text


def test_matches_of_today_have_their_time_and_older_ones_their_date() -> None:
    (match,) = SCORES["matches"]
    text = shown(matches=[match | {"began_s": NOW_S}, match])
    assert f"Last matches {time.strftime('%H:%M', time.localtime(NOW_S))} {match['game']}" in text
    assert f"1970\u201101\u201101 {match['game']}" in text


TODAYS = puzzle_of(NOW.toordinal())


@pytest.mark.parametrize(
    ("streak", "words"),
    [
        ({"day": NOW.toordinal(), "count": 3}, "Solved, 3 in a row. The best answer: "),
        ({"day": NOW.toordinal(), "count": 0}, "Missed today. The best answer: "),
        ({"day": NOW.toordinal() - 1, "count": 3}, "Which answer is best?"),
        (None, "Which answer is best?"),
    ],
)
def test_while_nobody_plays_the_puzzle_of_the_day(streak: object, words: str) -> None:
    text = shown(running=None, streak=streak)
    faces = " ".join(map(str, TODAYS.throw))
    title = TODAYS.profile.title()
    best = ", ".join(map(str, to_numbers(TODAYS.best)))
    assert f"Nobody is playing 1 2 3 4 5 6 7 8 9 {faces} Puzzle of the day: {title}, level" in text
    assert words in text
    assert (f"The best answer: {best}." in text) == ("best answer" in words)


def test_the_puzzle_in_german() -> None:
    title = TODAYS.profile.title("de", translations()["de"])
    assert f"Rätsel des Tages: {title}, Stufe" in shown(running=None, language="de")


def test_the_puzzle_makes_room_for_a_match() -> None:
    assert "Puzzle" not in shown()


def test_p_values_are_for_stats() -> None:
    assert "p =" not in words_of(page(json.dumps(SCORES | {"dice": [{"p_value": 0.4}]}), "en"))


def test_french() -> None:
    text = page(json.dumps(SCORES | {"language": "fr"}), "en")
    assert '<html lang="fr">' in text
    for words in ("Partie en cours", "Aujourd’hui", "Depuis toujours", "Dernières parties", "Player 2"):
        assert words in text


def test_an_evening(evening: Path) -> None:
    text = page((evening / FILE_NAME).read_text(encoding="utf-8"), "en", URL)
    assert "&lt;B&gt;" in text
    assert "C&amp;D" in text
    assert "Now playing: Traditional" in text
    assert _Reader(text).tags <= WHOLE.tags


def test_at_rest_in_both_languages() -> None:
    assert "The box is at rest" in REST
    assert "La boîte se repose" in page("", "fr")


# -- the rules ---------------------------------------------------------------------------


def test_the_rules() -> None:
    text = words_of(rules_page(json.dumps(SCORES), "en"))
    assert "The rules: English pub A throw is 2 dice. The lowest score wins. How to play The aim" in text


@pytest.mark.parametrize("text", ["", json.dumps(SCORES | {"rules": None})])
def test_without_a_game_it_says_how_to_play(text: str) -> None:
    words = words_of(rules_page(text, "fr"))
    assert "Comment jouer" in words or "How to play" in words


def test_a_code_leads_to_the_rules() -> None:
    """Nothing here reads a code from a picture, so its drawing is compared module by module."""
    modules = [list(row) for row in segno.make_qr(URL, error="m").matrix]
    drawn = _drawn(page("", "en", URL))
    assert drawn == modules
    assert "<svg" not in page("", "en")


def _drawn(text: str) -> list[list[int]]:
    """The modules of the code on a page, from the strokes of its path."""
    path = text.split('d="M2 ')[1].split('"')[0]
    size = int(text.split('viewBox="0 0 ')[1].split()[0]) - 4
    rows: list[list[int]] = [[0] * size for _ in range(size)]
    y, x = 0, 0
    for step in _steps("M2 " + path):
        match step:
            case ("M", at, row):
                x, y = int(at) - 2, int(float(row) - 2.5)
            case ("m", dx, dy):
                x, y = x + int(dx), y + int(dy)
            case ("h", length):
                rows[y][x : x + int(length)] = [1] * int(length)
                x += int(length)
    return rows


def _steps(path: str) -> Iterator[tuple[str, ...]]:
    for letter, numbers in re.findall(r"([Mmh])([^Mmh]*)", path):
        yield letter, *re.findall(r"-?[\d.]+", numbers)


# -- rubbish -----------------------------------------------------------------------------

EVIL = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=y>',
    "'",
    "&lt;",
    "</td></table><h1>",
    "\0",
    "\ud800",
]


@pytest.mark.parametrize("evil", EVIL)
@pytest.mark.parametrize(
    ("where", "plain"),
    [
        ("initials", '"ANN"'),
        ("game", '"English pub"'),
        ("language", '"en"'),
        ("number", "2"),
        ("seats", '["ANN", "Player 2"]'),
        ("says", '"3 to go"'),
        ("stakes", '"Everybody pays one stake."'),
        ("owes", '["1", "-1/2"]'),
        ("day", f'"{TODAY}"'),
    ],
)
def test_no_text_becomes_markup(evil: str, where: str, plain: str) -> None:
    text = json.dumps(SCORES)
    assert f'"{where}": {plain}' in text
    value = json.dumps([evil, evil] if plain[0] == "[" else evil)
    text = text.replace(f'"{where}": {plain}', f'"{where}": {value}')
    for made in (page(text, "en", URL), rules_page(text, "en")):
        reader = _Reader(made)
        assert reader.tags <= WHOLE.tags | {"ul", "dl", "dt", "dd"}
        assert reader.attributes <= WHOLE.attributes
        assert made.count("<script") <= 1


@pytest.mark.parametrize("key", ["seats", "scores", "totals", "owes"])
def test_a_table_with_a_row_too_few_is_none(key: str) -> None:
    running = SCORES["running"] | {key: SCORES["running"][key][:1]}
    assert page(json.dumps(SCORES | {"running": running}), "en", URL) == REST


def test_attributes_are_few_and_run_nothing() -> None:
    assert not {name for name in WHOLE.attributes if name.startswith("on") or name == "style"}
    assert page(json.dumps(SCORES), "en").count("<script") == 1


@given(st.text() | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*SCORES, "x"]), inner),
).map(json.dumps))  # fmt: skip
def test_rubbish_is_a_box_at_rest(text: str) -> None:
    assert page(text, "en", URL) == REST
    assert "How to play" in rules_page(text, "en")


@given(
    st.sampled_from([key for key in SCORES if key not in ("version", "language")]),
    st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.none() | st.integers() | st.text())
    | st.fixed_dictionaries({"player": st.none(), "players": st.integers()}),
)  # fmt: skip
def test_a_spoiled_part_never_breaks_the_page(key: str, value: object) -> None:
    text = json.dumps(SCORES | {key: value})
    assert _Reader(page(text, "en", URL)).tags <= WHOLE.tags
    assert rules_page(text, "en")
