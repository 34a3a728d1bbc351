"""The live lever monitor: simulated contacts in real time, and the factory on a fake kernel."""

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.pins.fake_gpiod import FakeKernel
from tests.support.waiting import until

from shutthebox.adapters.store.database import Store
from shutthebox.cli.doctor import levers
from shutthebox.cli.main import main
from shutthebox.game.facts import Chosen
from shutthebox.game.switches import debounce
from shutthebox.game.switches.debounce import WORN, ContactHealth
from shutthebox.simulator.hardware.box import SimulatedBox, default_lever_lines

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


@pytest.fixture
def box(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimulatedBox]:
    made = SimulatedBox(default_lever_lines(3), real_time=False)
    monkeypatch.setattr(levers, "open_factory", lambda backend: made.factory)
    yield made
    made.close()


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(f'[box]\nlevers = 3\nsettle_ms = 60\n[store]\nfolder = "{tmp_path / "state"}"\n')
    return file


class Watched:
    """The monitor's output: hands wait for it, on a busy machine too."""

    def __init__(self) -> None:
        self.health: dict[int, ContactHealth] = {}

    def until(self, shown: Callable[[dict[int, ContactHealth]], bool]) -> None:
        until(lambda: self.health and shown(self.health), "never shown")

    def moves(self, switch: int, set_level: Callable[[bool], None]) -> None:
        """Moves a switch there and back; each time waits until it is shown."""
        for level in (False, True):
            before = self.health[switch].moves
            set_level(level)
            self.until(lambda health, before=before: health[switch].moves > before)  # type: ignore[misc]


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    seen, make = Watched(), levers._shower

    def shower(as_json: bool) -> Callable[..., None]:
        show = make(as_json)

        def note(t_s: float, down: dict[int, bool], health: dict[int, ContactHealth]) -> None:
            show(t_s, down, health)
            seen.health = dict(health)

        return note

    monkeypatch.setattr(levers, "_shower", shower)
    return seen


def watch(watched: Watched, config: Path, hands: Callable[[], None], *options: str) -> int:
    """Runs the monitor while hands are at the box, and ends it with Ctrl-C; its exit code."""
    wrong: list[BaseException] = []

    def work() -> None:
        try:
            watched.until(lambda health: True)
            hands()
        except BaseException as error:
            wrong.append(error)
        finally:
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=work)
    thread.start()
    code = main(["doctor", "--levers", "--config", str(config), *options])
    thread.join()
    assert not wrong
    return code


def move(watched: Watched, box: SimulatedBox, *switches: int) -> None:
    for switch in switches:
        watched.moves(switch, partial(box.set_level, line_of(box, switch)))


def line_of(box: SimulatedBox, switch: int) -> int:
    return box.lever_line(switch) if switch else box.button_line


ALL = (1, 2, 3, 0)
"""Every switch; the button is 0."""


def test_every_switch_that_moves_is_good(
    watched: Watched, box: SimulatedBox, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert watch(watched, config, lambda: move(watched, box, *ALL)) == 0
    lines = capsys.readouterr().out.splitlines()
    summary = lines[-4:]
    assert [line.rpartition("  ")[2] for line in summary] == ["ok"] * 4
    assert "dice button         2 moves      0 chatter" in summary[0]
    changes = [line.partition(" s  ")[2] for line in lines[:-4]]
    assert "lever 2        down      1 moves      0 chatter" in changes
    assert "lever 2        up        2 moves      0 chatter" in changes


def test_a_lever_that_never_moves_is_a_fault(
    watched: Watched, box: SimulatedBox, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def hands() -> None:
        move(watched, box, *ALL[1:])
        box.set_level(box.lever_line(3), False)
        watched.until(lambda health: health[3].moves == 3)

    assert watch(watched, config, hands) == 1
    summary = capsys.readouterr().out.splitlines()[-4:]
    assert [line.rpartition("  ")[2] for line in summary] == ["ok", "never moved", "ok", "ok"]


def test_a_worn_and_a_restless_contact_are_faults(
    watched: Watched,
    box: SimulatedBox,
    config: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(debounce, "RESTLESS_NS", 300_000_000)

    def hands() -> None:
        move(watched, box, *ALL)
        while not worn(watched.health[2]):
            before = watched.health[2].chatter
            for _ in range(30):
                box.set_level(box.lever_line(2), False)
                box.set_level(box.lever_line(2), True)
            watched.until(lambda health, before=before: health[2].chatter > before)  # type: ignore[misc]
        while not watched.health[1].restless:
            for level in (False, True):
                box.set_level(box.lever_line(1), level)
                time.sleep(0.002)

    def worn(health: ContactHealth) -> bool:
        return health.chatter > 2 * WORN * health.moves

    assert watch(watched, config, hands, "--json") == 1
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert any(line.get("chatters") for line in found if line["switch"] == 1)
    verdicts = {line["name"]: line["verdict"] for line in found if "verdict" in line}
    assert verdicts == {
        "dice button": "ok",
        "lever 1": "chatters without a rest",
        "lever 2": "worn",
        "lever 3": "ok",
    }


def test_a_lever_out_of_play_is_no_fault(
    watched: Watched, box: SimulatedBox, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(tmp_path / "state", lambda: 1.8e9)
    store.keep(Chosen("box.out_of_play", (1,)))
    store.close()
    assert watch(watched, config, lambda: move(watched, box, *ALL[1:])) == 0
    assert "lever 1             0 moves      0 chatter  out of play" in capsys.readouterr().out


def test_a_cut_wire_makes_no_edge_and_is_seen_all_the_same(
    watched: Watched, box: SimulatedBox, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    box.lose_edges(1.0)

    def hands() -> None:
        box.set_level(box.lever_line(2), False)
        watched.until(lambda health: health[2].moves == 1)

    assert watch(watched, config, hands, "--json") == 1
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert any(line["switch"] == 2 and line.get("down") for line in found)
    assert {line["verdict"] for line in found if line["switch"] == 2 and "verdict" in line} == {
        "moved one way only"
    }


def test_ctrl_c_ends_with_the_summary(
    watched: Watched,
    box: SimulatedBox,
    config: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Interrupted:
        def put(self, edge: Any) -> None:
            raise AssertionError("nobody moves anything")

        def get(self, timeout: float) -> Any:
            raise KeyboardInterrupt

    monkeypatch.setattr(levers, "SimpleQueue", Interrupted)
    assert main(["doctor", "--levers", "--config", str(config)]) == 1
    assert capsys.readouterr().out.count("never moved") == 4


def test_on_the_kernels_lines(
    watched: Watched, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Our own factory, as on a Pi; a running box has the lines."""
    kernel = FakeKernel(tmp_path)
    chip = kernel.add("pinctrl-bcm2711", 54)
    with _patched(kernel):

        def hands() -> None:
            for switch, line in ((1, 4), (2, 17), (3, 27), (0, 12)):
                watched.moves(switch, partial(chip.drive, line))

        assert watch(watched, config, hands) == 0
        assert "never" not in capsys.readouterr().out
        chip.lines[17].consumer = "shutthebox"
        assert main(["doctor", "--levers", "--seconds", "0.1", "--config", str(config)]) == 1
    complaint = capsys.readouterr().err
    assert "line 17" in complaint
    assert "systemctl stop shutthebox" in complaint


def _patched(kernel: FakeKernel) -> Any:
    from contextlib import ExitStack

    stack = ExitStack()
    for patch in kernel.patches():
        stack.enter_context(patch)
    return stack
