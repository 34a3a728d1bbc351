"""A configuration that is none is refused in one line, with any content."""

import pytest

from shutthebox.config.schema import ConfigError, parse_config

HOSTILE = {
    "a number of 999 digits": "[game]\nplayers = " + "9" * 980,
    "a hexadecimal number": "[game]\nplayers = 0x" + "f" * 980,
    "a number of 5000 digits": "[game]\nplayers = " + "9" * 5000,
    "a dotted key": "[game]\nplayers." + ".".join(["a"] * 450) + " = 1",
    "a dotted key without end": "[game]\nplayers." + ".".join(["a"] * 30_000) + " = 1",
    "nested lists": "[game]\nplayers = " + "[\n" * 5000,
    "a line feed in a key": '[game]\n"a\\nb" = 1',
    "a line feed in a section": '["a\\nb"]\nc = 1',
    "a line feed outside a section": '"a\\nb" = 1',
    "a long key": "[game]\n" + "k" * 900 + " = 1",
    "half a line": "[game",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_fail__hostile_files(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_config(text, "config.toml")
    assert str(caught.value).startswith("config.toml: ")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400
