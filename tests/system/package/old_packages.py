"""The packages that people have, built from the history."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.support.history import GIT, reaches_back_to

from .control import PROJECT
from .root import cached

OLD = ("d0536d76", "5d07655a")
"""Commits whose packages were given away as 0.1.0."""

_COMPLETIONS = ("shutthebox.bash", "_shutthebox", "shutthebox.fish")


def packages_of(commit: str) -> Path:
    """A tar with the packages that `make deb` made of an earlier commit."""
    if not reaches_back_to(commit):
        pytest.skip(f"NOT CHECKED: the history here doesn't reach back to {commit}")

    def make(to: Path) -> None:
        source = to.with_suffix(".d") / "source"
        source.mkdir(parents=True)
        try:
            packed = subprocess.run([*GIT, "archive", commit], cwd=PROJECT, capture_output=True, check=True)
            subprocess.run(["tar", "-x", "-C", str(source)], input=packed.stdout, check=True)
            if not (source / "debian").exists():
                shutil.copytree(source / "packaging/debian", source / "debian")
            # What a package has of them is of no account here.
            for name in (*(f"completions/{name}" for name in _COMPLETIONS), "web/index.html"):
                (source / name).parent.mkdir(exist_ok=True)
                (source / name).touch()
            subprocess.run(
                ["nice", "dpkg-buildpackage", "-us", "-uc", "-b", "-d"], cwd=source, check=True,
                capture_output=True, env={**os.environ, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
            )  # fmt: skip
            debs = [path.name for path in source.parent.glob("*.deb")]
            subprocess.run(["tar", "-c", "-f", str(to), "-C", str(source.parent), *debs], check=True)
        finally:
            shutil.rmtree(source.parent, ignore_errors=True)

    return cached(f"packages-{commit}.tar", [commit], make)
