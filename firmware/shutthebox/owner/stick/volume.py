"""A stick mounted for this process alone: FAT or exFAT, and read-only except while saving."""

import errno
import os
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SAFE = "nosuid,nodev,noexec,noatime"
"""Mount options: nothing on a stick is executed or used as a device."""

MAX_CLUSTERS = 1 << 28
"""The most clusters on exFAT: the kernel keeps a bit for each in memory. A 2 TB stick has 16 million."""

PATIENCE_S = 120
"""Seconds to wait for a mount; by then, the kernel has given up on a stick that doesn't answer."""


class VolumeError(OSError):
    """The stick can't be mounted."""


class Volume:
    """A device with one file system. Used by one thread.

    Args:
        device: a whole disk or a partition.
    """

    def __init__(self, device: Path) -> None:
        self._device = device
        self._folder: Path | None = None
        self._is_given_up = False

    @property
    def gone(self) -> bool:
        """Whether the stick has been removed."""
        return self._is_given_up or not os.path.lexists(self._device)

    def give_up(self) -> None:
        """Marks the stick as removed, on systemd's word; safe in a signal handler."""
        self._is_given_up = True

    @property
    def in_use(self) -> bool:
        """Whether it is already mounted: the machine's own disk, or one used for something else."""
        number = self._device.stat().st_rdev
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
        return f"{os.major(number)}:{os.minor(number)}" in {line.split()[2] for line in mounts.splitlines()}

    @property
    def protected(self) -> bool:
        """Whether the stick is write-protected, by a switch or a fault."""
        try:
            number = self._device.stat().st_rdev
            return Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}/ro").read_text() == "1\n"
        except OSError:
            return False

    def mount(self) -> Path:
        """Mounts it read-only and returns the folder.

        Raises:
            OSError: it can't be read, or is neither FAT nor exFAT.
        """
        with self._device.open("rb") as device:
            kind = kind_of(device.read(512))
        if kind is None:
            raise VolumeError(errno.EMEDIUMTYPE, "neither FAT nor exFAT")
        folder = Path(tempfile.mkdtemp(prefix="stick-"))
        self._mount("-t", kind, "-o", f"ro,{SAFE},umask=077", str(self._device), str(folder))
        self._folder = folder
        return folder

    def unmount(self) -> None:
        """Unmounts it, which flushes what was written. Does nothing if it isn't mounted."""
        if self._folder is not None:
            folder, self._folder = self._folder, None
            subprocess.run(
                ["umount", "-l", str(folder)], capture_output=True, timeout=PATIENCE_S, check=False
            )
            with suppress(OSError):
                folder.rmdir()

    @contextmanager
    def writable(self) -> Iterator[Path]:
        """Remounts it writable.

        Raises:
            OSError: it can't be.
        """
        assert self._folder is not None
        if self.protected:
            raise VolumeError(errno.EROFS, os.strerror(errno.EROFS))
        self._mount("-o", f"remount,rw,{SAFE}", str(self._folder))
        try:
            yield self._folder
        finally:
            with suppress(OSError):
                self._mount("-o", f"remount,ro,{SAFE}", str(self._folder))

    def _mount(self, *words: str) -> None:
        # -i: no mount helper of a file system, which could be anything.
        command = ["mount", "-i", *words]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=PATIENCE_S, check=False
            )
        except subprocess.TimeoutExpired:
            raise VolumeError(errno.EIO, "the stick does not answer") from None
        if done.returncode:
            if self.gone:
                raise VolumeError(errno.ENODEV, os.strerror(errno.ENODEV))
            lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
            protected = "write-protected" in done.stderr
            raise VolumeError(
                errno.EROFS if protected else errno.EIO, lines[0] if lines else "can't be mounted"
            )


def kind_of(sector: bytes) -> str | None:
    """The kernel's name for the file system this first sector belongs to; None for one we don't mount.

    Only FAT and exFAT: the kernel knows dozens more that nobody has hardened against hostile sticks.
    """
    if len(sector) < 512 or sector[510:512] != b"\x55\xaa":
        return None
    if sector[3:11] == b"EXFAT   ":
        (clusters,) = struct.unpack_from("<I", sector, 92)
        return "exfat" if clusters <= MAX_CLUSTERS else None
    # A FAT boot sector begins with a jump, and names its type in one of two places. A partition table does
    # neither.
    if sector[0] in (0xEB, 0xE9) and (sector[54:57] == b"FAT" or sector[82:87] == b"FAT32"):
        return "vfat"
    return None
