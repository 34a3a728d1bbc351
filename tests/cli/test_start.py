"""The modules that a command loads: the box has to be ready soon, on a slow card."""

import subprocess
import sys
from pathlib import Path

import pytest

from shutthebox.cli.main import main


def loaded(program: str) -> set[str]:
    """The modules that a fresh Python has loaded after a program."""
    shown = f"{program}\nimport sys\nprint(*sys.modules)"
    return set(subprocess.check_output([sys.executable, "-c", shown], text=True).splitlines()[-1].split())


READY = """
import os, sys
from gpiozero.pins.mock import MockFactory
from shutthebox.adapters import gpio, systemd

def ready(self):
    print(*sys.modules, flush=True)
    os._exit(0)

gpio.open_factory, systemd.Systemd.ready = lambda backend: MockFactory(), ready
from shutthebox.cli.main import main
main(["run", "--config", "box.toml"])
"""


def test_the_daemon_is_ready_without_the_simulator_and_other_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "box.toml").write_text(f'[box]\nlevers = 9\n[store]\nfolder = "{tmp_path}"\n')
    modules = loaded(READY)
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
    assert not modules & {"shutthebox.odds.odds", "shutthebox.odds.win_chances", "shutthebox.odds.one_pass"}


@pytest.mark.parametrize("command", ["run", "stats", "export", "check-config", "pins", "blank"])
def test_a_command_is_found_wherever_it_lives(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert f"shutthebox {command} " in capsys.readouterr().out


def test_a_box_without_a_display_has_nothing_to_switch_off(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[display]\ncontroller = "none"\n')
    assert main(["blank", "--config", str(config)]) == 0
