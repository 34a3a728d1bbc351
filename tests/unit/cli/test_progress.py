"""Signs of life: on a terminal and nowhere else; and scripts that would take for ever."""

import os
import pty
import signal
import subprocess
import sys
from functools import partial

import pytest
from tests.support.waiting import HANG_S

from shutthebox.simulator.scenario import script as scenario
from shutthebox.simulator.scenario.script import ScenarioError


@pytest.mark.slow
def test_a_terminal_is_told_what_is_done_and_nothing_else_is() -> None:
    """In a process of its own, because the sign comes after a second of work."""
    screen, stderr = pty.openpty()
    command = [sys.executable, "-m", "shutthebox", "odds", "the-300", "--samples", "1000000"]
    # A shell that runs the tests in the background has SIGINT ignored.
    obey = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, preexec_fn=obey)
    os.close(stderr)
    assert b" s so far (Ctrl-C ends)" in os.read(screen, 1000)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=HANG_S)
    assert (process.returncode, out) == (130, b"")
    os.close(screen)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("+0 wait 360000\nwait 1\n", 2),
        ("@360000 press\n", 1),
        ("wait 180000\nbounce 3 down 180000\n", 2),
    ],
)
def test_no_script_goes_on_for_more_than_100_hours(text: str, line: int) -> None:
    with pytest.raises(ScenarioError, match=f"^script:{line}: too late; use up to 100 hours in all$"):
        scenario.parse(text, "script")


@pytest.mark.slow
def test_a_script_that_is_too_long_is_one_line() -> None:
    with pytest.raises(ScenarioError, match=r"^script:50001: too much to do; use at most 50000 steps"):
        scenario.parse("press\n" * 50_001, "script")
