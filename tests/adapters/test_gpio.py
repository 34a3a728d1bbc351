"""The pins through gpiozero: on the simulator's contacts, and with RPi.GPIO behind a mock."""

import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

import pytest
from gpiozero import InputDevice
from gpiozero.exc import PinInvalidPin

from shutthebox.adapters.gpio import Edge, Pins, PinsError, open_factory, switch_lines
from shutthebox.config.schema import Backend, GpioConfig
from shutthebox.game.switches.debounce import DICE_BUTTON, SERVICE_BUTTON
from shutthebox.simulator.hardware.box import LAMP_LINE, SimulatedBox, default_lever_lines

MS = 1_000_000
LINES = default_lever_lines(9)


class Clock:
    now_ns = 7_000 * MS

    def __call__(self) -> int:
        return self.now_ns


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def box(clock: Clock) -> SimulatedBox:
    return SimulatedBox(LINES, real_time=False, clock_ns=clock, levers_down=[3])


def open_pins(box: SimulatedBox, edges: list[Edge] | None = None, lamp: int = LAMP_LINE) -> Pins:
    put = (edges if edges is not None else []).append
    return Pins(box.factory, {DICE_BUTTON: box.button_line, **LINES}, lamp, put)


# -- wiring ------------------------------------------------------------------------------------


def test_every_switch_has_the_line_of_the_config() -> None:
    lines = switch_lines(GpioConfig(), 9)
    assert lines == {0: 12, 1: 4, 2: 17, 3: 27, 4: 22, 5: 23, 6: 24, 7: 25, 8: 5, 9: 6}
    assert list(switch_lines(GpioConfig(), 12).values())[-3:] == [13, 16, 26]
    assert switch_lines(GpioConfig(service=20), 9) == {SERVICE_BUTTON: 20, **lines}


def test_more_levers_than_lines_is_one_clear_line() -> None:
    with pytest.raises(PinsError, match=r"^box\.levers: 13 levers, but gpio\.levers names 12 lines"):
        switch_lines(GpioConfig(), 13)


# -- on contacts -------------------------------------------------------------------------------


def test_a_lever_down_at_boot_is_read_and_no_edge(box: SimulatedBox) -> None:
    edges: list[Edge] = []
    pins = open_pins(box, edges)
    assert pins.active() == {switch: switch == 3 for switch in range(10)}
    assert edges == []


# -- lines that cannot be had ------------------------------------------------------------------


def test_a_busy_line_is_named(box: SimulatedBox) -> None:
    other = InputDevice(LINES[4], pull_up=True, pin_factory=box.factory)
    with pytest.raises(PinsError, match=r"^gpio: line 22: ") as raised:
        open_pins(box)
    assert "\n" not in str(raised.value)
    assert raised.value.exit_code == 1
    other.close()


class LibraryError(Exception):
    """lgpio's own error is neither gpiozero's nor an OSError."""


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (LibraryError("GPIO busy"), "GPIO busy"),
        (PinInvalidPin("27 is not a valid pin name"), "27 is not a valid pin name"),
        (ValueError(), "ValueError"),
    ],
)
def test_whatever_a_library_raises_is_one_clear_line(
    box: SimulatedBox, monkeypatch: pytest.MonkeyPatch, error: Exception, text: str
) -> None:
    real = box.factory.pin

    def pin(name: int, *args: Any, **keywords: Any) -> object:
        if name == 27:
            raise error
        return real(name, *args, **keywords)

    monkeypatch.setattr(box.factory, "pin", pin)
    with pytest.raises(PinsError, match=rf"^gpio: line 27: .*{text}") as raised:
        open_pins(box)
    assert "\n" not in str(raised.value)


# -- back ends ---------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", list(Backend))
def test_a_back_end_that_is_not_there_is_one_clear_line(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("lgpio", "RPi", "RPi.GPIO", "gpiod"):
        monkeypatch.setitem(sys.modules, module, None)
    for module in ("gpiozero.pins.lgpio", "gpiozero.pins.rpigpio", "gpiozero_gpiod"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(PinsError, match=rf"^gpio\.backend: {backend.value} cannot open the pins: ") as raised:
        open_factory(backend)
    assert "\n" not in str(raised.value)


def test_lgpio_makes_its_pipe_where_temporary_files_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless somebody has said where. A service may not write to its current directory."""
    monkeypatch.setitem(sys.modules, "gpiozero_gpiod", None)
    for before, after in ((None, tempfile.gettempdir()), ("/run/pipes", "/run/pipes")):
        monkeypatch.setenv("LG_WD", before or "")
        if before is None:
            monkeypatch.delenv("LG_WD")
        with pytest.raises(PinsError):
            open_factory(Backend.GPIOD)
        assert os.environ["LG_WD"] == after


class RpiGpio(MagicMock):
    """RPi.GPIO, as far as gpiozero asks it: levels, pull-ups, and callbacks by channel."""

    def __init__(self) -> None:
        super().__init__()
        self.levels: dict[int, int] = {}
        self.callbacks: dict[int, Any] = {}
        self.functions: dict[int, Any] = {}
        self.setup.side_effect = self._setup
        self.input.side_effect = lambda line: self.levels.get(line, 1)
        self.gpio_function.side_effect = lambda line: self.functions.get(line, self.IN)
        self.add_event_detect.side_effect = self._listen
        self.remove_event_detect.side_effect = lambda line: self.callbacks.pop(line, None)

    def _get_child_mock(self, /, **keywords: Any) -> MagicMock:
        return MagicMock(**keywords)

    def _setup(self, line: int, function: object, *args: object, **keywords: object) -> None:
        self.functions[line] = function

    def _listen(self, line: int, edges: object, callback: Any, bouncetime: int = 0) -> None:
        self.callbacks[line] = callback

    def drive(self, line: int, level: int) -> None:
        self.levels[line] = level
        self.callbacks[line](line)


@pytest.fixture
def rpi_gpio(monkeypatch: pytest.MonkeyPatch) -> Iterator[RpiGpio]:
    library = RpiGpio()
    package = ModuleType("RPi")
    package.GPIO = library  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "RPi", package)
    monkeypatch.setitem(sys.modules, "RPi.GPIO", library)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.rpigpio", raising=False)
    # The board is read from the machine, which is no Pi.
    monkeypatch.setattr("gpiozero.pins.local.LocalPiFactory._get_revision", lambda self: 0xA02082)
    yield library
    sys.modules.pop("gpiozero.pins.rpigpio", None)


def test_rpi_gpio_behind_a_mock(rpi_gpio: RpiGpio) -> None:
    rpi_gpio.levels[27] = 0
    factory = open_factory(Backend.RPIGPIO)
    edges: list[Edge] = []
    pins = Pins(factory, switch_lines(GpioConfig(), 9), LAMP_LINE, edges.append)
    assert [switch for switch, down in pins.active().items() if down] == [3]
    gc.collect()
    rpi_gpio.drive(4, 0)
    rpi_gpio.drive(4, 1)
    rpi_gpio.drive(12, 0)
    assert [(edge.switch, edge.active) for edge in edges] == [(1, True), (1, False), (DICE_BUTTON, True)]
    assert [edge.t_ns for edge in edges] == sorted(edge.t_ns for edge in edges)
    pins.close()
    factory.close()
    assert rpi_gpio.callbacks == {}
