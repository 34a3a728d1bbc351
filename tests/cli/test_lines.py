"""Lines of other chips in the configuration."""

from pathlib import Path

import pytest

from shutthebox.cli.main import main
from shutthebox.config.schema import ConfigError, parse_config


def test_lines_of_another_chip_mix_with_the_headers() -> None:
    config = parse_config('[gpio]\nlevers = [4, 17, "mcp23017:3", "/dev/gpiochip2:GPA3"]', "f")
    assert config.gpio.levers == (4, 17, "mcp23017:3", "/dev/gpiochip2:GPA3")


@pytest.mark.parametrize(
    "levers",
    ['"mcp23017:3"', "[]", '["mcp23017"]', '[":3"]', '["x:"]', '["x:1", "x:1"]', "[4, 4]", "[28]", "[true]"],
)
def test_what_is_no_line(levers: str) -> None:
    with pytest.raises(ConfigError, match=r"^f: gpio\.levers: .* is not allowed; allowed is .*chip:line"):
        parse_config(f"[gpio]\nlevers = {levers}", "f")


@pytest.mark.parametrize("backend", ["lgpio", "rpigpio"])
def test_only_gpiod_reaches_other_chips(backend: str) -> None:
    with pytest.raises(ConfigError, match=rf"^f: gpio\.levers\[1\]: .*{backend} cannot reach"):
        parse_config(f'[gpio]\nbackend = "{backend}"\nlevers = [4, "mcp23017:3"]', "f")


def test_the_whole_wiring_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the levers of this box; the service button where there is one."""
    file = tmp_path / "config.toml"
    file.write_text("[box]\nlevers = 2\n[gpio]\nservice = 20\n")
    assert main(["pins", "--config", str(file)]) == 0
    table = """\
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
    assert capsys.readouterr().out == table
    file.write_text("[box]\nlevers = 2\n")
    main(["pins", "--config", str(file)])
    assert capsys.readouterr().out == table.replace("service button   20   38\n", "")
    file.write_text("")
    main(["pins", "--config", str(file)])
    assert capsys.readouterr().out.count("lever ") == 12, "without a number, every line for one"
