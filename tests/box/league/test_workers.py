"""Boxes are served again after a worker of the door has hung."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.waiting import HANG_S

HANGING = """
import socket, sys, time
from pathlib import Path
from shutthebox_league.workers import Workers

def work(listener, beat):
    first = Path("first")
    if not first.exists():
        first.touch()
        for _ in range(3):
            beat()
    else:
        Path("second").touch()
    time.sleep(3600)

def look():
    if Path("second").exists():
        workers.stop()

with socket.socket() as listener:
    workers = Workers(work, listener, 1, hangs_s=0.5)
    workers.run(look)
"""
"""One that beats and then hangs; the next tells that it's there. Forks need a process without threads."""


@pytest.mark.slow
def test_a_worker_that_hangs_is_replaced(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HANGING], cwd=tmp_path, timeout=HANG_S, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "a worker hangs; starting another" in done.stderr
