"""A configuration is checked with all that the box would read because of it."""

from pathlib import Path

import pytest
from gpiozero.pins.pi import PiBoardInfo
from tests.support.command import command, printed, refused

from shutthebox.cli.check_config import HEADER
from shutthebox.config.profiles import builtins
from shutthebox.rules.profile import Turns


@pytest.fixture
def config(tmp_path: Path) -> Path:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "ours.toml").write_text('name = "ours"\ntitle.en = "Ours"\n')
    file = tmp_path / "config.toml"
    file.write_text(f'[rules]\nfolder = "{rules}"\n[box]\nlevers = 12\n')
    return file


def test_a_good_one(config: Path) -> None:
    listed = [game for game in builtins() if game.for_levers(12) and game.turns is not Turns.TOGETHER]
    games = len(listed) + 1
    said = f"{config}: good. traditional on 12 levers, {games} games fit.\n"
    assert printed("check-config", config) == said


def test_the_boxs_own(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("cli.check_config", "config.schema"):
        monkeypatch.setattr(f"shutthebox.{module}.CONFIG_FILE", config)
    assert printed("check-config").startswith(f"{config}: good. traditional on 12 levers, ")
    config.unlink()
    assert printed("check-config").startswith("built-in default: good. traditional on 9 levers, ")


def test_a_secret_of_the_boxs_own_that_everybody_can_read_is_named(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("cli.check_config", "config.schema"):
        monkeypatch.setattr(f"shutthebox.{module}.CONFIG_FILE", config)
    key = config.with_name("league.toml")
    for file in (config, key):
        file.touch()
        file.chmod(0o644)
    said = "everybody here can read it, until the box is restarted"
    assert printed("check-config").splitlines()[:-1] == [f"{key}: {said}"], "no secret in the settings"
    with config.open("a") as settings:
        settings.write('[link]\npassword = "x"\n')
    assert printed("check-config").splitlines()[:-1] == [f"{key}: {said}", f"{config}: {said}"]
    assert said not in printed("check-config", config), "whoever tries a file of their own"
    for file in (config, key):
        file.chmod(0o640)
    assert said not in printed("check-config")


def test_header_pins_are_the_pis_own() -> None:
    header = PiBoardInfo.from_revision(0xA02082).headers["J8"]
    lines = {int(pin.name[4:]): pin.number for pin in header.pins.values() if pin.name.startswith("GPIO")}
    assert {line: pin for line, pin in lines.items() if line > 1} == HEADER, "0 and 1 are the board's own"


def test_house_rules_that_the_box_would_leave_out(config: Path) -> None:
    broken = config.parent / "rules/broken.toml"
    broken.write_text('name = "broken"\ndice = 0\n')
    assert refused("check-config", config).startswith(f"shutthebox: {broken}: dice: 0 is not allowed; use ")


def test_the_files_for_a_card_or_a_stick(tmp_path: Path) -> None:
    assert printed("check-config", tmp_path) == f"{tmp_path}: good: no files a box reads.\n"
    (tmp_path / "shutthebox.toml").write_text('[game]\nprofile = "pub"\n')
    (tmp_path / "network.toml").write_text("cable = true\n")
    assert printed("check-config", tmp_path) == f"{tmp_path}: good: shutthebox.toml, network.toml.\n"
    (tmp_path / "shutthebox.toml").write_text('[game]\nprofile = "chess"\n')
    (tmp_path / "network.toml").write_text("cable = 1\n")
    said = command("check-config", tmp_path)
    assert (said.code, said.out) == (2, "")
    first, second = said.err.splitlines()
    assert first.startswith("shutthebox.toml: line 2: game.")
    assert second.startswith("network.toml: line 1: cable: ")


WIRING = """\
signal          BCM  pin
lever 1           4    7
lever 2          17   11
dice button      12   32
buzzer           18   12
button lamp      19   35
service button   20   38
display SDA       2    3
display SCL       3    5
"""


def test_the_whole_wiring_table(tmp_path: Path) -> None:
    """Only the levers of this box; the service button where there is one."""
    file = tmp_path / "config.toml"
    file.write_text("[box]\nlevers = 2\n[gpio]\nservice = 20\n")
    assert printed("pins", "--config", file) == WIRING
    file.write_text("[box]\nlevers = 2\n")
    assert printed("pins", "--config", file) == WIRING.replace("service button   20   38\n", "")
    file.write_text('[gpio]\ninverted = [9, "roll"]\n[display]\ninterface = "spi"\n')
    assert printed("check-config", file).startswith(f"{file}: good.")
    rows = printed("pins", "--config", file).splitlines()
    assert (rows[9], rows[13]) == ("lever 9           6   31, inverted", "dice button      12   32, inverted")
    assert rows[-5:] == [
        "display data     10   19",
        "display clock    11   23",
        "display enable    8   24",
        "display DC        9   21",
        "display reset     7   26",
    ]
    file.write_text("")
    assert printed("pins", "--config", file).count("lever ") == 12, "without a number, every line for one"


def test_a_folder_with_more_mistakes_than_are_listed_says_so(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    for number in range(25):
        (rules / f"game-{number}.toml").write_text("dice = 0\n")
    *mistakes, last = command("check-config", tmp_path).err.splitlines()
    assert (len(mistakes), last) == (20, "stopped at 20 mistakes; there may be more")


@pytest.mark.parametrize("shown", ["off", "match"])
def test_house_rules_say_that_their_stakes_are_not_shown(shown: str, tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "friday.toml").write_text('like = "golf"\nstakes = "loser-pays-match"\n')
    (rules / "sunday.toml").write_text('like = "golf"\n')
    (tmp_path / "shutthebox.toml").write_text(f'[game]\nstakes = "{shown}"\n')
    file = tmp_path / "box.toml"
    file.write_text(f'[game]\nstakes = "{shown}"\n[rules]\nfolder = "{rules}"\n')
    for checked in (tmp_path, file):
        said = printed("check-config", checked)
        assert ('friday: the box shows no stakes, as [game] stakes is "off"' in said) == (shown == "off")
        assert "sunday" not in said.replace("sunday.toml", "")
