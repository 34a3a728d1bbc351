"""Signed updates to try on a card."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.system.image.machine import BUILD, PROJECT


def sign(system: Path, version: str, to: Path) -> Path:
    """A system as an update of that version, signed with the key that the image was built with."""
    key = [BUILD / "own.cert.pem", BUILD / "own.key.pem"]
    subprocess.run([PROJECT / "packaging/image/bundle.sh", system, version, *key, to], check=True)
    return to


def broken_system(system: Path, to: Path) -> Path:
    """A system whose files can't be read: as after a fault in the factory, the signature is right."""
    rubbish = to.with_suffix(".rubbish")
    rubbish.write_bytes(b"no squashfs\n" * 1000)
    return _with_files(system, rubbish, to)


def silent_system(system: Path, to: Path) -> Path:
    """A system that starts, and whose box ends as soon as it is begun."""
    packed, files = to.with_suffix(".squashfs"), to.with_suffix(".files")
    subprocess.run(["mcopy", "-i", str(system), "::root.squashfs", str(packed)], check=True)
    subprocess.run(["unsquashfs", "-q", "-n", "-d", str(files), str(packed)], check=True)
    packed.unlink()
    drop_in = files / "etc/systemd/system/shutthebox.service.d/silent.conf"
    drop_in.parent.mkdir(exist_ok=True)
    drop_in.write_text("[Service]\nExecStart=\nExecStart=/usr/bin/false\n")
    squash = ["mksquashfs", str(files), str(packed), "-quiet", "-no-progress", "-comp", "zstd"]
    subprocess.run([*squash, "-Xcompression-level", "3", "-b", "256K"], check=True)
    shutil.rmtree(files)
    return _with_files(system, packed, to)


def _with_files(system: Path, squashfs: Path, to: Path) -> Path:
    subprocess.run(["cp", "--sparse=always", str(system), str(to)], check=True)
    subprocess.run(["mcopy", "-o", "-i", str(to), str(squashfs), "::root.squashfs"], check=True)
    squashfs.unlink()
    return to
