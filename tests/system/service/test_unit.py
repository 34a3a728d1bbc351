"""The units, as systemd itself judges them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tests.support import debian

from shutthebox.adapters.link_socket import SOCKET as SOCKET_OF_LINK
from shutthebox.cli.services import services
from shutthebox.config.schema import TOURNAMENT_FILE, UPLINK_FILES, Config
from shutthebox.owner.stick.checking import ADDRESSES
from shutthebox.owner.stick.contents import MAX_MEMORY
from shutthebox_link.key_store import MAX_SESSIONS

SYSTEMD = Path(__file__).resolve().parents[3] / "systemd"
BOX, SCOREBOARD, SPEECH, UPLINK, LINK, STICK, SERVICES = (
    SYSTEMD / f"shutthebox{name}.service"
    for name in ("", "-scoreboard", "-speech", "-uplink", "-link", "-stick@", "-services")
)
DOOR, REVIEW, PAGE = (SYSTEMD / f"shutthebox-league-{name}.service" for name in ("take", "review", "page"))
SOCKET = SCOREBOARD.with_suffix(".socket")
GROUP = "shutthebox-settings"
NOTHING_SHARED = ("User", "Group", "StateDirectory", "RuntimeDirectory", "ReadWritePaths", "BindPaths")

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
    units = [
        path for kind in ("service", "socket", "path", "slice", "timer") for path in SYSTEMD.glob(f"*.{kind}")
    ]
    assert len(units) > 10
    for unit in units:
        # Their programs are looked for where they will be installed, which is not here.
        text = unit.read_text().replace("\\\n", "")
        (tmp_path / unit.name).write_text(re.sub("(?m)^(Exec\\w+)=.*", r"\1=/bin/true", text))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *map(str, tmp_path.iterdir())],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not [line for line in done.stderr.splitlines() if "shutthebox" in line]
    assert done.returncode == 0, done.stderr


EXPOSED = {BOX: 0.5, SCOREBOARD: 0.5, SPEECH: 0.5, STICK: 2.5, SERVICES: 1.5, UPLINK: 1.5, LINK: 1.5}
"""All others, 1.0."""


@needs_systemd
@pytest.mark.parametrize(
    ("unit", "most"),
    [(unit, EXPOSED.get(unit, 1.0)) for unit in sorted(SYSTEMD.glob("*.service"))],
    ids=lambda value: str(value),
)
def test_a_unit_may_do_next_to_nothing(unit: Path, most: float) -> None:
    """The exposure that systemd finds, of 10: the stick's helper mounts, two others ask systemd or send."""
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=50", "--no-pager", str(unit)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = re.search(r"exposure level for \S+: ([\d.]+)", done.stdout)
    assert found is not None, done.stderr
    assert float(found[1]) <= most


@pytest.mark.parametrize("unit", [BOX, SCOREBOARD, SPEECH], ids=lambda unit: unit.stem)
def test_a_unit_has_no_network(unit: Path) -> None:
    found = settings(unit)
    assert found["PrivateNetwork"] == ["yes"]
    assert found["RestrictAddressFamilies"] == ["none" if unit is SCOREBOARD else "AF_UNIX"]
    assert found["IPAddressDeny"] == ["any"]
    assert "IPAddressAllow" not in found


def test_the_scoreboard_is_another_user() -> None:
    """Both are users that systemd makes up, named after their units; they share no group and no folder."""
    box, scoreboard = settings(BOX), settings(SCOREBOARD)
    assert box["DynamicUser"] == scoreboard["DynamicUser"] == ["yes"]
    assert not {"User", "Group"} & box.keys()
    assert not {"SupplementaryGroups", *NOTHING_SHARED} & scoreboard.keys()
    assert scoreboard["ProtectSystem"] == ["strict"]
    assert scoreboard["ReadOnlyPaths"] == ["/run"]
    config = (SYSTEMD / "scoreboard/lighttpd.conf").read_text()
    assert f'document-root = "/run/{box["RuntimeDirectory"][0]}/scoreboard"' in config
    # Others have to reach the one file that is theirs to read.
    assert box["RuntimeDirectoryMode"] == ["0755"]


@pytest.mark.parametrize("unit", [SCOREBOARD, SOCKET, SPEECH, UPLINK, LINK], ids=lambda unit: unit.name)
def test_what_runs_beside_the_box_is_off_unless_the_configuration_wants_it(unit: Path) -> None:
    assert "WantedBy" not in settings(unit), (
        "to enable it by hand would be forgotten where the root is in memory"
    )
    assert unit.stem not in BOX.read_text()
    (wanted,) = (service for service in services(Config(), Path("/")) if unit.name in service.units)
    assert not wanted.on


