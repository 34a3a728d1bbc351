from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.virtual_pi import VirtualPi, missing
from tests.virtual_pi.project import build_wheel, install


@pytest.fixture(scope="session")
def wheel() -> Iterator[Path]:
    """The project's wheel."""
    with build_wheel() as built:
        yield built


@pytest.fixture(scope="module")
def pi(wheel: Path) -> Iterator[VirtualPi]:
    """A virtual Pi with the project in it."""
    lacking = missing()
    if lacking is not None:
        pytest.skip(lacking)
    with VirtualPi() as machine:
        install(machine, wheel)
        yield machine
