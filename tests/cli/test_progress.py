"""Signs of life: on a terminal and nowhere else; and scripts that would take for ever."""

import io
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.support.command import refused
from tests.support.waiting import HANG_S

from shutthebox.cli import progress
from shutthebox.cli.progress import working
from shutthebox.simulator.scenario import script as scenario
from shutthebox.simulator.scenario.script import ScenarioError


class Terminal(io.StringIO):
    """Says that it is one, and when something has been written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.written.set()
        return super().write(text)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    terminal = Terminal()
    # Not sys.stderr, which pytest puts back between a fixture and its test.
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=terminal))
    monkeypatch.setattr(progress, "AFTER_S", 0.0)
    monkeypatch.setattr(progress, "_EVERY_S", 0.001)
    return terminal


def test_a_terminal_is_told_what_is_done_and_then_wiped(terminal: Terminal) -> None:
    with working(lambda: "counting sheep"):
        assert terminal.written.wait(HANG_S)
    lines = terminal.getvalue().split("\r")
    assert lines[1].startswith("counting sheep, 0 s so far (Ctrl-C ends)")
    assert lines[-2:] == [" " * len(lines[1]), ""]
    assert "\n" not in terminal.getvalue()


def test_nothing_is_said_where_no_terminal_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "AFTER_S", 0.0)
    said = io.StringIO()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=said))
    before = threading.active_count()
    with working(lambda: "counting sheep"):
        assert threading.active_count() == before
    assert said.getvalue() == ""


# -- what is hopeless --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("+0 wait 360000\nwait 1\n", 2),
        ("@360000 press\n", 1),
        ("wait 180000\nbounce 3 down 180000\n", 2),
    ],
)
def test_no_script_goes_on_for_more_than_100_hours(text: str, line: int) -> None:
    with pytest.raises(ScenarioError, match=f"^script:{line}: too late; allowed are up to 100 hours in all$"):
        scenario.parse(text, "script")


def test_a_script_that_is_too_long_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenario, "MAX_WORK", 50)
    script = tmp_path / "script.scn"
    script.write_text("press\n" * 52)
    said = f"shutthebox: {script}:51: too much to do; allowed are 50 steps in all"
    assert refused("replay", script) == said
