"""`doctor --outputs` on simulated pins and a model of the panel, in real time with a hand at the button."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shutthebox.adapters.display.opening import open_panel
from shutthebox.adapters.display.panel import DisplayError
from shutthebox.cli.doctor import outputs
from shutthebox.cli.main import main
from shutthebox.config.controllers import Controller
from shutthebox.simulator.hardware.box import SimulatedBox, default_lever_lines
from shutthebox.simulator.hardware.panel_model import PanelModel


@pytest.fixture
def box(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimulatedBox]:
    made = SimulatedBox(default_lever_lines(3), real_time=False)
    monkeypatch.setattr(outputs, "open_factory", lambda backend: made.factory)
    yield made
    made.close()


@pytest.fixture
def panel(monkeypatch: pytest.MonkeyPatch) -> PanelModel:
    model = PanelModel(Controller.SH1106)
    monkeypatch.setattr(outputs, "open_i2c", lambda bus, address: model)
    return model


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text('[display]\ncontroller = "sh1106"\n')
    return file


def pressing(box: SimulatedBox, monkeypatch: pytest.MonkeyPatch, when: Callable[[str], bool]) -> list[str]:
    """Press the button a moment after each question for which a person would; returns what was asked."""
    asked: list[str] = []
    about = outputs._Asks.about

    def asks(self: outputs._Asks, check: str, what: str, every_s: float, work: Callable[[], None]) -> object:
        asked.append(check)
        if not when(check):
            return about(self, check, what, every_s, work)
        done = threading.Event()

        def hand() -> None:
            while not done.wait(0.05):
                box.set_level(box.button_line, False)
                done.wait(0.02)
                box.set_level(box.button_line, True)

        def worked() -> None:
            work()
            if not thread.ident:
                thread.start()  # only now: an earlier press answers nothing

        thread = threading.Thread(target=hand)
        found = None
        original = outputs._Asks._let_go

        def let_go(self: outputs._Asks) -> None:
            done.set()
            thread.join()
            original(self)

        monkeypatch.setattr(outputs._Asks, "_let_go", let_go)
        try:
            found = about(self, check, what, every_s, worked)
        finally:
            done.set()
            monkeypatch.setattr(outputs._Asks, "_let_go", original)
        return found

    monkeypatch.setattr(outputs._Asks, "about", asks)
    return asked


@pytest.mark.slow
def test_all_confirmed(
    box: SimulatedBox,
    panel: PanelModel,
    config: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = pressing(box, monkeypatch, lambda check: True)
    assert main(["doctor", "--outputs", "--seconds", "5", "--config", str(config)]) == 0
    assert asked == ["lamp", "buzzer", "panel"]
    lines = capsys.readouterr().out.splitlines()
    assert "The lamp in the button blinks." in lines[0]
    assert [line.split()[:2] for line in lines[-3:]] == [["ok", "lamp"], ["ok", "buzzer"], ["ok", "panel"]]
    shown = outputs.picture(Controller.SH1106, 0x3C)
    assert panel.picture() == shown


@pytest.mark.slow
def test_what_is_not_confirmed_is_a_fault(
    box: SimulatedBox,
    panel: PanelModel,
    config: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pressing(box, monkeypatch, lambda check: check != "buzzer")
    assert main(["doctor", "--outputs", "--json", "--seconds", "3", "--config", str(config)]) == 1
    found = {entry["check"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert [found[check]["verdict"] for check in ("lamp", "buzzer", "panel")] == ["ok", "FAIL", "ok"]
    assert "transducer" in found["buzzer"]["reason"]


@pytest.mark.slow
def test_a_panel_that_does_not_answer_is_a_fault(
    box: SimulatedBox,
    panel: PanelModel,
    config: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pressing(box, monkeypatch, lambda check: True)

    def nobody(bus: int, address: int) -> PanelModel:
        raise DisplayError("the display does not answer")

    monkeypatch.setattr(outputs, "open_i2c", nobody)
    assert main(["doctor", "--outputs", "--json", "--seconds", "5", "--config", str(config)]) == 1
    found = {entry["check"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert found["panel"]["verdict"] == "FAIL"
    assert "doctor --display" in found["panel"]["reason"]


def test_a_wrong_controller_is_seen_by_eye(panel: PanelModel) -> None:
    """Sent as to an SSD1306, the frame on an SH1106 is not whole."""
    shown = outputs.picture(Controller.SSD1306, 0x3C)
    open_panel(Controller.SSD1306, panel).push(shown)
    assert panel.picture().rows[0] != (1 << 128) - 1