def test_the_voice_is_another_user_with_sound_cards_only() -> None:
    box, voice = settings(BOX), settings(SPEECH)
    assert voice["DynamicUser"] == ["yes"]
    assert voice["SupplementaryGroups"] == ["audio shutthebox-settings"]
    assert voice["DevicePolicy"] == ["closed"]
    assert voice["DeviceAllow"] == ["char-alsa rw"]
    assert not voice.keys() & set(NOTHING_SHARED)
    assert voice["ReadOnlyPaths"] == ["/run"]
    assert "/run/" + box["RuntimeDirectory"][0] in voice["ExecStart"][0].split()


def test_the_sticks_helper_reaches_its_stick_and_the_memory_only() -> None:
    stick = settings(STICK)
    assert stick["DevicePolicy"] == ["closed"]
    assert stick["DeviceAllow"] == ["/dev/%I rw", "char-gpiochip rw", "char-i2c rw"]
    assert stick["ReadWritePaths"] == ["-/var/lib/private/shutthebox -/data"]
    assert stick["PrivateMounts"] == ["yes"]
    assert stick["PrivateNetwork"] == ["yes"]
    assert stick["RestrictAddressFamilies"] == ["AF_UNIX"]
    assert stick["BindsTo"] == ["dev-%i.device"]
    assert "WantedBy" not in stick, "nothing but a stick starts it"
    (name,) = stick["Slice"]
    bounds = settings(SYSTEMD / name)
    assert {"MemoryMax", "TasksMax"} <= bounds.keys(), "of all helpers together"
    helpers_mb = 4 * 20
    needed = helpers_mb + ((MAX_MEMORY + ADDRESSES) >> 20)
    assert needed <= int(bounds["MemoryMax"][0].removesuffix("M")), "also while a memory is checked"
    assert stick["OOMPolicy"] == ["continue"]


def test_only_what_is_on_usb_starts_the_helper() -> None:
    """It mounts FAT and exFAT only, and says so of others."""
    rules = (SYSTEMD / "60-shutthebox.rules").read_text()
    assert rules.index('ENV{ID_BUS}!="usb", GOTO="stick_end"') < rules.index('LABEL="stick"')
    assert rules.count("shutthebox-stick@%k.service") == 1


def test_the_scoreboards_port_is_for_the_pub() -> None:
    found = settings(SOCKET)
    assert found["IPAddressDeny"] == ["any"]
    allowed = " ".join(found["IPAddressAllow"]).split()
    assert set(allowed) <= {
        "localhost", "link-local", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"
    }  # fmt: skip


def test_every_group_that_the_unit_wants_is_made() -> None:
    wanted = re.findall(r"^SupplementaryGroups=(.*)$", BOX.read_text(), re.MULTILINE)
    made = re.findall(r"^g (\S+)", (SYSTEMD / "shutthebox.sysusers").read_text(), re.MULTILINE)
    assert set(" ".join(wanted).split()) == set(made)


def test_no_file_with_a_secret_is_for_everybody() -> None:
    lines = re.findall(
        r"^z (\S+) +(\d+) root (\S+)", (SYSTEMD / "shutthebox.tmpfiles").read_text(), re.MULTILINE
    )
    found = {Path(path): (mode, group) for path, mode, group in lines}
    folder = Path("/etc/shutthebox")
    assert set(found) == {folder / name for name in ("config.toml", TOURNAMENT_FILE, *UPLINK_FILES)}
    assert {found[folder / name] for name in UPLINK_FILES} == {("0600", "root")}
    assert {found[folder / name] for name in ("config.toml", TOURNAMENT_FILE)} == {("0640", GROUP)}
    # Those that read the settings by themselves may; systemd passes them to all others, which aren't root.
    assert all(GROUP in settings(unit)["SupplementaryGroups"][0].split() for unit in (BOX, SPEECH))
    assert all(GROUP not in settings(unit)["SupplementaryGroups"][0].split() for unit in (UPLINK, LINK))
    # Also what was written since the machine was started.
    assert settings(BOX)["ExecStartPre"] == ["-+/usr/bin/systemd-tmpfiles --create shutthebox.conf"]


