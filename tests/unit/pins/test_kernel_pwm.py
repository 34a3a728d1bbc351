"""PWM by the kernel: a real PWM chip's sysfs in the virtual Pi, a copy of its files elsewhere."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mock
import pytest
from gpiozero import LED, PWMLED
from gpiozero.exc import (
    PinEdgeDetectUnsupported,
    PinFixedPull,
    PinInvalidFunction,
    PinInvalidPin,
    PinInvalidState,
)
from tests.support.benches import Bench, FakeBench

from gpiozero_gpiod import GpiodFactory, InvalidFrequency, PinBusy, PinClosed, kernel_pwm
from gpiozero_gpiod.kernel_pwm import KernelPwm, KernelPwmPin

pytestmark = pytest.mark.parametrize("bench", ["gpiod", "gpiod-fake"], indirect=True)

Shown = tuple[bool, int, int]
"""Enabled, period and duty in nanoseconds."""


class SysfsPath(type(Path())):  # type: ignore[misc]
    """A file of a PWM chip that does what the kernel does when it is written to."""

    def write_text(self, data: str, *arguments: Any, **keywords: Any) -> int:
        if self.name in ("export", "unexport"):
            channel = self.parent / f"pwm{int(data)}"
            if channel.exists() == (self.name == "export"):
                raise OSError(16, "Device or resource busy")
            if self.name == "export":
                channel.mkdir()
                for name in ("period", "duty_cycle", "enable"):
                    Path(channel / name).write_text("0\n")
            else:
                for name in ("period", "duty_cycle", "enable"):
                    (channel / name).unlink()
                channel.rmdir()
            return len(data)
        now = {p.name: int(p.read_text()) for p in self.parent.iterdir()} | {self.name: int(data)}
        if now["duty_cycle"] > now["period"] or not now["period"]:
            raise OSError(22, "Invalid argument")
        return int(Path(str(self)).write_text(f"{int(data)}\n"))


@contextmanager
def copied_chip(folder: Path) -> Iterator[Callable[[int], Shown | None]]:
    chip = folder / "pwm/pwmchip0"
    chip.mkdir(parents=True)
    (chip / "npwm").write_text("4\n")

    def shown(channel: int) -> Shown | None:
        files = {p.name: int(p.read_text()) for p in (chip / f"pwm{channel}").glob("*")}
        return (bool(files["enable"]), files["period"], files["duty_cycle"]) if files else None

    with mock.patch.object(kernel_pwm, "CLASS", SysfsPath(folder / "pwm")):
        yield shown


@contextmanager
def real_chip() -> Iterator[Callable[[int], Shown | None]]:
    def shown(channel: int) -> Shown | None:
        text = Path("/sys/kernel/debug/pwm").read_text()
        found = re.search(
            rf"pwm-{channel} +\(sysfs.*\): requested( enabled)? period: (\d+) ns duty: (\d+) ns", text
        )
        return None if found is None else (bool(found[1]), int(found[2]), int(found[3]))

    yield shown


@pytest.fixture
def shown(bench: Bench, tmp_path: Path) -> Iterator[Callable[[int], Shown | None]]:
    """The state of a channel, as the kernel reports it; None if nobody has it."""
    with copied_chip(tmp_path / "sys") if isinstance(bench, FakeBench) else real_chip() as look:
        yield look


Look = Callable[[int], Shown | None]


def test_a_wave_is_the_kernels(bench: Bench, shown: Look) -> None:
    assert shown(1) is None
    with PWMLED("pwmchip0:1", frequency=100, pin_factory=bench.factory) as led:
        assert isinstance(led.pin, KernelPwmPin)
        led.value = 0.25
        assert shown(1) == (True, 10_000_000, 2_500_000)
        led.frequency = 1000
        assert shown(1) == (True, 1_000_000, 250_000)
        led.frequency = 50
        assert shown(1) == (True, 20_000_000, 5_000_000)
        led.value = 1
        assert shown(1) == (True, 20_000_000, 20_000_000)
        assert (led.value, led.frequency) == (1, 50)
    assert bench.factory.pulser.helper is None
    assert shown(1) is None


def test_without_a_frequency_it_is_an_output(bench: Bench, shown: Look) -> None:
    with LED("pwmchip0:2", pin_factory=bench.factory) as led:
        for level in (1, 0, 1):
            led.value = level
            enabled, period, duty = shown(2) or (False, 0, 0)
            assert (enabled, duty) == (True, period * level)
            assert led.value == level


def test_a_channel_has_one_holder_and_can_be_opened_again(bench: Bench, shown: Look) -> None:
    pin = bench.factory.pin("pwmchip0:1")
    other = GpiodFactory()
    with pytest.raises(PinBusy, match=r"pwmchip0:1 is the kernel's pwmchip0:1, which is in use"):
        other.pin("pwmchip0:1")
    other.close()
    pin.close()
    pin.close()
    assert pin.closed
    for use in (lambda: pin.output_with_state(1), lambda: setattr(pin, "frequency", 100)):
        with pytest.raises(PinClosed):
            use()
    assert bench.factory.pin("pwmchip0:1") is pin
    assert shown(1) is not None
    bench.factory.close()
    assert shown(1) is None


@pytest.mark.parametrize("name", ["pwmchip0:4", "pwmchip0:x", "pwmchip9:0", "pwmchip0:"])
def test_a_channel_that_is_not_there(bench: Bench, shown: Look, name: str) -> None:
    with pytest.raises(PinInvalidPin, match="pwmchip"):
        bench.factory.pin(name)


def test_what_it_cannot_do_is_refused(bench: Bench, shown: Look) -> None:
    pin = bench.factory.pin("pwmchip0:0")
    assert (pin.function, pin.pull, pin.edges, pin.bounce) == ("output", "floating", "none", None)
    with pytest.raises(PinInvalidFunction, match="can only be an output"):
        pin.function = "input"
    with pytest.raises(PinInvalidFunction):
        pin.input_with_pull("up")
    with pytest.raises(PinFixedPull):
        pin.pull = "up"
    with pytest.raises(PinEdgeDetectUnsupported):
        pin.when_changed = print
    for state in (-1, 1.5, "on"):
        with pytest.raises(PinInvalidState):
            pin.state = state
    with pytest.raises(InvalidFrequency):
        pin.frequency = -1


# -- which line has which channel


def tree(folder: Path, compatible: str, values: dict[str, bytes]) -> None:
    """A device tree as an overlay leaves it, and its PWM chip; `pwm-gpio` itself names the lines."""
    state = folder / "tree/soc/gpio/pwm_pins"
    state.mkdir(parents=True)
    (state / "phandle").write_bytes(struct.pack(">I", 42))
    other = folder / "tree/soc/gpio/other_pins"
    other.mkdir()
    (other / "phandle").write_bytes(struct.pack(">I", 43))
    (other / "brcm,pins").write_bytes(struct.pack(">I", 12))
    node = folder / "tree/soc/pwm"
    node.mkdir()
    (node / "compatible").write_bytes(compatible.encode() + b"\0")
    (node / "pinctrl-0").write_bytes(struct.pack(">I", 42))
    for name, value in values.items():
        ((node if compatible == "pwm-gpio" else state) / name).write_bytes(value)
    chip = folder / "class/pwmchip3"
    (chip / "device").mkdir(parents=True)
    (chip / "device/of_node").symlink_to(node)


BCM, RP1 = "brcm,bcm2835-pwm", "raspberrypi,rp1-pwm"


@pytest.mark.parametrize(
    ("compatible", "values", "channels"),
    [
        (BCM, {"brcm,pins": struct.pack(">I", 18)}, {18: 0, 12: None, 19: None}),
        (BCM, {"brcm,pins": struct.pack(">2I", 12, 13)}, {12: 0, 13: 1, 18: None}),
        (RP1, {"brcm,pins": struct.pack(">2I", 18, 19)}, {18: 2, 19: 3, 12: None}),
        (RP1, {"pins": b"gpio12\0gpio13\0"}, {12: 0, 13: 1, 18: None}),
        (BCM, {"brcm,pins": struct.pack(">I", 4)}, {4: None}),
        ("pwm-gpio", {"gpios": struct.pack(">3I", 7, 4, 0)}, {4: 0, 5: None}),
    ],
)
def test_the_device_tree_tells_which_line_is_the_kernels(
    bench: Bench, tmp_path: Path, compatible: str, values: dict[str, bytes], channels: dict[int, int | None]
) -> None:
    tree(tmp_path, compatible, values)
    with (
        mock.patch.object(kernel_pwm, "CLASS", tmp_path / "class"),
        mock.patch.object(kernel_pwm, "DEVICE_TREE", tmp_path / "tree"),
    ):
        found = {line: kernel_pwm.of_header_line(line) for line in channels}
    assert found == {n: None if c is None else KernelPwm(3, c) for n, c in channels.items()}


def test_a_line_that_the_kernel_waves_is_taken_there_and_not_as_gpio(bench: Bench, shown: Look) -> None:
    with mock.patch.object(kernel_pwm, "of_header_line", {18: KernelPwm(0, 2)}.get):
        with PWMLED(18, frequency=100, pin_factory=bench.factory) as led:
            led.value = 0.5
            assert shown(2) == (True, 10_000_000, 5_000_000)
            assert led.pin.info.name == "GPIO18"
            assert bench.factory.pin("GPIO18") is led.pin
        assert not isinstance(bench.factory.pin(17), KernelPwmPin)
