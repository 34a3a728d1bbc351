"""The live lever monitor: simulated contacts in real time, and the factory on a fake kernel."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.pins.fake_gpiod import FakeKernel
from tests.support.waiting import until

from shutthebox.cli.doctor import levers
from shutthebox.cli.main import main
from shutthebox.game.contact_health import ContactHealth
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
