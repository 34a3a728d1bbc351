"""The scripts of the card, as far as they can be checked without one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support import debian

IMAGE = Path(__file__).resolve().parents[2] / "packaging/image"
SCRIPTS = [
    *IMAGE.glob("*.sh"),
    *(IMAGE / "root/usr/lib/shutthebox").iterdir(),
    IMAGE / "initramfs/init",
    Path(__file__).with_name("hardware.sh"),
]
UNITS = [*(IMAGE / "root/etc/systemd/system").glob("*.service")]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_shellcheck_has_nothing_to_say(script: Path) -> None:
    if (lacking := debian.missing("shellcheck")) is not None:
        pytest.skip(f"NOT CHECKED: {lacking}")
    done = subprocess.run(
        ["shellcheck", "--exclude=SC2016", str(script)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_a_unit_runs_a_script_that_is_there_and_is_switched_on(unit: Path) -> None:
    text = unit.read_text()
    for program in re.findall(r"^ExecStart=(/usr/lib/shutthebox/\S+)", text, re.MULTILINE):
        script = IMAGE / "root" / program[1:]
        assert script.stat().st_mode & 0o111, f"{script} cannot be run"
    if "[Install]" in text:
        assert unit.name in (IMAGE / "finish.sh").read_text()


def test_the_card_has_what_the_box_and_its_pins_depend_on_and_nothing_of_the_league() -> None:
    control = IMAGE.parents[1] / "debian/control"
    command = [sys.executable, str(IMAGE / "depends.py"), str(control)]
    names = subprocess.check_output(command, text=True).split()
    assert {"python3-libgpiod", "python3-luma.oled", "python3-colorzero"} <= set(names)
    assert not {"mosquitto", "shutthebox", "shutthebox-uplink", "python3-gpiozero-gpiod"} & set(names)


def test_the_image_is_made_of_all_that_the_packages_are_made_of() -> None:
    done = subprocess.run(
        ["make", "-C", str(IMAGE), "--print-data-base", "--question"],
        capture_output=True,
        text=True,
        check=False,
    )
    (line,) = re.findall(r"^SOURCES := (.*)$", done.stdout, re.MULTILINE)
    sources = set(line.split())
    (copied,) = re.findall(
        r"^\t@cp -R (debian .*) \$\(DEB\)", (IMAGE.parents[1] / "Makefile").read_text(), re.MULTILINE
    )
    for name in (*copied.split(), "hardware/config.txt"):
        assert [source for source in sources if source == name or source.startswith(f"{name}/")], name
    assert not [source for source in sources if source.startswith("tests/")]


def test_boot_script_and_rauc_agree_on_the_numbers() -> None:
    rauc = (IMAGE / "root/etc/rauc/system.conf").read_text()
    boot = (IMAGE / "boot/boot.cmd").read_text()
    assert "\nboot-attempts=9\n" in rauc
    assert "test ${left} -lt 9" in boot
    assert "\nboot-attempts-primary=3\n" in rauc
    makefile = (IMAGE / "Makefile").read_text()
    assert "$(call STATE,B A,0,3)" in makefile
    # 512 KiB from the card's start, 4 KiB: for U-Boot in blocks of 512 bytes, in hexadecimal.
    assert "${devtype} write ${state} 400 8" in boot
    assert "/dev/shutthebox-card 0x80000 0x1000" in (IMAGE / "root/etc/fw_env.config").read_text()
    assert "bs=4096 seek=128" in (IMAGE / "initramfs/init").read_text()
    assert re.search(r"partition state \{[^}]*offset = 512K", (IMAGE / "genimage.cfg").read_text())


def test_the_keyring_is_the_one_that_rauc_reads() -> None:
    keyring = re.search(r"^path=/(\S+)$", (IMAGE / "root/etc/rauc/system.conf").read_text(), re.MULTILINE)
    assert keyring
    assert f'"$root/{keyring[1]}"' in (IMAGE / "finish.sh").read_text()
