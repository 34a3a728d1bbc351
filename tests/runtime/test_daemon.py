"""The daemon as it is put together: workers that hang or are missing, and the watchdog."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from tests.support.hands import Hands
from tests.support.waiting import HANG_S, until

from shutthebox.adapters import buzzer as buzzers
from shutthebox.adapters.buzzer import Buzzer
from shutthebox.adapters.display import worker as oled
from shutthebox.adapters.display.controllers import open_panel
from shutthebox.adapters.display.panel import Panel
from shutthebox.adapters.store.database import Store
from shutthebox.config.schema import Config, Controller, with_value
from shutthebox.config.settings_loader import settings_for
from shutthebox.game.dice import RandomDice
from shutthebox.game.effects import Show
from shutthebox.game.facts import Began, Fact
from shutthebox.game.mode import Mode
from shutthebox.game.switches.debounce import DICE_BUTTON
from shutthebox.runtime.daemon import serve
from shutthebox.simulator.hardware.box import BUZZER_LINE, SimulatedBox, default_lever_lines
from shutthebox.simulator.hardware.panel_model import PanelModel

CONFIG = with_value(Config(), "game.setup", "usual", "test")


@dataclass
class Served:
    """A daemon at work in the main thread, as hands in another see it."""

    box: SimulatedBox
    beats: list[float] = field(default_factory=list)
    wrong: list[BaseException] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.hands = Hands(self.box)

    @property
    def shows(self) -> list[Show]:
        return self.hands.shows

    def beat(self) -> None:
        self.beats.append(time.monotonic())

    def begins_a_match(self) -> None:
        self.hands.click()
        until(lambda: self.shows[-1].mode is Mode.READY)

    def throws(self) -> None:
        self.hands.click()
        until(lambda: self.shows[-1].mode in (Mode.FLIPPING, Mode.TURN_OVER))

    def starves(self) -> None:
        """The watchdog gets nothing for longer than the loop ever waits."""
        until(lambda: time.monotonic() - self.beats[-1] > 1.5)

    def is_fed(self) -> None:
        count = len(self.beats)
        until(lambda: len(self.beats) > count)


Serve = Callable[..., Served]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Serve]:
    box = SimulatedBox(default_lever_lines(9), seed=1)

    def run(
        hands: Callable[[Served], None],
        *,
        connect: Callable[[], Panel] | None = None,
        releases: Sequence[threading.Event] = (),
    ) -> Served:
        found = Served(box)
        started, ended = threading.Event(), threading.Event()

        def work() -> None:
            try:
                started.wait(HANG_S)
                until(lambda: found.shows)
                hands(found)
            except BaseException as error:
                found.wrong.append(error)
            finally:
                for event in releases:
                    event.set()
                if not ended.is_set():
                    os.kill(os.getpid(), signal.SIGTERM)

        thread = threading.Thread(target=work)
        thread.start()
        try:
            serve(
                CONFIG,
                settings_for(CONFIG, 9, "test"),
                box.factory,
                {DICE_BUTTON: box.button_line, **default_lever_lines(9)},
                connect,
                RandomDice(Random(1).randrange),
                tmp_path,
                observers=[found.hands.observe],
                started=started.set,
                beat=found.beat,
            )
        finally:
            ended.set()
            started.set()
            thread.join()
        if found.wrong:
            raise found.wrong[0]
        return found

    yield run
    box.close()


@pytest.mark.slow
def test_a_display_worker_that_hangs_starves_the_watchdog_and_not_the_game(
    served: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oled, "STUCK_NS", 200_000_000)
    gate, caught = threading.Event(), threading.Event()
    gate.set()

    class Stuck(PanelModel):
        def data(self, data: Sequence[int]) -> None:
            if not gate.is_set():
                caught.set()
                gate.wait(HANG_S)
            super().data(data)

    def hands(daemon: Served) -> None:
        daemon.is_fed()
        gate.clear()
        daemon.begins_a_match()
        assert caught.wait(HANG_S)
        daemon.starves()
        daemon.throws()
        gate.set()
        daemon.is_fed()

    served(hands, connect=lambda: open_panel(Controller.SSD1306, Stuck()), releases=[gate])


@pytest.mark.slow
def test_a_store_that_hangs_starves_the_watchdog_and_goes_on(
    served: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, caught = threading.Event(), threading.Event()
    keep = Store.keep

    def slow(store: Store, fact: Fact) -> None:
        if isinstance(fact, Began):
            caught.set()
            gate.wait(HANG_S)
        keep(store, fact)

    monkeypatch.setattr(Store, "keep", slow)

    def hands(daemon: Served) -> None:
        daemon.is_fed()
        daemon.hands.click()
        assert caught.wait(HANG_S)
        daemon.starves()
        assert daemon.shows[-1].mode is Mode.ATTRACT, "nothing is shown that is not kept"
        gate.set()
        until(lambda: daemon.shows[-1].mode is Mode.READY)
        daemon.is_fed()

    served(hands, releases=[gate])


class LibraryError(Exception):
    """lgpio's own error is neither gpiozero's nor an OSError."""


@pytest.mark.slow
def test_without_a_buzzer_the_game_goes_on(
    served: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def missing(self: Buzzer, factory: object, line: int) -> None:
        raise LibraryError("GPIO busy")

    monkeypatch.setattr(Buzzer, "__init__", missing)

    def hands(daemon: Served) -> None:
        daemon.begins_a_match()
        daemon.throws()
        daemon.is_fed()

    served(hands)
    assert "buzzer: line 18: GPIO busy; playing silently" in caplog.text


@pytest.mark.slow
def test_a_buzzer_that_fails_in_a_tune_is_left_silent_and_alive(
    served: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(self: Buzzer, sound: object) -> None:
        raise LibraryError("bad PWM micros")

    monkeypatch.setattr(Buzzer, "_play", fails)

    def hands(daemon: Served) -> None:
        daemon.begins_a_match()
        daemon.throws()
        until(lambda: "bad PWM micros" in caplog.text)
        daemon.is_fed()

    served(hands)


def test_a_buzzer_caught_in_a_note_is_not_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buzzers, "STUCK_S", 0.05)
    box = SimulatedBox(default_lever_lines(9))
    gate = threading.Event()

    def hangs(self: Buzzer, sound: object) -> None:
        gate.wait(HANG_S)

    monkeypatch.setattr(Buzzer, "_play", hangs)
    buzzer = Buzzer(box.factory, BUZZER_LINE)
    assert buzzer.alive
    buzzer.play(next(iter(buzzers.TUNES)))
    until(lambda: not buzzer.alive)
    gate.set()
    until(lambda: buzzer.alive)
    buzzer.close()
    box.close()


@pytest.mark.slow
def test_a_panel_that_comes_and_goes_is_drawn_whole_again(served: Serve) -> None:
    model = PanelModel()
    model.unplug(121)

    def hands(daemon: Served) -> None:
        daemon.begins_a_match()
        model.plug_in()
        until(lambda: model.lit)
        model.on_change(lambda: model.unplug(121))
        daemon.throws()
        until(lambda: model.unplugged)
        model.on_change(lambda: None)
        model.plug_in()
        until(lambda: model.lit)
        daemon.is_fed()

    served(hands, connect=lambda: open_panel(Controller.SSD1306, model))
