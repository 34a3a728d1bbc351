from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.system.virtual_pi import VirtualPi, missing
from tests.system.virtual_pi.project import build_wheels, install


@pytest.fixture(scope="session")
def wheels() -> Iterator[list[Path]]:
    with build_wheels() as built:
        yield built


@pytest.fixture(scope="module")
def pi(wheels: list[Path]) -> Iterator[VirtualPi]:
    lacking = missing()
    if lacking is not None:
        pytest.skip(lacking)
    with VirtualPi() as machine:
        install(machine, wheels)
        yield machine
