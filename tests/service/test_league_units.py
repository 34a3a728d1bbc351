"""The units of uplink and league, as systemd itself judges them."""

import re
import subprocess
from pathlib import Path

import pytest
from tests.service.test_unit import SYSTEMD, UNIT, needs_systemd, settings

UPLINK = SYSTEMD / "shutthebox-uplink.service"
CONSUMER = SYSTEMD / "shutthebox-league-consumer.service"
REVIEW = SYSTEMD / "shutthebox-league-review.service"
PAGE = SYSTEMD / "shutthebox-league-page.service"
ACL = SYSTEMD / "shutthebox-league-acl.service"
OUTBOX = SYSTEMD / "shutthebox-outbox.conf"


@needs_systemd
def test_the_units_are_sound(tmp_path: Path) -> None:
    units = []
    for unit in (UPLINK, CONSUMER, REVIEW, PAGE, PAGE.with_suffix(".socket"), ACL, ACL.with_suffix(".path")):
        # Their programs are looked for where they will be installed, which is not here.
        units.append(tmp_path / unit.name)
        text = unit.read_text().replace("\\\n", "")
        units[-1].write_text(re.sub("^ExecStart=.*", "ExecStart=/bin/true", text, flags=re.MULTILINE))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *map(str, units)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not [line for line in done.stderr.splitlines() if "shutthebox" in line]
    assert done.returncode == 0, done.stderr


@needs_systemd
@pytest.mark.parametrize(
    ("unit", "most"),
    [(UPLINK, 1.5), (CONSUMER, 1.0), (REVIEW, 1.0), (PAGE, 1.0), (ACL, 2.0)],
    ids=lambda value: str(value),
)
def test_a_unit_may_do_little(unit: Path, most: float) -> None:
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=50", "--no-pager", str(unit)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = re.search(r"exposure level for \S+: ([\d.]+)", done.stdout)
    assert found is not None, done.stderr
    assert float(found[1]) <= most


def test_the_uplink_shares_the_outbox_with_the_box_and_nothing_else() -> None:
    box, dropin, uplink = settings(UNIT), settings(OUTBOX), settings(UPLINK)
    assert uplink["DynamicUser"] == ["yes"]
    assert "User" not in uplink
    assert uplink["SupplementaryGroups"] == dropin["SupplementaryGroups"] == ["shutthebox-outbox"]
    assert uplink["ReadWritePaths"] == dropin["ReadWritePaths"] == ["/var/spool/shutthebox/outbox"]
    assert uplink["InaccessiblePaths"] == ["-/var/lib/private"]
    assert uplink["ProtectSystem"] == ["strict"]
    assert set(box["SupplementaryGroups"][0].split()).isdisjoint(uplink["SupplementaryGroups"])
    # The drop-in gives the box a folder, and no network.
    assert set(dropin) == {"SupplementaryGroups", "Environment", "ReadWritePaths"}


def test_the_league_takes_connections_from_this_machine_only() -> None:
    for unit in (CONSUMER, PAGE):
        found = settings(unit)
        assert found["IPAddressDeny"] == ["any"]
        assert found["User"] == ["shutthebox-league"]
    assert settings(CONSUMER)["IPAddressAllow"] == ["localhost"]


def test_the_page_has_a_socket_for_the_web_server_and_no_network() -> None:
    page, its_socket = settings(PAGE), settings(PAGE.with_suffix(".socket"))
    assert page["PrivateNetwork"] == ["yes"]
    assert page["RestrictAddressFamilies"] == ["AF_UNIX"]
    assert its_socket["ListenStream"] == ["/run/shutthebox-league-page.sock"]
    assert (its_socket["SocketMode"], its_socket["SocketGroup"]) == (["0660"], ["www-data"])
    assert (
        "unix:/run/shutthebox-league-page.sock;" in (SYSTEMD.parent / "league/server/nginx.conf").read_text()
    )
