"""The game goes on when anything around it fails during a match: pins, panel, buzzer, lamp, store, clock."""

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import Any

import pytest
from tests.support.box import MS, BoxUnderTest, S, config_with
from tests.support.clumsy_player import CAREFUL, Habits, Player

from shutthebox.adapters.display.opening import open_panel
from shutthebox.adapters.display.panel import DisplayError, Panel
from shutthebox.adapters.display.worker import DisplayWorker
from shutthebox.adapters.gpio import Edge, Pins
from shutthebox.adapters.store.database import STORE_FILE
from shutthebox.adapters.store.failsafe_store import FailsafeStore
from shutthebox.adapters.store.queries import read
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import Config
from shutthebox.config.settings_loader import settings_for
from shutthebox.game.dice import RandomDice
from shutthebox.game.effects import Effect, Show
from shutthebox.game.facts import Began, Fact, Finished
from shutthebox.game.mode import Mode
from shutthebox.game.settings import Brightness
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.game.switches.switch import DICE_BUTTON
from shutthebox.rules.match import Match
from shutthebox.rules.tiles import to_tiles
from shutthebox.runtime.ports import Ports
from shutthebox.runtime.runner import Mail, Runner, loop
from shutthebox.simulator.hardware.box import LAMP_LINE, ROLL_LINE, SimulatedBox
from shutthebox.simulator.hardware.panel_model import PanelModel
from shutthebox.simulator.scenario.recorder import ScenarioRecorder
from shutthebox.simulator.virtual_box import VirtualBox


class BrokenBox(VirtualBox):
    """A box on which wires are cut: their lines stay as they are when hands move levers."""

    def __init__(self, *args: Any, wall_s: Callable[[], float] = lambda: 1.8e9, **kwargs: Any) -> None:
        self.cut: frozenset[int] = frozenset()
        self._wall_s = wall_s
        super().__init__(*args, **kwargs)

    def set_level(self, line: int, level: bool) -> None:
        if line not in {self.box.lever_line(lever) for lever in self.cut}:
            super().set_level(line, level)

    def _time_s(self) -> float:
        return self._wall_s()


CODE = (2, 7)
"""The levers of the owner's code."""


class Table(BoxUnderTest):
    """A box whose hardware fails, and a player at it."""

    box: BrokenBox

    def __init__(
        self,
        state: Path | None = None,
        *,
        habits: Habits = CAREFUL,
        display: Any = None,
        wall_s: Callable[[], float] = lambda: 1.8e9,
        **values: object,
    ) -> None:
        self.player = Player(Random("hands"), habits)
        make = partial(BrokenBox, display=display, wall_s=wall_s)
        config = config_with(**{"box__service_code": list(CODE), **values})
        super().__init__(state, config, observers=[self.player.observe], make=make, seed=3)
        self.player.sit_down(self.box)

    @property
    def begun(self) -> Match:
        """The match begun last."""
        return next(fact.match for fact in reversed(self.facts) if isinstance(fact, Began))

    @property
    def finished(self) -> int:
        return sum(isinstance(fact, Finished) for fact in self.facts)

    def take_out(self, lever: int) -> None:
        """By the menu and the owner's code, without the lever that is broken."""
        self.hold()
        self.choose(8)
        assert "Owner" in self.row
        self.press()
        assert "Levers" in self.row
        self.press()
        if not self.row.startswith(f"{lever} "):
            self.choose(lever - 1)
            self.choose(lever - 1)  # from its own row on to the next
        assert self.row.startswith(f"{lever} ")
        self.press()
        self.flip(*CODE)
        self.press()
        assert str(lever) in self.screen.big
        self.press()
        self.lift(*CODE)
        self.hold()
        self.hold()
        assert self.mode is Mode.ATTRACT

    @property
    def row(self) -> str:
        assert self.screen.cursor is not None
        return self.screen.rows[self.screen.cursor]


# -- levers ------------------------------------------------------------------------------------


