"""Packs the initramfs: a static busybox, the drivers that the card may need, and `init`.

It is made here and not by a tool in the emulated system, where that takes minutes. Run by image/Makefile.
"""

from __future__ import annotations

import argparse
import lzma
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: Modules that are loaded by name; the others are found by the machine's hardware.
BY_NAME = ["loop", "vfat", "nls_ascii", "nls_cp437", "squashfs", "overlay"]
#: The emulated machine's card and bus.
EMULATED = ["virtio_blk", "virtio_mmio"]
#: The hardware between a Pi's processor and its card.
BUSES = {
    ("drivers", name)
    for name in (
        "block", "clk", "dma", "firmware", "gpio", "irqchip", "mailbox", "mfd", "misc", "mmc", "pci", "phy",
        "pinctrl", "pmdomain", "regulator", "reset", "soc",
    )
}  # fmt: skip


def main() -> None:
    """Reads the root and the device trees, writes the initramfs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path, help="folder with the system: modules, device trees, busybox")
    parser.add_argument("to", type=Path)
    parser.add_argument("--disk", required=True, help="the card's disk identifier, eight hexadecimal digits")
    parser.add_argument(
        "--state", type=Path, nargs=2, required=True, help="boot state to try A, and to try B"
    )
    args = parser.parse_args()
    modules = next(iter(sorted((args.root / "usr/lib/modules").iterdir())))
    with tempfile.TemporaryDirectory(prefix="initramfs-") as folder:
        tree = Path(folder)
        (tree / "bin").mkdir()
        shutil.copy(args.root / "usr/bin/busybox", tree / "bin/busybox")
        init = tree / "init"
        init.write_text((HERE / "init").read_text().replace("@DISK@", args.disk))
        init.chmod(0o755)
        for name, state in zip("AB", args.state, strict=True):
            shutil.copy(state, tree / f"start-{name}.env")
        names = [*BY_NAME, *EMULATED, *find_drivers(modules)]
        copy_modules(modules, names, tree / "lib/modules" / modules.name)
        subprocess.run(["depmod", "-b", str(tree), modules.name], check=True)
        args.to.write_bytes(compress(archive(tree)))


def find_drivers(modules: Path) -> Iterator[str]:
    """The modules that the device trees of the Pis ask for, of the kinds that a card may need."""
    asked: set[str] = set()
    for tree in sorted((modules / "dtb/broadcom").glob("bcm2[78]*-rpi-*.dtb")):
        asked |= {word.decode("ascii", "replace") for word in tree.read_bytes().split(b"\0") if word}
    paths = {module_name(path): path for path in modules.rglob("*.ko*")}
    for line in (modules / "modules.alias").read_text().splitlines():
        if found := re.fullmatch(r"alias of:N\*T\*C(.+?) (\S+)", line):
            compatible, name = found[1].removesuffix("C*"), found[2].replace("-", "_")
            path = paths.get(name)
            if compatible in asked and path and path.relative_to(modules / "kernel").parts[:2] in BUSES:
                yield name


def module_name(path: Path) -> str:
    """A module's name as the kernel spells it."""
    return path.name.partition(".")[0].replace("-", "_")


def copy_modules(modules: Path, names: Iterable[str], to: Path) -> None:
    """Copies modules with all they need, unpacked: the archive is packed as a whole."""
    needs = {}
    for line in (modules / "modules.dep").read_text().splitlines():
        path, _, others = line.partition(":")
        needs[module_name(Path(path))] = [path, *others.split()]
    builtin = {module_name(Path(line)) for line in (modules / "modules.builtin").read_text().splitlines()}
    for name in sorted(set(names)):
        if name.replace("-", "_") in builtin:
            continue
        for path in needs[name.replace("-", "_")]:
            target = to / path.removesuffix(".xz")
            target.parent.mkdir(parents=True, exist_ok=True)
            data = (modules / path).read_bytes()
            target.write_bytes(lzma.decompress(data) if path.endswith(".xz") else data)
    for name in ("modules.builtin", "modules.order", "modules.builtin.modinfo"):
        shutil.copy(modules / name, to)


def archive(tree: Path) -> bytes:
    """The tree as a cpio archive that depends on nothing but names, modes and contents."""
    subprocess.run(
        ["find", str(tree), "-exec", "touch", "--no-dereference", "--date=@0", "{}", "+"], check=True
    )
    names = "\n".join(str(path.relative_to(tree)) for path in sorted(tree.rglob("*")))
    command = ["cpio", "--create", "--format=newc", "--reproducible", "--owner=0:0", "--quiet"]
    return subprocess.run(command, cwd=tree, input=names.encode(), capture_output=True, check=True).stdout


def compress(data: bytes) -> bytes:
    """Packed so that a Pi unpacks it quickly."""
    command = ["zstd", "-19", "--quiet", "--stdout", "--threads=1"]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


if __name__ == "__main__":
    main()
