"""Power cuts under a real ext4: of nothing that was shown is anything lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.virtual_pi import VirtualPi, image
from tests.virtual_pi.project import PROJECT

pytestmark = [pytest.mark.virtual_pi, pytest.mark.timeout(1800)]

MODULES = ("dm-log-writes",)
FACTS, CUTS, CUTS_TO_PROVE = 60, 220, 60


def modules() -> list[Path]:
    """The kernel's modules for it, in the order in which they have to be loaded."""
    version = image.kernel_version()

    def make(to: Path) -> None:
        to.mkdir()
        image._run("apt-get", "download", f"linux-image-{version}", cwd=to)
        (deb,) = to.glob("*.deb")
        image._run("dpkg-deb", "-x", deb, to / "deb")
        image._run("depmod", "-b", to / "deb", version)
        for module in MODULES:
            needed = image._run("modprobe", "-S", version, "-d", to / "deb", "--show-depends", module)
            for line in needed.splitlines():
                if line.startswith("insmod "):
                    path = Path(line.split()[1])
                    if not (found := list(to.glob(f"*-{path.name}"))):
                        shutil.copy(path, to / f"{len(list(to.glob('*.ko'))):02}-{path.name}")
                    assert len(found) <= 1
        shutil.rmtree(to / "deb")
        deb.unlink()

    return sorted(image._stage("power-cuts", [version, MODULES], make).glob("*.ko"))


@pytest.fixture(scope="module")
def card(pi: VirtualPi) -> VirtualPi:
    """A machine that notes what reaches a card."""
    pi.run("modprobe loop")
    for path in modules():
        pi.copy_in(path, f"/run/modules/{path.name}")
        pi.run(f"insmod /run/modules/{path.name}")
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
