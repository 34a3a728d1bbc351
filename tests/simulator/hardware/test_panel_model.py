"""The model behaves as the data sheets say; the display's tests rest on it."""

import errno
from collections.abc import Callable

import pytest
from luma.core.error import DeviceNotFoundError

from shutthebox.config.controllers import Controller
from shutthebox.simulator.hardware.panel_model import PanelModel


def lit_pixels(model: PanelModel) -> list[tuple[int, int]]:
    picture = model.picture().tobytes()
    bits = ((at, bit) for at, byte in enumerate(picture) if byte for bit in range(8) if byte << bit & 0x80)
    return [(at % 16 * 8 + bit, at // 16) for at, bit in bits]


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


@pytest.mark.parametrize("controller", ["ssd1306", "ssd1315", "ssd1309", "sh1106"])
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


# -- the whole set of commands -----------------------------------------------------------------

SSD_PARAMETERS = {
    "memory mode": (0x20, 1), "column window": (0x21, 2), "page window": (0x22, 2), "scroll right": (0x26, 6),
    "scroll left": (0x27, 6), "scroll up right": (0x29, 5), "scroll up left": (0x2A, 5),
    "contrast": (0x81, 1), "charge pump": (0x8D, 1), "area of the scroll": (0xA3, 2), "lines": (0xA8, 1),
    "offset": (0xD3, 1), "clock": (0xD5, 1), "pre-charge": (0xD9, 1), "pins of the lines": (0xDA, 1),
    "level of the lines": (0xDB, 1),
}  # fmt: skip
SH1106_PARAMETERS = {
    "contrast": (0x81, 1), "lines": (0xA8, 1), "supply": (0xAD, 1), "offset": (0xD3, 1), "clock": (0xD5, 1),
    "pre-charge": (0xD9, 1), "pins of the lines": (0xDA, 1), "level of the lines": (0xDB, 1),
}  # fmt: skip
SH1107_PARAMETERS = {
    "contrast": (0x81, 1), "lines": (0xA8, 1), "supply": (0xAD, 1), "offset": (0xD3, 1), "clock": (0xD5, 1),
    "pre-charge": (0xD9, 1), "level of the lines": (0xDB, 1), "start line": (0xDC, 1),
}  # fmt: skip
PARAMETERS = {controller: dict(SSD_PARAMETERS.values()) for controller in Controller} | {
    Controller.SH1106: dict(SH1106_PARAMETERS.values()),
    Controller.SH1107: dict(SH1107_PARAMETERS.values()),
}
SSD = [Controller.SSD1306, Controller.SSD1315, Controller.SSD1309]
UPRIGHT = [*SSD, Controller.SH1106]  # as wide as it is shown


def switched_on(controller: Controller, *commands: int) -> PanelModel:
    """A panel that shows the garbage of its power-up, and has taken these commands."""
    model = PanelModel(controller)
    model.command(*((0x8D, 0x14) if controller in SSD else ()), 0xAF, *commands)
    return model


@pytest.mark.parametrize("controller", list(Controller))
def test_every_command_takes_the_parameters_of_the_data_sheet(controller: Controller) -> None:
    def parameters(code: int) -> int:
        """How many bytes are swallowed until the panel obeys again."""
        model = switched_on(controller, 0xA6, code)
        before = model.inverted
        for swallowed in range(9):
            model.command(0xA6 if before else 0xA7)
            if model.inverted != before:
                return swallowed
        return -1

    assert {code: count for code in range(256) if (count := parameters(code))} == PARAMETERS[controller]


def seen(model: PanelModel) -> tuple[object, ...]:
    """All that can be seen of a panel, and the memory after some bytes more."""
    now = model.lit, model.inverted, model.contrast, model.picture().tobytes()
    model.data([0x0F, *[0xF0] * 20])
    return *now, model.memory()


@pytest.mark.parametrize("controller", UPRIGHT)
def test_the_commands_that_change_something_and_no_other(controller: Controller) -> None:
    begun = (0x81, 0x20, 0xB2, 0x03, 0x14, 0x41, 0xA1, 0xC8)
    usual = seen(switched_on(controller, *begun))
    changing = {
        code
        for code in range(256)
        if seen(switched_on(controller, *begun, code, *[0x05] * PARAMETERS[controller].get(code, 0))) != usual
    }
    columns, start_lines, pages = {*range(0x20)}, {*range(0x40, 0x80)}, {*range(0xB0, 0xB8)}
    windows = set()
    if controller in SSD:
        columns.remove(0x1C)  # of the upper half it takes three bits
        windows = {0x20, 0x21, 0x22}
    others = {0x81, 0xA0, 0xA5, 0xA7, 0xA8, 0xAE, 0xC0, 0xD3}
    assert changing == (columns | start_lines | pages) - {*begun[2:]} | windows | others


# -- where a byte goes ---------------------------------------------------------------------------


def places(controller: Controller, *commands: int, count: int = 1) -> list[tuple[int, int]]:
    """Page and visible column of each place that the next bytes go to, in the order of the memory."""
    model = cleared(controller)
    model.command(*commands)
    model.data([0xFF] * count)
    return [divmod(at, 128) for at, byte in enumerate(model.memory()) if byte]


@pytest.mark.parametrize("controller", SSD)
@pytest.mark.parametrize(
    ("commands", "page", "column"),
    [
        ((0xB5, 0x0A, 0x13), 5, 0x3A),
        ((0xB7, 0x0F, 0x17), 7, 0x7F),
        ((0xB0, 0x0F, 0x1F), 0, 0x7F),  # the fourth bit of the upper half does not count
        ((0xB3, 0x1A, 0x05, 0x02), 3, 0x22),
        ((0x21, 0x85, 0xFF, 0x22, 0xFB, 0xFF), 3, 5),  # nor do more bits of a window than there are places
        ((0x20, 0xFC, 0x21, 9, 20, 0x22, 2, 6), 2, 9),
        ((0x20, 0x00, 0x21, 9, 20, 0x22, 2, 6, 0xB5, 0x0A, 0x13), 2, 9),  # halves and pages: by page only
        ((0x20, 0x01, 0x21, 9, 20, 0x22, 2, 6, 0xB5, 0x0A, 0x13), 2, 9),
        ((0x20, 0x02, 0x21, 9, 20, 0x22, 2, 6, 0xB5, 0x0A, 0x13), 5, 0x3A),
        ((0x20, 0x03, 0x21, 9, 20, 0x22, 2, 6, 0xB5, 0x0A, 0x13), 5, 0x3A),
    ],
)
def test_an_ssd_is_told_where_the_next_byte_goes(
    controller: Controller, commands: tuple[int, ...], page: int, column: int
) -> None:
    assert places(controller, *commands) == [(page, column)]


@pytest.mark.parametrize("controller", SSD)
def test_a_window_is_filled_and_nothing_beside_it(controller: Controller) -> None:
    window = (0x21, 120, 127, 0x22, 5, 7)
    inside = [(page, column) for page in (5, 6, 7) for column in range(120, 128)]
    for mode in (0, 1):
        assert places(controller, 0x20, mode, *window, count=24) == inside
        assert places(controller, 0x20, mode, *window, count=60) == inside
    assert places(controller, 0x20, 0, *window, count=10) == [*inside[:8], (6, 120), (6, 121)]
    assert places(controller, 0x20, 1, *window, count=4) == [(5, 120), (5, 121), (6, 120), (7, 120)]


@pytest.mark.parametrize("controller", SSD)
def test_the_window_of_the_power_up_is_the_whole_memory(controller: Controller) -> None:
    for mode in (0, 1):
        model = PanelModel(controller)
        model.command(0x20, mode)
        wanted = [(7 * at) % 256 for at in range(1024)]
        model.data(wanted)
        across = bytes(wanted)
        down = bytes(wanted[column * 8 + page] for page in range(8) for column in range(128))
        assert model.memory() == (down if mode else across)


@pytest.mark.parametrize("controller", list(Controller))
def test_the_first_byte_after_the_power_up_goes_to_the_first_place(controller: Controller) -> None:
    model, untouched = PanelModel(controller), PanelModel(controller)
    first = 2 if controller is Controller.SH1106 else 0
    model.data([0xA9] * (first + 1))
    assert model.memory() == b"\xa9" + untouched.memory()[1:]


def test_an_sh1106_has_132_columns_and_leaves_its_page_only_when_told() -> None:
    for page in range(8):
        begin = (0xB0 | page, 0x00, 0x10)
        whole = [(page, column) for column in range(128)]
        assert places(Controller.SH1106, *begin, count=132) == whole
        assert places(Controller.SH1106, *begin, count=1000) == whole
    assert places(Controller.SH1106, 0xB4, 0x00, 0x18, count=1) == [(4, 126)]
    assert places(Controller.SH1106, 0xB4, 0x02, 0x18, count=9) == []
    assert places(Controller.SH1106, 0xB4, 0x0F, 0x1F, count=9) == []
    assert places(Controller.SH1106, 0xB4, 0x03, 0x1F, 0x12) == [(4, 0x21)]


def test_behind_its_last_column_an_sh1106_stays_until_it_is_told_a_new_one() -> None:
    model = cleared(Controller.SH1106)
    model.command(0xB2, 0x00, 0x10)
    model.data(bytes(300))
    model.command(0x05)  # the lower half alone is not enough
    model.data([0xFF])
    assert lit_pixels(model) == []
    model.command(0x10)
    model.data([0x00, 0x01])
    assert lit_pixels(model) == [(5, 16)]


# -- the picture, computed another way ---------------------------------------------------------


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


def test_all_lit_hides_the_memory_and_gives_it_back() -> None:
    model = cleared(Controller.SSD1306)
    model.command(0xA5, 0xA8, 20, 0xA7)
    assert len(lit_pixels(model)) == 128 * 64, "every pixel, whatever else is set"
    model.command(0xA4, 0xA6)
    assert lit_pixels(model) == []


# -- power and the bus -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("controller", "needs_pump", "contrast"),
    [
        (Controller.SSD1306, True, 0x7F),
        (Controller.SSD1315, True, 0x7F),
        (Controller.SSD1309, False, 0x7F),
        (Controller.SH1106, False, 0x80),
        (Controller.SH1107, False, 0x80),
    ],
)
def test_the_registers_of_the_power_up(controller: Controller, needs_pump: bool, contrast: int) -> None:
    model = PanelModel(controller)
    assert (model.lit, model.inverted, model.contrast) == (False, False, contrast)
    assert (model.wire_bytes, model.transfers) == (0, 0)
    model.command(0xAF)
    assert model.lit != needs_pump
    fresh, told = (
        switched_on(controller),
        switched_on(controller, 0x40, 0xA0, 0xA4, 0xA6, 0xA8, controller.chip.size[1] - 1, 0xC0, 0xD3, 0),
    )
    assert fresh.picture().tobytes() == told.picture().tobytes()
    fresh.command(0xA1, 0xC8, 0xA5, 0xA7, 0xA8, 20, 0xD3, 9, 0x41, 0x81, 3, 0xB3, 0x81)  # and half a command
    fresh.brown_out()
    assert (fresh.lit, fresh.inverted, fresh.contrast) == (False, False, contrast)
    fresh.command(0xAF)
    assert fresh.lit != needs_pump


@pytest.mark.parametrize(("bits", "runs"), [(0x14, True), (0x10, False), (0x04, True), (0xFB, False)])
def test_one_bit_runs_the_charge_pump(bits: int, runs: bool) -> None:
    for controller in SSD:
        model = switched_on(controller, 0x8D, bits)
        assert model.lit == (runs or controller is Controller.SSD1309), "which has none"


def test_the_garbage_of_a_power_up_follows_its_seed_and_is_another_each_time() -> None:
    assert PanelModel(seed=4).memory() == PanelModel(seed=4).memory() != PanelModel(seed=5).memory()
    model = PanelModel()
    first = model.memory()
    model.plug_in()
    assert model.memory() != first
    assert len(model.memory()) == 1024


@pytest.mark.parametrize(
    ("length", "transfers"),
    [(0, 0), (1, 1), (1024, 1), (4095, 1), (4096, 1), (4097, 2), (8192, 2), (8193, 3)],
)
def test_much_data_goes_in_transfers_of_4096_bytes(length: int, transfers: int) -> None:
    model = PanelModel()
    model.data(bytes(length))
    assert (model.transfers, model.wire_bytes) == (transfers, length + 2 * transfers)


def test_every_transfer_and_every_hand_on_the_plug_is_reported_once() -> None:
    model = PanelModel()
    model.command(0xAE)  # to nobody yet
    told: list[str] = []
    what = "command"
    model.on_change(lambda: told.append(what))
    model.command(0x8D, 0x14, 0xAF)
    what = "data"
    model.data(bytes(5000))
    what = "plug pulled"
    model.unplugged = True
    what = "failed"
    sends: tuple[Callable[[], None], ...] = (lambda: model.command(0xAF), lambda: model.data([1]))
    for send in sends:
        with pytest.raises((DeviceNotFoundError, OSError)):
            send()
    what = "plugged in"
    model.unplugged = False
    what = "browned out"
    model.brown_out()
    assert told == ["command", "data", "plug pulled", "plugged in", "browned out"]


def test_an_unplugged_panel_takes_nothing_and_counts_nothing() -> None:
    model = switched_on(Controller.SSD1309)
    before = model.memory(), model.wire_bytes, model.transfers
    model.unplug(errno.ETIMEDOUT)
    sends: tuple[Callable[[], None], ...] = (lambda: model.command(0xA7), lambda: model.data([1, 2, 3]))
    for send in sends:
        with pytest.raises(OSError, match="Remote I/O error") as caught:
            send()
        assert caught.value.errno == errno.ETIMEDOUT
    assert (model.memory(), model.wire_bytes, model.transfers) == before
    assert not model.lit
    assert not model.inverted
