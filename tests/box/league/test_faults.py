"""Killed at any moment: nothing is lost or counts twice. `tests.box.league.faults` does it 200 times."""

from pathlib import Path

import pytest
from tests.box.league.faults import run


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_whatever_is_killed_everything_arrives_once(tmp_path: Path) -> None:
    assert run(tmp_path, kills=8, postgresql=None, pause_s=0.5) is None
