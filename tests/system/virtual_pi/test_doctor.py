"""The doctor and its lever monitor on a real kernel's lines and bus."""

from __future__ import annotations

import json
import time

import pytest
from tests.system.virtual_pi import VirtualPi
from tests.system.virtual_pi.table import GPIO, Table, install_box, until

from shutthebox.config.schema import parse_config
from shutthebox.config.settings_loader import settings_for

pytestmark = [pytest.mark.virtual_pi, pytest.mark.timeout(900)]

CONFIG = "[box]\nlevers = 9\n"
SETTINGS = settings_for(parse_config(CONFIG, "test"), 9, "test")
BROKEN = 4


@pytest.fixture(scope="module")
def table(pi: VirtualPi) -> Table:
    install_box(pi, CONFIG)
    return Table(pi, SETTINGS)


def results(pi: VirtualPi) -> dict[str, tuple[str, str]]:
    told = pi.run("shutthebox doctor --json", check=False, timeout=120)
    return {entry["check"]: (entry["verdict"], entry["reason"]) for entry in json.loads(told.out)}


def test_it_finds_the_chip_the_lines_and_the_panel(table: Table) -> None:
    found = results(table.pi)
    assert found["chip"] == ("ok", "/dev/gpiochip0, pinctrl-bcm2711")
    assert found["lever 1"] == ("ok", "line 4 is free, up now")
    assert found["permission"][0] == "ok"
    assert found["display"] == ("ok", "answers at 0x3C on /dev/i2c-1")
    assert found["store"][0] == "ok"


def test_the_monitor_sees_every_lever_but_the_broken_one(table: Table) -> None:
    watched = "shutthebox doctor --levers --json --seconds 25 > /run/levers 2>&1; echo $? > /run/levers.code"
    table.pi.run(f"({watched}) > /dev/null 2>&1 &")
    assert until(lambda: table.pi.run("test -s /run/levers", check=False).code == 0, 60)
    lines = [int(line) for line in (*GPIO.levers[:9], GPIO.roll)]
    lines.remove(int(GPIO.levers[BROKEN - 1]))
    for level in (1, 0, 1):
        for line in lines:
            table.pi.set_line(line, level)
        time.sleep(1)
    assert until(lambda: table.pi.run("test -s /run/levers.code", check=False).code == 0, 60)
    told = [json.loads(line) for line in table.pi.read("/run/levers").decode().splitlines()]
    found = {entry["check"]: (entry["verdict"], entry["reason"]) for entry in told if "verdict" in entry}
    assert found.pop(f"lever {BROKEN}") in (("FAIL", "never moved"), ("FAIL", "moved one way only"))
    assert len(found) == 9
    assert {verdict for verdict, _ in found.values()} == {"ok"}
    assert table.pi.read("/run/levers.code").decode().strip() == "1"


def test_a_line_that_another_program_holds_is_named_with_that_program(table: Table) -> None:
    table.pi.run("gpioset -z -c gpiochip0 17=1")
    assert until(lambda: "gpioset" in table.pi.run("gpioinfo -c gpiochip0").out)
    assert results(table.pi)["lever 2"] == ("FAIL", "line 17 is busy: gpioset has it")
    table.pi.run("kill $(pidof gpioset)")
    assert until(lambda: "gpioset" not in table.pi.run("gpioinfo -c gpiochip0").out)


def test_a_panel_that_is_not_as_configured_is_named_with_the_remedy(table: Table) -> None:
    def display() -> str:
        verdict, reason = results(table.pi)["display"]
        assert verdict == "FAIL"
        return reason

    table.panel_parameter("address", 0x3D)
    assert display().endswith("; but 0x3D answers: display.address = 0x3D")
    table.panel_parameter("address", 0x3C)
    table.panel_parameter("absent", 1)
    assert "nothing answers at 0x3C" in (said := display())
    assert "check its lead" in said
    table.panel_parameter("absent", 0)
    table.pi.run("mv /dev/i2c-1 /dev/elsewhere")
    assert display() == "no /dev/i2c-1: dtparam=i2c_arm=on in config.txt, or i2c-dev"
    table.pi.run("mv /dev/elsewhere /dev/i2c-1")


def test_the_running_box_is_named_as_the_holder_of_its_lines(table: Table) -> None:
    table.start()
    verdict, reason = results(table.pi)["lever 1"]
    assert verdict == "ok"
    assert reason.startswith("line 4 is held by the running box, "), "and how it stands, by the kernel's list"
    assert reason.endswith(" now")
    refused = table.pi.run("shutthebox doctor --levers --seconds 1", check=False, timeout=60)
    assert refused.code == 1
    assert "shutthebox" in refused.err
    assert "systemctl stop shutthebox" in refused.err
