"""The scoreboard's page as text."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shutthebox.adapters.store.scores_file import FILE_NAME
from shutthebox.web.scoreboard.page import page

SCORES = {
    "version": 1,
    "language": "en",
    "running": {"player": 2, "open": [1], "scores": [15, None], "totals": [15, 0], "winners": []},
    "game": "pub",
    "finished": 1,
    "matches": [
        {
            "began_s": 0,
            "profile": "pub",
            "players": [
                {"number": 1, "score": 3, "won": True, "initials": "ANN"},
                {"number": 2, "score": 9, "won": False, "initials": None},
            ],
        }
    ],
    "fame": [{"initials": "ANN", "score": 3, "profile": "pub", "began_s": 0}],
    "dice": [{"dice": 2, "sides": 6, "die": 1, "throws": 500, "p_value": 0.4321}],
}
REST = page("", "en")


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


TAGS = _Reader(page(json.dumps(SCORES), "en")).tags


def test_what_it_says() -> None:
    words = " ".join(_Reader(page(json.dumps(SCORES), "fr")).words).split()
    text = " ".join(words)
    assert "Now playing: pub last turn so far Player 1 15 15 Player 2 – –" in text
    assert "pub ANN: 3 ★, 2: 9" in text
    assert "2d6 Die 1 500 p = 0.43" in text


def test_french() -> None:
    text = page(json.dumps(SCORES | {"language": "fr"}), "en")
    assert '<html lang="fr">' in text
    for words in ("Partie en cours", "Tableau d&#x27;honneur", "Dernières parties", "Joueur 2"):
        assert words in text


def test_an_evening(evening: Path) -> None:
    text = page((evening / FILE_NAME).read_text(encoding="utf-8"), "en")
    assert "&lt;B&gt;" in text
    assert "C&amp;D" in text
    assert _Reader(text).tags == TAGS


def test_at_rest_in_both_languages() -> None:
    assert "The box is at rest" in REST
    assert "La boîte se repose" in page("", "fr")


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
@pytest.mark.parametrize("where", ["initials", "profile", "game", "language", "number"])
def test_no_text_becomes_markup(evil: str, where: str) -> None:
    text = json.dumps(SCORES)
    plain = {"initials": '"ANN"', "profile": '"pub"', "game": '"pub"', "language": '"en"', "number": "2"}[
        where
    ]
    text = text.replace(f'"{where}": {plain}', f'"{where}": {json.dumps(evil)}')
    shown = page(text, "en")
    reader = _Reader(shown)
    assert reader.tags <= TAGS
    assert reader.attributes <= {
        "lang",
        "charset",
        "http-equiv",
        "content",
        "name",
        "rel",
        "href",
        "class",
        "scope",
    }
    assert "<script" not in shown


@given(st.text() | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*SCORES, "x"]), inner),
).map(json.dumps))  # fmt: skip
def test_rubbish_is_a_box_at_rest(text: str) -> None:
    assert page(text, "en") == REST


@given(
    st.sampled_from([key for key in SCORES if key not in ("version", "language", "finished")]),
    st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.none() | st.integers() | st.text())
    | st.fixed_dictionaries({"player": st.none(), "players": st.integers()}),
)  # fmt: skip
def test_a_spoiled_part_never_breaks_the_page(key: str, value: object) -> None:
    assert _Reader(page(json.dumps(SCORES | {key: value}), "en")).tags <= TAGS
