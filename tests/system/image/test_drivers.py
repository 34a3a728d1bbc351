"""The drivers that the card has, though many are left out: those of what an owner plugs in are whole."""

from __future__ import annotations

import subprocess

import pytest
from tests.system.image import machine
from tests.system.image.machine import BUILD

pytestmark = [
    pytest.mark.image,
    pytest.mark.skipif(machine.missing() is not None, reason=f"the image is NOT tried: {machine.missing()}"),
]

#: A stick with either file system, sound by USB and HDMI, Wi-Fi.
DRIVERS = ("usb-storage", "uas", "sd_mod", "vfat", "exfat", "snd-usb-audio", "vc4", "brcmfmac")


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_driver_has_all_that_it_depends_on(driver: str) -> None:
    (modules,) = (BUILD / "parts/usr/lib/modules").iterdir()
    files = {path.name.partition(".")[0].replace("-", "_"): path for path in modules.rglob("*.ko*")}
    built_in = {
        line.rpartition("/")[2].partition(".")[0].replace("-", "_")
        for line in (modules / "modules.builtin").read_text().splitlines()
    }
    wanted = [driver.replace("-", "_")]
    while wanted:
        name = wanted.pop()
        if name in built_in:
            continue
        assert name in files, f"{driver} can't be loaded without {name}"
        command = ["modinfo", "--field=depends", str(files[name])]
        depends = subprocess.check_output(command, text=True).strip()
        wanted += [needed.replace("-", "_") for needed in depends.split(",") if needed]
