"""Builds the guest's disk out of Debian's packages, and keeps it for the next time.

Each stage lies in the cache under a name made of everything it was made from, so a change
anywhere rebuilds that stage and what follows from it, and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.support import debian

HERE = Path(__file__).resolve().parent
SUITE = "trixie"

#: Programs for building and running.
COMMANDS = ["qemu-system-x86_64", "qemu-img", "mmdebstrap", "mke2fs", "setpriv"]
#: What `build.py` needs: the kernel with what its modules are built from, and what lgpio is built with.
BUILD_PACKAGES = [
    "linux-image-amd64", "tiny-initramfs", "linux-headers-amd64", "linux-source-6.12", "gcc", "make", "kmod",
    "xz-utils", "zstd", "busybox-static", "cpio", "python3-dev", "python3-pip", "python3-setuptools", "swig",
]  # fmt: skip
#: The system, and the libraries that the box's package depends on; then what tests need.
GUEST_PACKAGES = [
    "systemd", "systemd-sysv", "udev", "dbus", "kmod", "mount", "python3", "python3-colorzero",
    "python3-libgpiod", "python3-luma.oled", "python3-segno", "python3-spidev", "lighttpd",
    "procps", "strace", "gpiod", "i2c-tools", "dmsetup", "e2fsprogs", "python3-mock", "python3-pytest",
    "python3-pytest-timeout",
]  # fmt: skip
#: Debian 13 has gpiozero 1.6, and neither of the two others. lgpio has no wheel for its Python.
PYTHON_PACKAGES = ["gpiozero>=2.0.1.post3", "rpi-lgpio"]
COMPILED_PYTHON_PACKAGES = ["lgpio"]
#: The box's board, with an expander beside it; as on a Pi 4.
REVISION = "a03111"
CHIPS = {"pinctrl-bcm2711": 54, "mcp23017": 16}
PACKAGES_IN_GUEST = "/opt/python"

UNIT = f"""\
[Unit]
Description=The virtual Pi's chips, and its wire to the host
After=sys-kernel-config.mount systemd-udev-settle.service

[Service]
ExecStartPre=/sbin/modprobe -a configfs i2c-dev gpio-sim-pi i2c-panel spi-loop pwm-sham
ExecStart=/usr/bin/python3 /opt/agent.py /opt/agent.json
Environment=PYTHONPATH={PACKAGES_IN_GUEST} HOME=/root
OOMScoreAdjust=-900

[Install]
WantedBy=multi-user.target
"""
#: Units for which a guest that only tests would wait in vain.
MASKED = [
    "systemd-logind.service", "getty@tty1.service", "serial-getty@ttyS0.service", "getty.target",
    "apt-daily.timer", "apt-daily-upgrade.timer", "e2scrub_all.timer", "e2scrub_reap.service",
    "fstrim.timer", "dpkg-db-backup.timer", "systemd-timesyncd.service", "systemd-pstore.service",
    "systemd-networkd-wait-online.service", "systemd-binfmt.service", "proc-sys-fs-binfmt_misc.automount",
]  # fmt: skip


class FetchError(RuntimeError):
    """Something could not be had from Debian or the package index; the text says what."""


def missing() -> str | None:
    """One line on what this machine lacks, with the command that brings it; None if nothing."""
    if not sys.platform.startswith("linux") or os.uname().machine != "x86_64":
        return "the virtual Pi is built on Linux on x86-64 only"
    if os.geteuid() != 0:
        return "building the virtual Pi's disk needs root"
    return debian.missing(*COMMANDS)


def cache() -> Path:
    """Where everything is kept: VIRTUAL_PI_CACHE, or a folder in the user's cache."""
    named = os.environ.get("VIRTUAL_PI_CACHE")
    path = Path(named) if named else Path("~/.cache/shutthebox-virtual-pi").expanduser()
    path.mkdir(parents=True, exist_ok=True)
    return path


def disk() -> tuple[Path, Path, Path]:
    """Builds the missing stages and returns kernel, initramfs and root disk."""
    root = _stage("root.tar", [SUITE, GUEST_PACKAGES], lambda to: _make_root(to, GUEST_PACKAGES))
    build_root = _stage("build-root.tar", [SUITE, BUILD_PACKAGES], lambda to: _make_root(to, BUILD_PACKAGES))
    sources = [HERE / "build.py", *sorted((HERE / "kernel").iterdir())]
    inputs = [build_root.name, PYTHON_PACKAGES, COMPILED_PYTHON_PACKAGES, *sources]
    built = _stage("built", inputs, lambda to: _build(to, build_root))
    inputs = [root.name, built.name, UNIT, MASKED, REVISION, CHIPS, HERE / "agent.py"]
    image = _stage("disk.ext4", inputs, lambda to: _make_disk(to, root, built))
    return built / "vmlinux", built / "initramfs", image


