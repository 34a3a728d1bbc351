"""Panels with lines beside their bus: D/C and reset of SPI, reset of I2C."""

from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory
from tests.support.controllers import CONTROLLERS

from shutthebox.adapters.display import opening
from shutthebox.adapters.display.bitmap import SIZE, Bitmap
from shutthebox.adapters.display.opening import open_panel, open_serial
from shutthebox.adapters.display.panel import DisplayError
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import Backend, DisplayConfig, Interface
from shutthebox.simulator.hardware.panel_model import PanelModel

SPI = DisplayConfig(interface=Interface.SPI)
PICTURE = Bitmap.of(*SIZE).outline((0, 0, *SIZE)).fill((10, 20, 40, 44))


class SpiPanel:
    """SPI0 in the words of spidev, with a panel at its end that listens to its lines as a real one does."""

    max_speed_hz = 0

    def __init__(self, controller: Controller, pins: MockFactory) -> None:
        self.model = PanelModel(controller)
        self._pins = pins
        self.opened: list[tuple[int, int]] = []
        self.resets = 0

    def open(self, port: int, device: int) -> None:
        self.opened.append((port, device))

    def writebytes(self, data: list[int]) -> None:
        assert self._pins.pin(7).state, "it is in reset"
        (self.model.data if self._pins.pin(9).state else self.model.command)(
            *([data] if self._pins.pin(9).state else data)
        )

    def close(self) -> None:
        self.opened.clear()


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_a_panel_on_spi_shows_the_picture(controller: Controller) -> None:
    pins = MockFactory()
    bus = SpiPanel(controller, pins)
    panel = open_panel(controller, opening._Wired(SPI, pins, bus))
    assert bus.opened == [(0, 0)]
    assert 0 < bus.max_speed_hz <= 2_000_000, "an SH1106 takes no more, by its data sheet"
    levels = [bool(state.state) for state in pins.pin(7).states]
    assert levels[-2:] == [False, True], "it was reset, and let go"
    panel.push(PICTURE)
    assert bus.model.picture() == PICTURE
    panel.close()
    assert bus.opened == []
    assert not pins.pins, "its lines are free again"


def test_a_panel_on_i2c_is_reset_before_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules sold with five or more pins stay dark until their reset has been low and is high."""
    pins, model = MockFactory(), PanelModel(Controller.SSD1309)
    seen: list[bool] = []

    def open_i2c(bus: int, address: int) -> Any:
        seen.append(bool(pins.pin(24).state))
        return model

    monkeypatch.setattr(opening, "open_i2c", open_i2c)
    panel = open_panel(Controller.SSD1309, opening._Wired(DisplayConfig(reset=24), pins))
    assert seen == [True]
    assert [bool(state.state) for state in pins.pin(24).states][-2:] == [False, True]
    panel.push(PICTURE)
    assert model.picture() == PICTURE
    panel.close()


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_only_a_panel_that_has_a_charge_pump_is_told_to_switch_it_on(controller: Controller) -> None:
    """To an SSD1309 the SSD1306's command is undefined, and its panel brings its own supply."""
    sent: list[int] = []

    class Listening(PanelModel):
        def command(self, *cmd: int) -> None:
            sent.extend(cmd)
            super().command(*cmd)

    panel = open_panel(controller, Listening(controller))
    assert (0x8D in sent) == controller.chip.switched_pump
    panel.push(PICTURE)
    panel.close()


def test_without_pins_one_line_says_so() -> None:
    with pytest.raises(DisplayError, match=r"^gpio\.backend: gpiod can't open the pins: "):
        open_serial(SPI, Backend.GPIOD)
