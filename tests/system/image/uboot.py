"""A card for U-Boot in an emulated machine, with systems that only name themselves."""

from __future__ import annotations

import gzip
import os
import struct
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

IMAGE = Path(__file__).resolve().parents[3] / "packaging/image"
UBOOT = Path("/usr/lib/u-boot/qemu_arm64/u-boot.bin")
COMMANDS = ("qemu-system-aarch64", "mkimage", "mkenvimage", "mcopy", "mkfs.vfat", "sfdisk", str(UBOOT))
#: A hang guard: a start takes seconds.
STARTS_S = 500

STATE_AT, STATE_BYTES = 512 << 10, 4096
#: First sector of each partition, and sectors of all of them.
PARTITIONS = {"boot": 8192, "A": 16384, "B": 24576}
SECTORS = 8192
SERIAL_PORT = 0x0900_0000
PSCI_SYSTEM_RESET = 0x8400_0009


def kernel(name: str) -> bytes:
    """A kernel for arm64 that writes its name to the serial port and starts the machine anew."""
    code = [0xD2A00000 | SERIAL_PORT >> 16 << 5]  # movz x0, port, lsl 16
    for letter in f"<{name}>".encode():
        code += [0x52800001 | letter << 5, 0xB9000001]  # movz w1, letter; str w1, [x0]
    code += [0x52800000 | (PSCI_SYSTEM_RESET & 0xFFFF) << 5]  # movz w0, low half
    code += [0x72A00000 | PSCI_SYSTEM_RESET >> 16 << 5]  # movk w0, high half, lsl 16
    code += [0xD4000002, 0x14000000]  # hvc 0; b .
    body = b"".join(struct.pack("<I", word) for word in code)
    # The header that booti wants: a jump behind it, its size, and a magic number.
    header = struct.pack("<IIQQQQQQ4sI", 0x14000010, 0, 0, 0x10000, 8, 0, 0, 0, b"ARM\x64", 0)
    return header + body


def file_system(path: Path, first_sector: int, files: dict[str, bytes]) -> None:
    """Writes a partition of a card."""
    command = ["mkfs.vfat", "--offset", str(first_sector), str(path), str(SECTORS // 2)]
    subprocess.run(command, check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            Path(folder, name).write_bytes(data)
            command = ["mcopy", "-i", f"{path}@@{first_sector * 512}", f"{folder}/{name}", f"::{name}"]
            subprocess.run(command, check=True)


def system_files(name: str) -> dict[str, bytes]:
    return {"Image.gz": gzip.compress(kernel(name)), "initrd.img": bytes(64)}


def card(folder: Path, order: str, left: tuple[int, int], systems: Sequence[str] = "AB") -> Path:
    """A card with the boot script and these systems; the others can't be read."""
    path = folder / "card.img"
    path.touch()
    os.truncate(path, (max(PARTITIONS.values()) + SECTORS) * 512)
    table = "label: dos\n" + "".join(f"start={at}, size={SECTORS}, type=c\n" for at in PARTITIONS.values())
    subprocess.run(["sfdisk", "--quiet", "--no-reread", path], input=table, text=True, check=True)
    subprocess.run(["sfdisk", "--quiet", "--activate", path, "1"], check=True)
    script = folder / "boot.scr"
    command = ["mkimage", "-A", "arm64", "-T", "script", "-C", "none", "-d", str(IMAGE / "boot/boot.cmd")]
    subprocess.run([*command, str(script)], check=True, capture_output=True)
    file_system(path, PARTITIONS["boot"], {"boot.scr": script.read_bytes()})
    for name in systems:
        file_system(path, PARTITIONS[name], system_files(name))
    state = f"BOOT_ORDER={order}\nBOOT_A_LEFT={left[0]}\nBOOT_B_LEFT={left[1]}\n"
    made = subprocess.run(
        ["mkenvimage", "-s", str(STATE_BYTES), "-o", "-", "-"],
        input=state.encode(),
        capture_output=True,
        check=True,
    )
    with path.open("r+b") as disk:
        disk.seek(STATE_AT)
        disk.write(made.stdout)
    return path


def starts(path: Path, count: int) -> str:
    """Which systems the machine starts one after the other, so many of them."""
    console = path.with_name("console.log")
    with console.open("wb") as log:
        machine = subprocess.Popen(
            [
                "setpriv", "--pdeathsig", "KILL", "qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a72",
                "-m", "512M", "-nodefaults", "-display", "none", "-serial", "stdio", "-bios", UBOOT,
                "-drive", f"if=none,id=card,file={path},format=raw",
                "-device", "virtio-blk-device,drive=card",
            ],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
        try:
            until = time.monotonic() + STARTS_S
            while True:
                text = console.read_text(errors="replace")
                found = [name for part in text.split("<")[1:] if len(name := part.partition(">")[0]) == 1]
                if len(found) >= count:
                    return "".join(found[:count])
                assert time.monotonic() < until, text[-3000:]
                time.sleep(0.1)
        finally:
            machine.kill()
            machine.wait()


def state(path: Path) -> dict[str, str]:
    """The boot state on the card for the next start."""
    with path.open("rb") as file:
        file.seek(STATE_AT + 4)
        words = file.read(STATE_BYTES - 4).split(b"\0\0")[0].decode().split("\0")
    return dict(word.split("=", 1) for word in words)
