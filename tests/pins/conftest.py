from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.pins.benches import Bench, make_bench


@pytest.fixture
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with make_bench(request.param, tmp_path) as made:
        yield made
