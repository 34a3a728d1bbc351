"""The plug: of the command `sim` in a process of its own, and what it asks for in this one."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.box.simulator.page.pages import page, receive
from tests.support.http_client import ask
from tests.support.waiting import HANG_S, until
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection

from shutthebox.cli.main import main


class Box:
    """The simulated box of a process, from outside."""

    def __init__(self, folder: Path) -> None:
        config = folder / "config.toml"
        config.write_text(f'[game]\nsetup = "usual"\n[store]\nfolder = "{folder / "state"}"\n', "utf-8")
        command = ["-m", "shutthebox", "sim", "--no-browser", "--port", "0", "--config", str(config)]
        self.process = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        found = re.search(r":(\d+)/", self.process.stdout.readline())
        assert found
        self.port = int(found[1])
        self.pages = ExitStack()
        self.page = self.connect()
        self.state: dict[str, Any] = {}

    def connect(self) -> ClientConnection:
        opened: list[ClientConnection] = []

        def is_open() -> bool:
            with suppress(OSError, InvalidHandshake):
                opened.append(page(self))
            return bool(opened)

        until(is_open, "the box never came back")
        return self.pages.enter_context(opened[0])

    def send(self, **message: object) -> None:
        self.page.send(json.dumps(message))

    def see(self, fits: Callable[[dict[str, Any]], object]) -> None:
        """Waits for a state of the page that fits."""
        while not (self.state and fits(self.state)):
            self.state |= receive(self.page)

    def until_it_is_back(self) -> None:
        """Waits for the next process in the place of this one, until it can be ended in good order."""
        with suppress(ConnectionClosed, OSError):
            while True:
                receive(self.page)
        assert self.process.stdout is not None
        assert f":{self.port}/" in self.process.stdout.readline()
        self.page = self.connect()
        self.state = {}
        self.see(lambda state: state["words"])

    def press(self) -> None:
        self.send(button=True)
        self.see(lambda state: state["button"])
        self.send(button=False)
        self.see(lambda state: not state["button"])

    def flip(self, lever: int) -> None:
        self.send(lever=lever, down=True)

    def lift(self, lever: int) -> None:
        self.send(lever=lever, down=False)

    def down(self) -> list[int]:
        return [lever["number"] for lever in self.state["levers"] if lever["down"]]


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    box = Box(tmp_path)
    with box.process:
        with box.pages:
            yield box
        box.process.send_signal(signal.SIGTERM)
        assert box.process.wait(timeout=HANG_S) == 0


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_the_plug_is_pulled_in_a_match(box: Box) -> None:
    box.press()
    box.see(lambda state: "Player 1" in state["words"])
    box.flip(3)
    box.see(lambda state: "Lift 3" in state["words"])
    process = box.process.pid
    box.send(pull_plug=True)
    box.until_it_is_back()
    assert box.process.pid == process
    assert box.down() == [3]
    box.see(lambda state: "Lift 3" in state["words"])


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_box_with_other_levers_is_built_between_matches_only(box: Box) -> None:
    assert box.state == {}
    box.see(lambda state: state["boxes"] == {"options": [9, 10, 12, 24, 36, 54], "chosen": 0})
    box.send(build=12)
    box.until_it_is_back()
    assert [lever["number"] for lever in box.state["levers"]] == list(range(1, 13))
    assert box.state["boxes"]["chosen"] == 2
    assert "Press to play" in box.state["words"]
    box.press()
    box.see(lambda state: "Player 1" in state["words"])
    box.send(build=9)
    box.send(build=11)
    box.flip(12)
    box.see(lambda state: box.down() == [12])
    assert len(box.state["levers"]) == 12


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_what_is_recorded_over_a_power_cut_plays_again(box: Box, tmp_path: Path) -> None:
    box.send(workshop=True)
    box.send(record=True)
    box.until_it_is_back()
    assert box.state["boxes"] is None, "a scenario is of one box"
    box.press()
    box.see(lambda state: "Player 1" in state["words"])
    box.press()
    box.see(lambda state: "Thrown" in state["words"])
    box.flip(3)
    box.see(lambda state: box.down() == [3])
    box.send(pull_plug=True)
    box.until_it_is_back()
    box.see(lambda state: "Thrown" in state["words"])
    box.send(workshop=True)
    box.lift(3)
    box.see(lambda state: "lever 3 up" in " ".join(state.get("log", ())))
    box.send(record=False)
    box.until_it_is_back()
    assert "Press to play" in box.state["words"], "the recorded match was played on a memory of its own"
    scenario = ask(box.port, "/recording.scn")[1].decode()
    verbs = [line.split()[1 if line[0] == "@" else 0] for line in scenario.splitlines()]
    assert verbs[-6:] == ["press", "dice", "press", "flip", "power-cut", "lift"]
    script = tmp_path / "recording.scn"
    script.write_text(scenario + "expect mode flipping\n", "utf-8")
    assert main(["replay", str(script)]) == 0
