import json
import os
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.security.ran import Ran
from tests.support.waiting import HANG_S

from shutthebox.adapters.store.database import STORE_FILE

SCRIPT = Path(__file__).with_name("real_run.py")
PROJECT = SCRIPT.parents[2]


@pytest.fixture
def run_box(tmp_path: Path) -> Iterator[Callable[..., Ran]]:
    """Runs `shutthebox run` for the deeds of two hands, as systemd would start it."""
    wire = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    wire.bind(str(tmp_path / "notify"))
    wire.setblocking(False)
    config = tmp_path / "config.toml"
    config.write_text('[game]\nsetup = "usual"\n[display]\ncontroller = "none"\n')

    def run(*deeds: str, entropy: str = "", game: str = "", **environment: str) -> Ran:
        state, runtime = tmp_path / "state", tmp_path / "run"
        runtime.mkdir()
        config.write_text(config.read_text().replace("[game]\n", f"[game]\n{game}\n"))
        done = subprocess.run(
            [sys.executable, str(SCRIPT), str(config), entropy, *deeds],
            capture_output=True,
            text=True,
            check=False,
            timeout=HANG_S,
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONPATH": str(PROJECT),
                "NOTIFY_SOCKET": str(tmp_path / "notify"),
                "STATE_DIRECTORY": str(state),
                "RUNTIME_DIRECTORY": str(runtime),
                **environment,
            },
        )
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        messages = []
        with suppress(BlockingIOError):  # no more of them
            while True:
                messages.append(wire.recv(1000).decode())
        with closing(sqlite3.connect(state / STORE_FILE)) as db:
            texts = [text for (text,) in db.execute("select text from fact order by number")]
            (counted,) = db.execute("select coalesce(sum(count), 0) from throws where die = 0").fetchone()
        return Ran(
            **found,
            messages=messages,
            scores=(runtime / "scores.json").read_text(),
            throws=[text for text in texts if text.startswith("throw")],
            counted=counted,
        )

    yield run
    wire.close()
