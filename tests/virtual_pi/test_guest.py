"""The machine itself, and the project's pins on its kernel."""

from __future__ import annotations

import re

import pytest
from tests.virtual_pi import VirtualPi

# The first start builds the image.
pytestmark = [pytest.mark.virtual_pi, pytest.mark.timeout(900)]


def test_systemd_is_up_with_nothing_failed(pi: VirtualPi) -> None:
    assert pi.run("systemctl is-system-running").out.strip() == "running"


def test_the_chips_are_a_pis(pi: VirtualPi) -> None:
    chips = pi.run("gpiodetect").out
    assert "[pinctrl-bcm2711] (54 lines)" in chips
    assert "[mcp23017] (16 lines)" in chips
    assert "a03111" in pi.run("cat /proc/cpuinfo").out


def test_a_line_can_be_moved_from_outside(pi: VirtualPi) -> None:
    for level in (1, 0, 1):
        pi.set_line(17, level)
        assert pi.line(17) == level
        assert pi.run("gpioget pinctrl-bcm2711 17").out.strip() == str(level)
    pi.set_line(3, 1, chip="mcp23017")
    assert pi.line(3, chip="mcp23017") == 1


def test_a_line_can_be_watched_from_outside(pi: VirtualPi) -> None:
    pi.run(
        "gpioset --mode=time --sec=1 pinctrl-bcm2711 19=1 & sleep 0.5; cat /sys/kernel/debug/gpio > /tmp/gpio"
    )
    assert "gpioset" in pi.read("/tmp/gpio").decode()


def test_the_panel_logs_what_it_is_sent(pi: VirtualPi) -> None:
    pi.panel_log()
    pi.run("i2cset -y 1 0x3c 0x00 0xAE && i2cset -y 1 0x3c 0x40 1 2 3 i")
    log = pi.panel_log()
    assert [write.data for write in log] == [b"\x00\xae", b"\x40\x01\x02\x03"]
    assert log[0].time_ns < log[1].time_ns
    assert pi.run("i2cset -y 1 0x3d 0 1", check=False).code != 0


def test_the_panel_can_fail(pi: VirtualPi) -> None:
    switch = "/sys/module/i2c_panel/parameters/absent"
    pi.write(switch, "1")
    assert pi.run("i2cset -y 1 0x3c 0x00 0xAE", check=False).code != 0
    pi.write(switch, "0")
    pi.run("i2cset -y 1 0x3c 0x00 0xAE")


def test_a_command_that_takes_too_long_is_ended(pi: VirtualPi) -> None:
    with pytest.raises(TimeoutError):
        pi.run("sleep 60", timeout=1)


def test_the_wheel_works_there(pi: VirtualPi) -> None:
    pi.run(["python3", "-c", "import shutthebox, gpiozero_gpiod; print(shutthebox.__version__)"])


def test_gpiozero_finds_the_factory_by_name(pi: VirtualPi) -> None:
    code = "from gpiozero import LED, Device; LED(17).on(); print(type(Device.pin_factory).__name__)"
    done = pi.run(["python3", "-c", code], env={"GPIOZERO_PIN_FACTORY": "gpiod"})
    assert done.out.strip() == "GpiodFactory"


def test_the_pins_on_a_real_kernel(pi: VirtualPi) -> None:
    """Runs tests/pins in the guest, where gpiod and lgpio have a chip to work on."""
    options = "-p no:cacheprovider -q -rA -o timeout=60 -m '' --ignore tests/pins/test_pwm.py"
    options += " -k 'not fake and not mock'"  # these run everywhere else
    done = pi.run(
        f"cd /opt/project && python3 -m pytest tests/pins {options}",
        timeout=400,
        check=False,
    )
    print(done.out[-6000:])
    assert done.code == 0, done.out + done.err
    passed = re.findall(r"^PASSED .*\[(?:.*-)?(gpiod|lgpio|rpigpio)\]", done.out, re.MULTILINE)
    assert {"gpiod", "lgpio"} <= set(passed), "the real libraries did not run"
