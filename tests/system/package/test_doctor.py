"""`sudo shutthebox doctor` where the box is installed: well, and broken in every way that an owner meets.

A container has neither pins nor I2C; a busy line and a wrong panel are tried on the virtual Pi.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from textwrap import dedent

import pytest
from tests.system.virtual_pi.table import until

from .daemon import SERVICES, STATE, active, as_nobody, is_up, journal, matches_begun, without_pins
from .root import GPIOZERO_DEB, LIBRARY_DEBS, Root, built

pytestmark = [pytest.mark.package, pytest.mark.timeout(600, func_only=True)]

CONFIG = "/etc/shutthebox/config.toml"
CARD = "/run/shutthebox-card"
#: A drop-in that is gone with the next start, and what makes it count.
X = "/run/systemd/system/shutthebox.service.d/x.conf"
ANEW = "systemctl daemon-reload; systemctl restart shutthebox"
#: As in docs/link.md: a broker with a password.
BROKER = (
    "cd /etc/mosquitto; openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost "
    "-addext subjectAltName=DNS:localhost -keyout certs/link.key -out certs/link.pem; "
    "mosquitto_passwd -c -b link.passwd box secret; "
    "cp /usr/share/shutthebox-uplink/mosquitto-link.acl link.acl; "
    "chown mosquitto certs/link.key link.passwd link.acl; "
    "cp /usr/share/shutthebox-uplink/mosquitto-link.conf conf.d/; systemctl restart mosquitto"
)
LINK = '[link]\\non = true\\nbroker = "mqtts://localhost:8883"\\nca = "/etc/mosquitto/certs/link.pem"\\n'
ESPEAK = "printf '#!/bin/sh\\nexec cat\\n' > /usr/bin/espeak-ng; chmod +x /usr/bin/espeak-ng"
#: What a container lacks.
NO_HARDWARE = {"chip", "display"}


@pytest.fixture(scope="module")
def box(new_root: Callable[[], Root]) -> Iterator[Root]:
    """A box that plays, with a match in its memory."""
    root = new_root()
    root.put(built("shutthebox-uplink"), "/opt/uplink.deb")
    root.run("dpkg", "--install", GPIOZERO_DEB, *LIBRARY_DEBS, "/opt/shutthebox.deb", "/opt/uplink.deb")
    without_pins(root)
    with root.boot():
        assert until(lambda: is_up(root)), journal(root, "-u", "shutthebox")
        (root.path / STATE[1:] / "press").touch()
        assert until(lambda: matches_begun(root) == 1)
        (root.path / STATE[1:] / "press").unlink()
        yield root


def faults(root: Root) -> dict[str, str]:
    """Per check that fails its reasons."""
    said = root.run("shutthebox", "doctor", "--json", check=False)
    assert "Traceback" not in said.stderr
    found: dict[str, str] = {}
    for row in json.loads(said.stdout):
        if row["verdict"] == "FAIL":
            found[row["check"]] = "\n".join(filter(None, (found.get(row["check"]), row["reason"])))
    return found


def is_well(root: Root) -> bool:
    return faults(root).keys() == NO_HARDWARE


def test_a_box_that_is_well_has_no_fault_but_what_a_container_lacks(box: Root) -> None:
    found = faults(box)
    assert found.keys() == NO_HARDWARE, found
    assert found["chip"].startswith("no GPIO chip"), found
    assert found["display"] == "no /dev/i2c-1: dtparam=i2c_arm=on in config.txt, or i2c-dev"
    lines = box.run("shutthebox", "doctor", check=False).stdout
    assert "store           /var/lib/shutthebox/box.sqlite3: 1 matches" in lines
    assert "box             shutthebox.service is running" in lines


#: Per state: what breaks it, what mends it, the check that tells of it, what it says.
STATES = {
    "damaged memory": (
        f"systemctl stop shutthebox; cp {STATE}/box.sqlite3 /opt/kept; "
        f"dd if=/dev/urandom of={STATE}/box.sqlite3 bs=4096 seek=2 count=6 conv=notrunc",
        f"cp /opt/kept {STATE}/box.sqlite3; systemctl start shutthebox",
        "store",
        "malformed",
    ),
    "memory that only may be read": (
        f"chmod a-w {STATE}/box.sqlite3",
        f"chmod u+w {STATE}/box.sqlite3",
        "store",
        f"read-only for the box: sudo chmod u+w {STATE}/box.sqlite3",
    ),
    "disk that only may be read": (
        f"systemctl stop shutthebox; mount --bind {STATE} {STATE} && mount -o remount,bind,ro {STATE}",
        f"umount {STATE}; systemctl start shutthebox",
        "store",
        "is on a read-only disk",
    ),
    "full memory": (
        f"systemctl stop shutthebox; mkdir /opt/small; mount -t tmpfs -o size=8m none /opt/small; "
        f"cp -a {STATE}/. /opt/small; mount --bind /opt/small {STATE}",
        f"umount {STATE} /opt/small; rmdir /opt/small; systemctl start shutthebox",
        "store",
        "the disk is full",
    ),
    "box stopped": ("systemctl stop shutthebox", "systemctl start shutthebox", "box", "sudo systemctl start"),
    "box disabled": (
        "systemctl disable --now shutthebox",
        "systemctl enable --now shutthebox",
        "box",
        "sudo systemctl enable --now",
    ),
    "box masked": (
        "systemctl mask --now shutthebox",
        "systemctl unmask shutthebox; systemctl start shutthebox",
        "box",
        "sudo systemctl unmask",
    ),
    "box that ends again and again": (
        f"printf '[Service]\\nExecStart=\\nExecStart=/bin/false\\n' > {X}; {ANEW} || true",
        f"rm {X}; {ANEW}",
        "box",
        "ends again and again",
    ),
    "no chip": (
        f"printf '[Unit]\\nConditionPathExistsGlob=/nowhere*\\n' > {X}; {ANEW}",
        f"rm {X}; {ANEW}",
        "box",
        "this machine has no /dev/gpiochip*",
    ),
    "wrong config": (f"echo '[box' > {CONFIG}", f"> {CONFIG}", "settings", f"{CONFIG}:"),
    "unknown key": (f"echo '[box]\nbrass = 1' > {CONFIG}", f"> {CONFIG}", "settings", "brass"),
    "broken house rules in use": (
        f"mkdir -p /etc/shutthebox/rules; echo 'rounds = 0' > /etc/shutthebox/rules/ours.toml; "
        f"printf '[game]\\nprofile = \"ours\"\\n' > {CONFIG}",
        f"rm -r /etc/shutthebox/rules; > {CONFIG}",
        "settings",
        "ours",
    ),
    "other broken house rules": (
        "mkdir -p /etc/shutthebox/rules; echo 'rounds = 0' > /etc/shutthebox/rules/ours.toml",
        "rm -r /etc/shutthebox/rules",
        "house rules",
        "ours.toml: rounds: 0 is not allowed",
    ),
    "no voice": (
        f"printf '[speech]\\non = true\\n' > {CONFIG}",
        f"> {CONFIG}",
        "voice",
        "apt install espeak-ng",
    ),
    "no scoreboard": (
        f"printf '[scoreboard]\\non = true\\n' > {CONFIG}",
        f"> {CONFIG}",
        "scoreboard",
        "shutthebox-scoreboard.socket is stopped: sudo systemctl restart shutthebox",
    ),
    "no broker": (
        f"systemctl stop mosquitto; printf '[link]\\non = true\\nbroker = \"here\"\\n' > {CONFIG}",
        f"> {CONFIG}; systemctl start mosquitto",
        "broker",
        "refused",
    ),
    "wrong password of the broker": (
        f'{BROKER}; printf \'{LINK}user = "box"\\npassword = "guess"\\n\' > {CONFIG}',
        f"> {CONFIG}",
        "broker",
        "localhost:8883: the broker refuses: are link.user and link.password right?",
    ),
    "wrong user of the broker": (
        f'{BROKER}; printf \'{LINK}user = "bocks"\\npassword = "secret"\\n\' > {CONFIG}',
        f"> {CONFIG}",
        "broker",
        "localhost:8883: the broker refuses: are link.user and link.password right?",
    ),
    "helper masked": (
        f"systemctl mask --now shutthebox-link; printf '[link]\\non = true\\n' > {CONFIG}",
        f"> {CONFIG}; systemctl unmask shutthebox-link; systemctl restart shutthebox",
        "link",
        "shutthebox-link.service is masked: sudo systemctl unmask shutthebox-link.service, then sudo",
    ),
    "voice masked": (
        f"{ESPEAK}; systemctl mask --now shutthebox-speech; printf '[speech]\\non = true\\n' > {CONFIG}",
        f"> {CONFIG}; systemctl unmask shutthebox-speech; rm /usr/bin/espeak-ng",
        "voice",
        "shutthebox-speech.service is masked: sudo systemctl unmask shutthebox-speech.service, then",
    ),
    "scoreboard whose port is taken": (
        "systemd-run --unit=x --socket-property=ListenStream=8090 cat; "
        f"printf '[scoreboard]\\non = true\\n' > {CONFIG}; systemctl restart shutthebox",
        f"systemctl stop x.socket x.service; > {CONFIG}; systemctl restart shutthebox",
        "scoreboard",
        "shutthebox-scoreboard.socket has failed (resources): journalctl -u shutthebox-scoreboard.socket",
    ),
    "scoreboard without a server": (
        f"mv /usr/sbin/lighttpd /opt; printf '[scoreboard]\\non = true\\n' > {CONFIG}",
        f"> {CONFIG}; mv /opt/lighttpd /usr/sbin",
        "scoreboard",
        "apt install shutthebox-scoreboard, then sudo systemctl restart",
    ),
    "network without a lease": (
        "ip link add lan type veth peer name router; ip link set lan up; ip link set router up",
        "ip link delete lan",
        "network",
        "lan is connected, but has no address: does the router give it one?",
    ),
    "password for everybody": (
        f"printf '[link]\\npassword = \"x\"\\n' > {CONFIG}; chmod a+r {CONFIG}",
        f"> {CONFIG}; systemctl restart shutthebox",
        "secrets",
        f"{CONFIG}: everybody here can read it: sudo systemctl restart shutthebox",
    ),
    "outbox that can't be sent": (
        "touch -d '3 days ago' /var/spool/shutthebox/outbox/0000000000000001.json; umask 077; "
        "printf '[league]\\n' > /etc/shutthebox/league.toml",
        "rm /var/spool/shutthebox/outbox/*.json /etc/shutthebox/league.toml",
        "league",
        "1 to send",
    ),
    "update that was given up": (
        f"mkdir -p {CARD}; echo 'Update failed: the old version is back' > {CARD}/update.txt",
        f"rm -r {CARD}",
        "card",
        "Update failed: the old version is back",
    ),
    "wrong clock": (
        f"systemctl stop shutthebox; cp {STATE}/box.sqlite3 /opt/kept; "
        f"python3 -c \"import sqlite3, time; db = sqlite3.connect('{STATE}/box.sqlite3'); "
        "db.execute('update match set began_s = began_s + 86400'); db.commit()\"",
        f"cp /opt/kept {STATE}/box.sqlite3; systemctl start shutthebox",
        "clock",
        "it has been set back, or was ahead",
    ),
}


@pytest.mark.parametrize("state", STATES)
def test_a_broken_state_is_named_with_its_remedy(box: Root, state: str) -> None:
    breaks, mends, check, said = STATES[state]
    box.run("mkdir", "-p", "/run/systemd/system/shutthebox.service.d")
    # What counts is what comes of it: a restart may come two seconds late, as `daemon.restart` says.
    broken = box.run("sh", "-c", dedent(breaks), check=False)
    try:
        assert until(lambda: said in faults(box).get(check, "")), (faults(box), broken.stderr)
    finally:
        mended = box.run("sh", "-c", dedent(mends), check=False)
        assert until(lambda: is_up(box)), (mended.stderr, journal(box, "-u", "shutthebox"))
        # It starts a service whose file is there, and the next state brings such files.
        assert until(lambda: active(box, SERVICES)), journal(box, "-u", SERVICES)
    assert until(lambda: is_well(box)), faults(box)


def test_who_may_not_look_is_told_to_ask_root(box: Root) -> None:
    for command in (("doctor",), ("check-config",), ("pins",), ("stats",)):
        done = as_nobody(box, "shutthebox", *command)
        assert done.stderr == f"shutthebox: {CONFIG}: only root can read it; put sudo before the command\n"
    box.run("rm", CONFIG)
    try:
        done = as_nobody(box, "shutthebox", "doctor")
        assert "only root can look into /var/lib/shutthebox: sudo shutthebox doctor" in done.stdout
    finally:
        box.run("sh", "-ec", f"touch {CONFIG}; systemctl restart shutthebox")


def test_everybody_may_look_up_games_and_odds_with_the_boxs_house_rules(box: Root) -> None:
    rules = box.path / "etc/shutthebox/rules"
    rules.mkdir()
    (rules / "ours.toml").write_text('name = "ours"\ntitle.en = "Ours"\n')
    try:
        for command in (("profiles", "ours"), ("odds", "ours")):
            done = as_nobody(box, "shutthebox", *command)
            assert done.returncode == 0, done.stderr
            assert done.stderr.startswith(f"shutthebox: {CONFIG}: only root can read it; put sudo before")
    finally:
        box.run("rm", "-r", "/etc/shutthebox/rules")
