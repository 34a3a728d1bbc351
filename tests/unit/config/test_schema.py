"""The configuration's keys: refusals, with a guess at the right key."""

from pathlib import Path

import pytest

from shutthebox.config import schema
from shutthebox.config.schema import (
    Config,
    ConfigError,
    parse_config,
    with_value,
)
from shutthebox.game.switches.switch import BUTTONS, DICE_BUTTON, SERVICE_BUTTON

*SOME, LAST = (f'"{row.key}"' for row in BUTTONS.values())
"""The keys of the buttons."""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[game]\nplayer = 2",
            "game.player: unknown key; did you mean 'players'? use one of profile,",
        ),
        (
            "[game]\nlanguage = 'fr'",
            "game.language: unknown key; did you mean it in [box]? use one of ",
        ),
        ("[gmae]\nplayers = 2", "gmae.players: unknown section; did you mean 'game'? sections are [game], "),
        ("[zzz]\nplayers = 2", "zzz.players: unknown section; sections are [game], "),
        ("[box]\nlanguage = 'xx'", "box.language: 'xx' is not allowed; use one of \"en\", "),
    ],
)
def test_fail__a_slip_of_the_pen(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_config(text, "config.toml")
    assert f"config.toml: {said}" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "players = 2",
            "players: is outside a section; did you mean it in [game]? sections are [game], [box], "
            "[rules], [gpio], [display], [scoreboard], [speech], [store], [outbox], [tournament], "
            "[link]",
        ),
        ("box = 9", "box: is a section; use [box] above its keys"),
        ("[game", "not valid TOML: Expected ']' at the end of a table declaration (at end of document)"),
        (
            "[rules]\nfolder = 1",
            "rules.folder: 1 is not allowed; use one line of text, at most 200 characters",
        ),
        (
            "[rules]\nfoldr = 1",
            "rules.foldr: unknown key; did you mean 'folder'? use one of folder",
        ),
        ("[display]\nrotate = 90", "display.rotate: 90 is not allowed; use 0 or 180"),
        ("[gpio]\nroll = 4", "gpio.roll: line 4 is taken by gpio.levers[0]; use a free one"),
        (
            '[gpio]\nroll = "mcp23017:3"\nlevers = [4, "mcp23017:3"]',
            "gpio.roll: line mcp23017:3 is taken by gpio.levers[1]; use a free one",
        ),
        (
            '[gpio]\nbackend = "rpigpio"\nservice = "mcp23017:3"',
            'gpio.service: "mcp23017:3" is on another chip, which rpigpio can\'t reach; use a BCM '
            'line, or backend = "gpiod"',
        ),
        (
            '[gpio]\nlamp = "mcp23017:3"',
            "gpio.lamp: 'mcp23017:3' is not allowed; use a whole number from 2 to 27; an output is on "
            "the header",
        ),
        (
            "[display]\naddress = 0x78",
            "display.address: 0x78 is not allowed; use a whole number from 0x08 to 0x77; 0x78 on the "
            "module is 0x3C here",
        ),
        (
            "[display]\naddress = 0x7A",
            "display.address: 0x7A is not allowed; use a whole number from 0x08 to 0x77; 0x7A on the "
            "module is 0x3D here",
        ),
        (
            "[display]\naddress = 3",
            "display.address: 0x03 is not allowed; use a whole number from 0x08 to 0x77",
        ),
        (
            "[gpio]\nservice = 21",
            "gpio.service: line 21 is taken by the shutdown button (config.txt); use a free one",
        ),
        (
            "[gpio]\nlevers = [4, 21]",
            "gpio.levers[1]: line 21 is taken by the shutdown button (config.txt); use a free one",
        ),
        (
            "[gpio]\ninverted = [3, 3]",
            "gpio.inverted: [3, 3] is not allowed; use a list of distinct levers from 1 to 54, "
            f"{', '.join(SOME)} and {LAST}",
        ),
        (
            "[gpio]\ninverted = [13]",
            "gpio.inverted: 13 is not allowed; use the levers of gpio.levers, 1 to 12",
        ),
        (
            '[gpio]\ninverted = ["service"]',
            'gpio.inverted: "service" has no line; use it with gpio.service set',
        ),
        (
            '[display]\ninterface = "spi"\n[gpio]\nlevers = [9]',
            "display.dc: line 9 is taken by gpio.levers[0]; use a free one",
        ),
        (
            '[display]\ninterface = "spi"\n[gpio]\nlevers = [8]',
            "gpio.levers[0]: line 8 is taken by display (SPI chip enable); use a free one",
        ),
        ("[display]\nreset = 4", "display.reset: line 4 is taken by gpio.levers[0]; use a free one"),
        ("[gpio]\nbuzzer = 2", "gpio.buzzer: line 2 is taken by display (I2C data); use a free one"),
        ("[gpio]\nlevers = [4, 12]", "gpio.roll: line 12 is taken by gpio.levers[1]; use a free one"),
        (
            '[gpio]\nbackend = "lgpio"\nlevers = [4, "mcp23017:3"]',
            'gpio.levers[1]: "mcp23017:3" is on another chip, which lgpio can\'t reach; use a BCM '
            'line, or backend = "gpiod"',
        ),
    ],
)
def test_fail__a_complaint_is_one_line(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_config(text, "box.toml")
    assert str(caught.value) == f"box.toml: {complaint}"


def test_lines_of_another_chip_mix_with_the_headers() -> None:
    lines = 'levers = [4, 17, "mcp23017:3", "/dev/gpiochip2:GPA3"]\nroll = "mcp23017:4"\nservice = "0:40"'
    gpio = parse_config(f"[gpio]\n{lines}", "f").gpio
    assert gpio.levers == (4, 17, "mcp23017:3", "/dev/gpiochip2:GPA3")
    assert (gpio.roll, gpio.service) == ("mcp23017:4", "0:40")


@pytest.mark.parametrize("levers", ["[]", '["mcp23017"]', '[":3"]', '["x:"]', '["x:1", "x:1"]', "[28]"])
def test_what_is_no_line(levers: str) -> None:
    with pytest.raises(ConfigError, match=r"^f: gpio\.levers: .* is not allowed; use .*chip:line"):
        parse_config(f"[gpio]\nlevers = {levers}", "f")


@pytest.mark.parametrize("key", ["roll", "service"])
@pytest.mark.parametrize("line", ['"mcp23017"', '":3"', '"x:"', '" x:1"', "28", "true"])
def test_what_is_no_line_of_a_button(key: str, line: str) -> None:
    with pytest.raises(ConfigError, match=rf"^f: gpio\.{key}: .* is not allowed; use .*chip:line"):
        parse_config(f"[gpio]\n{key} = {line}", "f")


STORED = with_value(Config(), "store.folder", "/pub/store", "test")


@pytest.mark.parametrize(
    ("config", "environment", "state", "simulated", "scores"),
    [
        (Config(), {}, "/home/x/.local/state/shutthebox", "simulator", None),
        (Config(), {"XDG_STATE_HOME": "/xdg"}, "/xdg/shutthebox", "simulator", None),
        (
            Config(),
            {"STATE_DIRECTORY": "/var/lib/box:/var/lib/other", "XDG_STATE_HOME": "/xdg"},
            "/var/lib/box",
            "simulator",
            None,
        ),
        (STORED, {"STATE_DIRECTORY": "/var/lib/box"}, "/pub/store", "", None),
        (STORED, {"RUNTIME_DIRECTORY": "/run/box:/run/other"}, "/pub/store", "", "/run/box"),
    ],
)
def test_folders(
    config: Config,
    environment: dict[str, str],
    state: str,
    simulated: str,
    scores: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("STATE_DIRECTORY", "RUNTIME_DIRECTORY", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/x", **environment}.items():
        monkeypatch.setenv(name, value)
    assert config.state_folder == Path(state)
    assert config.simulator_folder == Path(state, simulated)
    assert config.scores_folder == Path(scores or state)


def test_the_outbox_is_where_the_owner_says_or_the_uplink_or_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured = with_value(Config(), "outbox.folder", "/pub/outbox", "test")
    monkeypatch.delenv("SHUTTHEBOX_OUTBOX", raising=False)
    assert (Config().outbox_folder, configured.outbox_folder) == (None, Path("/pub/outbox"))
    monkeypatch.setenv("SHUTTHEBOX_OUTBOX", "/var/spool/uplink")
    monkeypatch.setattr(schema, "CONFIG_FILE", tmp_path / "config.toml")
    assert Config().outbox_folder is None, "nobody wants the matches"
    (tmp_path / "league.toml").touch()
    assert (Config().outbox_folder, configured.outbox_folder) == (
        Path("/var/spool/uplink"),
        Path("/pub/outbox"),
    )


def test_a_lever_may_have_the_lines_of_a_panel_on_spi_where_there_is_none() -> None:
    config = parse_config("[gpio]\nlevers = [7, 8, 9, 10, 11]", "here")
    assert config.display.lines == {}
    spi = parse_config('[display]\ninterface = "spi"', "here")
    assert spi.display.lines == {"dc": 9, "reset": 7}
    none = parse_config('[display]\ninterface = "spi"\ncontroller = "none"\n[gpio]\nlevers = [7, 9]', "here")
    assert none.display.lines == {}


def test_inverted_switches_are_named_as_a_maker_sees_them() -> None:
    config = parse_config('[gpio]\ninverted = [3, "roll", "service"]\nservice = 20', "here")
    assert config.gpio.inverted_switches == {3, DICE_BUTTON, SERVICE_BUTTON}
