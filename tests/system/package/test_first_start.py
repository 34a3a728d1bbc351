"""From a fresh card to a playing box: docs/user-data carried out by the cloud-init of Debian 13."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.system.virtual_pi.table import until

from .control import PROJECT
from .daemon import shown, without_pins
from .root import GPIOZERO_DEB, Root

pytestmark = [pytest.mark.package, pytest.mark.timeout(600, func_only=True)]

USER_DATA = PROJECT / "docs/user-data"
REBOOTS = 133  # how systemd-nspawn ends when the machine inside wants to start again
CONFIG_TXT = "# What was there before.\ndtparam=audio=on\n[cm5]\ndtoverlay=dwc2\n"


@pytest.fixture(scope="module")
def root(new_root: Callable[[], Root], deb: Path, library_debs: list[Path]) -> Root:
    """A card with nothing on it but Debian, gpiozero, and what the guide says to copy there."""
    root = new_root()
    root.run("dpkg", "--install", GPIOZERO_DEB)
    firmware = root.path / "boot/firmware"
    firmware.mkdir()
    (firmware / "config.txt").write_text(CONFIG_TXT)
    shutil.copy(deb, firmware)
    for library in library_debs:
        shutil.copy(library, firmware)
    seed = root.path / "var/lib/cloud/seed/nocloud"
    seed.mkdir(parents=True)
    shutil.copy(USER_DATA, seed / "user-data")
    (seed / "meta-data").write_text("instance-id: box\n")
    without_pins(root)
    return root


def test_cloud_init_knows_every_key(root: Root) -> None:
    done = root.run("cloud-init", "schema", "--config-file", "/var/lib/cloud/seed/nocloud/user-data")
    assert "Valid schema" in done.stdout


def test_the_first_start_ends_in_a_playing_box(root: Root) -> None:
    with root.boot(settled=False) as outside:
        assert outside.wait(120) == REBOOTS, root.read("/var/log/cloud-init-output.log")
    with root.boot():
        assert until(lambda: shown(root, "ActiveState") == "active"), shown(root, "Result")
        assert (root.path / "var/lib/private/shutthebox/box.sqlite3").is_file()
        lines = root.read("/boot/firmware/config.txt")
        assert lines == CONFIG_TXT + (PROJECT / "hardware/config.txt").read_text()
        assert root.run("hostname").stdout == "shutthebox\n"
        assert {"gpio", "i2c", "sudo"} <= set(root.run("id", "-nG", "landlord").stdout.split())
        assert "AAAA-put-your-own-key-here" in root.read("/home/landlord/.ssh/authorized_keys")
