"""An update from packages that people have, by the page's one command, without a terminal.

The box has every extra. Debian 13 lacks gpiozero 2, which Raspberry Pi OS brings: it's the one stand-in.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .control import OWN
from .old_packages import OLD, packages_of
from .pages import blocks, follow, page
from .root import GPIOZERO_DEB, Root, built

pytestmark = [pytest.mark.package, pytest.mark.timeout(900, func_only=True)]

CONFIG = "/etc/shutthebox/config.toml"


def update_command() -> str:
    """The page's one command."""
    (command,) = blocks(page("package.md"), "Update and remove")
    return command


@pytest.mark.parametrize("owners", ["edited", "untouched", "deleted"])
@pytest.mark.parametrize("commit", OLD)
def test_one_command_updates_everything_and_asks_nothing(
    new_root: Callable[[], Root], commit: str, owners: str
) -> None:
    root = new_root()
    config = root.path / CONFIG[1:]
    for folder in ("old", "new"):
        (root.path / folder).mkdir()
    subprocess.run(["tar", "-x", "-f", str(packages_of(commit)), "-C", str(root.path / "old")], check=True)
    # The league is on another machine, and has more than a box's root.
    root.run("sh", "-ec", f"rm /old/shutthebox-league_*; dpkg --install {GPIOZERO_DEB} /old/*.deb")
    if owners == "edited":
        config.write_text(f"{config.read_text()}# mine\n")
    elif owners == "deleted":
        config.unlink()
    before = config.read_bytes() if config.exists() else None
    installed = {name for name in OWN if is_installed(root, name)}
    for name in OWN:
        if name != "shutthebox-web":
            root.put(built(name), f"/new/{built(name).name}")
    follow(root, update_command(), "/new")
    assert not root.run("dpkg", "--audit").stdout
    assert {name for name in OWN if is_installed(root, name)} == {
        *installed, "python3-shutthebox", "python3-luma-spans"
    }  # fmt: skip
    assert root.run("shutthebox", "--version").stdout != "shutthebox 0.1.0\n"
    assert root.run("shutthebox", "check-config").returncode == 0
    assert sorted(path.name for path in config.parent.glob("*")) == (
        [] if owners == "deleted" else ["config.toml"]
    )
    if owners == "edited":
        assert config.read_bytes() == before
        assert config.stat().st_mode & 0o777 == 0o640, "it may have a password in it"
    if owners == "untouched":
        assert all(line.startswith("#") for line in config.read_text().splitlines()), "nobody wrote any of it"
    root.run(
        "dpkg",
        "--purge",
        "python3-shutthebox",
        *(name for name in installed if name.startswith("shutthebox")),
    )
    assert not config.parent.exists()


def is_installed(root: Root, package: str) -> bool:
    done = root.run("dpkg-query", "--show", "--showformat=${db:Status-Status}", package, check=False)
    return done.stdout == "installed"


@pytest.mark.parametrize("package", ["shutthebox", "python3-shutthebox", "python3-luma-spans"])
def test_a_single_package_that_is_updated_takes_no_other_away(
    new_root: Callable[[], Root], package: str, tmp_path: Path
) -> None:
    """As when somebody downloads only what the box is called by."""
    root = new_root()
    on_box = [name for name in OWN if name not in ("shutthebox-web", "shutthebox-league")]
    for name in on_box:
        root.put(built(name), f"/opt/{name}.deb")
    root.run("sh", "-ec", f"dpkg --install {GPIOZERO_DEB} " + " ".join(f"/opt/{name}.deb" for name in on_box))
    tree, newer = tmp_path / "tree", tmp_path / "newer.deb"
    subprocess.run(["dpkg-deb", "--raw-extract", str(built(package)), str(tree)], check=True)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: .*", "Version: 99", control.read_text()))
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", str(tree), str(newer)], check=True)
    root.put(newer, "/opt/newer.deb")
    said = root.run("apt-get", "install", "--simulate", "/opt/newer.deb").stdout
    assert f"Inst {package} " in said
    assert "Remv" not in said
