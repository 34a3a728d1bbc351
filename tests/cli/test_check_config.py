"""A configuration is checked with all that the box would read because of it."""

from pathlib import Path

import pytest
from gpiozero.pins.pi import PiBoardInfo

from shutthebox.cli.check_config import HEADER
from shutthebox.cli.main import main


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
    assert capsys.readouterr().out.startswith(f"{config}: good. traditional on 12 levers, ")


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
