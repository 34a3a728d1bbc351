"""The box of a tab, here on CPython: hands, addresses, memories and odds as the browser's worker has them."""

import base64
import json
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.support.clumsy_player import CAREFUL, Player

from shutthebox.simulator.tab import Tab, answer_text
from shutthebox.simulator.tab_film import TabFilm, pack

MS = 1_000_000
S = 1000 * MS


class Worker:
    """The browser's worker: time, and the messages both ways."""

    def __init__(self, address: str, memory: Path) -> None:
        self.now_ns = 0
        self.state: dict[str, Any] = {}
        self.told: list[str] = []
        """The parts of the state in the order in which they came."""
        self.questions: list[str] = []
        self.tab = Tab(address, str(memory), 1.7e9, self._take, self.questions.append)

    def close(self) -> None:
        self.tab.close()

    def _take(self, text: str) -> None:
        news = json.loads(text)
        self.state |= news
        self.told += news

    def wait(self, ns: int) -> None:
        """Lets time pass as the worker does: from deadline to deadline."""
        end_ns = self.now_ns + ns
        while (due_ns := self.tab.advance(self.now_ns)) < end_ns:
            assert due_ns > self.now_ns, "nothing is due again and again"
            self.now_ns = due_ns
        self.now_ns = end_ns
        self.tab.advance(end_ns)

    def send(self, **message: object) -> None:
        self.tab.take(json.dumps(message), self.now_ns)

    def tap(self) -> None:
        """Presses the button for no time at all, as a script does."""
        self.send(button=True)
        self.send(button=False)
        self.wait(3 * S)


ADDRESS = "?seed=3&players=1&game=pub"


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    with closing(Worker(ADDRESS, tmp_path)) as opened:
        yield opened


def test_a_guest_who_taps_and_flips_in_no_time_plays(worker: Worker) -> None:
    for _ in range(3):
        worker.tap()
    assert worker.state["words"].startswith("Player 1. Thrown: 6 and 2")
    assert worker.state["dice"] == {"faces": [6, 2], "tumbling": False}
    worker.send(lever=8, down=True)
    worker.send(lever=8, down=False)
    worker.send(lever=8, down=True)
    worker.wait(S)
    assert worker.state["levers"][7] == {"number": 8, "down": True}
    worker.tap()


def test_a_pulled_plug_leads_back_to_the_same_throw(worker: Worker) -> None:
    for _ in range(3):
        worker.tap()
    words = worker.state["words"]
    worker.send(pull_plug=True)
    worker.wait(S)
    # How to go on was said already, to whoever plays for the first time on this box.
    assert words == f"{worker.state['words']} Flip, then press."


def test_a_match_with_shut_tiles_goes_on_in_a_new_tab_whose_levers_are_all_up(tmp_path: Path) -> None:
    """The box sounds its fault tone while it starts."""
    with closing(Worker(ADDRESS, tmp_path)) as worker:
        for _ in range(3):
            worker.tap()
        worker.send(lever=8, down=True)
        worker.wait(S)
        worker.tap()
    with closing(Worker(ADDRESS, tmp_path)) as again:
        assert "Put 8 back" in again.state["words"]
        assert again.state["sound"]


def test_the_odds_answer_from_another_worker(worker: Worker) -> None:
    worker.send(set="game.hints", to=True)
    for _ in range(3):
        worker.tap()
    worker.send(button=True)
    worker.wait(S)
    worker.send(button=False)
    worker.wait(S)
    assert "Working it out" in worker.state["words"]
    for answer in filter(None, map(answer_text, worker.questions)):
        worker.tab.answered(answer, worker.now_ns)
    worker.wait(S)
    assert "8 is best" in worker.state["words"]


