from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.virtual_pi import VirtualPi, missing

PROJECT = Path(__file__).resolve().parents[2]
PACKAGES = "/opt/python"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as it is installed elsewhere."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
         "--wheel-dir", str(folder), str(PROJECT)],
        check=True,
    )  # fmt: skip
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def pi(wheel: Path) -> Iterator[VirtualPi]:
    """A virtual Pi with the project's wheel installed and its tests of pins beside it."""
    lacking = missing()
    if lacking is not None:
        pytest.skip(lacking)
    with VirtualPi() as machine:
        machine.copy_in(wheel, "/opt/shutthebox.whl")
        machine.run(f"python3 -m zipfile -e /opt/shutthebox.whl {PACKAGES}")
        machine.copy_in(PROJECT / "tests/pins", "/opt/project/tests/pins")
        machine.copy_in(PROJECT / "pyproject.toml", "/opt/project/pyproject.toml")
        yield machine
