"""Power cuts under a real ext4: of nothing that was shown is anything lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.system.virtual_pi import VirtualPi
from tests.system.virtual_pi.project import PROJECT

pytestmark = [pytest.mark.virtual_pi, pytest.mark.timeout(1800)]

FACTS, CUTS, CUTS_TO_PROVE = 60, 220, 60


@pytest.fixture(scope="module")
def card(pi: VirtualPi) -> VirtualPi:
    """A machine that notes what reaches a card."""
    pi.run("modprobe -a loop dm-log-writes")
    pi.copy_in(PROJECT / "tests/support", "/opt/project/tests/support")
    pi.copy_in(Path(__file__).with_name("power_cuts.py"), "/opt/project/power_cuts.py")
    return pi


def cut(pi: VirtualPi, synchronous: str, cuts: int) -> dict[str, Any]:
    paths = {"PYTHONPATH": "/opt/python:/opt/project"}
    command = f"python3 /opt/project/power_cuts.py {synchronous} {FACTS} {cuts}"
    done = pi.run(command, timeout=1500, env=paths)
    report: dict[str, Any] = json.loads(done.out)
    print(f"\nsynchronous {synchronous}: {len(report['wrong'])} of {report['cuts']} cuts went wrong;", report)
    assert report["cuts"] == cuts
    assert report["marks"] == FACTS + 1
    return report


def test_nothing_that_was_shown_is_lost(card: VirtualPi) -> None:
    report = cut(card, "full", CUTS)
    assert not report["wrong"], report["wrong"][:5]
    assert report["flushes"] > FACTS


def test_a_store_that_does_not_sync_is_found_out(card: VirtualPi) -> None:
    assert len(cut(card, "off", CUTS_TO_PROVE)["wrong"]) > CUTS_TO_PROVE / 4