@pytest.mark.parametrize(
    ("address", "refused", "game", "levers"),
    [
        ("?gmae=pub", "gmae=pub", "Traditional", 9),
        ("?game=nothing", "game=nothing", "Traditional", 9),
        ("?game=nothing&levers=12", "game=nothing", "Traditional", 12),
        ("?game=full-house&levers=9", "game=full-house", "Traditional", 9),
        ("?game=pub&levers=5", "levers=5", "English pub", 9),
        ("?game=&levers=5", "game=, levers=5", "Traditional", 9),
        ("?players=21&seed=x&game=pub", "players=21, seed=x", "English pub", 9),
        ("?game=pub&seed=9999999999999999", "seed=9999999999999999", "English pub", 9),
        (f"?game=pub&fbclid={'a' * 5000}", f"fbclid={'a' * 32}…", "English pub", 9),
        ("?game=%0A%1B[2J", r"game=\n\x1b[2J", "Traditional", 9),
    ],
)
def test_an_address_that_asks_for_too_much_is_played_without_that_and_says_so(
    address: str, refused: str, game: str, levers: int, tmp_path: Path
) -> None:
    with closing(Worker(address, tmp_path)) as worker:
        said = f"The address asks for {refused}, which this box doesn't have. Playing: {game}."
        assert worker.tab.complaint == said
        assert len(worker.state["levers"]) == levers
        worker.tap()
        assert "Players?" in worker.state["words"]


def test_the_line_about_the_address_is_in_its_language(tmp_path: Path) -> None:
    with closing(Worker("?language=de&game=nichts", tmp_path / "wrong")) as wrong:
        assert wrong.tab.complaint.startswith("Die Adresse verlangt game=nichts;")
    with closing(Worker("?language=de", tmp_path / "good")) as good:
        assert good.tab.complaint == ""


def test_a_message_that_is_none_changes_nothing(worker: Worker) -> None:
    worker.wait(S)
    words, levers = worker.state["words"], worker.state["levers"]
    for message in ("", "{", "[]", '{"lever": 99, "down": true}', '{"dice": [6, 6]}', '{"replay": ""}'):
        worker.tab.take(message, worker.now_ns)
    worker.wait(S)
    assert (worker.state["words"], worker.state["levers"]) == (words, levers)


RULES = 'like = "traditional"\ntitle.en = "Friday  #1"\ndice = 3\n'


def test_house_rules_that_are_given_on_the_page_are_played_and_stay(tmp_path: Path) -> None:
    with closing(Worker(ADDRESS, tmp_path)) as worker:
        worker.send(rules=RULES, file="friday.toml")
        worker.wait(S)
        assert worker.state["rules"] == "The game is now: Friday  #1."
        for _ in range(3):
            worker.tap()
        assert len(worker.state["dice"]["faces"]) == 3
    with closing(Worker(ADDRESS, tmp_path)) as again:
        again.wait(S)
        game = again.state["form"]["items"][0]
    assert game["options"][game["chosen"]] == ["Friday  #1", "friday"]


@pytest.mark.parametrize(
    ("rules", "file", "complaint"),
    [
        ("dice = 0", "", "rules: dice: 0 is not allowed; use a whole number from 1 to"),
        ("dice = ", "mine.toml", "mine.toml: "),
        (
            "tiles = [1, 2, 12]",
            "",
            "rules: rules needs 12 levers, this box has 9; use games that fit",
        ),
        (RULES, "pub.toml", "pub.toml: name: 'pub' is taken; use a name of your own"),
        ("[" * 60_000, "", "rules: "),
        ("a." * 30_000 + "b = 1", "", "rules: "),
        ("x = 1\n" * 8_000, "", "rules: "),
        ('title = "Friday"', "", "rules: title: unknown key; did you mean 'title.en'? use "),
    ],
)
def test_fail__house_rules_that_are_none(worker: Worker, rules: str, file: str, complaint: str) -> None:
    worker.wait(S)
    before = worker.state["words"]
    worker.send(rules=rules, file=file)
    worker.wait(S)
    assert worker.state["rules"].startswith(complaint)
    assert len(worker.state["rules"].splitlines()) == 1
    assert worker.state["words"] == before


@pytest.mark.parametrize("rules", ["dice = 0", RULES], ids=["refused", "taken"])
def test_house_rules_get_their_answer_each_time(worker: Worker, rules: str) -> None:
    worker.wait(S)
    worker.told.clear()
    for _ in range(2):
        worker.send(rules=rules, file="friday.toml")
        worker.wait(S)
    assert worker.told.count("rules") == 2


