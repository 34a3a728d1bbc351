"""A chip that appears: the box starts by itself on a machine that had no pins, by real udev."""

from __future__ import annotations

import pytest
from tests.system.virtual_pi import VirtualPi
from tests.system.virtual_pi.image import CHIPS
from tests.system.virtual_pi.machine import HEADER_CHIP
from tests.system.virtual_pi.play import CONFIG, SETTINGS
from tests.system.virtual_pi.table import Table, install_box, until

pytestmark = [pytest.mark.virtual_pi, pytest.mark.timeout(900)]


@pytest.fixture
def table(pi: VirtualPi) -> Table:
    """An enabled box on a machine whose chips were pulled out."""
    install_box(pi, CONFIG)
    plug(pi, *CHIPS, there=False)
    pi.run("systemctl enable shutthebox")
    return Table(pi, SETTINGS)


def plug(pi: VirtualPi, *chips: str, there: bool) -> None:
    for chip in chips:
        pi.write(f"/sys/kernel/config/gpio-sim/{chip}/live", str(int(there)))
    pi.run("udevadm settle")


def test_a_box_without_pins_rests_until_a_chip_appears(table: Table) -> None:
    pi = table.pi
    assert pi.run("ls /dev/gpiochip*", check=False).code != 0
    pi.run("systemctl start shutthebox")
    assert table.shown("ActiveState") == "inactive"
    assert table.journal().count("ConditionPathExistsGlob=/dev/gpiochip*") == 1
    plug(pi, HEADER_CHIP, there=True)
    # What it does from there on is tested where it's started by hand.
    assert until(lambda: table.shown("ActiveState") in ("activating", "active")), table.journal()
