"""The project's history, which isn't everywhere: an archive has none, and a clone may be shallow."""

import shutil
import subprocess
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
#: A checkout may belong to another user, as in a container.
GIT = ("git", "-c", "safe.directory=*")


def is_clone() -> bool:
    """Whether git is here, and knows this folder."""
    return shutil.which("git") is not None and (PROJECT / ".git").exists()


def reaches_back_to(commit: str) -> bool:
    """Whether the history has this commit."""
    if not is_clone():
        return False
    asked = [*GIT, "cat-file", "-e", commit]
    return subprocess.run(asked, cwd=PROJECT, capture_output=True, check=False).returncode == 0
