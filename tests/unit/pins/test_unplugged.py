"""A chip that is unplugged while its lines are in use, and plugged in again."""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path

import pytest
from gpiozero import LED, PWMLED, DigitalInputDevice
from tests.support.benches import Bench, FakeBench, Listener, reached, until
from tests.support.fake_gpiod import Chip

from gpiozero_gpiod import GpiodFactory, PinBusy, PinUnplugged

pytestmark = [
    pytest.mark.parametrize("bench", ["gpiod", "gpiod-fake"], indirect=True),
    pytest.mark.timeout(60),
]

EXPANDER = "mcp23017"
CONFIG = Path("/sys/kernel/config/gpio-sim") / EXPANDER


def unplug(bench: Bench) -> None:
    if isinstance(bench, FakeBench):
        bench.kernel.unplug(EXPANDER)
    else:
        (CONFIG / "live").write_text("0")


def plug_in(bench: Bench, number: int = 1) -> None:
    if isinstance(bench, FakeBench):
        bench.kernel.plug_in(EXPANDER, 16, number)
    else:
        (CONFIG / "live").write_text("1")
        name = (CONFIG / "bank0/chip_name").read_text().strip()
        assert until((Path("/dev") / name).exists)


def line(offset: int, what: str) -> Path:
    """A file of the real kernel's simulated line."""
    device, chip_name = ((CONFIG / name).read_text().strip() for name in ("dev_name", "bank0/chip_name"))
    return Path(f"/sys/devices/platform/{device}/{chip_name}/sim_gpio{offset}/{what}")


def expander(bench: FakeBench) -> Chip:
    return next(chip for chip in bench.kernel.chips.values() if chip.label == EXPANDER)


def drive(bench: Bench, offset: int, level: int) -> None:
    if isinstance(bench, FakeBench):
        expander(bench).drive(offset, bool(level))
    else:
        line(offset, "pull").write_text("pull-up" if level else "pull-down")


def level(bench: Bench, offset: int) -> int:
    if isinstance(bench, FakeBench):
        return expander(bench).lines[offset].level
    return int(line(offset, "value").read_text())


@pytest.fixture(autouse=True)
def plugged_in_at_the_end(bench: Bench) -> object:
    yield
    if not isinstance(bench, FakeBench) and (CONFIG / "live").read_text().strip() == "0":
        plug_in(bench)


def test_an_output_says_so_and_goes_on_when_it_is_back(bench: Bench) -> None:
    led = LED(f"{EXPANDER}:3", pin_factory=bench.factory)
    led.on()
    unplug(bench)
    for use in (led.off, led.on, lambda: led.value):
        with pytest.raises(PinUnplugged, match=f"{EXPANDER}:3: its GPIO chip '{EXPANDER}' is unplugged"):
            use()
    plug_in(bench)
    assert (led.value, level(bench, 3)) == (1, 1), "the level that it had"
    led.off()
    assert level(bench, 3) == 0
    led.close()


def test_a_chip_may_come_back_under_another_number(bench: Bench) -> None:
    led = LED(f"{EXPANDER}:3", pin_factory=bench.factory)
    before = led.pin._chip.path
    unplug(bench)
    plug_in(bench, number=7)
    led.on()
    assert level(bench, 3) == 1
    after = led.pin._chip.path
    assert after != before
    assert bench.factory.pin(f"{Path(after).name}:3") is led.pin


def test_a_wave_can_be_closed(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    before = len(list(Path("/proc/self/fd").iterdir())), threading.active_count()
    factory = GpiodFactory()
    led = PWMLED(f"{EXPANDER}:3", pin_factory=factory)
    led.value = 0.5
    unplug(bench)
    time.sleep(0.05)  # the helper finds out
    for _ in range(2):
        with pytest.raises(PinUnplugged):
            led.value = 0.25
    led.close()
    led.close()
    factory.close()
    factory.close()
    assert not [record for record in caplog.records if record.exc_info], "no traceback"
    assert len([record for record in caplog.records if record.levelno >= logging.ERROR]) == 1
    assert (len(list(Path("/proc/self/fd").iterdir())), threading.active_count()) == before


def test_a_wave_goes_on_when_it_is_back(bench: Bench) -> None:
    led = PWMLED(f"{EXPANDER}:3", frequency=100, pin_factory=bench.factory)
    led.value = 0.5
    unplug(bench)
    time.sleep(0.05)
    with pytest.raises(PinUnplugged):
        led.value = 0.25
    plug_in(bench)
    led.value = 0.5
    assert led.value == 0.5
    seen: set[int] = set()
    assert until(lambda: seen.add(level(bench, 3)) or seen == {0, 1})  # type: ignore[func-returns-value]
    led.close()


def test_whoever_waits_for_edges_is_told_and_gets_them_again(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """Told by the log, for nobody may ask the pin for hours; nobody has to ask for it to go on, either."""
    listener = Listener()
    device = DigitalInputDevice(f"{EXPANDER}:4", pull_up=True, pin_factory=bench.factory)
    other = DigitalInputDevice(17, pull_up=True, pin_factory=bench.factory)
    device.pin.when_changed = other.pin.when_changed = listener.changed
    drive(bench, 4, 0)
    assert reached(listener.seen, 1)
    unplug(bench)
    assert until(lambda: "is unplugged: no edges until it is back" in caplog.text)
    bench.drive(17, 0)
    assert reached(listener.seen, 2), "the other chip's lines go on"
    plug_in(bench)
    assert until(lambda: f"'{EXPANDER}' is back" in caplog.text)
    drive(bench, 4, 1)
    drive(bench, 4, 0)
    assert until(lambda: 0 in listener.states[2:]), listener.states
    assert caplog.text.count("is unplugged") == 1
    device.close()
    other.close()


def test_a_callback_can_be_taken_away_but_not_set(bench: Bench) -> None:
    device = DigitalInputDevice(f"{EXPANDER}:4", pull_up=True, pin_factory=bench.factory)
    listener = Listener()
    unplug(bench)
    device.pin.when_changed = None
    with pytest.raises(PinUnplugged):
        device.pin.when_changed = listener.changed
    assert device.pin.when_changed is None
    device.close()


def test_a_line_that_somebody_else_has_taken_meanwhile_is_lost(bench: Bench) -> None:
    if not isinstance(bench, FakeBench):
        pytest.skip("needs a race; the fake kernel has none")
    led = LED(f"{EXPANDER}:3", pin_factory=bench.factory)
    unplug(bench)
    bench.kernel.plug_in(EXPANDER, 16, 1).lines[3].consumer = "thief"
    with pytest.raises(PinBusy, match="already in use by 'thief'"):
        led.on()
    assert led.pin.closed
    led.close()
