"""A small file system, which a test fills."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from . import debian


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Mounts one at this folder, which is made; skips the test where that can't be done.

    Args:
        folder: where it is until the end.
        size: as tmpfs takes it, such as 400k.
    """
    if os.geteuid() != 0:
        pytest.skip("NO DISK IS FILLED: mounting one needs root")
    if lacking := debian.missing("mount"):
        pytest.skip(f"NO DISK IS FILLED: {lacking}")
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"NO DISK IS FILLED: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
