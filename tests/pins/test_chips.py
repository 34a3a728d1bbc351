"""Which device files are GPIO chips."""

from pathlib import Path

import pytest

from gpiozero_gpiod import chips


def test_an_alias_of_a_chip_is_no_other_chip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("gpiochip10", "gpiochip2", "gpiochip0", "gpiochip", "gpiochipX", "gpiomem"):
        (tmp_path / name).touch()
    (tmp_path / "gpiochip4").symlink_to(tmp_path / "gpiochip0")
    monkeypatch.setattr(chips, "DEV", tmp_path)
    assert [path.name for path in chips.paths()] == ["gpiochip0", "gpiochip2", "gpiochip10"]
