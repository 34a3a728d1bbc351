"""The card in a Pi, as far as QEMU has one: real device trees, and a Pi 3 that starts from it."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support import debian
from tests.system.image.machine import BOOT_S, BUILD, make_card

pytestmark = [pytest.mark.image, pytest.mark.timeout(2 * BOOT_S)]

TREES = sorted(path.name for path in (BUILD / "tree/boot").glob("bcm2[78]*.dtb"))
#: In the card's partition table: where the fourth entry has its type, and a Linux file system's.
FOURTH_TYPE_AT, LINUX = 446 + 3 * 16 + 4, b"\x83"


def with_overlay(tree: str, to: Path) -> Path:
    """A device tree as the Pi's firmware hands it on."""
    overlay = "shutthebox-pi5" if "-5" in tree else "shutthebox"
    boot = BUILD / "tree/boot"
    parts = ["-i", str(boot / tree), "-o", str(to), str(boot / f"overlays/{overlay}.dtbo")]
    subprocess.run(["fdtoverlay", *parts], check=True)
    return to


def value(tree: Path, node: str, key: str) -> str:
    return subprocess.check_output(["fdtget", str(tree), node, key], text=True).strip()


@pytest.mark.parametrize("tree", TREES)
def test_the_overlay_fits_the_pis_device_tree(tree: str, tmp_path: Path) -> None:
    if (lacking := debian.missing("fdtoverlay")) is not None:
        pytest.skip(f"NOT CHECKED: {lacking}")
    merged = with_overlay(tree, tmp_path / tree)
    bus = value(merged, "/aliases", "i2c1")
    assert value(merged, bus, "status") == "okay"
    assert value(merged, bus, "clock-frequency") == "400000"
    spi = value(merged, "/aliases", "spi0")
    assert value(merged, spi, "compatible") in ("brcm,bcm2835-spi", "spi-gpio")
    assert (
        subprocess.run(
            ["fdtget", "-d", "okay", merged, spi, "status"], check=True, capture_output=True, text=True
        ).stdout
        == "okay\n"
    )
    assert value(merged, f"{spi}/display@0", "compatible") == "rohm,dh2228fv", "which makes /dev/spidev0.0"
    assert value(merged, "/shutdown-button/power", "linux,code") == "116"


@contextmanager
def pi_3(card: Path, tree: Path, console: Path) -> Iterator[None]:
    """A Pi 3 with this card, from where U-Boot would start the kernel.

    Without its watchdog: QEMU resets the machine when that is armed, not when it is forgotten.
    """
    (kernel,) = BUILD.glob("parts/usr/lib/modules/*/vmlinuz")
    process = subprocess.Popen(
        [
            "setpriv", "--pdeathsig", "KILL", "qemu-system-aarch64", "-M", "raspi3b", "-nodefaults",
            "-display", "none", "-no-reboot", "-serial", f"file:{console}", "-kernel", kernel, "-dtb", tree,
            "-initrd", BUILD / "initrd.img", "-append",
            "rauc.slot=A console=ttyAMA0,115200 modprobe.blacklist=bcm2835_wdt",
            "-drive", f"if=sd,format=raw,file={card}",
        ],
    )  # fmt: skip
    try:
        yield
    finally:
        process.kill()
        process.wait()


def test_a_pi_3_starts_from_the_card_and_makes_room_for_its_memory(folder: Path) -> None:
    card, console = folder / "pi-3.img", folder / "pi-3.log"
    make_card(card, {})
    with pi_3(card, with_overlay("bcm2837-rpi-3-b.dtb", folder / "pi-3.dtb"), console):
        until = time.monotonic() + BOOT_S
        while True:
            with card.open("rb") as file:
                file.seek(FOURTH_TYPE_AT)
                if file.read(1) == LINUX:
                    break
            assert time.monotonic() < until, console.read_text(errors="replace")[-3000:]
            time.sleep(1)
    assert "Machine model: Raspberry Pi 3 Model B" in console.read_text(errors="replace")
