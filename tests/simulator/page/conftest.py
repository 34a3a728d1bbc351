from collections.abc import Iterator

import pytest
from tests.simulator.page.pages import FakePanel

from shutthebox.simulator.hardware.box import SimulatedBox, default_lever_lines
from shutthebox.simulator.page.server import PageServer


@pytest.fixture
def box() -> Iterator[SimulatedBox]:
    with SimulatedBox(default_lever_lines(9), levers_down=(2,)) as box:
        yield box


@pytest.fixture
def panel() -> FakePanel:
    return FakePanel()


@pytest.fixture
def server(box: SimulatedBox, panel: FakePanel) -> Iterator[PageServer]:
    with PageServer(box, panel) as server:
        yield server
