"""The scoreboard as the unit runs it: another user, a passed socket, no network of its own."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.support import debian
from tests.support.lighttpd import lighttpd

from shutthebox.adapters.store.database import STORE_FILE as STORE
from shutthebox.adapters.store.scores_file import FILE_NAME
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
    """The reason why these tests cannot run here; empty if there is none."""
    if os.geteuid() != 0:
        return "only root can become other users"
    if lacking := debian.missing("setpriv", "unshare", "lighttpd"):
        return lacking
    if subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode:
        return "this machine gives no network namespace"
    if run(BOX, "import shutthebox").returncode:
        return "other users cannot read this checkout"
    return ""


pytestmark = pytest.mark.skipif(bool(_missing()), reason=_missing())

WRITE = """
import os, sys
from pathlib import Path
os.umask(0o077)
from random import Random
from shutthebox.adapters.store.database import open_to_read
from shutthebox.adapters.store.scores_file import ScoresWriter
from shutthebox.config.schema import parse_config
from shutthebox.config.settings_loader import settings_for
from shutthebox.game.dice import RandomDice
from shutthebox.game.inputs import Pressed
from shutthebox.game.machine import Machine
state, runtime = map(Path, sys.argv[1:])
settings = settings_for(parse_config('[game]\\nprofile = "pub"\\nsetup = "usual"\\n', "test"), 9, "test")
box = Machine(settings, RandomDice(Random(1).randrange), 0, t_ns=0)
*_, show = box.step(Pressed(), 0)
ScoresWriter(runtime, lambda: open_to_read(state / "box.sqlite3"))(show, 0)
"""


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
        for path, mode in ((state, 0o750), (state / STORE, 0o600), (runtime, 0o755)):
            os.chown(path, BOX, BOX)
            path.chmod(mode)
        (base / "private").chmod(0o711)  # kinder than systemd's 0700, which would hide the rest
        done = run(BOX, WRITE, state, runtime)
        assert done.returncode == 0, done.stderr
        yield state, runtime


def test_it_shows_the_scores_through_a_passed_socket(box: tuple[Path, Path], tmp_path: Path) -> None:
    """Another user, with no network of its own."""
    beside = Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        before = ["unshare", "--net", *as_user(SCOREBOARD)]
        with lighttpd(box[1] / FOLDER_NAME, beside, before=before) as server:
            body = server.ask()[1].decode()
            found = Path(f"/proc/{server.process.pid}/status").read_text()
            assert f"Uid:\t{SCOREBOARD}\t{SCOREBOARD}" in found
            network = Path(f"/proc/{server.process.pid}/ns/net").readlink()
            assert network != Path("/proc/self/ns/net").readlink()
    finally:
        shutil.rmtree(beside)
    assert "Now playing: English pub" in body
    assert "&lt;B&gt;" in body


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


def test_the_box_itself_can(box: tuple[Path, Path]) -> None:
    """The same questions are answered to the user who may: they do not fail for another reason."""
    state, runtime = box
    scripts: Sequence[str] = (
        f"open('{state}/{STORE}', 'rb')",
        f"open('{runtime}/{FILE_NAME}', 'a')",
        f"open('{runtime}/other', 'w')",
    )
    assert [run(BOX, script).returncode for script in scripts] == [0, 0, 0]
