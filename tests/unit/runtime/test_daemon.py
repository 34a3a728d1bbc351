"""The daemon as it is put together: workers that hang or are missing, and the watchdog."""

import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import Any

import pytest
from mock import Mock
from tests.support.box import config_with
from tests.support.daemon import Served, run_daemon
from tests.support.open_files import open_files
from tests.support.waiting import HANG_S, until

from shutthebox.adapters import buzzer as buzzers
from shutthebox.adapters.buzzer import Buzzer
from shutthebox.adapters.display import worker as oled
from shutthebox.adapters.display.layout import draw
from shutthebox.adapters.display.opening import open_panel
from shutthebox.adapters.gpio import PinsError
from shutthebox.adapters.store.database import STORE_FILE, Store, open_to_read
from shutthebox.adapters.store.lock import FolderLock
from shutthebox.adapters.store.queries import logged_faults
from shutthebox.config.controllers import Controller
from shutthebox.config.settings_loader import settings_for
from shutthebox.game.dice import RandomDice
from shutthebox.game.facts import Began, Fact
from shutthebox.game.mode import Mode
from shutthebox.game.screen import LocalizedScreen
from shutthebox.game.switches import button
from shutthebox.link.messages import Sync
from shutthebox.link.requests import Received
from shutthebox.link.wire import report_to_line
from shutthebox.outbox_entry import UPLINK_STATUS_FILE, DeliveryState, UplinkStatus
from shutthebox.runtime import daemon
from shutthebox.runtime.assembly import World
from shutthebox.simulator.hardware.box import BUZZER_LINE, SimulatedBox
from shutthebox.simulator.hardware.panel_model import PanelModel
from shutthebox.web.scoreboard.folder import FOLDER_NAME


@pytest.mark.slow
def test_a_display_worker_that_hangs_starves_the_watchdog_and_not_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oled, "STUCK_NS", 200_000_000)
    gate, caught = threading.Event(), threading.Event()
    gate.set()

    class Stuck(PanelModel):
        def data(self, data: Sequence[int]) -> None:
            if not gate.is_set():
                caught.set()
                gate.wait(9)
            super().data(data)

    def hands(box: Served) -> None:
        box.is_fed()
        gate.clear()
        box.begin()
        assert caught.wait(HANG_S)
        box.starves()
        box.throw()
        gate.set()
        box.is_fed()

    run_daemon(
        config_with(),
        tmp_path,
        hands,
        connect=lambda: open_panel(Controller.SSD1306, Stuck()),
        releases=[gate],
    )


@pytest.mark.slow
def test_a_store_that_hangs_starves_the_watchdog_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, caught = threading.Event(), threading.Event()
    keep = Store.keep

    def slow(store: Store, fact: Fact) -> None:
        if isinstance(fact, Began):
            caught.set()
            gate.wait(9)
        keep(store, fact)

    monkeypatch.setattr(Store, "keep", slow)

    def hands(box: Served) -> None:
        box.is_fed()
        box.press()
        assert caught.wait(HANG_S)
        box.starves()
        assert box.mode is Mode.ATTRACT, "nothing is shown that is not kept"
        gate.set()
        box.until(lambda: box.mode is Mode.READY)
        box.is_fed()

    run_daemon(config_with(), tmp_path, hands, releases=[gate])


@pytest.mark.slow
def test_the_odds_answer_while_the_box_plays(tmp_path: Path) -> None:
    def hands(box: Served) -> None:
        box.begin()
        box.throw()
        box.hold()
        box.until(lambda: box.screen.title == "Best, in points")
        assert box.screen.rows

    run_daemon(config_with(game__hints=True), tmp_path, hands)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has priorities for each thread")
def test_no_thread_lets_the_levers_wait_on_a_busy_machine(tmp_path: Path) -> None:
    """With a lower priority than the loop's, one that has Python's lock gets no time to give it back."""
    priorities = dict[str, int]()

    def act(served: Served) -> None:
        served.begin()
        served.throw()
        for thread in threading.enumerate():
            with suppress(ProcessLookupError):  # it has ended
                priorities[thread.name] = os.getpriority(os.PRIO_PROCESS, thread.native_id or 0)

    run_daemon(config_with(), tmp_path, act)
    assert "odds" in priorities
    assert {*priorities.values()} == {os.getpriority(os.PRIO_PROCESS, 0)}, priorities


def test_a_press_that_a_busy_machine_sees_late_is_no_hold_for_other_tests(tmp_path: Path) -> None:
    modes = list[Mode | None]()

    def act(served: Served) -> None:
        served.press(lasts_s=1.5 * button.HOLD_NS / 1e9)
        served.until(lambda: served.mode is not Mode.ATTRACT)
        modes.append(served.mode)

    run_daemon(config_with(), tmp_path, act)
    assert modes == [Mode.READY]


def test_the_screen_marks_that_the_league_gets_nothing(tmp_path: Path) -> None:
    (tmp_path / UPLINK_STATUS_FILE).write_text(UplinkStatus(DeliveryState.NO_LINE).to_text())

    def owner(box: Served) -> None:
        box.until(lambda: box.screen.aside == "league?")

    run_daemon(config_with(), tmp_path / "state", owner, outbox=tmp_path)


def test_a_supply_that_is_too_weak_is_kept_as_a_fault_and_told_on_the_boxs_page(tmp_path: Path) -> None:
    chip = tmp_path / "machine/sys/class/hwmon/hwmon0"
    chip.mkdir(parents=True)
    (chip / "name").write_text("rpi_volt\n")
    (chip / "in0_lcrit_alarm").write_text("1\n")
    page = tmp_path / FOLDER_NAME / "box.html"

    def owner(box: Served) -> None:
        box.until(lambda: page.exists() and "Power is too low" in page.read_text())

    run_daemon(config_with(), tmp_path / "state", owner, scores=tmp_path, machine=tmp_path / "machine")
    with closing(open_to_read(tmp_path / "state" / STORE_FILE)) as db:
        assert [fault.kind for fault in logged_faults(db)] == ["power"]


