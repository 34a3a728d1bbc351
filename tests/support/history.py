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


def commit_of_release(version: str) -> str | None:
    """The commit that set the box's version to this one; None if the history doesn't have it."""
    if not is_clone():
        return None
    path = "firmware/shutthebox/__init__.py"
    asked = [*GIT, "log", "--reverse", "--format=%H", f'-S__version__ = "{version}"', "--", path]
    done = subprocess.run(asked, cwd=PROJECT, capture_output=True, text=True, check=True)
    return next(iter(done.stdout.split()), None)


def archive(commit: str, *paths: str) -> bytes | None:
    """A tar with these paths as of a commit; None if the history doesn't have it."""
    if not commit or not reaches_back_to(commit):
        return None
    asked = [*GIT, "archive", commit, *paths]
    return subprocess.run(asked, cwd=PROJECT, capture_output=True, check=True).stdout
