"""The display worker: never in the way, gone and back again, and still when nothing moves."""

import logging
import threading
import time
from collections.abc import Iterator
from queue import SimpleQueue

import pytest
from tests.support.controllers import CONTROLLERS
from tests.support.waiting import HANG_S, rests, until

from shutthebox.adapters.display import worker as oled
from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.adapters.display.layout import draw
from shutthebox.adapters.display.opening import open_panel
from shutthebox.adapters.display.panel import DisplayError, Panel
from shutthebox.adapters.display.worker import CONTRAST, DisplayWorker
from shutthebox.config.controllers import Controller
from shutthebox.game.mode import Mode
from shutthebox.game.screen import LocalizedScreen
from shutthebox.game.settings import Brightness
from shutthebox.simulator.hardware.panel_model import PanelModel

MS = 1_000_000
SECOND = 1000 * MS
READY = LocalizedScreen(Mode.READY, title="Player 1", prompt="Press to throw")
THROWN = LocalizedScreen(Mode.FLIPPING, title="Player 1", dice=(3, 5), total=8, prompt="8 to go")
ROLLING = LocalizedScreen(Mode.ROLLING, title="Player 1", tumbling=True)
BYE = LocalizedScreen(Mode.ATTRACT, big="BYE")

each_controller = pytest.mark.parametrize("controller", CONTROLLERS)


def shows(model: PanelModel, picture: Bitmap) -> bool:
    return model.picture() == picture


class Clock:
    ns = 5 * SECOND

    def __call__(self) -> int:
        return self.ns


# Without the thread, in virtual time.


def test_an_unplugged_panel_is_found_again_a_second_after_it_is_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, oled.__name__)
    model, clock = PanelModel(), Clock()
    display = DisplayWorker(lambda: open_panel(Controller.SSD1306, model), now_ns=clock)
    display.render_now(READY, 0)
    model.unplugged = True
    for _ in range(50):
        clock.ns += SECOND // 10
        assert display.render_now(THROWN, 0) == draw(THROWN, 0)
        assert not display.connected
    model.unplugged = False
    clock.ns += SECOND
    display.render_now(THROWN, 0)
    assert display.connected
    assert shows(model, draw(THROWN, 0))
    levels = [(record.levelname, record.message.split(":")[0]) for record in caplog.records]
    assert levels == [
        ("INFO", "the display answers (ssd1306)"),
        ("WARNING", "playing on without the display"),
        ("INFO", "the display answers (ssd1306)"),
    ]


def test_a_panel_on_a_bad_plug_does_not_fill_the_journal(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, oled.__name__)
    model, clock = PanelModel(), Clock()
    display = DisplayWorker(lambda: open_panel(Controller.SSD1306, model, name="0x3D"), now_ns=clock)
    for _ in range(100):
        for model.unplugged, screen in ((False, READY), (True, THROWN)):
            clock.ns += 20 * SECOND
            display.render_now(screen, 0)
            assert display.connected is not model.unplugged
    warnings = [text for text in caplog.messages if "without the display" in text]
    assert len(warnings) == 2, "at first, and in the second hour"
    assert len(caplog.messages) <= 1 + 2 * len(warnings)
    assert all(": 0x3D does not answer: " in text for text in warnings)
    clock.ns += 3600 * SECOND
    display.render_now(READY, 0)
    assert "without the display" in caplog.messages[-1], "the latest line is true again"


@each_controller
def test_a_reset_controller_is_set_up_again_within_30_seconds(controller: Controller) -> None:
    model, clock = PanelModel(controller), Clock()
    display = DisplayWorker(lambda: open_panel(controller, model), now_ns=clock)
    display.render_now(READY, 0)
    model.brown_out()
    before = model.wire_bytes
    clock.ns += 29 * SECOND
    display.render_now(READY, 0)
    assert model.wire_bytes == before, "nothing changed, so nothing is sent"
    clock.ns += 1 * SECOND
    display.render_now(READY, 0)
    assert shows(model, draw(READY, 0))
    before = model.wire_bytes
    display.render_now(READY, 0)
    assert model.wire_bytes == before, "once in 30 seconds"


