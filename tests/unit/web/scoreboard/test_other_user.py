"""The scoreboard as its unit runs it, as another user: `tests/system/virtual_pi/test_scoreboard.py` too."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import debian
from tests.support.shows import SHOW

from shutthebox.adapters.store.database import STORE_FILE as STORE
from shutthebox.adapters.store.database import open_to_read
from shutthebox.adapters.store.scores_file import FILE_NAME, ScoresWriter
from shutthebox.web.scoreboard.folder import FOLDER_NAME

BOX, SCOREBOARD = 61_234, 61_235
"""Users that nobody is, as systemd's dynamic ones."""


def as_user(user: int) -> list[str]:
    return [
        "setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs",
        "--bounding-set=-all", "--inh-caps=-all",
    ]  # fmt: skip


def run(user: int, script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [*as_user(user), sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")


def _missing() -> str:
    if os.geteuid() != 0:
        return "only root can become other users"
    if lacking := debian.missing("setpriv"):
        return lacking
    return "other users can't run this Python" if run(BOX, "").returncode else ""


pytestmark = pytest.mark.skipif(bool(_missing()), reason=_missing())


@pytest.fixture(scope="module")
def box(evening: Path) -> Iterator[tuple[Path, Path]]:
    """State and runtime folder of a box that is a user of its own, as systemd makes them."""
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        base.chmod(0o755)
        state, runtime = base / "private" / "shutthebox", base / "run"
        state.mkdir(parents=True)
        runtime.mkdir()
        shutil.copy(evening / STORE, state)
        before = os.umask(0o077)
        ScoresWriter(runtime, lambda: open_to_read(state / STORE))(SHOW, 0)
        os.umask(before)
        for path in (state, runtime, *state.rglob("*"), *runtime.rglob("*")):
            os.chown(path, BOX, BOX)
        for path, mode in ((state, 0o750), (state / STORE, 0o600), (runtime, 0o755)):
            path.chmod(mode)
        (base / "private").chmod(0o711)  # kinder than systemd's 0700, which would hide the rest
        yield state, runtime


ATTACKS = """
open(state + "/box.sqlite3", "rb")
open(state + "/box.sqlite3-shm", "wb")
os.listdir(state)
sqlite3.connect("file:" + state + "/box.sqlite3?mode=ro", uri=True).execute("vacuum")
open(runtime + "/scores.json", "a")
open(runtime + "/scoreboard/index.html", "a")
open(runtime + "/other", "w")
os.remove(runtime + "/scores.json")
os.rename(runtime + "/scores.json", runtime + "/x")
os.kill(int(parent), signal.SIGTERM)
"""
TRY = """
import os, signal, sqlite3, sys
state, runtime, parent, attacks = sys.argv[1:]
for attack in attacks.strip().splitlines():
    try:
        exec(attack)
        print("it can:", attack)
    except PermissionError:
        pass
    except sqlite3.OperationalError as error:
        assert "unable to open database file" in str(error)
"""


def test_it_can_do_nothing_to_the_box(box: tuple[Path, Path]) -> None:
    done = run(SCOREBOARD, TRY, *box, os.getpid(), ATTACKS)
    assert (done.stdout, done.stderr) == ("", "")


def test_the_box_itself_can_and_the_page_is_read(box: tuple[Path, Path]) -> None:
    """The same questions are answered to the user who may: they do not fail for another reason."""
    state, runtime = box
    for user, path, mode in (
        (BOX, state / STORE, "rb"),
        (BOX, runtime / FILE_NAME, "a"),
        (BOX, runtime / "other", "w"),
        (SCOREBOARD, runtime / FOLDER_NAME / "index.html", "rb"),
    ):
        assert run(user, f"open({str(path)!r}, {mode!r})").returncode == 0, path
