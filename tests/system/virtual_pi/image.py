"""Builds the guest's disk out of Debian's packages, and keeps it for the next time.

Each stage lies in the cache under a name made of everything it was made from, so a change
anywhere rebuilds that stage and what follows from it, and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

from tests.support import debian

HERE = Path(__file__).resolve().parent
SUITE = "bookworm"
SOURCE_SERIES = "6.1"

#: Programs for building and running.
COMMANDS = [
    "qemu-system-x86_64", "qemu-img", "mmdebstrap", "mke2fs", "busybox", "cpio", "depmod", "gcc", "make",
    "setpriv",
]  # fmt: skip
KERNEL_FILES = {
    f"/usr/src/linux-source-{SOURCE_SERIES}.tar.xz": f"linux-source-{SOURCE_SERIES}",
    f"/usr/src/linux-headers-{SOURCE_SERIES}.*-common": "linux-headers-amd64",
}

GUEST_PACKAGES = [
    "systemd", "systemd-sysv", "udev", "dbus", "kmod", "python3", "procps", "strace", "gpiod",
    "i2c-tools", "mount", "python3-spidev", "lighttpd",
]  # fmt: skip
#: For the guest's own Python: the three libraries that reach pins, and what tests need.
PYTHON_VERSION = "3.11"
PYTHON_PACKAGES = [
    "gpiozero>=2.0.1.post3", "gpiod>=2.1", "lgpio", "rpi-lgpio", "pytest>=8", "pytest-timeout>=2.3.1",
    "mock", "luma.oled>=3.13", "segno>=1.4.1",
]  # fmt: skip
MODULES = [
    "virtio_pci",
    "virtio_blk",
    "virtio_console",
    "ext4",
    "crc32c_generic",
    "i2c-dev",
    "configfs",
    "autofs4",
    # A stick.
    "xhci_pci",
    "usb-storage",
    "sd_mod",
    "vfat",
    "exfat",
    # RAUC opens an update as a file system.
    "loop",
    "squashfs",
    "nls_cp437",
    "nls_ascii",
    "nls_utf8",
    # Notes what reaches a card, for power cuts.
    "dm-log-writes",
]
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
#: On the console as soon as the kernel runs a program.
FIRST_WORDS = "virtual pi: the kernel runs"
INIT = f"""\
#!/bin/busybox sh
/bin/busybox echo {FIRST_WORDS}
/bin/busybox mkdir -p /proc /sys /dev /root
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
/bin/busybox mount -t devtmpfs dev /dev
for module in virtio_pci virtio_blk crc32c_generic ext4; do /bin/busybox modprobe $module; done
while ! [ -b /dev/vda ]; do /bin/busybox sleep 0.05; done
/bin/busybox mount -t ext4 /dev/vda /root
/bin/busybox umount /proc /sys
exec /bin/busybox switch_root /root /lib/systemd/systemd
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
    if _codename() != SUITE:
        return "the virtual Pi is built on Debian 12 only: its chips come from that kernel's source"
    if os.geteuid() != 0:
        return "building the virtual Pi's disk needs root"
    return debian.missing(*COMMANDS, more=KERNEL_FILES)


def _codename() -> str:
    try:
        return platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    except OSError:
        return ""


def cache() -> Path:
    """Where everything is kept: VIRTUAL_PI_CACHE, or a folder in the user's cache."""
    named = os.environ.get("VIRTUAL_PI_CACHE")
    path = Path(named) if named else Path("~/.cache/shutthebox-virtual-pi").expanduser()
    path.mkdir(parents=True, exist_ok=True)
    return path


def kernel_version() -> str:
    """The version that the installed headers are for, which is the kernel the guest gets."""
    found = sorted(Path("/lib/modules").glob(f"{SOURCE_SERIES}.*-amd64/build"))
    if not found:
        raise RuntimeError(f"no headers of a {SOURCE_SERIES} kernel under /lib/modules")
    return found[-1].parent.name


def disk() -> tuple[Path, Path, Path]:
    """Builds the missing stages and returns kernel, initramfs and root disk."""
    version = kernel_version()
    root = _stage("root.tar", [SUITE, GUEST_PACKAGES], _make_root)
    source = sorted((HERE / "kernel").iterdir())
    kernel = _stage("kernel", [version, MODULES, INIT, *source], lambda to: _make_kernel(to, version))
    packages = _stage("python", [PYTHON_VERSION, PYTHON_PACKAGES], _make_python)
    inputs = [root.name, kernel.name, packages.name, UNIT, MASKED, REVISION, CHIPS, HERE / "agent.py"]
    image = _stage("disk.ext4", inputs, lambda to: _make_disk(to, root, kernel, packages))
    return kernel / "vmlinux", kernel / "initramfs", image


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


