"""The model behaves as the data sheets say; the display's tests rest on it."""

import errno

import pytest
from luma.core.error import DeviceNotFoundError

from shutthebox.config.controllers import Controller
from shutthebox.simulator.hardware.panel_model import PanelModel


def lit_pixels(model: PanelModel) -> list[tuple[int, int]]:
    picture = model.picture().tobytes()
    bits = ((at, bit) for at, byte in enumerate(picture) if byte for bit in range(8) if byte << bit & 0x80)
    return [(at % 16 * 8 + bit, at // 16) for at, bit in bits]


SSD = [Controller.SSD1306, Controller.SSD1315, Controller.SSD1309]
UPRIGHT = [*SSD, Controller.SH1106]  # as wide as it is shown


def switched_on(controller: Controller, *commands: int) -> PanelModel:
    """A panel that shows the garbage of its power-up, and has taken these commands."""
    model = PanelModel(controller)
    model.command(*((0x8D, 0x14) if controller in SSD else ()), 0xAF, *commands)
    return model


@pytest.mark.parametrize("controller", [Controller.SSD1306, Controller.SSD1315])
def test_an_ssd1306_powers_up_dark_with_garbage_and_needs_its_charge_pump(controller: Controller) -> None:
    model = PanelModel(controller)
    assert len(set(model.memory())) > 100
    model.command(0xAF)
    assert not model.lit
    model.command(0x8D, 0x14)
    assert model.lit
    model.command(0xAE)
    assert not model.lit
    assert lit_pixels(model) == []


def test_unplugged_it_fails_as_the_bus_does() -> None:
    model = switched_on(Controller.SSD1306)
    model.unplugged = True
    with pytest.raises(DeviceNotFoundError):
        model.command(0xAF)
    with pytest.raises(OSError, match="Remote") as caught:
        model.data([0])
    assert caught.value.errno == errno.EREMOTEIO
    model.unplug(errno.ENXIO)
    with pytest.raises(OSError, match="Errno 6"):
        model.command(0xAF)
    assert not model.lit


@pytest.mark.parametrize("controller", UPRIGHT)
@pytest.mark.parametrize(
    ("upright", "inverted", "start", "offset", "lines"),
    [
        (True, False, 0, 0, 63),
        (True, True, 63, 0, 63),
        (False, False, 5, 61, 40),
        (False, True, 0, 63, 15),
        (True, True, 32, 9, 16),
    ],
)
def test_the_picture_is_the_memory_seen_through_the_registers(
    controller: Controller, upright: bool, inverted: bool, start: int, offset: int, lines: int
) -> None:
    model = switched_on(controller, 0x40 | start, 0xD3, 0xC0 | offset, 0xA8, 0x40 | lines)
    model.command(*((0xA1, 0xC8) if upright else (0xA0, 0xC0)), 0xA7 if inverted else 0xA6)
    memory = model.memory()

    def lit(column: int, line: int) -> bool:
        row = (line + start + offset) % 64
        bit = memory[row // 8 * 128 + column] >> row % 8 & 1
        return line <= lines and bool(bit) != inverted

    turned = 0 if upright else 1
    expected = [(x, y) for y in range(64) for x in range(128) if lit(127 * turned ^ x, 63 * turned ^ y)]
    assert lit_pixels(model) == expected


def test_an_sh1107_lies_on_its_side_and_is_turned_by_its_mounting() -> None:
    """64 columns and 128 lines, scanned from line 96 on: the data sheet's way of a module of 64 x 128."""
    model = switched_on(Controller.SH1107, 0xD3, 0x60)
    for page in range(16):
        model.command(0xB0 | page, 0x00, 0x10)
        model.data(bytes(128))
    assert lit_pixels(model) == []
    model.command(0xB0, 0x0F, 0x13)  # the last column of the first page
    model.data([1])
    model.command(0xBF, 0x00, 0x10)
    model.data([0x80])
    assert lit_pixels(model) == [(0, 0), (127, 63)]
    model.command(0xDC, 127)
    assert lit_pixels(model) == [(1, 0), (0, 63)], "a line on"
