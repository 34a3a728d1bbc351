"""The scripts of the card, as far as they can be checked without one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support import debian
from tests.support.fast import fast_among
from tests.support.history import is_clone

from shutthebox.config.card import CONFIG_NAME, HOME_ASSISTANT_NAME, KEY_NAME, LEAGUE_NAME
from shutthebox.config.networks import NETWORK_NAME
from shutthebox.config.schema import BROKER_FILE, RULES_FOLDER, TOURNAMENT_FILE
from shutthebox.config.uplink_files import examine_home_assistant
from shutthebox.translations import languages

IMAGE = Path(__file__).resolve().parents[3] / "packaging/image"
SCRIPTS = [
    *IMAGE.glob("*.sh"),
    *(IMAGE / "root/usr/lib/shutthebox").iterdir(),
    IMAGE / "initramfs/init",
    IMAGE.parents[1] / "systemd/networkmanager-address",
    IMAGE.parents[1] / "league/server/certbot-hook",
    Path(__file__).with_name("hardware.sh"),
]
UNITS = [*(IMAGE / "root/etc/systemd/system").glob("*.service")]


@pytest.mark.slow
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
        assert script.stat().st_mode & 0o111, f"{script} can't be run"
    if "[Install]" in text:
        assert unit.name in (IMAGE / "finish.sh").read_text()


def test_the_card_has_what_the_box_and_its_pins_depend_on_and_nothing_of_the_league() -> None:
    control = IMAGE.parents[1] / "packaging/debian/control"
    command = [sys.executable, str(IMAGE / "depends.py"), str(control)]
    names = subprocess.check_output(command, text=True).split()
    assert {"python3-libgpiod", "python3-luma.oled", "python3-colorzero"} <= set(names)
    ours = {"shutthebox", "shutthebox-uplink", "python3-gpiozero-gpiod", "python3-luma-spans"}
    assert not {"mosquitto", *ours} & set(names)


@pytest.mark.skipif(
    not is_clone(), reason="an image is built from a clone, and git is what lists its sources"
)
def test_the_image_is_made_of_all_that_the_packages_are_made_of() -> None:
    done = subprocess.run(
        ["make", "-C", str(IMAGE), "--print-data-base", "--question"],
        capture_output=True,
        text=True,
        check=False,
    )
    (line,) = re.findall(r"^SOURCES := (.*)$", done.stdout, re.MULTILINE)
    sources = set(line.split())
    makefile = (IMAGE.parents[1] / "Makefile").read_text()
    copied = " ".join(re.findall(r"^\tcp -RL? ([a-z].*) \"\$\$source\"; ", makefile, re.MULTILINE))
    assert {"firmware", "libraries", "packaging/debian"} <= set(copied.split())
    for name in {*copied.split(), "hardware/config.txt"}:
        assert [source for source in sources if source == name or source.startswith(f"{name}/")], name
    assert not [source for source in sources if source.startswith("tests/")]


@pytest.mark.slow
@pytest.mark.parametrize("goal", fast_among(["all", "bundle"], ["all"]))
def test_where_programs_for_arm64_cannot_run_one_line_says_what_to_do_before_it_begins(
    goal: str, tmp_path: Path
) -> None:
    # Within make test, make would tell that it is an inner one.
    command = ["env", "-u", "MAKELEVEL", "-u", "MAKEFLAGS", "make", "-C", str(IMAGE), "--no-print-directory"]
    command += [f"BUILD={tmp_path}/build", goal]
    elsewhere = [f"IMAGE_CACHE={tmp_path}/cache", "RUNS_ARM64=false", "TOOLS_NEEDED=sh"]
    done = subprocess.run([*command, *elsewhere], capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if not line.startswith("make: ***")]
    assert done.returncode == 2
    assert len(said) == 1
    assert "mount -t binfmt_misc none /proc/sys/fs/binfmt_misc" in said[0]
    lacking = [f"IMAGE_CACHE={tmp_path}/cache", "RUNS_ARM64=true", "TOOLS_NEEDED=genimoge"]
    done = subprocess.run([*command, *lacking], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "make image: genimoge not found; " in done.stderr
    assert not list(tmp_path.rglob("*.tar")), "nothing has begun"


def test_the_card_tells_its_owner_of_every_file_in_every_language_of_the_box() -> None:
    text = (IMAGE / "boot/card/README.txt").read_text()
    names = [name.upper() for name in languages().values()]
    headings = re.findall(r"^[^\W\d_]+$", text, re.MULTILINE)
    assert sorted(headings) == sorted(names), "a part for each language of the screens"
    parts = re.split(f"^({'|'.join(names)})$", text, flags=re.MULTILINE)[2::2]
    for part in parts:
        assert re.findall(r"^  (\S+) ", part, re.MULTILINE) == [
            CONFIG_NAME, NETWORK_NAME, f"{RULES_FOLDER}/*.toml", LEAGUE_NAME, HOME_ASSISTANT_NAME,
            BROKER_FILE, TOURNAMENT_FILE, KEY_NAME, "*.raucb"
        ]  # fmt: skip
    assert max(map(len, text.splitlines())) <= 80, "a window of a plain editor"
    example = text.partition(f"\n\n{HOME_ASSISTANT_NAME}:\n\n")[2]
    assert examine_home_assistant(example, HOME_ASSISTANT_NAME)[1] == ()