def _run(*command: str | Path, cwd: Path | None = None, error: type[RuntimeError] = RuntimeError) -> str:
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise error(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def _make_root(to: Path) -> None:
    left_out = [f"--dpkgopt=path-exclude=/usr/share/{d}/*" for d in ("doc", "man", "locale", "info")]
    include = "--include=" + ",".join(GUEST_PACKAGES)
    wanted = ["--quiet", "--variant=minbase", include, *left_out, SUITE]
    _run("nice", "mmdebstrap", *wanted, to, error=FetchError)


def _make_kernel(to: Path, version: str) -> None:
    to.mkdir()
    _run("apt-get", "download", f"linux-image-{version}", cwd=to, error=FetchError)
    deb = next(to.glob("*.deb"))
    _run("dpkg-deb", "-x", deb, to / "deb")
    deb.unlink()
    (to / "vmlinux").write_bytes(_uncompressed((to / f"deb/boot/vmlinuz-{version}").read_bytes()))
    # Debian has no gpio-sim: built from the same kernel's source, with the IRQ simulator in it.
    build = to / "build"
    shutil.copytree(HERE / "kernel", build)
    with tarfile.open(f"/usr/src/linux-source-{SOURCE_SERIES}.tar.xz") as source:
        wanted = {"drivers/gpio/gpio-sim.c", "drivers/gpio/gpiolib.h", "kernel/irq/irq_sim.c"}
        for member in source:
            name = member.name.partition("/")[2]
            if name in wanted and (file := source.extractfile(member)):
                text = file.read().decode()
                # The one symbol that modules can't have.
                text = re.sub(r"irq_to_desc\((\w+)\)", r"irq_data_to_desc(irq_get_irq_data(\1))", text)
                (build / name.rpartition("/")[2]).write_text(text)
                wanted.remove(name)
                if not wanted:
                    break
    _run("nice", "make", "-C", f"/lib/modules/{version}/build", f"M={build}", "modules")
    _pick_modules(to, version)
    _make_initramfs(to)
    shutil.rmtree(to / "deb")
    shutil.rmtree(build)


def _uncompressed(image: bytes) -> bytes:
    """The kernel inside a bzImage, which boots sooner under emulation."""
    start = image.index(b"\xfd7zXZ\x00")
    return lzma.LZMADecompressor(format=lzma.FORMAT_XZ).decompress(image[start:])


def _pick_modules(to: Path, version: str) -> None:
    """Takes over only the modules that the machine has a use for, with what these depend on."""
    full, kept = to / "deb", to / "modules"
    _run("depmod", "-b", full, version)
    for name in MODULES:
        shown = _run("modprobe", "-S", version, "-d", full, "--show-depends", name)
        for line in shown.splitlines():
            if line.startswith("insmod "):
                path = Path(line.split()[1])
                target = kept / path.relative_to(full)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)
    extra = kept / f"lib/modules/{version}/extra"
    extra.mkdir(parents=True)
    for path in (to / "build").glob("*.ko"):
        shutil.copy(path, extra)
    for name in ("modules.builtin", "modules.order", "modules.builtin.modinfo"):
        shutil.copy(full / f"lib/modules/{version}/{name}", kept / f"lib/modules/{version}")
    _run("depmod", "-b", kept, version)


def _make_initramfs(to: Path) -> None:
    tree = to / "tree"
    (tree / "bin").mkdir(parents=True)
    busybox = shutil.which("busybox")
    assert busybox is not None
    shutil.copy(busybox, tree / "bin/busybox")
    (tree / "init").write_text(INIT)
    (tree / "init").chmod(0o755)
    shutil.copytree(to / "modules/lib", tree / "lib")
    names = "\n".join(str(p.relative_to(tree)) for p in sorted(tree.rglob("*")))
    packed = subprocess.run(
        ["cpio", "-o", "-H", "newc", "--quiet"],
        cwd=tree,
        input=names.encode(),
        capture_output=True,
        check=True,
    )
    (to / "initramfs").write_bytes(packed.stdout)
    shutil.rmtree(tree)


def _make_python(to: Path) -> None:
    platforms = [f"--platform={p}_x86_64" for p in ("manylinux2014", "manylinux_2_28", "manylinux_2_34")]
    _run(
        "nice", sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        "--root-user-action=ignore", "--only-binary=:all:", f"--python-version={PYTHON_VERSION}",
        "--implementation=cp", *platforms, f"--target={to}", *PYTHON_PACKAGES,
        error=FetchError,
    )  # fmt: skip


def _make_disk(to: Path, root: Path, kernel: Path, packages: Path) -> None:
    tree = to.with_name(to.name + "-tree")
    try:
        tree.mkdir()
        _run("tar", "-xpf", root, "-C", tree)
        shutil.copytree(kernel / "modules/lib/modules", tree / "usr/lib/modules", dirs_exist_ok=True)
        shutil.copytree(packages, tree / PACKAGES_IN_GUEST[1:])
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
