from collections.abc import Iterator
from pathlib import Path

import pytest
from mock import Mock
from tests.box.simulator.page.pages import FakePanel, server_of

from shutthebox.simulator.hardware import disk
from shutthebox.simulator.hardware.box import SimulatedBox
from shutthebox.simulator.page.server import PageServer
from shutthebox.simulator.page.transcript import Transcript


@pytest.fixture
def box() -> Iterator[SimulatedBox]:
    with SimulatedBox(9, levers_down=(2,)) as box:
        yield box


@pytest.fixture
def panel() -> FakePanel:
    return FakePanel()


@pytest.fixture
def transcript() -> Transcript:
    return Transcript()


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """The file of what is recorded."""
    return tmp_path / "recording.scn"


@pytest.fixture
def server(
    box: SimulatedBox, panel: FakePanel, transcript: Transcript, recording: Path
) -> Iterator[PageServer]:
    power = Mock(recording=recording, is_recording=False, boxes=())
    with server_of(box, panel, transcript=transcript, power=power) as server:
        yield server
    disk.fill(False)
