"""The display comes and goes: the game goes on, and a display that is back shows all of it."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from tests.support.display_match import attract
from tests.virtual_pi import VirtualPi
from tests.virtual_pi.play import CONFIG, SETTINGS, Play
from tests.virtual_pi.table import Table, install_box, until

from shutthebox.adapters.display.worker import REFRESH_NS
from shutthebox.rules.match import Stage

pytestmark = [pytest.mark.virtual_pi, pytest.mark.timeout(240)]

WHOLE_FRAME = 128 * 64 // 8


@pytest.fixture(scope="module")
def installed(pi: VirtualPi) -> Table:
    install_box(pi, CONFIG)
    return Table(pi, SETTINGS)


@pytest.fixture
def table(installed: Table) -> Iterator[Table]:
    """The box in attract, its display plugged in; put right again afterwards."""
    installed.start_anew()
    installed.see([attract(SETTINGS)])
    yield installed
    installed.panel_parameter("fail_every", 0)
    installed.panel_parameter("absent", 0)


def test_unplugged_in_mid_match_and_back(table: Table) -> None:
    play, process = Play(table), table.shown("MainPID")
    assert until(table.lit)
    table.unplug()
    play.press_for_throw()
    # The throw can be seen on the lamp only: another press would now do nothing.
    assert until(lambda: not table.lit()), "a throw needs no display"
    assert until(lambda: "playing on without the display" in table.journal())
    table.plug_in()
    assert until(lambda: "the display is there" in table.journal().rpartition("without the display")[2])
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


def test_a_display_that_was_reset_unnoticed_is_right_again_within_a_refresh(table: Table) -> None:
    play = Play(table)
    table.look()
    table.glass.brown_out()
    assert table.look() == bytes(128 * 64 // 8)
    start = time.monotonic()
    play.see()
    assert time.monotonic() - start < REFRESH_NS / 1e9 + 10


def test_a_bus_that_fails_now_and_then(table: Table) -> None:
    play, process = Play(table), table.shown("MainPID")
    table.panel_parameter("fail_every", 11)
    for _ in range(2):
        if play.match.stage is Stage.THROW:
            play.throw()
        if play.match.stage is Stage.ANSWER:
            play.answer()
    assert "playing on without the display" in table.journal()
    table.panel_parameter("fail_every", 0)
    while play.match.stage is Stage.THROW:
        play.throw()
    assert table.shown("MainPID") == process


def test_it_starts_without_a_display_and_takes_one_that_comes(table: Table) -> None:
    table.pi.run("systemctl stop shutthebox", timeout=60)
    table.unplug()
    table.start()
    assert table.shown("ActiveState") == "active"
    assert until(table.lit), "a press would begin a match"
    table.plug_in()
    table.see([attract(SETTINGS)], 10)
    play = Play(table)
    play.throw()