def test_a_stuck_lever_is_named_taken_out_and_the_box_plays_on(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.press()
    table.flip(4)
    table.box.cut = frozenset({4})
    table.wait(11 * S)
    table.press()
    assert "Lift 4: stuck?" in table.text
    table.abandon()
    assert "Lever 4: stuck?" in table.text
    table.take_out(4)
    assert "without 4" in table.text
    table.player.play_match()
    assert table.finished == 1
    assert table.begun.game.starting == to_tiles([1, 2, 3, 5, 6, 7, 8, 9])
    table.box.close()


def test_a_lever_whose_wire_is_cut_is_named_and_the_others_play_on() -> None:
    table = Table(game__players=1)
    table.box.cut = frozenset({4})
    for _ in range(4):
        table.press()
        for lever in (1, 2, 3, 5, 6, 7):
            table.flip(lever)
        for lever in (1, 2, 3, 5, 6, 7):
            table.lift(lever)
        table.abandon()
    table.press()
    table.throw(3, 2)
    table.flip(1, 4)
    assert str(table.show.scene.verdict) == "missing 4"
    table.press()
    assert "4 to go: lever 4?" in table.text
    table.lift(1)
    table.flip(2, 3)
    table.throw(6, 3)
    table.flip(9)
    assert str(table.show.scene.verdict) == "complete"


def test_a_lever_that_chatters_without_rest_is_named_and_the_others_play_on() -> None:
    table = Table()
    levels = itertools.cycle((False, True))

    def chatter(lasts_ns: int) -> None:
        for _ in range(lasts_ns // (3 * MS)):
            table.wait(3 * MS)
            table.box.set_level(table.box.box.lever_line(7), next(levels))

    table.press()
    chatter(4 * S)
    assert "Lever 7 chatters" in table.text
    table.box.dice.queue.append((3, 1))
    for down in (True, False):
        table.box.set_button(down)
        chatter(100 * MS)
    chatter(S)
    assert table.show.mode is Mode.FLIPPING
    table.box.set_lever(4, True)
    chatter(100 * MS)
    assert str(table.show.scene.verdict) == "complete"
    assert table.box.runner.switches.chatter[7] > 1000
    table.box.set_lever(7, False)
    table.wait(2 * S)
    table.abandon()
    assert "chatters" not in table.text


def test_a_kernel_that_drops_every_edge_only_makes_the_box_slow() -> None:
    table = Table(game__players=1)
    table.box.box.lose_edges(1.0)
    table.player.play_match()
    assert table.finished == 1


# -- the display -------------------------------------------------------------------------------


class Glass:
    """A display in virtual time that draws every screen at once, and breaks as it is told."""

    def __init__(self, model: PanelModel | None, controller: Controller = Controller.SSD1306) -> None:
        self.model, self.controller, self.now_ns = model, controller, 0
        self.shown: Any = None
        self._display = DisplayWorker(self._connect, now_ns=lambda: self.now_ns)

    def _connect(self) -> Panel:
        if self.model is None:
            raise DisplayError("no display")
        return open_panel(self.controller, self.model)

    def show(self, screen: Any, t_ns: int) -> None:
        self.now_ns, self.shown = t_ns, screen
        self._display.render_now(screen, 0)

    def brighten(self, brightness: Brightness) -> None:
        self._display.brighten(brightness)

    def sleep(self) -> None:
        pass


class Loose(PanelModel):
    """A panel whose plug falls out again and again, in the middle of a frame, and is put back."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = self.falls = 0

    def _transfer(self, length: int) -> None:
        self.asked += 1
        if self.asked % 9 == 0:
            self.falls += 1
            self.unplug(121)
        elif self.asked % 9 == 3 and self.unplugged:
            self.plug_in()
        super()._transfer(length)


def facts_of_a_match(display: Any = None) -> list[Fact]:
    table = Table(display=display, game__players=2)
    table.player.play_match()
    return table.facts


@pytest.mark.parametrize("kind", ["absent", "wrong", "loose"])
def test_whatever_the_display_does_the_same_match_is_played(kind: str) -> None:
    wanted = facts_of_a_match()
    match kind:
        case "absent":
            glass = Glass(None)
        case "wrong":
            glass = Glass(PanelModel(Controller.SH1106))
        case _:
            glass = Glass(Loose())
    assert facts_of_a_match(glass) == wanted
    if isinstance(glass.model, Loose):
        assert glass.model.falls >= 2


# -- the clock ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_clock_set_back_an_hour_and_on_a_year_changes_only_dates(tmp_path: Path) -> None:
    """Whenever anything is kept, and when the box is started again in the middle of a match."""
    clock, random = [1.8e9], Random("clock")

    def wall_s() -> float:
        clock[0] += random.choice([60, 60, 60, -3600, 31_536_000, -31_536_000])
        return clock[0]

    table = Table(tmp_path, wall_s=wall_s, habits=Habits(0.1, 0.3, 0.0, cuts=0.02), game__players=1)
    for played in range(1, 6):
        table.player.play_match()
        table.player.look_again()
        with closing(sqlite3.connect(tmp_path / STORE_FILE)) as db:
            assert read(db).finished == played
    with closing(sqlite3.connect(tmp_path / STORE_FILE)) as db:
        dates = [row[0] for row in db.execute("select began_s from match order by id")]
    assert dates != sorted(dates), "the clock did go back"
    table.box.close()


# -- callbacks and pins ------------------------------------------------------------------------


def opened(box: SimulatedBox, put: Callable[[Edge], None], lamp: int = LAMP_LINE) -> Pins:
    return Pins(box.factory, box.switch_lines, lamp, put)


@pytest.fixture
def box() -> Iterator[SimulatedBox]:
    made = SimulatedBox(9, real_time=False)
    yield made
    made.close()


def test_a_callback_that_raises_is_reported_and_the_next_edge_comes(
    box: SimulatedBox, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[Edge] = []

    def put(edge: Edge) -> None:
        if edge.switch == 3:
            raise RuntimeError("no room")
        seen.append(edge)

    pins = opened(box, put)
    box.set_lever(3, True)
    box.set_lever(4, True)
    assert [edge.switch for edge in seen] == [4]
    assert "lever 3: lost an edge" in caplog.text
    assert "no room" in caplog.text
    assert pins.active()[3], "it is seen by looking"
    pins.close()


def test_without_its_lamp_a_box_plays_on(box: SimulatedBox, caplog: pytest.LogCaptureFixture) -> None:
    pins = opened(box, lambda edge: None, lamp=ROLL_LINE)
    assert "lamp: line 12: " in caplog.text
    pins.light(1.0)
    assert pins.active()[DICE_BUTTON] is False
    pins.close()


class GoneError(Exception):
    """A library's own, neither gpiozero's nor an OSError."""


def test_a_lamp_that_fails_later_is_left_alone(
    box: SimulatedBox, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pins = opened(box, lambda edge: None)
    pins.light(1.0)
    lamp = type(pins._lamp)

    def fails(self: object, value: float) -> None:
        raise GoneError("no such device")

    monkeypatch.setattr(lamp, "value", property(lambda self: 1.0, fails))
    pins.light(0.0)
    pins.light(1.0)
    assert caplog.text.count("no such device") == 1
    pins.close()


def test_a_line_that_cannot_be_read_keeps_its_last_state(
    box: SimulatedBox, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An expander falls off its bus."""
    pins = opened(box, lambda edge: None)
    box.set_lever(3, True)
    box.set_lever(4, True)
    assert pins.active()[3]
    pin = pins._devices[3].pin
    with monkeypatch.context() as broken:

        def fails(self: object) -> int:
            if self is pin:
                raise GoneError("remote I/O error")
            return 0

        broken.setattr(type(pin), "_get_state", fails)
        for _ in range(3):
            assert pins.active()[3]
    for _ in range(9):
        with monkeypatch.context() as broken:
            broken.setattr(type(pin), "_get_state", fails)
            assert pins.active()[3]
        assert pins.active()[3]
    assert caplog.messages == ["lever 3 can't be read: remote I/O error"], "not each time it comes and goes"
    box.set_lever(3, False)
    assert not pins.active()[3]
    pins.close()


# -- the loop ----------------------------------------------------------------------------------


def runner_of(config: Config, ports: Ports, now_ns: int) -> Runner:
    settings, dice = settings_for(config, 9, "test"), RandomDice(Random(1).randrange)
    return Runner(settings, config.box.settle_ns, ports, dice, now_ns)


class Looped:
    """A runner on the real loop's body, its clock and its inbox in the test's hands."""

    def __init__(self, box: SimulatedBox) -> None:
        self.now_ns = 5 * S
        self.inbox: SimpleQueue[Mail] = SimpleQueue()
        self.pins = opened(box, lambda edge: None)
        self.seen: list[tuple[Effect | SwitchChanged, int]] = []
        config = config_with()
        ports = Ports(
            self.pins, FailsafeStore(None), observers=[lambda what, t_ns: self.seen.append((what, t_ns))]
        )
        self.runner = runner_of(config, ports, self.now_ns)

    def run(self, *edges: Edge) -> int:
        """Puts these in, ends after them, and says how often the watchdog was fed."""
        for edge in (*edges, None):
            self.inbox.put(edge)
        fed: list[int] = []
        loop(self.runner, self.inbox, lambda: self.now_ns, lambda: fed.append(1))
        return len(fed)


@pytest.mark.slow
def test_a_flood_of_edges_holds_up_neither_the_watchdog_nor_the_game(box: SimulatedBox) -> None:
    """A contact without rest: the inbox is never empty, for twenty seconds."""
    looped = Looped(box)
    flood = [Edge(7, at % 2 == 0, looped.now_ns + at * 2 * MS) for at in range(10_000)]
    pressed = [
        Edge(DICE_BUTTON, down, looped.now_ns + 3 * S + at * MS) for down, at in ((True, 0), (False, 100))
    ]
    looped.now_ns += 20 * S
    edges = sorted([*flood, *pressed], key=lambda edge: edge.t_ns)
    assert looped.run(*edges) >= 19
    shows = [(what, t_ns) for what, t_ns in looped.seen if isinstance(what, Show)]
    assert any(show.mode is Mode.READY and t_ns < 9 * S for show, t_ns in shows), "the press has begun a game"
    looped.pins.close()


def test_an_edge_from_another_clock_counts_as_now(box: SimulatedBox) -> None:
    """A factory that stamps with the time of day: fifty years ahead of the monotonic clock."""
    looped = Looped(box)
    looped.run(Edge(DICE_BUTTON, True, 1_800_000_000 * S))
    looped.now_ns += 100 * MS
    looped.runner.pass_time(looped.now_ns)
    looped.run(Edge(DICE_BUTTON, False, 1_800_000_000 * S + 100 * MS))
    looped.now_ns += 100 * MS
    looped.runner.pass_time(looped.now_ns)
    assert looped.runner.machine.state.mode.name is Mode.READY
    looped.pins.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_recording_on_a_full_disk_ends_and_the_game_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    with open("/dev/full", "w", encoding="utf-8", buffering=1) as full:  # noqa: PTH123  (closed below)
        recorder = ScenarioRecorder(full, config_with(), 9, frozenset(), 0)
        table = Table()
        table.box.observe(recorder)
        table.press()
        table.throw(6, 3)
        table.flip(9)
        assert str(table.show.scene.verdict) == "complete"
        recorder.flush()
        assert caplog.text.count("the recording ends here") == 1
        with suppress(OSError):
            full.close()  # what could not be written is still in its buffer
