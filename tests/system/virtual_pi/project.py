"""The project as it is installed elsewhere, for the virtual Pi."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .image import PACKAGES_IN_GUEST
from .machine import VirtualPi

PROJECT = Path(__file__).resolve().parents[3]


@contextmanager
def build_wheels() -> Iterator[list[Path]]:
    """Builds the wheels of the box and of its two libraries, in a folder that is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="wheel-") as folder:
        subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
             "--wheel-dir", folder, str(PROJECT), str(PROJECT / "libraries/gpiozero-gpiod"),
             str(PROJECT / "libraries/luma-spans")],
            check=True,
        )  # fmt: skip
        yield sorted(Path(folder).glob("*.whl"))


def install(pi: VirtualPi, wheels: list[Path]) -> None:
    """Installs the wheels beside the guest's libraries, and the tests of pins in /opt/project."""
    for wheel in wheels:
        pi.copy_in(wheel, f"/opt/wheels/{wheel.name}")
    # Compiled at once, as a package is: the unit's own user may not write here.
    pi.run(
        f"cd {PACKAGES_IN_GUEST} && for wheel in /opt/wheels/*; do python3 -m zipfile -e $wheel .; done && "
        "python3 -m compileall -q shutthebox gpiozero_gpiod luma_spans",
        timeout=600,
    )
    for name in ("unit/pins", "support/benches.py", "support/fake_gpiod.py"):
        pi.copy_in(PROJECT / "tests" / name, f"/opt/project/tests/{name}")
    pi.copy_in(PROJECT / "pyproject.toml", "/opt/project/pyproject.toml")
