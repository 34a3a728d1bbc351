"""Sticks that are full, broken or made to hurt: one line on the glass each, and nothing is lost."""

from __future__ import annotations

import os
import struct
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support import debian
from tests.system.virtual_pi import VirtualPi
from tests.system.virtual_pi.owner import (
    CUT_OFF,
    EMPTY,
    LONG_S,
    OWNERS,
    SETTINGS,
    Owner,
    formatted,
    listed,
    put_on,
    saved_name,
)
from tests.system.virtual_pi.table import Table, install_box, until

from shutthebox.game.stick import Stick, StickJob, StickOutcome

pytestmark = [pytest.mark.virtual_pi, pytest.mark.timeout(1200)]

UNREADABLE = Stick(outcome=StickOutcome.UNREADABLE)
TERABYTES = (2 << 40) - (1 << 20)
#: Of FAT32 with clusters of one sector: where the two tables begin, and how long each is.
RESERVED = 32


@pytest.fixture(scope="module")
def owner(pi: VirtualPi) -> Iterator[Owner]:
    """One box for all of them: what one stick has left behind would show at the next."""
    if lacking := debian.missing("mkfs.vfat", "mkfs.exfat", "mcopy", "sfdisk"):
        pytest.skip(lacking)
    install_box(pi, OWNERS, watchdog_s=120)
    table = Table(pi, SETTINGS)
    table.start_anew()
    found = Owner(table, SETTINGS)
    found.see()
    yield found
    assert table.shown("NRestarts") == "0"


@contextmanager
def put_in(
    owner: Owner, image: Path, *, protected: bool = False, ends: Stick | None = None
) -> Iterator[None]:
    """Puts a stick in for as long; then the box is as before, and nobody serves the stick any more.

    Args:
        ends: what its helper says at last of the job that is cut off.
    """
    owner.pi.put_in_stick(image, protected=protected)
    try:
        yield
    finally:
        owner.pi.pull_out_stick()
    owner.hears(None if ends is None else [ends, None])
    owner.hold()
    assert until(lambda: helpers(owner.pi) == [], 120)


def helpers(pi: VirtualPi) -> list[str]:
    """The units of the sticks that are in."""
    units = "systemctl list-units --plain --no-legend --state=active,deactivating 'shutthebox-stick@*'"
    return [line.split()[0] for line in pi.run(units).out.splitlines()]


def entry(name: bytes, attributes: int, cluster: int = 0) -> bytes:
    """One name of eleven letters in a folder of FAT."""
    return struct.pack("<11sB8xH4xHI", name, attributes, cluster >> 16, cluster & 0xFFFF, 0)


