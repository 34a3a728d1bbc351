"""The exact lines and times of `doctor --outputs`: simulated pins and a panel's model in virtual time."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from gpiozero import InputDevice
from mock import Mock
from tests.support.command import command
from tests.support.hands import Act, Hands

from shutthebox.adapters.buzzer import Buzzer
from shutthebox.adapters.display import opening
from shutthebox.adapters.display.opening import open_panel
from shutthebox.cli.doctor.interactive import outputs
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import DisplayConfig
from shutthebox.simulator.hardware.box import BUZZER_LINE, Change
from shutthebox.simulator.hardware.panel_model import PanelModel

PANEL = (
    "The display shows a thin frame along all four edges, and four different corners: one bar in the upper "
    "left, two in the upper right."
)
LAMP_REMEDY = "its polarity, R5, F1, or the button's own contact"
BUZZER_REMEDY = "its leads, F1; a beeper instead of a transducer hums at best"
PANEL_REMEDY = "shutthebox doctor --display looks for panels, and names the controllers to try"


class Bench:
    """A box with its panel, and the doctor at work on it."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, acts: Sequence[Act]) -> None:
        self.config = folder / "config.toml"
        self.config.write_text('[display]\ncontroller = "sh1106"\n')
        self.hands = Hands(acts)
        self.panel = PanelModel(Controller.SH1106)
        self.blinks_s: list[float] = []
        self.play = Mock()
        self.hands.hold(patch, outputs)
        self.hands.box.subscribe(self._changed)
        patch.setattr(Buzzer, "play", self.play)
        patch.setattr(opening, "open_i2c", lambda bus, address: self.panel)

    def run(self, *options: str) -> tuple[int, list[str]]:
        """The exit code and the lines."""
        said = command("doctor", "--outputs", "--config", self.config, *options)
        return said.code, said.out.splitlines()

    def _changed(self, change: Change) -> None:
        if change is Change.LAMP and self.hands.box.lamp:
            self.blinks_s.append(self.hands.passed_s)


def press(at_ms: int, lasts_ms: int = 100) -> list[Act]:
    return [Act(at_ms, 0, True), Act(at_ms + lasts_ms, 0, False)]


@pytest.fixture
def bench(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(tmp_path, monkeypatch, getattr(request, "param", []))


def hands(*presses: list[Act]) -> pytest.MarkDecorator:
    """The test's bench has hands that press so."""
    return pytest.mark.parametrize("bench", [[act for each in presses for act in each]], indirect=True)


@hands(press(600), press(3500), press(5000))
def test_each_output_works_until_it_is_confirmed(bench: Bench) -> None:
    assert bench.run("--seconds", "5") == (
        0,
        [
            "The lamp in the button blinks. Press the button if it does; if not, wait 5 s.",
            "The buzzer plays a tune. Press the button if it does; if not, wait 5 s.",
            f"{PANEL} Press the button if it does; if not, wait 5 s.",
            "ok    lamp            confirmed by the button",
            "ok    buzzer          confirmed by the button",
            "ok    panel           confirmed by the button",
        ],
    )
    shown = outputs.picture(Controller.SH1106, DisplayConfig())
    assert bench.panel.picture() == shown
    assert bench.hands.box.lamp == 0


def test_without_an_answer_each_is_a_fault_with_its_remedy(bench: Bench) -> None:
    """Without --seconds each question waits for 20 s."""
    code, lines = bench.run()
    assert code == 1
    assert lines[:2] == [
        "The lamp in the button blinks. Press the button if it does; if not, wait 20 s.",
        "The buzzer plays a tune. Press the button if it does; if not, wait 20 s.",
    ]
    assert lines[3:] == [
        f"FAIL  lamp            not confirmed within 20 s: {LAMP_REMEDY}",
        f"FAIL  buzzer          not confirmed within 20 s: {BUZZER_REMEDY}",
        f"FAIL  panel           not confirmed within 20 s: {PANEL_REMEDY}",
    ]
    assert bench.hands.passed_s == 60
    assert len(bench.blinks_s) > 5
    assert max(bench.blinks_s) < 20, "while it is asked for"
    assert bench.play.called


@hands(press(600))
def test_for_programs_one_document_and_no_questions(bench: Bench) -> None:
    code, (document,) = bench.run("--json", "--seconds", "2.5")
    assert code == 1
    assert json.loads(document) == [
        {"check": "lamp", "verdict": "ok", "reason": "confirmed by the button"},
        {"check": "buzzer", "verdict": "FAIL", "reason": f"not confirmed within 2.5 s: {BUZZER_REMEDY}"},
        {"check": "panel", "verdict": "FAIL", "reason": f"not confirmed within 2.5 s: {PANEL_REMEDY}"},
    ]


@hands(press(600), press(1500))
def test_a_buzzer_whose_line_somebody_has_is_a_fault_and_the_others_are_tried(bench: Bench) -> None:
    with InputDevice(BUZZER_LINE, pin_factory=bench.hands.box.factory):
        code, lines = bench.run("--seconds", "2")
    assert code == 1
    assert lines[2] == "ok    lamp            confirmed by the button"
    assert lines[3].startswith("FAIL  buzzer          line 18: pin GPIO18 is already in use by <")
    assert lines[4] == "ok    panel           confirmed by the button"


def test_a_wrong_controller_is_seen_by_eye() -> None:
    """Sent as to an SSD1306, the frame on an SH1106 is not whole."""
    panel = PanelModel(Controller.SH1106)
    open_panel(Controller.SSD1306, panel).push(outputs.picture(Controller.SSD1306, DisplayConfig()))
    assert panel.picture().rows[0] != (1 << 128) - 1
