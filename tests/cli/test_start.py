"""The modules that a command loads: the box has to be ready soon, on a slow card."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.command import printed
from tests.support.open_files import open_files


def loaded(program: str) -> set[str]:
    """The modules that a fresh Python has loaded after a program."""
    shown = f"{program}\nimport sys\nprint(*sys.modules)"
    return set(subprocess.check_output([sys.executable, "-c", shown], text=True).splitlines()[-1].split())


READY = """
import gc, os, sys
from gpiozero.pins.mock import MockFactory
from shutthebox.adapters import gpio, systemd
from shutthebox.runtime import runner

def show(*shown):
    print(*shown, flush=True)
    os._exit(0)

gpio.open_factory = lambda backend: MockFactory()
{place}
from shutthebox.cli.main import main
main(["run", "--config", "box.toml"])
"""


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a configuration."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "box.toml").write_text(f'[box]\nlevers = 9\n[store]\nfolder = "{tmp_path}"\n')


@pytest.mark.slow
@pytest.mark.usefixtures("box")
def test_a_box_that_plays_for_months_collects_its_garbage() -> None:
    assert loaded(READY.format(place="runner.loop = lambda *anything: show(gc.isenabled())")) == {"True"}


@pytest.mark.usefixtures("box")
def test_the_daemon_is_ready_without_the_simulator_and_other_commands() -> None:
    modules = loaded(READY.format(place="systemd.Systemd.ready = lambda self: show(*sys.modules)"))
    assert {"shutthebox.cli.run", "shutthebox.adapters.store.database", "shutthebox.game.machine"} <= modules
    assert not {module for module in modules if module.startswith("shutthebox.simulator")}
    assert {m for m in modules if m.startswith("shutthebox.cli.")} == {
        "shutthebox.cli.main",
        "shutthebox.cli.parser",
        "shutthebox.cli.run",
    }


def test_the_game_begins_without_the_solvers() -> None:
    modules = loaded("import shutthebox.runtime.runner, shutthebox.adapters.odds_worker")
    assert "shutthebox.game.machine" in modules
    odds = {module for module in modules if module.startswith("shutthebox.odds.")}
    assert odds <= {
        f"shutthebox.odds.{name}" for name in ("worths", "strengths", "questions", "puzzles", "fairness")
    }


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in the place of an I2C bus."""
    path, opened = tmp_path / "i2c-32", os.open
    path.touch()

    def opens(name: str | Path, flags: int, mode: int = 0o777) -> int:
        return opened(path if name == "/dev/i2c-32" else name, flags, mode)

    monkeypatch.setattr(os, "open", opens)
    return path


CONFIG = '[display]\ncontroller = "sh1106"\nbus = 32\naddress = 0x3D\n'


@pytest.mark.parametrize(("result", "pause_s"), [("success", [1.5]), (None, [])])
def test_the_display_is_switched_off_after_the_goodbye_could_be_read(
    result: str | None, pause_s: list[float], bus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a crash there is no goodbye, and no wait."""
    slept: list[float] = []
    chosen: list[tuple[int, int]] = []
    monkeypatch.setattr("time.sleep", slept.append)
    monkeypatch.setattr("fcntl.ioctl", lambda file, request, address: chosen.append((request, address)))
    if result is None:
        monkeypatch.delenv("SERVICE_RESULT", raising=False)
    else:
        monkeypatch.setenv("SERVICE_RESULT", result)
    (tmp_path / "config.toml").write_text(CONFIG)
    before = open_files()
    assert printed("blank", "--config", tmp_path / "config.toml") == ""
    assert bus.read_bytes() == b"\x00\xae"
    assert chosen == [(0x0703, 0x3D)]
    assert slept == pause_s
    assert open_files() == before
