"""What runs beside the box follows the owner's files."""

from pathlib import Path

import pytest
from tests.support.command import command, printed, refused
from tests.support.stick import put_program

from shutthebox.cli import services

OFF = [
    "stop --no-block shutthebox-scoreboard.socket shutthebox-scoreboard.service",
    "stop --no-block shutthebox-speech.service",
    "stop --no-block shutthebox-uplink.service",
    "stop --no-block shutthebox-link.service",
]
ON = [
    "start --no-block shutthebox-scoreboard.socket",
    "restart --no-block shutthebox-speech.service",
    "restart --no-block shutthebox-uplink.service",
    "restart --no-block shutthebox-link.service",
]


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The box's configuration, on a machine whose systemd writes down what it is asked for."""
    programs = tmp_path / "bin"
    programs.mkdir()
    asked = tmp_path / "asked"
    asked.touch()
    for name in ("systemctl", "espeak-ng", "shutthebox-uplink", "shutthebox-link", "lighttpd"):
        put_program(programs / name, f'echo "$*" >>{asked}')
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(services, "LIGHTTPD", str(programs / "lighttpd"))
    file = tmp_path / "config.toml"
    for module in ("cli.services", "config.schema"):
        monkeypatch.setattr(f"shutthebox.{module}.CONFIG_FILE", file)
    return file


def asked(config: Path) -> list[str]:
    """What systemd has been asked for since the last time."""
    file = config.with_name("asked")
    found = file.read_text().splitlines()
    file.write_text("")
    return found


def test_off_until_wanted(config: Path) -> None:
    assert printed("services") == "scoreboard: off\nvoice: off\nuplink: off\nlink: off\n"
    assert asked(config) == OFF


def test_each_is_wanted_by_itself(config: Path) -> None:
    config.write_text("[scoreboard]\non = true\n")
    printed("services")
    assert asked(config) == [ON[0], *OFF[1:]]
    config.write_text("[speech]\non = true\n")
    printed("services")
    assert asked(config) == [OFF[0], ON[1], *OFF[2:]]
    config.write_text("[link]\non = true\n")
    printed("services")
    assert asked(config) == [*OFF[:3], ON[3]]
    config.unlink()
    for name in ("league.toml", "home-assistant.toml"):
        (config.parent / name).touch()
        printed("services")
        assert asked(config) == [*OFF[:2], ON[2], OFF[3]]
        (config.parent / name).unlink()


def test_what_is_not_installed_is_named(config: Path) -> None:
    config.write_text("[speech]\non = true\n")
    (config.parent / "bin/espeak-ng").unlink()
    assert "voice: on, but espeak-ng is missing; install espeak-ng\n" in printed("services")
    assert asked(config) == [OFF[0], *OFF[2:]]


def test_a_bad_configuration_leaves_all_as_it_is(config: Path) -> None:
    config.write_text("[speech]\non = 1\n")
    assert "speech.on: 1 is not allowed" in refused("services")
    assert asked(config) == []


def test_nobody_else_may(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    refused("services", code=1)
    assert asked(config) == []


def test_what_systemd_refuses_is_no_success(config: Path) -> None:
    """The voice was said to be on, and nobody heard it."""
    put_program(config.parent / "bin/systemctl", '[ "$1" = stop ] || { echo "no such unit" >&2; exit 5; }')
    config.write_text("[speech]\non = true\n")
    said = command("services")
    assert said.code == 1
    assert "voice: on" not in said.out
    assert "restart --no-block shutthebox-speech.service: no such unit" in said.err
    assert "link: off" in said.out, "the others are still seen to"
