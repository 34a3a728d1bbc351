"""What a command loads: the box has to be up soon, on a slow card."""

import subprocess
import sys
from pathlib import Path

import pytest

from shutthebox.cli.main import main


def loaded(program: str) -> set[str]:
    """The modules that a fresh Python has loaded after a program."""
    shown = f"{program}\nimport sys\nprint(*sys.modules)"
    return set(subprocess.check_output([sys.executable, "-c", shown], text=True).splitlines()[-1].split())


def test_the_daemon_is_ready_without_the_solvers_and_the_simulator() -> None:
    program = """
from shutthebox.cli.main import main
try:
    main(["run", "--help"])
except SystemExit:
    pass
import shutthebox.runtime.daemon
"""
    modules = loaded(program)
    assert {"shutthebox.cli.run", "shutthebox.runtime.daemon", "shutthebox.game.machine"} <= modules
    assert not {m for m in modules if m.startswith("shutthebox.simulator")}
    solvers = {"shutthebox.odds.odds", "shutthebox.odds.win_chances", "shutthebox.odds.one_pass"}
    assert not modules & solvers
    assert {m for m in modules if m.startswith("shutthebox.cli.")} == {
        "shutthebox.cli.main",
        "shutthebox.cli.run",
    }


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
