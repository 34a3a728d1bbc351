"""The box in virtual time: hands to the nanosecond, queued dice, and what a power cut leaves."""

from functools import partial
from pathlib import Path

import pytest
from tests.support.box import MS, BoxUnderTest, S, config_with

from shutthebox.adapters.store.lock import InUseError
from shutthebox.config.schema import Config
from shutthebox.errors import ShutTheBoxError
from shutthebox.game.effects import Effect, Keep
from shutthebox.game.facts import Began
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.simulator.hardware.virtual_display import VirtualDisplay
from shutthebox.simulator.virtual_box import VirtualBox

# -- hands -------------------------------------------------------------------------------


# -- dice --------------------------------------------------------------------------------


# -- days and wiring ---------------------------------------------------------------------


# -- the store ---------------------------------------------------------------------------


def kept(state: Path) -> dict[str, bytes]:
    """The files of a store, but for its index of the log, which SQLite makes anew."""
    return {path.name: path.read_bytes() for path in state.iterdir() if not path.name.endswith("-shm")}


class Started(VirtualBox):
    """A box that notes what it finds on its disk at each start."""

    found: list[dict[str, bytes]]

    def _start(self) -> None:
        self.found = getattr(self, "found", [])
        if self._state is not None:
            self.found.append(kept(self._state))
        super()._start()


def test_a_power_cut_leaves_the_files_as_they_are_at_that_moment(tmp_path: Path) -> None:
    box = Started(config_with(), tmp_path, advised=False)
    box.press(100 * MS)
    box.run_until(S)
    at_the_cut = kept(tmp_path)
    assert any(name.endswith("-wal") and content for name, content in at_the_cut.items()), "not tidied up yet"
    box.cut_power()
    assert box.found == [{}, at_the_cut]
    box.close()
    assert not any(name.endswith("-wal") for name in kept(tmp_path))


def test_after_a_power_cut_the_match_goes_on_and_the_levers_stand(tmp_path: Path) -> None:
    effects: list[Effect] = []

    def look(what: Effect | SwitchChanged, t_ns: int) -> None:
        if not isinstance(what, SwitchChanged):
            effects.append(what)

    box = VirtualBox(config_with(), tmp_path, advised=False)
    box.observe(look)
    box.set_lever(7, True)
    box.press(100 * MS)
    box.run_until(S)
    store = box.store
    before = box.show
    box.cut_power()
    assert box.now_ns == S
    assert box.store is not store
    assert box.box.levers_down == {7}
    box.run_until(2 * S)
    assert (box.show.mode, box.show.player, box.show.screen) == (before.mode, before.player, before.screen)
    assert sum(isinstance(effect, Keep) and isinstance(effect.fact, Began) for effect in effects) == 1
    box.close()


def test_two_boxes_cannot_share_a_folder_and_one_that_is_closed_has_given_it_back(tmp_path: Path) -> None:
    first = VirtualBox(config_with(), tmp_path, advised=False)
    with pytest.raises(InUseError):
        VirtualBox(config_with(), tmp_path, advised=False)
    first.cut_power()
    with pytest.raises(InUseError):
        VirtualBox(config_with(), tmp_path, advised=False)
    first.close()
    with pytest.raises(ShutTheBoxError, match="full-house needs 12 levers"):
        VirtualBox(config_with(game__profile="full-house", box__levers=9), tmp_path, advised=False)
    VirtualBox(config_with(), tmp_path, advised=False).close()


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