def fat32(folder: Path, entries: bytes, *, loops: bool = False) -> Path:
    """A stick whose top has these names, in a chain of clusters that ends, or leads back to its beginning."""
    image = formatted(folder, "mkfs.vfat", "-F", "32", "-s", "1")
    clusters = -(-len(entries) // 512)
    with image.open("r+b") as disk:
        (length,) = struct.unpack("<I", disk.read(40)[36:])
        chain = [*range(3, clusters + 2), 2 if loops else 0x0FFFFFFF]
        for copy in range(2):
            disk.seek((RESERVED + copy * length) * 512 + 8)
            disk.write(struct.pack(f"<{clusters}I", *chain))
        disk.seek((RESERVED + 2 * length) * 512)
        disk.write(entries)
    return image


def names(count: int) -> bytes:
    return b"".join(entry(b"%08dTXT" % number, 0x20) for number in range(count))


def rubbish(image: Path, at: int) -> Path:
    """All but its beginning is overwritten."""
    with image.open("r+b") as disk:
        disk.seek(at)
        disk.write(b"\xd7rubbish" * (1 << 17))
    return image


def ntfs(image: Path) -> Path:
    """A table of partitions, and one partition, as Windows makes them."""
    with image.open("wb") as disk:
        disk.truncate(64 << 20)
        disk.seek(446)
        disk.write(struct.pack("<B3xB3xII", 0, 7, 2048, (64 << 11) - 2048) + bytes(48) + b"\x55\xaa")
        disk.seek((1 << 20) + 3)
        disk.write(b"NTFS    ")
    return image


UNUSABLE: dict[str, Callable[[Path], Path]] = {
    "a name with a slash": lambda to: fat32(to, entry(b"..\x2f..\x2fETC  ", 0x10, 2)),
    "a folder that goes round in a circle": lambda to: fat32(to, names(1600), loops=True),
    "rubbish behind the first sectors of exFAT": lambda to: rubbish(formatted(to, "mkfs.exfat"), 1 << 14),
    "NTFS": lambda to: ntfs(to / "stick.img"),
    "a first sector of another size": lambda to: rubbish(formatted(to), 11),
}


@pytest.mark.parametrize("kind", UNUSABLE)
def test_one_that_cannot_be_read_is_one_line(owner: Owner, tmp_path: Path, kind: str) -> None:
    with put_in(owner, UNUSABLE[kind](tmp_path)):
        owner.hears(UNREADABLE)
        owner.opens_service()


def test_a_write_protected_one_is_one_line(owner: Owner, tmp_path: Path) -> None:
    with put_in(owner, formatted(tmp_path), protected=True):
        owner.hears(Stick(outcome=StickOutcome.PROTECTED))
        owner.opens_service()


def saves(owner: Owner, outcome: StickOutcome) -> None:
    """Has the box save, to this end."""
    name = saved_name(owner.pi) if outcome is StickOutcome.SAVED else ""
    offers = (StickJob.SAVE, StickJob.TAKE_OVER) if name else (StickJob.SAVE,)
    owner.hears(EMPTY)
    owner.opens_service()
    owner.press(sees=False)
    owner.hears(Stick(offers, memory=name, outcome=outcome, detail=name), seconds=LONG_S)


def with_photos(folder: Path) -> Path:
    """A stick with room for a part of what the box saves."""
    image, photos = formatted(folder, size=1 << 20), folder / "photos"
    photos.touch()
    os.truncate(photos, 990_000)
    put_on(image, photos, "photos")
    return image


def test_a_full_one_keeps_what_it_had(owner: Owner, tmp_path: Path) -> None:
    image = with_photos(tmp_path)
    with put_in(owner, image):
        saves(owner, StickOutcome.FULL)
    assert listed(image) == ["photos"]


@pytest.mark.parametrize("command", [("mkfs.vfat", "-F", "32", "-s", "128"), ("mkfs.exfat",)])
def test_two_terabytes_are_room_enough(owner: Owner, tmp_path: Path, command: tuple[str, ...]) -> None:
    with put_in(owner, formatted(tmp_path, *command, size=TERABYTES)):
        saves(owner, StickOutcome.SAVED)


def test_sixty_thousand_files_are_not_in_the_way(owner: Owner, tmp_path: Path) -> None:
    """As many as a folder of FAT can have, but for a few."""
    with put_in(owner, fat32(tmp_path, names(60_000))):
        saves(owner, StickOutcome.SAVED)


def of_partitions(folder: Path, count: int) -> Path:
    """A disk with so many partitions of FAT, 1 MiB each."""
    image, part = folder / "disk.img", formatted(folder, size=1 << 20)
    with image.open("wb") as disk:
        disk.truncate((count + 2) << 20)
    table = "label: gpt\n" + "size=1MiB\n" * count
    subprocess.run(["sfdisk", "--quiet", str(image)], input=table, text=True, check=True)
    with image.open("r+b") as disk:
        for number in range(count):
            disk.seek((1 + number) << 20)
            disk.write(part.read_bytes())
    return image


def test_a_hundred_partitions_are_no_hundred_helpers(owner: Owner, tmp_path: Path) -> None:
    with put_in(owner, of_partitions(tmp_path, 100)):
        owner.hears(EMPTY)
        owner.pi.run("udevadm settle")
        assert 1 <= len(helpers(owner.pi)) <= 4
        owner.opens_service()


def test_one_that_stalls_while_it_is_written_and_is_pulled_out(owner: Owner, tmp_path: Path) -> None:
    image, pi = formatted(tmp_path), owner.pi
    with put_in(owner, image, ends=CUT_OFF):
        owner.hears(EMPTY)
        pi.stall_stick()
        owner.opens_service()
        owner.press(sees=False)
        owner.hears(Stick((StickJob.SAVE,), doing=StickJob.SAVE, percent=0))
        (unit,) = helpers(pi)
        (helper,) = pi.run(f"systemctl show --value -p MainPID {unit}").out.split()
        waits = f"grep '^State:.D' /proc/{helper}/status"
        assert until(lambda: pi.run(waits, check=False).code == 0, LONG_S)
        owner.hold()  # the box plays
        owner.opens_service()
    assert [name for name in listed(image) if not name.endswith(".part")] == []
