"""Debian's packages for the tests: those missing here, and the command that installs them."""

import shutil
from collections.abc import Mapping
from pathlib import Path

PACKAGE_OF = {
    "dpkg-deb": "dpkg",
    "fdtoverlay": "device-tree-compiler",
    "lighttpd": "lighttpd",
    "lintian": "lintian",
    "mcopy": "mtools",
    "mke2fs": "e2fsprogs",
    "mkenvimage": "u-boot-tools",
    "mkfs.exfat": "exfatprogs",
    "mkfs.vfat": "dosfstools",
    "mkimage": "u-boot-tools",
    "mmdebstrap": "mmdebstrap",
    "mount": "mount",
    "nft": "nftables",
    "nsenter": "util-linux",
    "qemu-aarch64-static": "qemu-user-static",
    "qemu-img": "qemu-utils",
    "qemu-system-aarch64": "qemu-system-arm",
    "qemu-system-x86_64": "qemu-system-x86",
    "rauc": "rauc",
    "setpriv": "util-linux",
    "sfdisk": "fdisk",
    "shellcheck": "shellcheck",
    "strace": "strace",
    "systemd-analyze": "systemd",
    "systemd-socket-activate": "systemd",
    "systemd-nspawn": "systemd-container",
    "unshare": "util-linux",
    "unsquashfs": "squashfs-tools",
    "/usr/lib/u-boot/qemu_arm64/u-boot.bin": "u-boot-qemu",
}
"""The package of a command, or of a file by its whole path."""


def missing(*wanted: str, more: Mapping[str, str] | None = None) -> str | None:
    """One line on what this machine lacks of these commands and files; None if nothing.

    Args:
        wanted: names of `PACKAGE_OF`.
        more: others, each with its package.
    """
    packages = {name: PACKAGE_OF[name] for name in wanted} | dict(more or {})
    lacking = {package for name, package in packages.items() if not _is_here(name)}
    if not lacking:
        return None
    return f"missing: apt-get install --no-install-recommends {' '.join(sorted(lacking))}"


def _is_here(name: str) -> bool:
    if name.startswith("/"):
        return Path(name).exists()
    return shutil.which(name) is not None
