"""Lines of other chips in the configuration."""

import pytest

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
