"""The card's own packages on arm64: every scenario, by the Python, Pillow and gpiozero of the card."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.image.machine import BOOT_S, BUILD, PROJECT

pytestmark = [pytest.mark.image, pytest.mark.timeout(4 * BOOT_S)]

#: One process for all, because a start takes longest where every instruction is emulated.
REPLAY = """\
import sys
from pathlib import Path
from shutthebox.cli.main import main

scripts = sorted(Path("/scenarios").glob("*.scn"))
failed = [script.name for script in scripts if main(["replay", str(script)])]
sys.exit(f"failed: {failed}" if failed or not scripts else 0)
"""


@pytest.fixture
def root(folder: Path) -> Iterator[Path]:
    """The card's files, to be entered with chroot; nothing else of this machine is in it."""
    to = folder / "root"
    to.mkdir()
    subprocess.run(["tar", "--extract", "--file", BUILD / "root.tar", "--directory", to], check=True)
    shutil.copytree(PROJECT / "tests/scenarios", to / "scenarios")
    yield to
    shutil.rmtree(to)


def test_every_scenario_comes_out_on_arm64(root: Path) -> None:
    done = subprocess.run(
        ["chroot", root, "python3", "-c", REPLAY], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
