"""The examples in docstrings do what they say."""

import doctest
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.benches import make_bench
from tests.support.extras import NO_LEARNING, is_importable
from tests.support.fast import fast_among

import shutthebox

PROJECT = Path(shutthebox.__file__).parents[2]
ROOTS = tuple(
    PROJECT / folder
    for folder in (
        "firmware",
        "libraries/gpiozero-gpiod/src",
        "libraries/luma-spans/src",
        "league/uplink/src",
    )
)
FILES = sorted(
    {
        (root, path)
        for root in ROOTS
        for path in root.glob("*/**/*.py")
        if "src" not in path.relative_to(root).parts and ">>>" in path.read_text(encoding="utf-8")
    }
)
MODULES = [".".join(path.relative_to(root).with_suffix("").parts) for root, path in FILES]
ENTRY_POINTS = (
    "shutthebox.runtime.runner.Runner",
    "shutthebox.game.machine.Machine",
    "shutthebox.game.switches.switches.Switches",
    "shutthebox.odds.odds.Odds",
    "gpiozero_gpiod.factory.GpiodFactory",
)


@pytest.fixture
def pins(tmp_path: Path) -> Iterator[None]:
    """Lines that stand in for those of a Pi."""
    with make_bench("gpiod-fake", tmp_path):
        yield


def examples(module: str) -> list[doctest.DocTest]:
    found = doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(module))
    return [test for test in found if test.examples]


@pytest.mark.parametrize("module", fast_among(MODULES, {*MODULES} - {"shutthebox.odds.seats"}))
@pytest.mark.usefixtures("pins")
def test_an_example_does_what_it_says(module: str) -> None:
    if not is_importable(module):
        pytest.skip(NO_LEARNING)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in examples(module):
        told: list[str] = []
        runner.run(test, out=told.append)
        assert not told, "".join(told)


def test_every_entry_point_has_an_example() -> None:
    named = {test.name for module in filter(is_importable, MODULES) for test in examples(module)}
    assert set(ENTRY_POINTS) <= named
