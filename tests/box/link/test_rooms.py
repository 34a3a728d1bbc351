"""A box shows a room for as long as it's open, or says why it can't."""

from contextlib import closing, suppress
from pathlib import Path

import pytest
from tests.support.box import config_with
from tests.support.simulation import Simulation, Trouble
from tests.support.small_disk import small_disk

from shutthebox.game.effects import Show
from shutthebox.game.mode import Mode
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.simulator.virtual_link import LinkEnd, VirtualLink
from shutthebox.simulator.virtual_time import VirtualTime
from shutthebox.translations import localize_screen

S = 1_000_000_000


def text(show: Show) -> str:
    return localize_screen(show).text


def test_a_room_stays_open_on_a_panel_that_has_gone_dark() -> None:
    """The others came within its two minutes, and there was nobody."""
    time = VirtualTime()
    link = VirtualLink(1, lambda: time.now_ns)
    time.add(link)
    config = config_with(game__setup="usual", link__on=True, link__name="The Anchor", box__sleep_min=1)
    box = VirtualBox(config, link=LinkEnd(link, 0), time=time)
    with closing(box):
        box.press(S)
        time.run_until(time.now_ns + 2 * S)
        while "Another box" not in (screen := localize_screen(box.show)).rows[screen.cursor or 0]:
            for down in (True, False):
                box.set_lever(8, down)
                time.run_until(time.now_ns + S // 10)
        for _ in range(2):
            box.press(S // 10)
            time.run_until(time.now_ns + S)
        assert "Room" in text(box.show)
        time.run_until(time.now_ns + 100 * S)
        assert box.show.asleep
        assert "Room" in text(box.show)
        time.run_until(time.now_ns + 30 * S)
        assert "Nobody came" in text(box.show)


@pytest.mark.slow
def test_a_box_that_can_keep_no_match_says_so_and_opens_no_room(tmp_path: Path) -> None:
    """It looked for the other box for ever."""
    with (
        small_disk(tmp_path / "disk", "400k") as disk,
        closing(Simulation(1, disk, Trouble(), "pub", is_scenario=True)) as simulation,
    ):
        host = simulation.seats[0]
        with suppress(OSError), (disk / "pictures").open("wb", buffering=0) as file:
            while True:
                file.write(bytes(1000))
        host.box.press(S // 10)  # a match begins, and can't be kept
        simulation.wait(S)
        simulation.leave(host)
        while host.show.mode is not Mode.LINKING or "Memory is off" not in host.text:
            simulation.hand(host)
            simulation.wait(S // 5)
