"""Runs inside the build root, a Debian 13: makes what the guest needs that Debian has no packages of.

Takes `kernel/` and `wheels/` beside it; writes the kernel, its initramfs and modules, and the Python
packages into `made/`. Only the standard library.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = Path("/usr/src")
#: Of the kernel: its gpio-sim, with the simulator of interrupts in it.
TAKEN = {"drivers/gpio/gpio-sim.c", "drivers/gpio/gpiolib.h", "kernel/irq/irq_sim.c"}
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


def run(*command: str | Path, more: dict[str, str] | None = None) -> str:
    environment = {**os.environ, **(more or {})}
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout


def unpack_kernel(image: bytes) -> bytes:
    """The kernel inside a bzImage, which boots sooner under emulation."""
    start, size = struct.unpack_from("<II", image, 0x248)
    start += (image[0x1F1] + 1) * 512
    # The last four bytes tell the unpacked size.
    packed = image[start : start + size - 4]
    return subprocess.run(["zstd", "-dc"], input=packed, stdout=subprocess.PIPE, check=True).stdout


def build_modules(version: str) -> list[Path]:
    """Ours, and gpio-sim, which Debian leaves out."""
    (archive,) = SOURCES.glob("linux-source-*.tar.xz")
    folder, wanted = HERE / "kernel", set(TAKEN)
    with tarfile.open(archive) as source:
        while wanted and (member := source.next()):
            name = member.name.partition("/")[2]
            if name in wanted and (file := source.extractfile(member)):
                # The one symbol that modules can't have.
                text = re.sub(
                    r"irq_to_desc\((\w+)\)", r"irq_data_to_desc(irq_get_irq_data(\1))", file.read().decode()
                )
                (folder / Path(name).name).write_text(text)
                wanted.remove(name)
    run("make", "-C", f"/lib/modules/{version}/build", f"M={folder}", "modules")
    return list(folder.glob("*.ko"))


def pick_modules(version: str, built: list[Path], to: Path) -> None:
    """Takes over only the modules that the machine has a use for, with what these depend on."""
    target = to / f"lib/modules/{version}"
    for name in MODULES:
        for line in run("modprobe", "-S", version, "--show-depends", name).splitlines():
            if line.startswith("insmod "):
                path = Path(line.split()[1])
                copy = to / path.relative_to("/")
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
    # Unpacked here, because the emulated machine would take longer.
    run("xz", "-d", *target.rglob("*.ko.xz"))
    (target / "extra").mkdir()
    for path in built:
        shutil.copy(path, target / "extra")
    for name in ("modules.builtin", "modules.order", "modules.builtin.modinfo"):
        shutil.copy(f"/lib/modules/{version}/{name}", target)
    run("depmod", "-b", to, version)


def make_initramfs(modules: Path, to: Path) -> None:
    tree = HERE / "initramfs"
    (tree / "bin").mkdir(parents=True)
    shutil.copy("/bin/busybox", tree / "bin")
    (tree / "init").write_text(INIT)
    (tree / "init").chmod(0o755)
    shutil.copytree(modules / "lib", tree / "lib")
    names = "\n".join(str(path.relative_to(tree)) for path in sorted(tree.rglob("*")))
    with to.open("wb") as file:
        subprocess.run(
            ["cpio", "-o", "-H", "newc", "--quiet"], cwd=tree, input=names.encode(), stdout=file, check=True
        )


def install_python(wheels: Path, to: Path) -> None:
    """Installs the packages, and compiles lgpio, with its C library in it as in its wheels."""
    run(
        sys.executable, "-m", "pip", "install", "--quiet", "--root-user-action=ignore", "--no-index",
        "--no-deps", "--no-build-isolation", f"--target={to}", *wheels.iterdir(), more={"PYPI": "1"},
    )  # fmt: skip


def main() -> None:
    (version,) = (path.name for path in Path("/lib/modules").iterdir())
    made = HERE / "made"
    made.mkdir()
    (made / "vmlinux").write_bytes(unpack_kernel(Path(f"/boot/vmlinuz-{version}").read_bytes()))
    pick_modules(version, build_modules(version), made / "modules")
    make_initramfs(made / "modules", made / "initramfs")
    install_python(HERE / "wheels", made / "python")


if __name__ == "__main__":
    main()
