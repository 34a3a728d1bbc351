"""The live lever monitor: simulated contacts in real time, and the factory on a fake kernel."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.pins.fake_gpiod import FakeKernel

from shutthebox.adapters.store.database import Store
from shutthebox.cli.doctor import levers
from shutthebox.cli.main import main
from shutthebox.game.facts import Chosen
from shutthebox.game.switches import debounce
from shutthebox.simulator.hardware.box import SimulatedBox, default_lever_lines

pytestmark = pytest.mark.slow


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


def watch(config: Path, hands: Callable[[], None], *options: str, seconds: float = 1.6) -> int:
    """Runs the monitor while hands are at the box; its exit code."""

    def work() -> None:
        time.sleep(0.2)
        hands()

    thread = threading.Thread(target=work)
    thread.start()
    code = main(["doctor", "--levers", "--seconds", str(seconds), "--config", str(config), *options])
    thread.join()
    return code


def move(box: SimulatedBox, *lines: int) -> None:
    for line in lines:
        for level in (False, True):
            box.set_level(line, level)
            time.sleep(0.12)


def all_of(box: SimulatedBox) -> list[int]:
    return [*default_lever_lines(3).values(), box.button_line]


def test_every_switch_that_moves_is_good(
    box: SimulatedBox, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert watch(config, lambda: move(box, *all_of(box))) == 0
    lines = capsys.readouterr().out.splitlines()
    summary = lines[-4:]
    assert [line.rpartition("  ")[2] for line in summary] == ["ok"] * 4
    assert "dice button         2 moves      0 chatter" in summary[0]
    changes = [line.partition(" s  ")[2] for line in lines[:-4]]
    assert "lever 2        down      1 moves      0 chatter" in changes
    assert "lever 2        up        2 moves      0 chatter" in changes


def test_a_lever_that_never_moves_is_a_fault(
    box: SimulatedBox, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def hands() -> None:
        move(box, *all_of(box)[1:])
        box.set_level(box.lever_line(3), False)

    assert watch(config, hands) == 1
    summary = capsys.readouterr().out.splitlines()[-4:]
    assert [line.rpartition("  ")[2] for line in summary] == ["ok", "never moved", "ok", "ok"]


def test_a_worn_and_a_restless_contact_are_faults(
    box: SimulatedBox,
    config: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(debounce, "RESTLESS_NS", 300_000_000)

    def hands() -> None:
        move(box, *all_of(box))
        for _ in range(2):
            for _ in range(30):
                box.set_level(box.lever_line(2), False)
                box.set_level(box.lever_line(2), True)
            time.sleep(0.12)
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            for level in (False, True):
                box.set_level(box.lever_line(1), level)
                time.sleep(0.002)

    assert watch(config, hands, "--json", seconds=3.2) == 1
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
    box: SimulatedBox, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(tmp_path / "state", lambda: 1.8e9)
    store.keep(Chosen("box.out_of_play", (1,)))
    store.close()
    assert watch(config, lambda: move(box, *all_of(box)[1:])) == 0
    assert "lever 1             0 moves      0 chatter  out of play" in capsys.readouterr().out


def test_a_cut_wire_makes_no_edge_and_is_seen_all_the_same(
    box: SimulatedBox, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    box.lose_edges(1.0)
    assert watch(config, lambda: box.set_level(box.lever_line(2), False), "--json") == 1
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert any(line["switch"] == 2 and line.get("down") for line in found)
    assert {line["verdict"] for line in found if line["switch"] == 2 and "verdict" in line} == {
        "moved one way only"
    }


def test_on_a_terminal_the_table_is_drawn_anew(
    box: SimulatedBox, config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    watch(config, lambda: move(box, box.lever_line(2)))
    out = capsys.readouterr().out
    assert out.count("\x1b[4A") == 2
    assert out.count("lever 3 ") == 4, "three tables and the summary"


def test_ctrl_c_ends_with_the_summary(
    box: SimulatedBox, config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
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
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our own factory, as on a Pi; a running box has the lines."""
    kernel = FakeKernel(tmp_path)
    chip = kernel.add("pinctrl-bcm2711", 54)
    with _patched(kernel):
        assert watch(config, lambda: _toggle(chip, 4, 17, 27, 12)) == 0
        assert "never" not in capsys.readouterr().out
        chip.lines[17].consumer = "shutthebox"
        assert main(["doctor", "--levers", "--seconds", "1.6", "--config", str(config)]) == 1
    complaint = capsys.readouterr().err
    assert "line 17" in complaint
    assert "systemctl stop shutthebox" in complaint


def _toggle(chip: Any, *lines: int) -> None:
    for line in lines:
        for level in (False, True):
            chip.drive(line, level)
            time.sleep(0.12)


def _patched(kernel: FakeKernel) -> Any:
    from contextlib import ExitStack

    stack = ExitStack()
    for patch in kernel.patches():
        stack.enter_context(patch)
    return stack


@pytest.mark.parametrize("seconds", ["0", "-1", "soon", "nan", "1e9"])
def test_how_long_is_checked(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["doctor", "--levers", f"--seconds={seconds}"])
    assert raised.value.code == 2
    assert "allowed are up to 86400 seconds" in capsys.readouterr().err