def digest(parts: list[object]) -> str:
    """A short name for a list of inputs; a path counts with what is in the file."""
    total = hashlib.sha256()
    for part in parts:
        total.update(part.read_bytes() if isinstance(part, Path) else json.dumps(part).encode())
    return total.hexdigest()[:12]


def _stage(name: str, inputs: list[object], make: Callable[[Path], None]) -> Path:
    stem, dot, suffix = name.partition(".")
    path = cache() / f"{stem}-{digest(inputs)}{dot}{suffix}"
    if not path.exists():
        part = path.with_name(f"part-{os.getpid()}-{path.name}")
        try:
            make(part)
            part.rename(path)
        finally:
            if part.is_dir():
                shutil.rmtree(part)
            else:
                part.unlink(missing_ok=True)
    return path


def _run(*command: str | Path, error: type[RuntimeError] = RuntimeError) -> None:
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise error(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}{done.stderr}")


def _make_root(to: Path, packages: list[str]) -> None:
    left_out = [f"--dpkgopt=path-exclude=/usr/share/{d}/*" for d in ("doc", "man", "locale", "info")]
    wanted = ["--quiet", "--variant=minbase", f"--include={','.join(packages)}", *left_out, SUITE]
    _run("nice", "mmdebstrap", *wanted, to, error=FetchError)


def _build(to: Path, build_root: Path) -> None:
    """Has `build.py` make everything in a Debian of the guest's kind, whatever this machine runs."""
    tree = to.with_name(to.name + "-tree")
    try:
        tree.mkdir()
        _run("tar", "-xpf", build_root, "-C", tree)
        folder = tree / "build"
        shutil.copytree(HERE / "kernel", folder / "kernel")
        shutil.copy(HERE / "build.py", folder)
        # pip reaches its index as this machine's does.
        compiled = [f"--no-binary={','.join(COMPILED_PYTHON_PACKAGES)}", *COMPILED_PYTHON_PACKAGES]
        _run(
            sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
            f"--dest={folder / 'wheels'}", *PYTHON_PACKAGES, *compiled, error=FetchError,
        )  # fmt: skip
        environment = ["env", "-i", "PATH=/usr/sbin:/usr/bin", "LC_ALL=C.UTF-8"]
        _run("nice", "chroot", tree, *environment, "python3", "/build/build.py")
        (folder / "made").rename(to)
    finally:
        shutil.rmtree(tree, ignore_errors=True)


def _make_disk(to: Path, root: Path, built: Path) -> None:
    tree = to.with_name(to.name + "-tree")
    try:
        tree.mkdir()
        _run("tar", "-xpf", root, "-C", tree)
        shutil.copytree(built / "modules/lib/modules", tree / "usr/lib/modules", dirs_exist_ok=True)
        shutil.copytree(built / "python", tree / PACKAGES_IN_GUEST[1:])
        shutil.copy(HERE / "agent.py", tree / "opt/agent.py")
        (tree / "opt/agent.json").write_text(json.dumps({"revision": REVISION, "chips": CHIPS}))
        units = tree / "etc/systemd/system"
        (units / "virtual-pi.service").write_text(UNIT)
        (units / "multi-user.target.wants").mkdir(exist_ok=True)
        (units / "multi-user.target.wants/virtual-pi.service").symlink_to("../virtual-pi.service")
        for name in MASKED:
            (units / name).unlink(missing_ok=True)
            (units / name).symlink_to("/dev/null")
        (units / "default.target").unlink(missing_ok=True)
        (units / "default.target").symlink_to("/lib/systemd/system/multi-user.target")
        (tree / "etc/hostname").write_text("virtual-pi\n")
        (tree / "etc/machine-id").write_text("0123456789abcdef0123456789abcdef\n")
        (tree / "etc/fstab").write_text("/dev/vda / ext4 defaults 0 0\n")
        _run("mke2fs", "-q", "-t", "ext4", "-d", tree, "-L", "root", to, "3G")
    finally:
        shutil.rmtree(tree, ignore_errors=True)
