"""The model behaves as the data sheets say; the display's tests rest on it."""

import errno

import pytest
from luma.core.error import DeviceNotFoundError

from shutthebox.config.schema import Controller
from shutthebox.simulator.hardware.panel_model import PanelModel


def lit_pixels(model: PanelModel) -> list[tuple[int, int]]:
    picture = model.image()
    return [(x, y) for y in range(64) for x in range(128) if picture.getpixel((x, y))]


def cleared(controller: str) -> PanelModel:
    """A panel that is lit, all dark, mapped as luma maps it."""
    model = PanelModel(Controller(controller))
    model.command(0x8D, 0x14, 0xA1, 0xC8, 0xA4, 0xA6)
    for page in range(8):
        model.command(0xB0 | page, 0x00, 0x10)
        model.data(bytes(132 if controller == "sh1106" else 128))
    model.command(0xAF)
    assert lit_pixels(model) == []
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


def test_horizontal_mode_walks_the_window_and_begins_anew() -> None:
    model = cleared(Controller.SSD1306)
    model.command(0x20, 0x00)
    model.command(0x21, 10, 11, 0x22, 2, 3)
    model.data([1, 2, 4, 8, 16])  # the fifth overwrites the first
    assert lit_pixels(model) == [(11, 17), (10, 20), (10, 26), (11, 27)]


def test_vertical_mode_goes_down_first() -> None:
    model = cleared(Controller.SSD1309)
    model.command(0x20, 0x01, 0x21, 10, 11, 0x22, 2, 3)
    model.data([1, 2, 4])
    assert lit_pixels(model) == [(10, 16), (11, 18), (10, 25)]


def test_page_mode_stays_in_its_page() -> None:
    model = cleared(Controller.SSD1306)
    model.command(0xB1, 0x0F, 0x17)
    model.data([1, 2])
    assert lit_pixels(model) == [(127, 8), (0, 9)]


def test_sh1106_shows_columns_2_to_129_and_stays_at_its_end() -> None:
    model = cleared(Controller.SH1106)
    model.command(0xB0, 0x01, 0x10)
    model.data([1, 1])
    model.command(0xB7, 0x01, 0x18)
    model.data([0x80] * 6)
    assert lit_pixels(model) == [(0, 0), (127, 63)]


def test_sh1106_takes_its_column_in_two_halves() -> None:
    model = cleared(Controller.SH1106)
    model.command(0xB0, 0x0F, 0x1F & 0x11)
    model.data([1])
    model.command(0xB0, 0x00, 0x12)
    model.data([2])
    assert lit_pixels(model) == [(0x1F - 2, 0), (0x20 - 2, 1)]


def test_sh1106_knows_no_windows() -> None:
    model = cleared(Controller.SH1106)
    model.command(0xB0, 0x02, 0x10)
    model.command(0x21, 0x00, 0x10)  # only the column counts, and back to 0 it goes
    model.data([0, 0, 1])
    assert lit_pixels(model) == [(0, 0)]


@pytest.mark.parametrize("controller", list(Controller))
def test_mapping_inversion_and_start_line(controller: str) -> None:
    model = cleared(controller)
    model.command(0xB0, 0x02 if controller == "sh1106" else 0x00, 0x10)
    model.data([1])
    assert lit_pixels(model) == [(0, 0)]
    model.command(0xA0)
    assert lit_pixels(model) == [(127, 0)]
    model.command(0xA1, 0xC0)
    assert lit_pixels(model) == [(0, 63)]
    model.command(0xC8, 0x40 | 60)
    assert lit_pixels(model) == [(0, 4)]
    model.command(0x40, 0xD3, 1)
    assert lit_pixels(model) == [(0, 63)]
    model.command(0xD3, 0, 0xA7)
    assert len(lit_pixels(model)) == 128 * 64 - 1
    assert model.inverted
    model.command(0xA5)
    assert len(lit_pixels(model)) == 128 * 64


def test_lines_beyond_the_multiplex_ratio_stay_dark() -> None:
    model = cleared(Controller.SSD1306)
    model.command(0xA7)
    assert len(lit_pixels(model)) == 128 * 64
    model.command(0xA8, 31)
    assert len(lit_pixels(model)) == 128 * 32
    model.command(0xA8, 3)
    assert len(lit_pixels(model)) == 128 * 16, "no fewer, whatever is asked for"


def test_a_command_may_come_in_pieces_and_a_parameter_is_no_command() -> None:
    model = cleared(Controller.SSD1306)
    model.command(0x81)
    model.command(0xAE)
    assert model.contrast == 0xAE
    assert model.lit


@pytest.mark.parametrize(
    ("controller", "counts"),
    [
        (
            Controller.SSD1306,
            {
                0x20: 1,
                0x21: 2,
                0x22: 2,
                0x26: 6,
                0x27: 6,
                0x29: 5,
                0x2A: 5,
                0xA3: 2,
                0xD3: 1,
                0xD9: 1,
                0xDA: 1,
            },
        ),
        (Controller.SH1106, {0x81: 1, 0xA8: 1, 0xAD: 1, 0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1}),
    ],
)
def test_each_command_takes_its_own_number_of_parameters(
    controller: Controller, counts: dict[int, int]
) -> None:
    for code, count in counts.items():
        model = cleared(controller)
        model.command(code, *[0xAE] * count)
        assert model.lit, f"{code:#x} takes {count}"
        model.command(0xAE)
        assert not model.lit, f"{code:#x} takes no more than {count}"


@pytest.mark.parametrize("controller", [Controller.SSD1309, Controller.SH1106])
def test_those_with_another_supply_power_up_dark_too(controller: Controller) -> None:
    model = PanelModel(controller)
    assert not model.lit
    assert not model.inverted
    model.command(0xAF)
    assert model.lit


def test_ssd1306_takes_its_column_in_two_halves_page_by_page() -> None:
    model = cleared(Controller.SSD1306)
    model.command(0x20, 0x02, 0xB0, 0x0F, 0x17)
    model.data([1])
    model.command(0xB7, 0x00, 0x10)
    model.data([0x80])
    assert lit_pixels(model) == [(127, 0), (0, 63)]


def test_the_wire_is_counted_with_address_and_control() -> None:
    model = PanelModel()
    model.command(0xAE, 0xA4)
    model.data(bytes(1024))
    assert (model.wire_bytes, model.transfers) == (4 + 1026, 2)


def test_unplugged_it_fails_as_the_bus_does() -> None:
    model = cleared(Controller.SSD1306)
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


def test_plugged_in_again_it_has_forgotten_everything() -> None:
    model = cleared(Controller.SSD1306)
    model.unplugged = True
    model.unplugged = False
    assert not model.lit
    assert len(set(model.memory())) > 100
    assert model.contrast == 0x7F


def test_changes_are_reported() -> None:
    changes = []
    model = PanelModel(on_change=lambda: changes.append(model.lit))
    model.command(0x8D, 0x14, 0xAF)
    model.unplug()
    assert changes == [True, False]
