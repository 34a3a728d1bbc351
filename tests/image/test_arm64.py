"""The card's packages on arm64: every scenario and the daemon's tests, by its own Python and libraries."""

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
TEST_LIBRARIES = "python3-pytest,python3-pytest-timeout,python3-hypothesis,python3-mock"
#: The daemon's, and the game's that it plays; but for the one that walks every way there is.
TESTS = ("tests/runtime", "tests/game", "--ignore=tests/game/test_random_hands.py", "--timeout=900")


def chroot(root: Path, *command: str | Path) -> str:
    """Runs a command of the card, and gives what it said."""
    done = subprocess.run(["chroot", root, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def root(folder: Path) -> Iterator[Path]:
    """The card's files, to be entered with chroot; nothing else of this machine is in it."""
    to = folder / "root"
    to.mkdir()
    subprocess.run(["tar", "--extract", "--file", BUILD / "root.tar", "--directory", to], check=True)
    shutil.copytree(PROJECT / "tests/scenarios", to / "scenarios")
    subprocess.run(["mount", "-t", "proc", "proc", to / "proc"], check=True)
    yield to
    subprocess.run(["umount", "--lazy", to / "proc"], check=True)
    shutil.rmtree(to)


def test_every_scenario_comes_out_on_arm64(root: Path) -> None:
    chroot(root, "python3", "-c", REPLAY)


def test_the_daemon_passes_its_tests_on_arm64(root: Path, folder: Path) -> None:
    libraries = folder / "libraries.tar"
    subprocess.run(
        [
            "mmdebstrap", "--quiet", "--variant=extract", "--arch=arm64", f"--include={TEST_LIBRARIES}",
            "trixie", libraries,
        ],
        check=True,
    )  # fmt: skip
    (root / "opt/libraries").mkdir()
    subprocess.run(
        [
            "tar", "--extract", "--file", libraries, "--directory", root / "opt/libraries",
            "--strip-components=5", "./usr/lib/python3/dist-packages",
        ],
        check=True,
    )  # fmt: skip
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PROJECT / "tests", root / "opt/project/tests", ignore=ignored)
    shutil.copy(PROJECT / "pyproject.toml", root / "opt/project")
    said = chroot(
        root, "env", "--chdir=/opt/project", "PYTHONPATH=/opt/libraries:/opt/project", "TZ=UTC",
        "HANG_S=800", "python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow",
        # As on Python 3.13 elsewhere: tests/pythons.
        "-W", "ignore:unclosed database:ResourceWarning", *TESTS,
    )  # fmt: skip
    print(said[-300:])
