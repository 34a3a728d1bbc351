"""An update by the card's RAUC and U-Boot, without the emulated Pi: see test_card for the whole.

RAUC of the Debian that the card has runs in a root of its own, on files in place of the card's partitions,
with the card's settings. What it leaves is started by U-Boot.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.image.uboot import (
    COMMANDS,
    PARTITIONS,
    SECTORS,
    STARTS_S,
    card,
    file_system,
    starts,
    state,
    system_files,
)
from tests.support.debian import missing

PROJECT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("IMAGE_CACHE", Path("~/.cache/shutthebox-image").expanduser()))
PACKAGES = ["dbus", "libubootenv-tool", "python3", "rauc", "rauc-service", "squashfs-tools"]
LACKING = missing(*COMMANDS, "mmdebstrap")

pytestmark = [
    pytest.mark.image,
    pytest.mark.timeout(4 * STARTS_S),
    pytest.mark.skipif(os.geteuid() != 0, reason="NOT TRIED: needs root"),
    pytest.mark.skipif(bool(LACKING), reason=f"NOT TRIED: {LACKING}"),
]

#: The kernel's command line names the system that runs; here an option does.
RUN = """\
set -eu
mount -t proc proc /proc
mount -t tmpfs run /run
mkdir -p /run/dbus
dbus-daemon --system --fork
rauc --override-boot-slot=$0 service 2>/data/rauc.log &
until rauc status >/dev/null 2>&1; do sleep 0.2; done
"$@" 2>&1 || { cat /data/rauc.log; exit 1; }
"""


def run(root: Path, slot: str, *command: str) -> str:
    """Runs a command in the root as on a card whose system in this slot has been started.

    Raises:
        AssertionError: with what it said, if it fails.
    """
    enter = 'mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"'
    isolated = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", enter, str(root)]
    inside = ["sh", "-c", RUN, slot, *command]
    done = subprocess.run([*isolated, *inside], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def debian() -> Path:
    """A root with RAUC, made once."""
    path = CACHE / f"updater-{hashlib.sha256(' '.join(PACKAGES).encode()).hexdigest()[:12]}.tar"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}.part.tar")
        command = [
            "mmdebstrap",
            "--quiet",
            "--variant=apt",
            f"--include={','.join(PACKAGES)}",
            "trixie",
            str(part),
        ]
        subprocess.run(command, check=True)
        part.rename(path)
    return path


class Updater:
    """A card, and the system on it as far as an update goes."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.root.mkdir()
        subprocess.run(["tar", "-xf", debian(), "-C", self.root, "--exclude=./dev/*"], check=True)
        self.card = card(folder, "A B", (9, 0), systems="A")
        for name in ("A", "B"):
            self._slot(name).write_bytes(self._partition(name))
        self._settings()

    def _settings(self) -> None:
        """The settings that packaging/image/finish.sh puts on the card, with files for partitions."""
        image = PROJECT / "packaging/image"
        key = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "9", "-subj", "/CN=test"]
        files = ["-keyout", str(self.root / "key.pem"), "-out", str(self.root / "cert.pem")]
        subprocess.run([*key, *files], check=True, capture_output=True)
        conf = (image / "root/etc/rauc/system.conf").read_text()
        for name, number in (("A", "02"), ("B", "03")):
            conf = conf.replace(f"/dev/disk/by-partuuid/@DISK@-{number}", f"/{name}.img")
        (self.root / "etc/rauc").mkdir(exist_ok=True)
        (self.root / "etc/rauc/system.conf").write_text(conf)
        shutil.copy(self.root / "cert.pem", self.root / "etc/rauc/keyring.pem")
        environment = (image / "root/etc/fw_env.config").read_text()
        (self.root / "etc/fw_env.config").write_text(environment.replace("/dev/shutthebox-card", "/card.img"))
        (self.root / "card.img").hardlink_to(self.card)
        (self.root / "etc/shutthebox-card").write_text("0.1.0\n")
        (self.root / "data/card").mkdir(parents=True)
        (self.root / "data/rauc").mkdir()
        shutil.copytree(PROJECT / "firmware/shutthebox", self.root / "firmware/shutthebox")
        shutil.copytree(image, self.root / "image")
        for name, text in (
            ("shutthebox", 'PYTHONPATH=/firmware exec python3 -m shutthebox.cli.main "$@"'),
            ("systemctl", 'echo "systemctl $*"'),
        ):
            script = self.root / "usr/local/bin" / name
            script.write_text(f"#!/bin/sh\n{text}\n")
            script.chmod(0o755)

    def _slot(self, name: str) -> Path:
        return self.root / f"{name}.img"

    def _partition(self, name: str) -> bytes:
        with self.card.open("rb") as disk:
            disk.seek(PARTITIONS[name] * 512)
            return disk.read(SECTORS * 512)

    def bundle(self, name: str) -> str:
        """A signed update with a system of this name."""
        image = self.root / "system.img"
        image.unlink(missing_ok=True)
        image.touch()
        os.truncate(image, SECTORS * 512)
        file_system(image, 0, system_files(name))
        sign = ["/image/bundle.sh", "/system.img", "99.0", "/cert.pem", "/key.pem", f"/{name}.raucb"]
        run(self.root, "A", *sign)
        return f"/{name}.raucb"

    def update(self, slot: str, bundle: str, *options: str) -> str:
        """Has the system in this slot take an update, and puts what was written on the card."""
        said = run(self.root, slot, "shutthebox", "update", bundle, *options)
        assert "systemctl reboot" in said
        with self.card.open("r+b") as disk:
            for name in ("A", "B"):
                disk.seek(PARTITIONS[name] * 512)
                disk.write(self._slot(name).read_bytes())
        return said

    def confirm(self, slot: str) -> None:
        """Confirms as packaging/image/root/usr/lib/shutthebox/confirm does once the box has played."""
        run(self.root, slot, "rauc", "status", "mark-good")


@pytest.fixture
def updater(tmp_path: Path) -> Iterator[Updater]:
    made = Updater(tmp_path)
    yield made
    shutil.rmtree(made.root)


def test_an_update_there_and_back(updater: Updater) -> None:
    there, back = updater.bundle("U"), updater.bundle("V")
    assert starts(updater.card, 1) == "A"
    updater.update("A", there)
    assert state(updater.card) == {"BOOT_ORDER": "B A", "BOOT_A_LEFT": "9", "BOOT_B_LEFT": "3"}
    assert starts(updater.card, 1) == "U"
    updater.confirm("B")
    assert state(updater.card)["BOOT_B_LEFT"] == "9"
    assert starts(updater.card, 4) == "UUUU"
    updater.update("B", back)
    assert starts(updater.card, 1) == "V"
    updater.confirm("A")
    assert starts(updater.card, 4) == "VVVV"


def test_an_update_that_never_comes_to_play_is_given_up_after_three_starts(updater: Updater) -> None:
    updater.update("A", updater.bundle("U"))
    assert starts(updater.card, 5) == "UUUAA"


def test_an_update_that_somebody_else_has_signed_changes_nothing(updater: Updater) -> None:
    bundle = updater.bundle("U")
    other = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "9", "-subj", "/CN=other"]
    keyring = str(updater.root / "etc/rauc/keyring.pem")
    subprocess.run([*other, "-keyout", os.devnull, "-out", keyring], check=True, capture_output=True)
    before = updater.card.read_bytes()
    with pytest.raises(AssertionError, match="signature"):
        updater.update("A", bundle)
    assert updater.card.read_bytes() == before
