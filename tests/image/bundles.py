"""Signed updates to try on a card."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.image.machine import BUILD, PROJECT


def sign(system: Path, version: str, to: Path) -> Path:
    """A system as an update of that version, signed with the key that the image was built with."""
    key = [BUILD / "own.cert.pem", BUILD / "own.key.pem"]
    subprocess.run([PROJECT / "packaging/image/bundle.sh", system, version, *key, to], check=True)
    return to


def broken_system(system: Path, to: Path) -> Path:
    """A system whose files cannot be read: as after a fault in the factory, the signature is right."""
    subprocess.run(["cp", "--sparse=always", str(system), str(to)], check=True)
    rubbish = to.with_suffix(".rubbish")
    rubbish.write_bytes(b"no squashfs\n" * 1000)
    subprocess.run(["mcopy", "-o", "-i", str(to), str(rubbish), "::root.squashfs"], check=True)
    rubbish.unlink()
    return to
