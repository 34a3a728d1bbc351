"""Which device files are GPIO chips, and which chip a name means."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from gpiozero.exc import PinInvalidPin
from tests.support.fake_gpiod import FakeKernel

from gpiozero_gpiod import chips


def test_an_alias_of_a_chip_is_no_other_chip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("gpiochip10", "gpiochip2", "gpiochip0", "gpiochip", "gpiochipX", "gpiomem"):
        (tmp_path / name).touch()
    (tmp_path / "gpiochip4").symlink_to(tmp_path / "gpiochip0")
    monkeypatch.setattr(chips, "DEV", tmp_path)
    assert [path.name for path in chips.paths()] == ["gpiochip0", "gpiochip2", "gpiochip10"]


@pytest.fixture
def two(tmp_path: Path) -> Iterator[FakeKernel]:
    """Two expanders of a kind on one bus, and one on another."""
    kernel = FakeKernel(tmp_path)
    with ExitStack() as stack:
        for patch in kernel.patches():
            stack.enter_context(patch)
        for device in ("1-0020", "1-0021", "3-0027"):
            kernel.put_on_i2c(kernel.add("mcp23017", 16), device)
        yield kernel


@pytest.mark.parametrize("name", ["mcp23017@0x21", "mcp23017@33", "mcp23017@1-0021"])
def test_one_of_two_expanders_is_named_by_its_address(two: FakeKernel, name: str) -> None:
    """The numbers of chips change from one start to the next."""
    assert chips.open_named(name).path == f"{two.folder}/gpiochip1"


def test_the_names_that_stay_are_said_where_a_label_is_not_enough(two: FakeKernel) -> None:
    with pytest.raises(PinInvalidPin) as caught:
        chips.open_named("mcp23017")
    first, second = (f"'mcp23017@0x2{n}' ({two.folder}/gpiochip{n})" for n in range(2))
    assert f"called 'mcp23017': {first}, {second}, " in str(caught.value)


@pytest.mark.parametrize("name", ["mcp23017@0x22", "mcp23017@", "mcp23017@x", "pcf8574@0x21", "@0x21"])
def test_no_chip_is_guessed(two: FakeKernel, name: str) -> None:
    with pytest.raises(PinInvalidPin, match="no GPIO chip called"):
        chips.open_named(name)


def test_an_expander_that_is_gone_is_not_the_other_one(two: FakeKernel) -> None:
    found = chips.PluggedChip(chips.open_named("mcp23017@0x20"))
    two.unplug("mcp23017")
    assert not found.reopen(), "the others are still there"
    two.put_on_i2c(two.plug_in("mcp23017", 16, 7), "1-0020")
    assert found.reopen()
    assert found.path == f"{two.folder}/gpiochip7"
