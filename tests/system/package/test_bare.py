"""The tools and the league on a bare Debian 13, by the pages' own lines: no gpiozero 2, no pins.

Needs a network, because apt fetches what our packages depend on.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from . import root as roots
from .control import PROJECT
from .root import Root, built

pytestmark = [pytest.mark.package, pytest.mark.timeout(900)]

#: What every Debian has whose owner may use sudo.
BARE = ["systemd", "systemd-sysv", "dbus", "udev", "sudo"]


@pytest.fixture
def bare(tmp_path: Path) -> Root:
    if (why := roots.missing()) is not None:
        pytest.skip(why)
    try:
        tar, openskill = roots.base_with(BARE), roots.openskill()
    except roots.FetchError as error:
        pytest.skip(f"NOT CHECKED, no Debian 13 can be had: {str(error).strip().splitlines()[-1]}")
    root = Root(tmp_path / "root", tar, outside=("--bind-ro=/etc/resolv.conf",))
    (root.path / roots.GPIOZERO_DEB[1:]).unlink()
    for name in ("python3-shutthebox", "shutthebox-league"):
        root.put(built(name), f"/opt/{built(name).name}")
    root.put(openskill, "/opt/python3-openskill_6_all.deb")
    if root.run("apt-get", "update", check=False).returncode:
        pytest.skip("NOT CHECKED: no network")
    return root


def lines_of(page: str, heading: str) -> list[str]:
    """The commands of the first block below a heading."""
    text = (PROJECT / "docs" / page).read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    (block,) = re.findall(r"```(?:sh|console)\n(.*?)```", text, re.DOTALL)[:1]
    return [line.strip().removeprefix("$ ") for line in block.splitlines()]


def walk(root: Root, lines: list[str]) -> str:
    script = "\n".join(line.replace("apt install", "apt install -y") for line in lines)
    return root.run("sh", "-ec", f"cd /opt\n{script}").stdout


def test_the_tools_on_a_desktop(bare: Root) -> None:
    said = walk(bare, lines_of("package.md", "Only the tools"))
    assert "chance to shut" in said
    for command in ("doctor", "sim --no-browser"):
        done = bare.run("sh", "-c", f"shutthebox {command}", check=False)
        assert done.stderr.count("\n") == 1, done.stderr
        assert "is not installed: apt install python3-" in done.stderr


def test_the_league_on_a_server_without_pins(bare: Root) -> None:
    with bare.boot(settled=False):
        walk(bare, lines_of("league.md", "From one box to a league"))
        bare.run(
            "sudo",
            "-u",
            "shutthebox-league",
            "shutthebox-league",
            "found",
            "--host",
            "localhost",
            "--zone",
            "UTC",
        )
        enrolment = "/var/lib/shutthebox-league/league.toml"
        bare.run(
            "sudo",
            "-u",
            "shutthebox-league",
            "shutthebox-league",
            "enrol",
            "lion",
            "--pub",
            "Lion",
            "--to",
            enrolment,
        )
        assert bare.run("stat", "--format=%a", enrolment).stdout == "600\n"
        known = bare.run("systemctl", "list-unit-files", "--no-legend", "shutthebox*").stdout
        assert "shutthebox-league-consumer.service" in known
        assert not re.search(r"^shutthebox\.service", known, re.MULTILINE)
        assert "failed" not in bare.run("systemctl", "is-system-running", check=False).stdout
