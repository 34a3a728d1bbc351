"""The box in a tab as `make web` makes it, and a server for it."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.support.http_client import answering

PROJECT = Path(__file__).resolve().parents[2]


def made_web() -> Path:
    """The folder. Skips where it can't be made."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("NOT TESTED: the box in a tab, because node or npm is not installed")
    with first_in_run(PROJECT / "build/web-parts") as is_first:
        if is_first:
            _build()
    return PROJECT / "build/web"


@contextmanager
def first_in_run(folder: Path) -> Iterator[bool]:
    """Whether no other worker of this run has made what is made here; whoever is making it is waited for."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "run").open("a+") as run:
        fcntl.flock(run, fcntl.LOCK_EX)
        run.seek(0)
        this_run = os.environ.get("PYTEST_XDIST_TESTRUNUID", "")
        is_first = not this_run or run.read() != this_run
        yield is_first
        if is_first:
            run.truncate(0)
            run.write(this_run)


def _build() -> None:
    made = subprocess.run(
        [sys.executable, str(PROJECT / "packaging/web/build.py")], capture_output=True, text=True, check=False
    )
    if made.returncode and "npm" in made.stderr:
        pytest.skip("NOT TESTED: the box in a tab, because npm can't fetch Pyodide")
    assert made.returncode == 0, made.stderr


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing: the test says what matters."""


@contextmanager
def serving(folder: Path) -> Iterator[ThreadingHTTPServer]:
    """Any server of static files, as it shows this folder."""
    with answering(ThreadingHTTPServer(("127.0.0.1", 0), partial(_Silent, directory=str(folder)))) as served:
        yield served
