"""Which file systems are mounted: FAT and exFAT, as real programs make them, and nothing else."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest
from tests.support import debian

from shutthebox.owner.stick.volume import MAX_CLUSTERS, kind_of


def made(tmp_path: Path, size: int, *command: str) -> bytes:
    """The first sector of a file system that this program makes."""
    if lacking := debian.missing(command[0]):
        pytest.skip(lacking)
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(size)
    subprocess.run([*command, str(image)], check=True, capture_output=True)
    with image.open("rb") as file:
        return file.read(512)


@pytest.mark.parametrize(
    ("size", "command", "kind"),
    [
        (1 << 20, "mkfs.vfat -F 12", "vfat"),
        (32 << 20, "mkfs.vfat -F 16", "vfat"),
        (64 << 20, "mkfs.vfat -F 32", "vfat"),
        pytest.param(2 << 40, "mkfs.vfat -F 32 -s 128", "vfat", marks=pytest.mark.slow),
        (32 << 20, "mkfs.exfat", "exfat"),
        (4 << 20, "mke2fs -q", None),
    ],
)
def test_fat_of_every_size_and_exfat_are_mounted(
    size: int, command: str, kind: str | None, tmp_path: Path
) -> None:
    assert kind_of(made(tmp_path, size, *command.split())) == kind


def test_an_exfat_that_would_fill_the_memory_is_not_mounted(tmp_path: Path) -> None:
    sector = made(tmp_path, 32 << 20, "mkfs.exfat")
    for clusters, kind in ((MAX_CLUSTERS, "exfat"), (MAX_CLUSTERS + 1, None)):
        assert kind_of(sector[:92] + struct.pack("<I", clusters) + sector[96:]) == kind


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