# With the thread.


@pytest.fixture
def model() -> PanelModel:
    return PanelModel()


@pytest.fixture
def display(model: PanelModel) -> Iterator[DisplayWorker]:
    display = DisplayWorker(lambda: open_panel(Controller.SSD1306, model))
    display.start()
    yield display
    display.close()
    assert not any(thread.name == "display" for thread in threading.enumerate())


def test_showing_never_waits_for_a_slow_bus_and_skips_what_is_out_of_date() -> None:
    gate = threading.Event()
    drawn = []

    class Slow(PanelModel):
        def data(self, data: object) -> None:
            gate.wait(HANG_S)
            super().data(data)  # type: ignore[arg-type]
            drawn.append(self.transfers)

    model = Slow()
    display = DisplayWorker(lambda: open_panel(Controller.SSD1306, model))
    display.start()
    display.show(READY, 0)
    for n in range(1000):
        display.show(LocalizedScreen(Mode.MENU, title=str(n)), 0)
    assert not drawn, "all are shown while the bus stands still"
    gate.set()
    until(lambda: shows(model, draw(LocalizedScreen(Mode.MENU, title="999"), 0)))
    assert len(drawn) < 20
    display.close()


def test_what_waits_for_the_first_screen_is_let_on_once_that_is_drawn(model: PanelModel) -> None:
    seen = SimpleQueue[bytes]()
    display = DisplayWorker(lambda: open_panel(Controller.SSD1306, model))
    display.show(READY, 0)
    display.start(lambda: seen.put(model.picture().tobytes()))
    assert seen.get(timeout=HANG_S) == draw(READY, 0).tobytes()
    display.show(THROWN, 0)
    until(lambda: shows(model, draw(THROWN, 0)))
    display.close()
    assert seen.empty()


def test_nothing_waits_for_a_display_that_is_not_there() -> None:
    def missing() -> Panel:
        raise DisplayError("none here")

    drawn = threading.Event()
    display = DisplayWorker(missing)
    display.show(READY, 0)
    display.start(drawn.set)
    assert drawn.wait(HANG_S)
    display.close()


def test_nothing_happens_while_nothing_moves(model: PanelModel) -> None:
    looks = list[int]()

    def now_ns() -> int:
        looks.append(time.monotonic_ns())
        return looks[-1]

    display = DisplayWorker(lambda: open_panel(Controller.SSD1306, model), now_ns=now_ns)
    display.start()
    display.show(READY, time.monotonic_ns())
    until(lambda: shows(model, draw(READY, 0)))
    # A worker that has nothing to do does not even look at the clock.
    rests(lambda: (len(looks), model.transfers))
    display.close()


def test_contrast_outlives_a_lost_panel(
    display: DisplayWorker, model: PanelModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oled, "RETRY_NS", SECOND // 50)
    display.show(READY, time.monotonic_ns())
    display.brighten(Brightness.DIM)
    until(lambda: model.contrast == CONTRAST[Brightness.DIM])
    model.unplugged = True
    display.brighten(Brightness.BRIGHT)
    until(lambda: not display.connected)
    model.unplugged = False
    until(lambda: shows(model, draw(READY, 0)))
    assert model.contrast == CONTRAST[Brightness.BRIGHT]


def test_closing_leaves_the_goodbye_on_the_glass(display: DisplayWorker, model: PanelModel) -> None:
    display.show(READY, time.monotonic_ns())
    until(lambda: model.lit)
    display.close(BYE)
    assert shows(model, draw(BYE, 0))
    assert not display.alive


def test_a_fault_in_drawing_is_logged_and_the_next_screen_is_drawn(
    display: DisplayWorker, model: PanelModel, caplog: pytest.LogCaptureFixture
) -> None:
    display.show(LocalizedScreen(Mode.READY, title=None), 0)  # type: ignore[arg-type]
    display.show(LocalizedScreen(Mode.READY, prompt=7), 0)  # type: ignore[arg-type]
    until(lambda: "can't draw" in caplog.text)
    display.show(READY, time.monotonic_ns())
    until(lambda: shows(model, draw(READY, 0)))
    assert display.alive
