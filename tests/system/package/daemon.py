"""The box's service in a Debian of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.system.virtual_pi.table import until

from .root import Root

STATE = "/var/lib/private/shutthebox"
SERVICES = "shutthebox-services.service"

DROP_IN = """\
[Unit]
ConditionPathExistsGlob=
[Service]
ExecStart=
ExecStart=/usr/bin/python3 /opt/no_pins.py
"""


def shown(root: Root, key: str) -> str:
    return root.run("systemctl", "show", "--value", f"--property={key}", "shutthebox").stdout.strip()


def is_up(root: Root) -> bool:
    """Whether the box's service is active."""
    return shown(root, "ActiveState") == "active"


def restart(root: Root) -> None:
    """Restarts the box's service.

    Now and then systemd 257 can't do so at once, because the old control group is still there
    (systemd/systemd#41278); the unit's own `Restart=` does it two seconds later.
    """
    root.run("systemctl", "restart", "shutthebox", check=False)
    assert until(lambda: is_up(root)), journal(root, "-u", "shutthebox")


def journal(root: Root, *options: str) -> str:
    return root.run("journalctl", "--no-pager", *options).stdout


def matches_begun(root: Root) -> int:
    first = root.run("shutthebox", "stats", "--state", "/var/lib/shutthebox").stdout.splitlines()[0]
    return int(first.split()[4])


def without_pins(root: Root) -> None:
    """From the next start on the unit runs a program that needs no chip."""
    root.put(Path(__file__).with_name("no_pins.py"), "/opt/no_pins.py")
    drop_in = root.path / "etc/systemd/system/shutthebox.service.d/no-pins.conf"
    drop_in.parent.mkdir(exist_ok=True)
    drop_in.write_text(DROP_IN)


def as_nobody(root: Root, *command: str) -> subprocess.CompletedProcess[str]:
    """Runs a command as another user of this machine."""
    return root.run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command, check=False)


def active(root: Root, unit: str) -> bool:
    """Whether a unit is active."""
    return root.run("systemctl", "is-active", unit, check=False).stdout == "active\n"
