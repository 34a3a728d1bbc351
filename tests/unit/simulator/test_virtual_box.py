"""The box in virtual time: hands to the nanosecond, queued dice, and what a power cut leaves."""

from functools import partial
from pathlib import Path

from tests.support.box import BoxUnderTest, S

from shutthebox.config.schema import Config
from shutthebox.simulator.hardware.virtual_display import VirtualDisplay
from shutthebox.simulator.virtual_box import VirtualBox

# -- the store ---------------------------------------------------------------------------


def test_the_brightness_chosen_in_the_menu_is_on_the_glass_at_once_and_after_a_pulled_plug(
    tmp_path: Path,
) -> None:
    display = VirtualDisplay(Config())
    table = BoxUnderTest(tmp_path, make=partial(VirtualBox, display=display))
    display.look(table.box.now_ns)
    bright = display.panel.contrast
    table.hold()
    while "Brightness" not in table.screen.rows[table.screen.cursor or 0]:
        table.choose(9)
    table.press()
    table.choose(1)
    table.press()
    display.look(table.box.now_ns)
    dim = display.panel.contrast
    assert dim < bright
    table.box.cut_power()
    display.panel.brown_out()
    table.wait(31 * S)  # then a panel is set up again
    display.look(table.box.now_ns)
    assert display.panel.contrast == dim
    table.box.close()
