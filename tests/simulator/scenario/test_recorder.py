"""Exactly the lines that the recorder writes for what it is told."""

import io
import logging
from typing import Any

import pytest
from tests.support.box import MS, S

from shutthebox.config.schema import Config
from shutthebox.game.effects import Keep
from shutthebox.game.switches.debounce import DICE_BUTTON, SwitchChanged
from shutthebox.rules.actions import Thrown
from shutthebox.simulator.scenario.recorder import ScenarioRecorder

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


def test_a_power_cut_is_written_at_once_with_the_levers_that_had_not_settled() -> None:
    recorded = Recorded(frozenset({2, 3}))
    recorded.lever(100, 5, True)
    recorded.button(900, True)
    recorded.throw(2, 2)
    recorded.recorder.cut_power(START_NS + 1_000 * MS, frozenset({3, 5, 7}))
    wanted = f"{HEAD}@0 flip 2 3\n@0.100 flip 5\ndice 2 2\n@1.000 lift 2\n@1.000 flip 7\n@1.000 power-cut\n"
    assert recorded.text == wanted


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
