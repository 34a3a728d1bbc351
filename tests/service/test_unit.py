"""The unit, as systemd itself judges it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tests.support import debian

SYSTEMD = Path(__file__).resolve().parents[2] / "systemd"
UNIT = SYSTEMD / "shutthebox.service"
SCOREBOARD = SYSTEMD / "shutthebox-scoreboard.service"
SOCKET = SCOREBOARD.with_suffix(".socket")
SPEECH = SYSTEMD / "shutthebox-speech.service"
every = pytest.mark.parametrize("unit", [UNIT, SCOREBOARD, SPEECH], ids=lambda unit: unit.stem)

LACKING = debian.missing("systemd-analyze")
needs_systemd = pytest.mark.skipif(bool(LACKING), reason=str(LACKING))


def settings(unit: Path) -> dict[str, list[str]]:
    """Per key of a unit, all values in order."""
    found: dict[str, list[str]] = {}
    for key, value in re.findall(r"^(\w+)=(.*)$", unit.read_text(), re.MULTILINE):
        found.setdefault(key, []).append(value)
    return found


@needs_systemd
def test_the_units_are_sound(tmp_path: Path) -> None:
    units = []
    for unit in (UNIT, SCOREBOARD, SOCKET, SPEECH):
        # Their program is looked for where it will be installed, which is not here.
        units.append(tmp_path / unit.name)
        units[-1].write_text(
            re.sub("/usr/s?bin/(nice|shutthebox|lighttpd) .*", "/bin/true", unit.read_text())
        )
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *map(str, units)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    complaints = [line for line in done.stderr.splitlines() if "shutthebox" in line]
    assert not complaints
    assert done.returncode == 0, done.stderr


@needs_systemd
@every
def test_a_unit_may_do_next_to_nothing(unit: Path) -> None:
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=5", "--no-pager", str(unit)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    found = re.search(r"exposure level for \S+: ([\d.]+)", done.stdout)
    assert found is not None
    assert float(found[1]) <= 0.5


@every
def test_a_unit_has_no_network(unit: Path) -> None:
    found = settings(unit)
    assert found["PrivateNetwork"] == ["yes"]
    assert found["RestrictAddressFamilies"] == ["none" if unit is SCOREBOARD else "AF_UNIX"]
    assert found["IPAddressDeny"] == ["any"]
    assert "IPAddressAllow" not in found


def test_the_scoreboard_is_another_user() -> None:
    """Both are users that systemd makes up, named after their units; they share no group and no folder."""
    box, scoreboard = settings(UNIT), settings(SCOREBOARD)
    assert box["DynamicUser"] == scoreboard["DynamicUser"] == ["yes"]
    for key in ("User", "Group"):
        assert key not in box
        assert key not in scoreboard
    for key in ("SupplementaryGroups", "StateDirectory", "RuntimeDirectory", "ReadWritePaths", "BindPaths"):
        assert key not in scoreboard
    assert scoreboard["ProtectSystem"] == ["strict"]
    assert scoreboard["ReadOnlyPaths"] == ["/run"]
    config = (SYSTEMD / "scoreboard/lighttpd.conf").read_text()
    assert f'document-root = "/run/{box["RuntimeDirectory"][0]}/scoreboard"' in config
    # Others have to reach the one file that is theirs to read.
    assert box["RuntimeDirectoryMode"] == ["0755"]


def test_the_scoreboard_is_off_unless_wanted() -> None:
    assert "WantedBy" not in settings(SCOREBOARD)
    assert settings(SOCKET)["WantedBy"] == ["sockets.target"]
    assert "shutthebox-scoreboard" not in UNIT.read_text()


def test_the_voice_is_another_user_with_sound_cards_only() -> None:
    box, voice = settings(UNIT), settings(SPEECH)
    assert voice["DynamicUser"] == ["yes"]
    assert voice["SupplementaryGroups"] == ["audio"]
    assert voice["DevicePolicy"] == ["closed"]
    assert voice["DeviceAllow"] == ["char-alsa rw"]
    for key in ("User", "Group", "StateDirectory", "RuntimeDirectory", "ReadWritePaths", "BindPaths"):
        assert key not in voice
    assert voice["ReadOnlyPaths"] == ["/run"]
    assert "/run/" + box["RuntimeDirectory"][0] in voice["ExecStart"][0].split()


def test_the_voice_is_off_unless_wanted() -> None:
    """Its owner enables it; nothing that is on by itself asks for it."""
    assert settings(SPEECH)["WantedBy"] == ["multi-user.target"]
    assert "shutthebox-speech" not in UNIT.read_text()
    rules = (SYSTEMD.parent / "debian" / "rules").read_text()
    assert re.search(r"--name=shutthebox-speech --no-enable --no-start", rules)


def test_the_scoreboards_port_is_for_the_pub() -> None:
    found = settings(SOCKET)
    assert found["IPAddressDeny"] == ["any"]
    allowed = " ".join(found["IPAddressAllow"]).split()
    assert set(allowed) <= {
        "localhost", "link-local", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"
    }  # fmt: skip


def test_every_group_that_the_unit_wants_is_made() -> None:
    wanted = re.findall(r"^SupplementaryGroups=(.*)$", UNIT.read_text(), re.MULTILINE)
    made = re.findall(r"^g (\S+)", (SYSTEMD / "shutthebox.sysusers").read_text(), re.MULTILINE)
    assert set(" ".join(wanted).split()) == set(made)


def test_every_device_that_the_unit_wants_has_its_group() -> None:
    rules = (SYSTEMD / "60-shutthebox.rules").read_text()
    for group in ("gpio", "i2c"):
        assert f'GROUP="{group}"' in rules
