"""A broken configuration: the box plays with the built-in one, a command says what is wrong."""

from pathlib import Path

import pytest

from shutthebox.cli.run import find_config
from shutthebox.config.schema import Config, with_value
from shutthebox.game.faults import Fault


def test_a_broken_configuration_of_the_box_is_not_the_end(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[game]\nplayers = 'many'\n")
    assert find_config(None, path) == (Config(), Fault.CONFIG)
    assert str(path) in caplog.text
    path.write_text("[game]\nprofile = 'unheard-of'\n[gpio]\nlamp = 20\n")
    config, fault = find_config(None, path)
    assert fault is Fault.CONFIG
    assert config == with_value(Config(), "gpio.lamp", 20, "test"), "the wiring was good"
    path.unlink()
    path.mkdir()
    assert find_config(None, path) == (Config(), Fault.CONFIG)
    path.rmdir()
    assert find_config(None, path) == (Config(), None)
