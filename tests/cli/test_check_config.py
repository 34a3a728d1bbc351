"""A configuration is checked with all that the box would read because of it."""

from pathlib import Path

import pytest
from gpiozero.pins.pi import PiBoardInfo

from shutthebox.cli.check_config import HEADER
from shutthebox.cli.main import main
from shutthebox.config.profiles import builtins


@pytest.fixture
def config(tmp_path: Path) -> Path:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "ours.toml").write_text('name = "ours"\ntitle.en = "Ours"\n')
    file = tmp_path / "config.toml"
    file.write_text(f'[rules]\nfolder = "{rules}"\n[box]\nlevers = 12\n')
    return file


def test_a_good_one(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-config", str(config)]) == 0
    games = sum(game.for_levers(12) is not None for game in builtins()) + 1
    said = capsys.readouterr()
    assert said.out == f"{config}: good. traditional on 12 levers, {games} games fit.\n"
    assert said.err == ""


def test_the_boxs_own(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in ("cli.check_config", "config.schema"):
        monkeypatch.setattr(f"shutthebox.{module}.CONFIG_FILE", config)
    assert main(["check-config"]) == 0
    assert capsys.readouterr().out.startswith(f"{config}: good. traditional on 12 levers, ")
    config.unlink()
    assert main(["check-config"]) == 0
    assert capsys.readouterr().out.startswith("built-in default: good. traditional on 9 levers, ")


def test_header_pins_are_the_pis_own() -> None:
    header = PiBoardInfo.from_revision(0xA02082).headers["J8"]
    lines = {int(pin.name[4:]): pin.number for pin in header.pins.values() if pin.name.startswith("GPIO")}
    assert {line: pin for line, pin in lines.items() if line > 1} == HEADER, "0 and 1 are the board's own"


def test_house_rules_that_the_box_would_leave_out(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = config.parent / "rules/broken.toml"
    broken.write_text('name = "broken"\ndice = 0\n')
    assert main(["check-config", str(config)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"shutthebox: {broken}: dice: 0 is not allowed; allowed is ")
    assert len(said.err.splitlines()) == 1


def test_the_files_for_a_card_or_a_stick(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-config", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path}: good: no file that a box takes.\n"
    (tmp_path / "shutthebox.toml").write_text('[game]\nprofile = "pub"\n')
    (tmp_path / "network.toml").write_text("cable = true\n")
    assert main(["check-config", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path}: good: shutthebox.toml, network.toml.\n"
    (tmp_path / "shutthebox.toml").write_text('[game]\nprofile = "chess"\n')
    (tmp_path / "network.toml").write_text("cable = 1\n")
    assert main(["check-config", str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert [line.partition(": game.")[0].partition(": cable")[0] for line in said.err.splitlines()] == [
        "shutthebox.toml: line 2",
        "network.toml: line 1",
    ]
