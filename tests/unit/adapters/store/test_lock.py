"""One box at a time plays on a store; the second says so in one line and ends."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.command import refused

from shutthebox.adapters.store.database import STORE_FILE
from shutthebox.adapters.store.lock import FolderLock, InUseError

HOLD = """
import sys
from pathlib import Path
from shutthebox.adapters.store.lock import FolderLock
lock = FolderLock(Path(sys.argv[1]))
lock.take()
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", HOLD, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def complaint(folder: Path) -> str:
    return f"{folder}: another box is using this store; stop it, or use another folder"


def test_it_is_free_again_when_its_holder_is_killed_and_not_when_files_are_deleted(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path / "state")
    with held(tmp_path / "state") as process:
        with pytest.raises(InUseError) as raised:
            lock.take()
        assert str(raised.value) == complaint(tmp_path / "state")
        assert raised.value.exit_code == 1
        process.kill()
        process.wait()
        lock.take()
    for path in (tmp_path / "state").iterdir():
        path.unlink()
    with pytest.raises(InUseError):
        FolderLock(tmp_path / "state").take()
    lock.release()
    FolderLock(tmp_path / "state").take()


def test_a_scenario_is_not_played_on_a_store_in_use(tmp_path: Path) -> None:
    script, state = tmp_path / "a.scn", tmp_path / "state"
    script.write_text("press\n")
    with held(state):
        assert refused("replay", script, "--state", state, code=1) == f"shutthebox: {complaint(state)}"
    assert not list(state.iterdir())


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_the_second_daemon_says_so_in_one_line_and_ends(tmp_path: Path) -> None:
    """Two real ones, as somebody starts who has forgotten the first."""
    config = tmp_path / "box.toml"
    config.write_text(f'[store]\nfolder = "{tmp_path / "state"}"\n')
    options = ("--config", str(config), "--port", "0", "--no-browser")
    command = [sys.executable, "-m", "shutthebox", "sim", *options]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as first:
        try:
            assert first.stdout is not None
            assert "The box is at" in first.stdout.readline()
            before = (tmp_path / "state" / STORE_FILE).read_bytes()
            second = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
            assert (second.returncode, second.stdout) == (1, "")
            assert second.stderr == f"shutthebox: {complaint(tmp_path / 'state')}\n"
            assert (tmp_path / "state" / STORE_FILE).read_bytes() == before
            first.terminate()
            assert first.wait() == 0
        finally:
            first.kill()