def test_the_status_and_the_answer_to_rules_say_what_the_game_is_now(worker: Worker) -> None:
    worker.wait(S)
    assert worker.state["said"][1].startswith("English pub.")
    worker.send(rules=RULES, file="friday.toml")
    worker.wait(S)
    assert worker.state["said"][1].startswith("Friday  #1.")
    worker.send(set="game.profile", to="trac")
    worker.wait(S)
    assert worker.state["said"][1].startswith("Trac.")
    assert worker.state["rules"] == ""


def test_a_choice_that_the_box_does_not_take_is_shown_as_it_holds(worker: Worker) -> None:
    worker.wait(S)
    worker.told.clear()
    for _ in range(2):
        worker.send(set="game.players", to=99)
        worker.wait(S)
    assert worker.told.count("form") == 2


@pytest.mark.parametrize(
    ("address", "options", "chosen"),
    [
        ("?seed=1", [9, 10, 12, 24, 36, 54], 0),
        ("?seed=1&levers=11", [9, 10, 11, 12, 24, 36, 54], 2),
        ("?seed=1&game=full-house", [12, 24, 36, 54], 0),
    ],
)
def test_the_page_offers_boxes_that_the_address_can_have(
    address: str, options: list[int], chosen: int, tmp_path: Path
) -> None:
    with closing(Worker(address, tmp_path)) as worker:
        worker.wait(S)
        assert worker.state["boxes"] == {"options": options, "chosen": chosen}


class Watched:
    """A replay of the tab, and what the page has of it."""

    def __init__(self, script: str, *, is_packed: bool = False, language: str | None = None) -> None:
        self.states: list[dict[str, Any]] = []
        self.replay = TabFilm(script, is_packed, lambda text: self.states.append(json.loads(text)), language)

    def watch(self) -> dict[str, Any]:
        """To its end."""
        now_ns = 0
        while (due_ns := self.replay.advance(now_ns)) >= 0 and not self.states[-1]["film"]["over"]:
            assert due_ns > now_ns, "nothing is due again and again"
            now_ns = due_ns
        return self.states[-1]


def match_of(worker: Worker) -> str:
    """Plays a match to its end, and gives its link."""
    box = worker.tab._box
    player = Player(Random(3), CAREFUL)
    box.observe(player.observe)
    player.observe(box.show, 0)
    player.sit_down(box)
    player.play_match()
    worker.now_ns = box.now_ns
    worker.wait(S)
    return str(worker.state["match"])


@pytest.mark.slow
def test_a_match_is_a_link_to_its_replay(tmp_path: Path) -> None:
    with closing(Worker("?seed=3&players=2&game=pub", tmp_path)) as worker:
        link = match_of(worker)
        words = worker.state["words"]
    assert len(link) < 3000
    end = Watched(link, is_packed=True).watch()
    assert end["film"] == {"over": True, "complaint": "", "link": link}
    assert end["words"].split(".")[0] == words.split(".")[0]


@pytest.mark.parametrize(("language", "stop"), [("fr", "Retour à la boîte"), ("xx", "Back to the box")])
def test_a_page_without_a_box_gets_all_that_a_replay_needs_and_only_once(language: str, stop: str) -> None:
    watched = Watched("press\n", language=language)
    watched.watch()
    assert [state["type"] for state in watched.states] == ["box"] + ["change"] * (len(watched.states) - 1)
    assert watched.states[0]["texts"]["stop_replay"] == stop
    assert watched.states[0]["levers"]


@pytest.mark.parametrize(
    ("script", "is_packed", "complaint"),
    [
        ("", True, "link: incomplete; use a link made by the box"),
        ("no-link!", True, "link: incomplete"),
        (pack("press\n")[:-4], True, "link: incomplete"),
        (base64.urlsafe_b64encode(zlib.compress(b"#" * 10_000_000)).decode(), True, "link: incomplete"),
        ("A" * 100_000, True, "link: incomplete"),
        ("jump\n", False, "scenario:1: jump: "),
    ],
)
def test_fail__a_replay_that_is_none_says_so_in_one_line(
    script: str, is_packed: bool, complaint: str
) -> None:
    end = Watched(script, is_packed=is_packed).watch()
    assert end["film"]["over"]
    assert end["film"]["complaint"].startswith(complaint)
    assert len(end["film"]["complaint"].splitlines()) == 1