def test_pins_that_cannot_be_had_leave_nothing_open(tmp_path: Path) -> None:
    handlers = [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)]
    before, model = open_files(), PanelModel()
    with SimulatedBox(9) as box, pytest.raises(PinsError, match="line 99") as raised:
        daemon.serve(
            config_with(),
            settings_for(config_with(), 9, "test"),
            World(
                box.factory,
                dict.fromkeys(box.switch_lines, 99),
                SimpleQueue(),
                RandomDice(Random(1).randrange),
                FolderLock(tmp_path),
                tmp_path,
            ),
            lambda: open_panel(Controller.SSD1306, model),
        )
    assert raised.value.exit_code == 1
    why = str(raised.value).rpartition(": ")[2]
    left = draw(LocalizedScreen(Mode.ATTRACT, title="No levers", paragraph=why), 0)
    assert model.lit
    assert model.picture().tobytes() == left.tobytes(), "whoever stands before the box reads why"
    assert open_files() == before, "the store is closed, and its folder is free"
    assert [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)] == handlers


def test_a_line_that_another_program_has_costs_its_lever_and_not_the_box(tmp_path: Path) -> None:
    """1-Wire's usual line is lever 1's."""

    def players(box: Served) -> None:
        box.until(lambda: "Lever 1: line taken" in box.screen.text)
        box.begin()
        box.until(lambda: box.show.scene.open == tuple(range(2, 10)))

    run_daemon(config_with(), tmp_path, players, taken=[1])
    with closing(open_to_read(tmp_path / STORE_FILE)) as db:
        assert [(fault.kind, fault.text) for fault in logged_faults(db)] == [("lever", "switch 1 is taken")]


def test_a_lever_out_of_play_may_have_lost_its_line(tmp_path: Path) -> None:
    def players(box: Served) -> None:
        box.until(lambda: box.screen.prompt == "Press to play")

    run_daemon(config_with(box__out_of_play=[1]), tmp_path, players, taken=[1])
    with closing(open_to_read(tmp_path / STORE_FILE)) as db:
        assert logged_faults(db) == ()


@pytest.mark.parametrize("with_panel", [False, True], ids=["no panel", "panel"])
def test_scores_and_what_is_said_are_left_for_others(
    with_panel: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    scores = tmp_path / "scores"
    scores.mkdir()
    model = PanelModel()
    panel = open_panel(Controller.SSD1306, model)

    def document(name: str) -> dict[str, Any]:
        text = (scores / name).read_text() if (scores / name).exists() else "{}"
        found: dict[str, Any] = json.loads(text)
        return found

    def hands(box: Served) -> None:
        heard: list[float | None] = []
        box.hardware.subscribe(lambda change: heard.append(box.hardware.sound))
        if with_panel:
            box.until(lambda: "the display answers" in caplog.text)
        box.begin()
        box.throw()
        box.until(lambda: any(heard))
        box.until(lambda: document("scores.json").get("running"))
        assert document("scores.json")["display"] is (True if with_panel else None)
        assert document("scores.json")["matches"] == [], "the store is read for it"
        box.until(lambda: document("said.json").get("said"))

    run_daemon(config_with(), tmp_path, hands, connect=(lambda: panel) if with_panel else None, scores=scores)
    if with_panel:
        goodbye = draw(LocalizedScreen(Mode.ATTRACT, big="Goodbye"), 0)
        assert model.picture().tobytes() == goodbye.tobytes(), "this stays on the glass"


@pytest.mark.slow
def test_without_a_buzzer_the_game_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # lgpio's own error is neither gpiozero's nor an OSError.
    monkeypatch.setattr(daemon, "Buzzer", Mock(side_effect=Exception("GPIO busy")))

    def hands(box: Served) -> None:
        box.begin()
        box.throw()
        box.is_fed()

    run_daemon(config_with(), tmp_path, hands)
    assert "buzzer: line 18: GPIO busy; playing silently" in caplog.text


def test_a_buzzer_caught_in_a_note_is_not_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buzzers, "STUCK_S", 0.05)
    gate = threading.Event()
    monkeypatch.setattr(Buzzer, "_play", lambda buzzer, sound: gate.wait(5))
    with SimulatedBox(9) as box:
        buzzer = Buzzer(box.factory, BUZZER_LINE)
        assert buzzer.alive
        buzzer.play(next(iter(buzzers.TUNES)))
        until(lambda: not buzzer.alive)
        gate.set()
        until(lambda: buzzer.alive)
        buzzer.close()


def test_a_link_helper_that_talks_all_the_time_keeps_nobody_from_playing(tmp_path: Path) -> None:
    path, ended = tmp_path / "link", threading.Event()

    def talk() -> None:
        with socket.socket(socket.AF_UNIX) as wire:
            wire.connect(str(path))
            with suppress(OSError):  # the box has ended
                while not ended.is_set():
                    wire.send(report_to_line(Received(Sync(9, "a" * 64, 1, ("move 1",) * 8, ""))))

    def hands(box: Served) -> None:
        threading.Thread(target=talk, daemon=True).start()
        box.is_fed()
        box.begin()
        box.is_fed()

    run_daemon(config_with(), tmp_path, hands, link=path, releases=[ended])
    assert not path.exists()


def test_without_a_place_for_its_helper_the_box_plays_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run_daemon(config_with(), tmp_path, lambda box: box.begin(), link=tmp_path / "nowhere" / "link")
    assert "No such file or directory; playing without another box" in caplog.text
