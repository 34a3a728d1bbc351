"""The display comes and goes: the game goes on, and a display that is back shows all of it."""

from __future__ import annotations

import pytest
from tests.system.virtual_pi import VirtualPi
from tests.system.virtual_pi.play import CONFIG, SETTINGS, Play
from tests.system.virtual_pi.table import Table, attract, install_box, until

pytestmark = [pytest.mark.virtual_pi, pytest.mark.timeout(240)]

WHOLE_FRAME = 128 * 64 // 8


@pytest.fixture(scope="module")
def table(pi: VirtualPi) -> Table:
    """The box in attract, its display plugged in."""
    install_box(pi, CONFIG)
    table = Table(pi, SETTINGS)
    table.start()
    table.see([attract(SETTINGS)])
    return table


def test_unplugged_in_mid_match_and_back(table: Table) -> None:
    play, process = Play(table), table.shown("MainPID")
    assert until(table.lit)
    table.unplug()
    play.press_for_throw()
    # The throw can be seen on the lamp only: another press would now do nothing.
    assert until(lambda: not table.lit()), "a throw needs no display"
    assert until(lambda: "playing on without the display" in table.journal())
    table.plug_in()
    assert until(lambda: "the display answers" in table.journal().rpartition("without the display")[2])
    # Set up, dark at first, then one whole frame, then lit: no garbage is ever seen.
    sent = [write.data for write, _ in table.frames()]
    whole = next(i for i, data in enumerate(sent) if data[0] & 0x40 and len(data) == 1 + WHOLE_FRAME)
    commands = b"".join(data[1:] for data in sent[:whole] if not data[0] & 0x40)
    assert b"\xae" in commands
    assert b"\x8d\x14" in commands, "the charge pump is switched on"
    assert b"\x00\xaf" not in sent[:whole]
    assert sent[whole + 1] == b"\x00\xaf"
    play.read_throw()
    play.answer()
    assert table.shown("MainPID") == process
