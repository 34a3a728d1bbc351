"""Which file systems are mounted: FAT and exFAT, as real programs make them, and nothing else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.support import debian

from shutthebox.cli.stick.volume import kind_of

LACKING = debian.missing("mkfs.vfat")
needs_mkfs = pytest.mark.skipif(bool(LACKING), reason=str(LACKING))


def made(tmp_path: Path, size: int, *command: str) -> bytes:
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(size)
    subprocess.run([*command, str(image)], check=True, capture_output=True)
    with image.open("rb") as file:
        return file.read(512)


@needs_mkfs
@pytest.mark.parametrize(
    ("size", "bits"), [(1 << 20, 12), (32 << 20, 16), (64 << 20, 32), (2 << 40, 32)], ids=str
)
def test_fat_of_every_size(size: int, bits: int, tmp_path: Path) -> None:
    sectors = ["-s", "128"] if size > 1 << 40 else []
    assert kind_of(made(tmp_path, size, "mkfs.vfat", "-F", str(bits), *sectors)) == "vfat"


def test_exfat(tmp_path: Path) -> None:
    lacking = debian.missing("mkfs.exfat")
    if lacking:
        pytest.skip(lacking)
    assert kind_of(made(tmp_path, 32 << 20, "mkfs.exfat")) == "exfat"


@pytest.mark.parametrize(
    "sector",
    [
        b"",
        bytes(512),
        bytes(510) + b"\x55\xaa",
        b"\xeb\x52\x90NTFS    " + bytes(499) + b"\x55\xaa",
        b"\xff" * 511,
    ],
    ids=["nothing", "zeros", "partitions", "ntfs", "short"],
)
def test_nothing_else_is_mounted(sector: bytes) -> None:
    assert kind_of(sector) is None


def test_other_file_systems_are_not_mounted(tmp_path: Path) -> None:
    lacking = debian.missing("mke2fs")
    if lacking:
        pytest.skip(lacking)
    assert kind_of(made(tmp_path, 4 << 20, "mke2fs", "-q")) is None
