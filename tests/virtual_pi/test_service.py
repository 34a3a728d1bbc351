"""The unit, its groups and rules under a real systemd: hardened, and still able to play."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.virtual_pi import VirtualPi

pytestmark = [pytest.mark.virtual_pi, pytest.mark.timeout(900)]

SYSTEMD = Path(__file__).resolve().parents[2] / "systemd"
TILE, LAMP = 17, 19
# A unit with ProtectProc has a /proc of its own, in which the guest is no Pi any more.
DROP_IN = """\
[Service]
Environment=PYTHONPATH=/opt/python
BindReadOnlyPaths=/run/cpuinfo:/proc/cpuinfo
ExecStart=
ExecStart=/usr/bin/python3 /opt/stand_in.py
"""


def until(condition: Callable[[], bool], seconds: float = 30) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    return False


def shown(pi: VirtualPi, key: str) -> str:
    return pi.run(f"systemctl show --value -p {key} shutthebox").out.strip()


@pytest.fixture(scope="module")
def service(pi: VirtualPi) -> VirtualPi:
    """The unit installed and started, with a stand-in for the game in it."""
    pi.copy_in(SYSTEMD / "shutthebox.service", "/usr/lib/systemd/system/shutthebox.service")
    pi.copy_in(SYSTEMD / "shutthebox.sysusers", "/usr/lib/sysusers.d/shutthebox.conf")
    pi.copy_in(SYSTEMD / "60-shutthebox.rules", "/usr/lib/udev/rules.d/60-shutthebox.rules")
    pi.copy_in(Path(__file__).parent / "stand_in.py", "/opt/stand_in.py")
    pi.run("mkdir -p /etc/systemd/system/shutthebox.service.d")
    pi.write("/etc/systemd/system/shutthebox.service.d/stand-in.conf", DROP_IN)
    pi.run("systemd-sysusers && udevadm control --reload && udevadm trigger --settle")
    pi.run("systemctl daemon-reload")
    pi.set_line(TILE, 1)
    started = pi.run("systemctl start shutthebox", check=False, timeout=120)
    assert started.code == 0, pi.run("journalctl -u shutthebox --no-pager").out
    return pi


def test_the_rules_give_the_pins_to_the_group(service: VirtualPi) -> None:
    assert service.run("stat -c '%G %a' /dev/gpiochip0 /dev/i2c-1").out.split("\n")[:2] == [
        "gpio 660",
        "i2c 660",
    ]


def test_it_is_ready_and_not_root(service: VirtualPi) -> None:
    assert shown(service, "ActiveState") == "active"
    pid = shown(service, "MainPID")
    assert service.run(f"stat -c %u /proc/{pid}").out.strip() != "0"


def test_it_plays_and_remembers(service: VirtualPi) -> None:
    pressed = service.set_line(TILE, 0)
    assert until(lambda: service.line(LAMP) == 1), service.run("journalctl -u shutthebox --no-pager").out
    service.set_line(TILE, 1)
    assert until(lambda: service.line(LAMP) == 0)
    notes = service.read("/var/lib/private/shutthebox/notes").decode().split()
    assert notes[1::2] == ["0", "1"]
    assert 0 <= int(notes[0]) - pressed < 1e9


def test_it_reaches_the_display(service: VirtualPi) -> None:
    assert until(lambda: shown(service, "StatusText") == "playing", 60)
    log = service.panel_log()
    assert any(len(write.data) > 1000 for write in log)


def test_its_lines_carry_its_name(service: VirtualPi) -> None:
    assert '"shutthebox"' in service.run("gpioinfo pinctrl-bcm2711").out


def test_a_hang_ends_in_a_restart(service: VirtualPi) -> None:
    before = shown(service, "MainPID")
    service.write("/run/shutthebox/hang", "")
    assert until(lambda: shown(service, "MainPID") not in ("0", before), 60)
    assert until(lambda: shown(service, "ActiveState") == "active", 60)
    assert "watchdog" in service.run("journalctl -u shutthebox --no-pager").out.lower()


def test_it_comes_back_when_it_is_killed(service: VirtualPi) -> None:
    before = shown(service, "MainPID")
    service.run("systemctl kill -s KILL shutthebox")
    assert until(lambda: shown(service, "MainPID") not in ("0", before), 60)
    assert until(lambda: shown(service, "ActiveState") == "active", 60)


def test_it_stops_when_it_is_told_to(service: VirtualPi) -> None:
    service.run("systemctl stop shutthebox", timeout=60)
    assert shown(service, "Result") == "success"
    assert '"shutthebox"' not in service.run("gpioinfo pinctrl-bcm2711").out
