"""A new button is a row: whatever else it needs is missed here by name."""

import pytest
from tests.support.box import config_with

from shutthebox.config.schema import SECTIONS
from shutthebox.game.switches.switch import BUTTONS, Switch
from shutthebox.simulator.scenario.script import VERBS
from shutthebox.simulator.virtual_box import VirtualBox

OUTPUTS = {"buzzer", "lamp"}

each_button = pytest.mark.parametrize("row", BUTTONS.values(), ids=lambda row: row.name)


def test_every_line_for_a_switch_in_the_configuration_has_its_row() -> None:
    keys = SECTIONS["gpio"].keys() - {"backend", "levers", "inverted"} - OUTPUTS
    assert keys == {row.key for row in BUTTONS.values()}


@each_button
def test_a_button_has_its_settle_time_and_its_verb(row: Switch) -> None:
    assert row.settle_key in SECTIONS["box"]
    assert row.verb in VERBS


@each_button
def test_the_virtual_box_has_every_button_that_its_configuration_wires(row: Switch) -> None:
    box = VirtualBox(config_with(**{f"gpio__{row.key}": row.line}))
    box.set_button(True, row.number)
    box.run_until(1_000_000_000)
    assert box.runner.switches.presses[row.number] == 1
    box.close()
