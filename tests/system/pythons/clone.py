"""A copy of the project for a Debian, as anybody gets one."""

import subprocess
from pathlib import Path

from tests.system.package.root import Root

PROJECT = Path(__file__).resolve().parents[3]


def clone(root: Root, folder: str) -> None:
    """Clones the last commit into a folder of a Debian, and says so if there are changes since."""
    changed = subprocess.run(
        ["git", "-C", str(PROJECT), "status", "--porcelain"], check=True, capture_output=True, text=True
    ).stdout
    if changed:
        print(f"NOT in it: {len(changed.splitlines())} files that are not committed", flush=True)
    to = root.path / folder[1:]
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(PROJECT), str(to)], check=True)
