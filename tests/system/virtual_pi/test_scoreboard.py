"""The scoreboard's units under a real systemd: started by its first visitor, and shut in."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.system.virtual_pi import VirtualPi

pytestmark = [pytest.mark.virtual_pi, pytest.mark.timeout(900)]

SYSTEMD = Path(__file__).resolve().parents[3] / "systemd"
LIGHTTPD = SYSTEMD / "scoreboard"
SHARE = "/usr/share/shutthebox/scoreboard"
PAGE = "<h2>Partie en cours</h2>"
FETCH = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8090/', timeout=90).read().decode())"
UNIT = "shutthebox-scoreboard"


def shown(pi: VirtualPi, key: str) -> str:
    return pi.run(f"systemctl show --value -p {key} {UNIT}").out.strip()


@pytest.fixture(scope="module")
def scoreboard(pi: VirtualPi) -> VirtualPi:
    """The socket started, the service not yet; and a box that has written its scores."""
    for kind in ("service", "socket"):
        pi.copy_in(SYSTEMD / f"{UNIT}.{kind}", f"/usr/lib/systemd/system/{UNIT}.{kind}")
    pi.run(f"mkdir -p {SHARE} /run/shutthebox/scoreboard /var/lib/private/shutthebox")
    pi.copy_in(LIGHTTPD / "lighttpd.conf", f"{SHARE}/lighttpd.conf")
    pi.write("/run/shutthebox/scoreboard/index.html", PAGE)
    pi.run("systemctl daemon-reload")
    pi.run(f"systemctl start {UNIT}.socket", timeout=60)
    return pi


def test_its_first_visitor_starts_it(scoreboard: VirtualPi) -> None:
    assert shown(scoreboard, "ActiveState") == "inactive"
    page = scoreboard.run(f'python3 -c "{FETCH}"', timeout=120)
    assert "Partie en cours" in page.out, scoreboard.run(f"journalctl -u {UNIT} --no-pager").out
    assert shown(scoreboard, "ActiveState") == "active"


def test_it_is_nobody_and_shut_in(scoreboard: VirtualPi) -> None:
    pid = shown(scoreboard, "MainPID")
    assert scoreboard.run(f"stat -c %u /proc/{pid}").out.strip() not in ("", "0")
    namespaces = scoreboard.run(f"readlink /proc/{pid}/ns/net /proc/1/ns/net").out.split()
    assert len(set(namespaces)) == 2
    inside = f"nsenter --target {pid} --mount --net"
    assert scoreboard.run(f"{inside} cat /run/shutthebox/scoreboard/index.html").out
    assert scoreboard.run(f"{inside} touch /run/shutthebox/x", check=False).code != 0
    assert scoreboard.run(f"{inside} ls /var/lib/private/shutthebox", check=False).code != 0
    # Its own loopback is another one: from there not even its own page can be reached.
    assert scoreboard.run(f'{inside} python3 -c "{FETCH}"', check=False, timeout=120).code != 0
