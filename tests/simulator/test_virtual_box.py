"""The box in virtual time: hands to the nanosecond, queued dice, and what a power cut leaves."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.box import MS, S, config_with

from shutthebox.adapters.store.lock import InUseError
from shutthebox.config.puzzles import puzzle_of
from shutthebox.config.schema import Config, GpioConfig
from shutthebox.errors import ShutTheBoxError
from shutthebox.game.daily import Daily
from shutthebox.game.effects import Effect, Keep
from shutthebox.game.facts import Began
from shutthebox.game.mode import Mode
from shutthebox.game.switches.debounce import DICE_BUTTON, SwitchChanged
from shutthebox.simulator.hardware.box import Change
from shutthebox.simulator.virtual_box import QueuedDice, VirtualBox

DAY_NS = 24 * 3600 * S
SETTLES_NS = 40 * MS


class Watched:
    """A box; the edges of its contacts and the switches that have settled, each with its time."""

    def __init__(self, **options: object) -> None:
        self.edges: list[tuple[int, str, bool]] = []
        self.settled: list[tuple[int, int, bool]] = []
        self.box = VirtualBox(config_with(), observers=[self._look], **options)  # type: ignore[arg-type]
        self._levels = self._now()
        self.box.box.subscribe(self._edge)

    def _now(self) -> dict[str, bool]:
        return {
            line.name: bool(line.value)
            for line in self.box.box.lines()
            if line.name not in ("lamp", "buzzer")
        }

    def _edge(self, change: Change) -> None:
        if change is Change.PINS:
            before, self._levels = self._levels, self._now()
            changed = [(name, level) for name, level in self._levels.items() if before[name] != level]
            self.edges += [(self.box.now_ns, name, level) for name, level in changed]

    def _look(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        if isinstance(what, SwitchChanged):
            self.settled.append((t_ns, what.switch, what.active))


@pytest.fixture
def watched() -> Iterator[Watched]:
    watched = Watched(advised=False)
    yield watched
    watched.box.close()


# -- hands -------------------------------------------------------------------------------


def test_a_press_takes_its_time_and_settles_after_it(watched: Watched) -> None:
    watched.box.run_until(3 * S)
    watched.box.press(130 * MS)
    assert watched.box.now_ns == 3 * S + 130 * MS
    assert watched.edges == [(3 * S, "button", False), (3 * S + 130 * MS, "button", True)]
    watched.box.run_until(4 * S)
    assert watched.settled == [(3 * S + 25 * MS, DICE_BUTTON, True), (3 * S + 155 * MS, DICE_BUTTON, False)]


def test_levers_and_button_take_no_time(watched: Watched) -> None:
    box = watched.box
    box.set_lever(3, True)
    box.set_button(True)
    box.set_lever(3, True)
    box.set_lever(3, False)
    box.set_button(False)
    assert box.now_ns == 0
    assert watched.edges == [(0, "3", False), (0, "button", False), (0, "3", True), (0, "button", True)]
    box.run_until(S)
    assert watched.settled == []


@pytest.mark.parametrize("down", [False, True])
def test_a_glitch_goes_to_the_other_level_and_back(watched: Watched, down: bool) -> None:
    watched.box.set_lever(4, down)
    watched.box.run_until(2 * S)
    watched.edges.clear()
    watched.settled.clear()
    watched.box.glitch(4, 7 * MS)
    assert watched.box.now_ns == 2 * S + 7 * MS
    assert watched.edges == [(2 * S, "4", down), (2 * S + 7 * MS, "4", not down)]
    watched.box.run_until(4 * S)
    assert watched.settled == []


def test_hardware_moves_at_once_and_in_the_caller(watched: Watched) -> None:
    watched.box.box.set_lever(5, True)
    assert watched.edges == [(0, "5", False)]
    assert watched.box.box._player._thread is None


def test_a_long_glitch_settles(watched: Watched) -> None:
    watched.box.glitch(4, SETTLES_NS)
    watched.box.run_until(S)
    assert watched.settled == [(SETTLES_NS, 4, True), (2 * SETTLES_NS, 4, False)]


def test_a_bounce_lasts_as_long_as_it_should_and_follows_the_seed() -> None:
    def bounced(seed: int) -> list[tuple[int, str, bool]]:
        watched = Watched(seed=seed, advised=False)
        box = watched.box
        for at_ns, down in ((S, True), (2 * S, False), (3 * S, True)):
            box.run_until(at_ns)
            watched.edges.clear()
            box.bounce(6, down, 12 * MS)
            assert box.now_ns == at_ns + 12 * MS
            first, *_, last = watched.edges
            assert (first, last) == ((at_ns, "6", not down), (at_ns + 12 * MS, "6", not down))
        box.run_until(4 * S)
        settled = 12 * MS + SETTLES_NS
        assert watched.settled == [
            (S + settled, 6, True),
            (2 * S + settled, 6, False),
            (3 * S + settled, 6, True),
        ]
        box.close()
        return watched.edges

    assert bounced(4) == bounced(4) != bounced(5)


def test_a_button_bounces_too(watched: Watched) -> None:
    watched.box.bounce(DICE_BUTTON, True, 8 * MS)
    watched.box.run_until(S)
    assert {name for _, name, _ in watched.edges} == {"button"}
    assert watched.settled == [(33 * MS, DICE_BUTTON, True)]


@pytest.mark.parametrize(("until_ns", "settles"), [(SETTLES_NS - 1, False), (SETTLES_NS, True)])
def test_time_runs_up_to_the_end_and_no_further(watched: Watched, until_ns: int, settles: bool) -> None:
    watched.box.set_lever(2, True)
    watched.box.run_until(until_ns)
    assert watched.box.now_ns == until_ns
    assert bool(watched.settled) == settles


# -- dice --------------------------------------------------------------------------------


def test_queued_throws_come_in_their_order_and_then_seeded_ones() -> None:
    dice, again, other = QueuedDice(3), QueuedDice(3), QueuedDice(4)
    dice.queue += [(6, 6), (1,), (20, 1, 1)]
    assert [dice.throw(2, 6), dice.throw(1, 6), dice.throw(3, 20)] == [(6, 6), (1,), (20, 1, 1)]
    thrown = [dice.throw(2, 6) for _ in range(50)]
    assert thrown == [again.throw(2, 6) for _ in range(50)] != [other.throw(2, 6) for _ in range(50)]
    assert {face for throw in thrown for face in throw} == set(range(1, 7))


@pytest.mark.parametrize(
    ("queued", "dice", "sides"),
    [((3, 4), 1, 6), ((3,), 2, 6), ((7, 1), 2, 6), ((1, 7), 2, 6), ((21,), 1, 20)],
)
def test_a_queued_throw_is_one_of_these_dice(queued: tuple[int, ...], dice: int, sides: int) -> None:
    source = QueuedDice(0)
    source.queue.append(queued)
    with pytest.raises(
        ValueError, match=f"^{' '.join(map(str, queued))} is queued, but {dice} dice of {sides} are"
    ):
        source.throw(dice, sides)


def test_queued_dominoes_come_from_the_bag_either_way_round() -> None:
    bag = [(1, 2), (3, 5), (6, 6)]
    dice, again = QueuedDice(3), QueuedDice(3)
    dice.queue += [(5, 3), (3, 5), (6, 6), (1, 1)]
    assert [dice.draw(bag) for _ in range(3)] == [(5, 3), (3, 5), (6, 6)]
    with pytest.raises(ValueError, match="1 1 is queued, but not in the bag"):
        dice.draw(bag)
    assert [dice.draw(bag) for _ in range(9)] == [again.draw(bag) for _ in range(9)]


def test_two_boxes_with_a_seed_throw_the_same() -> None:
    def thrown(**seed: int) -> list[tuple[int, ...] | None]:
        watched = Watched(**seed, advised=False)
        shows = []
        for _ in range(6):
            watched.box.press(100 * MS)
            watched.box.run_until(watched.box.now_ns + 2 * S)
            shows.append(watched.box.show.throw)
        watched.box.close()
        return shows

    assert thrown(seed=1) == thrown(seed=1) != thrown(seed=2)
    assert thrown() == thrown(seed=0)


# -- days and wiring ---------------------------------------------------------------------


@pytest.mark.parametrize(("now_ns", "day"), [(0, 1), (DAY_NS - 1, 1), (DAY_NS, 2), (100 * DAY_NS, 101)])
def test_a_day_of_puzzles_is_a_day_of_virtual_time(watched: Watched, now_ns: int, day: int) -> None:
    watched.box.now_ns = now_ns
    assert watched.box._puzzle_of_today() == Daily(day, puzzle_of(day))


def test_the_box_is_wired_as_the_simulated_hardware_whatever_the_config_says() -> None:
    wired = replace(Config(), gpio=GpioConfig(levers=(9, 10, 11, *range(30, 39)), roll=8, service=7))
    box = VirtualBox(wired, advised=False)
    box.press(S)
    box.run_until(2 * S)
    assert box.show.mode is not Mode.ATTRACT
    box.close()


def test_a_box_that_knows_the_odds_says_so_and_any_other_does_not() -> None:
    assert VirtualBox(config_with())._odds is not None
    assert VirtualBox(config_with(), advised=False)._odds is None


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


@pytest.mark.parametrize("memory", ["none", "works", "fails"])
def test_a_memory_that_fails_is_shown_and_written_to_the_journal_once_at_most(
    tmp_path: Path, memory: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    state = {"none": None, "works": tmp_path / "state", "fails": tmp_path / "file"}[memory]
    (tmp_path / "file").write_text("in the way", "utf-8")
    box = VirtualBox(config_with(), state, advised=False)
    assert ("Memory is off" in box.show.screen.text) == (memory == "fails")
    assert (box.store is not None) == (memory == "works")
    box.press(100 * MS)
    box.run_until(S)
    assert box.show.mode is Mode.READY
    box.close()
    assert not [record for record in caplog.records if record.name.endswith("guard")]


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


@pytest.mark.parametrize(
    ("key", "value", "counts"), [("game.dice", "auto", True), ("game.dice", "real", False)]
)
def test_only_throws_of_the_box_count_in_its_statistics(
    tmp_path: Path, key: str, value: str, counts: bool
) -> None:
    box = VirtualBox(config_with(**{key: value}), tmp_path, advised=False)
    assert box.store is not None
    assert box.store._count_throws == counts
    box.close()
