"""Where gpiozero's own tests come from: its source package, by pip, kept for the next time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path


class FetchError(RuntimeError):
    """gpiozero's source package could not be had; the text says why."""


def source() -> Path:
    """gpiozero's source of the version that is installed here: ``gpiozero/`` and ``tests/``."""
    wanted = version("gpiozero")
    named = os.environ.get("GPIOZERO_CACHE")
    cache = Path(named) if named else Path("~/.cache/gpiozero-source").expanduser()
    path = cache / f"gpiozero-{wanted}"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            _download(wanted, Path(folder))
            try:
                (Path(folder) / path.name).rename(path)
            except OSError:  # another run was faster
                if not path.exists():
                    raise
    return path


def _download(wanted: str, folder: Path) -> None:
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
        "--no-binary=gpiozero", f"--dest={folder}", f"gpiozero=={wanted}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    packed = sorted(folder.glob("*.tar.gz"))
    if done.returncode or not packed:
        raise FetchError((done.stderr.strip() or "pip says nothing").splitlines()[-1])
    with tarfile.open(packed[0]) as archive:
        archive.extractall(folder, filter="data")


def lay_out(to: Path) -> None:
    """Puts gpiozero and its tests into a folder, with our fixtures in the place of its own."""
    here = Path(__file__).resolve().parent
    found = source()
    shutil.copytree(found / "gpiozero", to / "gpiozero")
    shutil.copytree(found / "tests", to / "tests")
    if (to / "tests/conftest.py").exists():
        raise FetchError("gpiozero's source package has a conftest.py of its own now: look at it")
    shutil.copy(here / "fixtures.py", to / "tests/conftest.py")
    (to / "pytest.ini").write_text("[pytest]\ntimeout = 600\n")
