"""Signs of life: on a terminal and nowhere else; and scripts that would take for ever."""

import io
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.waiting import HANG_S

from shutthebox.cli import progress
from shutthebox.cli.main import main
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


def test_odds_show_that_they_are_worked_out(
    terminal: Terminal, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both parts wait for their sign of life, so that none can be missed."""
    from shutthebox.cli import odds, odds_text

    answer, exact = odds_text.answer_text, odds._exact

    def awaited(*args: Any) -> Any:
        terminal.written.clear()
        assert terminal.written.wait(HANG_S)
        return answer(*args) if len(args) == 4 else exact(*args)

    monkeypatch.setattr(odds, "answer_text", awaited)
    monkeypatch.setattr(odds, "_exact", awaited)
    assert main(["odds", "pub"]) == 0
    assert "working out the best play, " in terminal.getvalue()
    assert "comparing with simpler play, " in terminal.getvalue()
    assert "expected score" in capsys.readouterr().out


def test_a_replay_says_how_far_it_is(
    terminal: Terminal, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from shutthebox.simulator.scenario.expectations import Expect

    difference = Expect.difference

    def awaited(self: Expect, *args: Any) -> str | None:
        terminal.written.clear()
        assert terminal.written.wait(HANG_S)
        return difference(self, *args)

    monkeypatch.setattr(Expect, "difference", awaited)
    script = tmp_path / "script.scn"
    script.write_text("press\n" * 300 + 'expect text "nobody says this"\n')
    assert main(["replay", str(script)]) == 1
    assert "at line 301 of 301, " in terminal.getvalue()
    assert "script.scn:301: expected text" in capsys.readouterr().err


# -- what is hopeless --------------------------------------------------------------------------


def fails(text: str) -> str:
    with pytest.raises(ScenarioError) as caught:
        scenario.parse(text, "script")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("+0 wait 360000\nwait 1\n", 2),
        ("@360000 press\n", 1),
        ("@359990 press\n+5 hold 6\n", 2),
        ("wait 200000\n@1 press\nwait 200000\n", 3),
        ("wait 180000\nbounce 3 down 180000\n", 2),
    ],
)
def test_no_script_goes_on_for_more_than_100_hours(text: str, line: int) -> None:
    assert fails(text) == f"script:{line}: too late; allowed are up to 100 hours in all"


def test_a_script_of_100_hours() -> None:
    assert scenario.parse("@0 wait 100000\n@359999 wait 1\n", "script").lines


def test_a_script_that_is_too_long_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "script.scn"
    script.write_text("press\n" * 150_000)
    assert main(["replay", str(script)]) == 2
    said = capsys.readouterr().err
    assert said == f"shutthebox: {script}:50001: too much to do; allowed are 50000 steps in all\n"