def test_the_uplink_shares_the_outbox_with_the_box_and_nothing_else() -> None:
    box, dropin, uplink = settings(BOX), settings(SYSTEMD / "shutthebox-outbox.conf"), settings(UPLINK)
    assert uplink["DynamicUser"] == ["yes"]
    assert "User" not in uplink
    assert uplink["SupplementaryGroups"] == dropin["SupplementaryGroups"] == ["shutthebox-outbox"]
    assert uplink["ReadWritePaths"] == dropin["ReadWritePaths"] == ["/var/spool/shutthebox/outbox"]
    assert uplink["InaccessiblePaths"] == ["-/var/lib/private"]
    assert uplink["ProtectSystem"] == ["strict"]
    assert set(box["SupplementaryGroups"][0].split()).isdisjoint(uplink["SupplementaryGroups"])
    # The drop-in gives the box a folder, and no network.
    assert set(dropin) == {"SupplementaryGroups", "Environment", "ReadWritePaths"}


def test_the_links_helper_shares_a_socket_with_the_box_and_nothing_else() -> None:
    box, dropin, link = settings(BOX), settings(SYSTEMD / "shutthebox-link.conf"), settings(LINK)
    assert link["DynamicUser"] == ["yes"]
    assert "User" not in link
    assert link["SupplementaryGroups"] == dropin["SupplementaryGroups"] == ["shutthebox-links"]
    assert not {"ReadWritePaths", "BindPaths", "RuntimeDirectory"} & link.keys()
    assert link["StateDirectory"] == ["shutthebox-link"]
    assert link["StateDirectoryMode"] == ["0700"]
    assert link["ProtectSystem"] == ["strict"]
    assert set(box["SupplementaryGroups"][0].split()).isdisjoint(link["SupplementaryGroups"])
    # The drop-in gives the box a folder with a socket, and no network.
    assert set(dropin) == {"SupplementaryGroups", "Environment", "ReadWritePaths"}
    folder = dropin["ReadWritePaths"][0]
    assert dropin["Environment"] == [f"SHUTTHEBOX_LINK={folder}"]
    assert Path(folder) == SOCKET_OF_LINK.parent
    sysusers = (SYSTEMD / "shutthebox-uplink.sysusers").read_text()
    assert "g shutthebox-links - -" in sysusers


def test_the_links_helper_may_say_farewell_in_every_session_that_it_keeps() -> None:
    """With many boxes that had been left and never came back, it would end again and again."""
    at_a_time = 3 * MAX_SESSIONS  # a connection that begins, and one that ends, which takes two threads
    assert int(settings(LINK)["TasksMax"][0]) >= at_a_time + 10


def test_no_group_has_the_name_of_a_user_that_systemd_makes_up() -> None:
    """It makes the user up by the unit's name, and doesn't start a unit whose name a group has already."""
    made_up = {unit.stem for unit in SYSTEMD.glob("*.service") if "DynamicUser" in settings(unit)}
    lines = [line.split() for file in SYSTEMD.glob("*.sysusers") for line in file.read_text().splitlines()]
    groups = {line[1] for line in lines if line and line[0] == "g"}
    assert made_up
    assert groups
    assert made_up.isdisjoint(groups)


def test_the_league_takes_connections_from_this_machine_only() -> None:
    for unit in (DOOR, PAGE):
        found = settings(unit)
        assert found["IPAddressDeny"] == ["any"]
        assert found["User"] == ["shutthebox-league"]
    assert settings(DOOR)["IPAddressAllow"] == ["localhost"]


@pytest.mark.parametrize("unit", [DOOR, REVIEW, PAGE])
def test_no_box_waits_for_a_lock_of_somebody_who_gives_way(unit: Path) -> None:
    """A reviewer that waits for a busy processor in the middle of a transaction holds its locks as long."""
    assert "Nice" not in settings(unit)


def test_the_page_has_no_network() -> None:
    page = settings(PAGE)
    assert page["PrivateNetwork"] == ["yes"]
    assert page["RestrictAddressFamilies"] == ["AF_UNIX"]


@pytest.mark.parametrize("unit", [DOOR, PAGE])
def test_door_and_page_have_a_socket_for_the_web_server_alone(unit: Path) -> None:
    its_socket, path = settings(unit.with_suffix(".socket")), f"/run/{unit.stem}.sock"
    assert its_socket["ListenStream"] == [path]
    assert (its_socket["SocketMode"], its_socket["SocketGroup"]) == (["0660"], ["www-data"])
    assert f"unix:{path};" in (SYSTEMD.parent / "league/server/nginx.conf").read_text()
