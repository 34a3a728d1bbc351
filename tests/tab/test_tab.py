"""The box of a tab, here on CPython: hands, addresses, memories and odds as the browser's worker has them."""

import json
from pathlib import Path
from typing import Any

import pytest

from shutthebox.config.schema import ConfigError
from shutthebox.errors import ShutTheBoxError
from shutthebox.simulator.tab import Tab, answer_text, config_of

MS = 1_000_000
S = 1000 * MS


class Worker:
    """The browser's worker: time, and the messages both ways."""

    def __init__(self, address: str, memory: Path) -> None:
        self.now_ns, self.kept = 0, 0
        self.state: dict[str, Any] = {}
        self.questions: list[str] = []
        self.tab = Tab(address, str(memory), 1.7e9, self._take, self.questions.append, self._keep)

    def _take(self, text: str) -> None:
        self.state |= json.loads(text)

    def _keep(self) -> None:
        self.kept += 1

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


@pytest.fixture
def worker(tmp_path: Path) -> Worker:
    return Worker("?seed=3&players=1&game=pub", tmp_path)


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
    assert worker.kept > 3


def test_the_same_seed_gives_a_friend_the_same_dice(tmp_path: Path) -> None:
    faces = []
    for name in ("mine", "theirs"):
        worker = Worker("?seed=12&players=1", tmp_path / name)
        for _ in range(3):
            worker.tap()
        faces.append(worker.state["dice"]["faces"])
    assert faces[0] == faces[1] != []


def test_a_match_goes_on_after_the_tab_was_closed(worker: Worker, tmp_path: Path) -> None:
    for _ in range(3):
        worker.tap()
    words = worker.state["words"]
    worker.tab.close()
    again = Worker("?seed=3&players=1&game=pub", tmp_path)
    again.wait(S)
    assert again.state["words"] == words


def test_a_game_that_a_friend_sent_leaves_the_usual_one_alone(worker: Worker, tmp_path: Path) -> None:
    for _ in range(3):
        worker.tap()
    other = Worker("", tmp_path)
    other.wait(S)
    assert "Press to play" in other.state["words"]


def test_a_pulled_plug_leads_back_to_the_same_throw(worker: Worker) -> None:
    for _ in range(3):
        worker.tap()
    words = worker.state["words"]
    worker.send(pull_plug=True)
    worker.wait(S)
    assert worker.state["words"] == words


def test_the_odds_answer_from_another_worker(worker: Worker) -> None:
    for _ in range(3):
        worker.tap()
    answers = [answer_text(question) for question in worker.questions]
    for answer in filter(None, answers):
        worker.tab.answered(answer, worker.now_ns)
    worker.wait(S)
    assert worker.questions


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        ("?gmae=pub", "address: 'gmae' is unknown; allowed are game, players, levers, language, seed"),
        ("?players=12", "address: game.players: 12 is not allowed; allowed is a whole number from 1 to 9"),
        ("?players=two", "address: game.players: 'two' is not allowed"),
        ("?seed=x", "address: seed: 'x' is not allowed; allowed is a whole number"),
    ],
)
def test_fail__an_address_gets_one_line(address: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config_of(address)
    assert str(caught.value).startswith(complaint)


@pytest.mark.parametrize("address", ["?game=nothing", "?game=full-house&levers=9"])
def test_fail__a_game_that_the_box_cannot_play(address: str, tmp_path: Path) -> None:
    with pytest.raises(ShutTheBoxError, match="address"):
        Worker(address, tmp_path)


def test_a_message_that_is_none_changes_nothing(worker: Worker) -> None:
    worker.wait(S)
    words, levers = worker.state["words"], worker.state["levers"]
    for message in ("", "{", "[]", '{"lever": 99, "down": true}', '{"dice": [6, 6]}', '{"replay": ""}'):
        worker.tab.take(message, worker.now_ns)
    worker.wait(S)
    assert (worker.state["words"], worker.state["levers"]) == (words, levers)


def test_makers_see_what_they_break(worker: Worker) -> None:
    worker.send(workshop=True)
    worker.send(lever=4, state="stuck")
    worker.wait(S)
    assert worker.state["hardware"]["stuck"] == [4]
    assert [pin for pin in worker.state["pins"] if pin[1] == "4"]
    worker.send(lever=4, down=True)
    worker.wait(S)
    assert not worker.state["levers"][3]["down"]
