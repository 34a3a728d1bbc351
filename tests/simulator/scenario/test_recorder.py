"""Exactly the lines that the recorder writes for what it is told."""

import io
import logging
from pathlib import Path
from typing import Any

import pytest
from tests.support.box import MS, S, config_with

from shutthebox.config.schema import Config
from shutthebox.game.effects import Keep, Play, Sound
from shutthebox.game.facts import Left
from shutthebox.game.switches.debounce import DICE_BUTTON, SERVICE_BUTTON, SwitchChanged
from shutthebox.rules.actions import Moved, Thrown
from shutthebox.simulator.scenario.recorder import ScenarioRecorder, create
from shutthebox.simulator.scenario.script import ScenarioError

START_NS = 7_000 * S
LEVER_NS, BUTTON_NS = 40 * MS, 25 * MS
HEAD = "config box.levers 9\n"


class Recorded:
    """A recorder that is told what happens at times since its start, in ms."""

    def __init__(self, down: frozenset[int] = frozenset(), start_ns: int = START_NS, **options: Any) -> None:
        self.file, self.start_ns = io.StringIO(), start_ns
        self.recorder = ScenarioRecorder(self.file, Config(), 9, down, start_ns, **options)

    @property
    def text(self) -> str:
        """What is written by now."""
        return self.file.getvalue()

    def lever(self, at_ms: float, number: int, down: bool) -> None:
        """A contact that moves now; it settles later."""
        t_ns = self.start_ns + round(at_ms * MS) + LEVER_NS
        self.recorder(SwitchChanged(number, down, t_ns), t_ns)

    def button(self, at_ms: float, down: bool, switch: int = DICE_BUTTON) -> None:
        t_ns = self.start_ns + round(at_ms * MS) + BUTTON_NS
        self.recorder(SwitchChanged(switch, down, t_ns), t_ns)

    def throw(self, *faces: int) -> None:
        self.recorder(Keep(Thrown(faces)), 0)

    def all(self) -> str:
        self.recorder.flush()
        return self.text


@pytest.fixture
def recorded() -> Recorded:
    return Recorded()


def test_levers_are_written_at_the_time_at_which_they_moved(recorded: Recorded) -> None:
    recorded.lever(1_000, 3, True)
    recorded.lever(1_250.4, 4, True)
    recorded.lever(2_000, 3, False)
    assert recorded.all() == f"{HEAD}@1.000 flip 3\n@1.251 flip 4\n@2.000 lift 3\n"


@pytest.mark.parametrize(
    ("held_ms", "line"),
    [
        (799.9, "@1.700 press"),
        (800, "@1.000 hold 0.800"),
        (800.4, "@1.000 hold 0.800"),
        (10_500, "@1.000 hold 10.500"),
    ],
)
def test_a_hold_is_one_from_800_ms_on(recorded: Recorded, held_ms: float, line: str) -> None:
    recorded.button(1_000, True)
    recorded.button(1_000 + held_ms, False)
    assert recorded.all() == f"{HEAD}{line}\n"


def test_a_throw_stands_before_the_gesture_that_makes_it(recorded: Recorded) -> None:
    recorded.lever(500, 1, True)
    recorded.button(1_000, True)
    recorded.throw(3, 5)
    recorded.lever(1_050, 2, True)
    recorded.button(1_100, False)
    assert recorded.text == f"{HEAD}@0.500 flip 1\n", "the press may still throw"
    recorded.throw(6)
    recorded.button(3_000, True)
    assert recorded.text == f"{HEAD}@0.500 flip 1\ndice 3 5\ndice 6\n@1.050 flip 2\n@1.050 press\n"
    recorded.button(4_000, False)
    recorded.throw(1, 1, 1)
    assert recorded.all().endswith("@1.050 press\ndice 1 1 1\n@3.000 hold 1.000\n")


def test_what_a_scenario_has_no_words_for_is_left_out(recorded: Recorded) -> None:
    recorded.button(900, False)  # it was down before the recording
    recorded.button(1_000, True, SERVICE_BUTTON)
    recorded.button(1_100, False, SERVICE_BUTTON)
    for effect in (Play(Sound.ROLL), Keep(Moved(4)), Keep(Left())):
        recorded.recorder(effect, START_NS)
    assert recorded.all() == HEAD


def test_a_power_cut_is_written_at_once_with_the_levers_that_had_not_settled() -> None:
    recorded = Recorded(frozenset({2, 3}))
    recorded.lever(100, 5, True)
    recorded.button(900, True)
    recorded.throw(2, 2)
    recorded.recorder.cut_power(START_NS + 1_000 * MS, frozenset({3, 5, 7}))
    wanted = f"{HEAD}@0 flip 2 3\n@0.100 flip 5\ndice 2 2\n@1.000 lift 2\n@1.000 flip 7\n@1.000 power-cut\n"
    assert recorded.text == wanted


def test_the_config_is_written_where_it_differs() -> None:
    file = io.StringIO()
    config = config_with(
        game__players=3, box__sound=False, box__settle_ms=30.5, game__computers=[2], box__levers=12
    )
    recorder = ScenarioRecorder(file, config, 12, frozenset(), 0)
    assert set(file.getvalue().splitlines()) == {
        "config box.levers 12",
        "config game.setup usual",
        "config game.players 3",
        "config game.computers [2]",
        "config box.sound false",
        "config box.settle_ms 30.5",
    }
    assert file.getvalue().startswith("config box.levers 12\n")
    recorder(SwitchChanged(3, True, 0), 1_030_500_000)
    recorder.flush()
    assert file.getvalue().endswith("\n@1.000 flip 3\n")


class FullDisk(io.StringIO):
    """A file that takes two lines, and no more."""

    def write(self, text: str) -> int:
        if self.getvalue().count("\n") == 2:
            raise OSError(28, "No space left on device")
        return super().write(text)


def test_a_full_disk_ends_the_recording_and_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    file = FullDisk()
    recorder = ScenarioRecorder(file, Config(), 9, frozenset(), 0)
    for at_ms in (1_000, 2_000, 3_000):
        recorder(SwitchChanged(3, at_ms != 2_000, 0), at_ms * MS + LEVER_NS)
    recorder.flush()
    assert file.getvalue() == f"{HEAD}@1.000 flip 3\n"
    (record,) = caplog.records
    assert (record.levelno, record.getMessage()) == (
        logging.WARNING,
        "the recording ends here: [Errno 28] No space left on device",
    )


# -- the file ----------------------------------------------------------------------------


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_recording_that_cannot_be_made_is_one_line(tmp_path: Path, goes_on: bool) -> None:
    with pytest.raises(ScenarioError) as wrong:
        create(tmp_path / "nowhere" / "x.scn", goes_on=goes_on)
    assert str(wrong.value) == f"--record: {tmp_path / 'nowhere' / 'x.scn'}: No such file or directory"
