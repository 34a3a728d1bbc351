"""A stick at a card's system: settings and an update, by RAUC itself, out of the helper's unit."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import debian
from tests.virtual_pi import VirtualPi
from tests.virtual_pi.owner import Owner, formatted, put_on
from tests.virtual_pi.table import Table, install_box, until
from tests.virtual_pi.test_stick import LONG_S, OWNERS, SETTINGS

from shutthebox.game.stick import Stick, StickJob, StickOutcome

pytestmark = [pytest.mark.virtual_pi, pytest.mark.timeout(2400)]

MISTAKE = "network.toml: line 1: cable: 'yes' is not allowed; allowed is true or false"
SYSTEM_BYTES = 24 << 20
#: Files stand for the partitions, and none of them is started.
SYSTEM = """\
[system]
compatible=shutthebox-pi-arm64
bootloader=noop
bundle-formats=plain
[keyring]
path=/etc/rauc/keyring.pem
use-bundle-signing-time=true
"""
SLOT = "[slot.system.{number}]\ndevice=/data/{name}.img\ntype=raw\nbootname={name}\n"
#: Debian 12's checks a signature as the card's does, and describes what it has checked in other words.
RAUC = """\
#!/bin/sh
export LD_LIBRARY_PATH=/opt/rauc PATH=/opt/rauc:$PATH
case $1 in
info) /opt/rauc/rauc info "$3" >&2 && echo '{"update": {"version": "99.0"}}' ;;
status) echo '{"boot_primary": "system.0", "slots": [{"system.0": {"state": "booted"}}]}' ;;
*) exec /opt/rauc/rauc "$@" ;;
esac
"""
UNITS = Path(__file__).resolve().parents[2] / "packaging/image/root/etc/systemd/system"
FILES = {
    "/usr/bin/rauc": RAUC,
    "/etc/rauc/system.conf": SYSTEM + SLOT.format(number=0, name="A") + SLOT.format(number=1, name="B"),
    "/etc/systemd/system/rauc.service": "[Service]\nType=dbus\nBusName=de.pengutronix.rauc\n"
    "ExecStart=/usr/bin/rauc --override-boot-slot=A service\n",
    "/usr/share/dbus-1/system-services/de.pengutronix.rauc.service": "[D-BUS Service]\n"
    "Name=de.pengutronix.rauc\nExec=/bin/false\nUser=root\nSystemdService=rauc.service\n",
    "/usr/share/dbus-1/system.d/rauc.conf": '<busconfig><policy user="root">'
    '<allow own="de.pengutronix.rauc"/>'
    '<allow send_destination="de.pengutronix.rauc"/></policy></busconfig>',
    "/etc/shutthebox-card": "0.1.0\n",
}


def bundle(folder: Path) -> Path:
    """A signed update with a system that nobody starts; its certificate is in the folder."""
    key, certificate, content = folder / "key.pem", folder / "cert.pem", folder / "content"
    request = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "9", "-subj", "/CN=test"]
    subprocess.run([*request, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    content.mkdir()
    (content / "system.img").write_bytes(bytes(range(256)) * (SYSTEM_BYTES >> 8))
    (content / "manifest.raucm").write_text(
        "[update]\ncompatible=shutthebox-pi-arm64\nversion=99.0\n[image.system]\nfilename=system.img\n"
    )
    to = folder / "shutthebox-99.0.raucb"
    subprocess.run(
        ["rauc", "bundle", "--cert", certificate, "--key", key, content, to], check=True, capture_output=True
    )
    return to


@pytest.fixture
def owner(pi: VirtualPi, tmp_path: Path) -> Iterator[Owner]:
    """A box on what takes itself for a card."""
    if lacking := debian.missing("mkfs.vfat", "mcopy", "rauc", "unsquashfs"):
        pytest.skip(lacking)
    install_box(pi, OWNERS, watchdog_s=120)
    libraries = tmp_path / "rauc"
    libraries.mkdir()
    programs = ["/usr/bin/rauc", "/usr/bin/unsquashfs"]
    needs = subprocess.run(["ldd", *programs], check=True, capture_output=True, text=True).stdout
    for line in needs.splitlines():
        path = line.partition("=> ")[2].split(" ")[0]
        if path and not path.rpartition("/")[2].startswith(("libc.", "libm.")):
            shutil.copy(path, libraries)
    for program in programs:
        shutil.copy(program, libraries)
    pi.copy_in(libraries, "/opt/rauc")
    for path, text in FILES.items():
        pi.write(path, text, 0o755 if path.startswith("/usr/bin") else 0o644)
    pi.run(f"mkdir -p /data/card && truncate --size={SYSTEM_BYTES} /data/A.img /data/B.img")
    for name in ("shutthebox-restart.path", "shutthebox-restart.service"):
        pi.copy_in(UNITS / name, f"/etc/systemd/system/{name}")
    pi.run("modprobe -a loop squashfs; systemctl daemon-reload; systemctl reload dbus")
    pi.run("systemctl start shutthebox-restart.path")
    table = Table(pi, SETTINGS)
    table.patience_s = LONG_S
    table.start_anew()
    found = Owner(table, SETTINGS)
    found.see()
    yield found
    pi.run("systemctl stop 'shutthebox-stick@*' shutthebox", check=False, timeout=120)


def test_settings_and_an_update(owner: Owner, tmp_path: Path) -> None:
    update, settings, pi = bundle(tmp_path), tmp_path / "settings", owner.pi
    pi.copy_in(tmp_path / "cert.pem", "/etc/rauc/keyring.pem")
    settings.mkdir()
    (settings / "shutthebox.toml").write_text(f"{OWNERS}# from the stick\n")
    (settings / "network.toml").write_text('cable = "yes"\n')
    image = formatted(tmp_path)
    put_on(image, settings, "shutthebox")
    put_on(image, update, update.name)

    offers = Stick(offers=(StickJob.SAVE, StickJob.SETTINGS, StickJob.UPDATE), version="99.0")
    owner.puts_in(image, offers)
    owner.asks(offers, StickJob.SETTINGS)
    owner.hears(offers._replace(outcome=StickOutcome.BAD_SETTINGS, mistakes=(MISTAKE,)))
    assert not pi.run("ls /data/etc /data/network", check=False).out, "all or nothing"

    owner.press()
    owner.asks(offers, StickJob.UPDATE)
    checked = offers._replace(checked=True)
    owner.hears(*(checked._replace(doing=StickJob.UPDATE, percent=percent) for percent in range(31, 99)))
    owner.pulls_out(unless_ended=checked._replace(offers=(), outcome=StickOutcome.PULLED_OUT))
    assert until(lambda: pi.run("systemctl is-active rauc", check=False).out == "inactive\n", 60)
    assert pi.run("ls /data/card").out == "before-update.sqlite3\n", "given up; of the update nothing is left"

    (settings / "network.toml").write_text("cable = true\n")
    put_on(image, settings / "network.toml", "shutthebox/network.toml")
    owner.puts_in(image, offers)
    owner.asks(offers, StickJob.SETTINGS)
    owner.hears(offers._replace(outcome=StickOutcome.SETTINGS_TAKEN))
    assert "# from the stick" in pi.read("/data/etc/config.toml").decode()
    assert "DHCP=yes" in pi.read("/data/network/cable.network").decode()
    owner.hold()
    owner.asks(offers, StickJob.UPDATE)
    owner.hears(checked._replace(outcome=StickOutcome.UPDATE_WRITTEN, detail="99.0"))
    assert pi.run("cmp --bytes=1000000 /data/B.img /dev/zero", check=False).code == 1
    pi.pull_out_stick()
    assert until(lambda: not pi.run("pgrep -f 'shutthebox stick'", check=False).out, 60)
    # The target without what belongs to it: the box asks for the start, and the machine stays.
    pi.write("/run/systemd/system/reboot.target", "[Unit]\nAllowIsolate=yes\n")
    pi.run("systemctl daemon-reload")
    owner.press(sees=False)
    assert until(lambda: pi.run("systemctl is-active reboot.target", check=False).out == "active\n")
