"""The modules that a command loads: the box has to be ready soon, on a slow card."""

import gc
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.support.command import printed
from tests.support.open_files import open_files
from tests.support.waiting import HANG_S, until

from shutthebox.adapters import gpio
from shutthebox.cli.main import main
from shutthebox.simulator.hardware.box import SimulatedBox

MAX_MODULES = 117
"""What `run` loads of this package before it reads its configuration."""


@pytest.mark.slow
def test_a_box_loads_neither_the_simulator_nor_another_command_nor_a_solver() -> None:
    used = "main", "run", "parser"
    program = (
        "import sys, shutthebox.cli.main, shutthebox.cli.run, shutthebox.runtime.daemon; print(*sys.modules)"
    )
    modules = set(subprocess.check_output([sys.executable, "-c", program], text=True).split())
    assert {"shutthebox.game.machine", "shutthebox.adapters.odds_worker"} <= modules
    others = tuple(
        f"shutthebox.{name}" for name in ("simulator", "engine", "odds.odds", "odds.coach", "cli.")
    )
    allowed = {f"shutthebox.cli.{name}" for name in used}
    assert [name for name in modules - allowed if name.startswith(others)] == []
    modes = {name.rpartition(".")[2] for name in modules if name.startswith("shutthebox.game.modes.")}
    assert modes == {"base", "overlays"}, "the first screen needs one more: attract"
    waiting = ("shutthebox.web", "shutthebox.adapters.store.scores", "shutthebox.speech", "shutthebox.owner")
    assert [name for name in modules if name.startswith(waiting)] == [], "they wait for the first screen"
    used_later = {
        "game.menu_items": "a menu, or what was chosen there",
        "game.letters": "a name",
        "game.resuming": "a match to continue",
        "game.daily": "the puzzle",
        "game.owner_topics": "the owner",
        "game.typed_throw": "real dice",
        "adapters.store.records": "a match to continue",
        "odds.worths": "a solver",
        "odds.puzzles": "the puzzle",
        "rules.equal_dice": "a tournament",
        "rules.words": "the rules in words",
    }
    too_early = [(name, why) for name, why in used_later.items() if f"shutthebox.{name}" in modules]
    assert too_early == [], "loaded before anybody needs it"
    own = {name for name in modules if name.startswith("shutthebox")}
    assert len(own) <= MAX_MODULES, "each module takes a third of a millisecond of every start"


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in the place of an I2C bus."""
    path, opened = tmp_path / "i2c-32", os.open
    path.touch()

    def opens(name: str | Path, flags: int, mode: int = 0o777) -> int:
        return opened(path if name == "/dev/i2c-32" else name, flags, mode)

    monkeypatch.setattr(os, "open", opens)
    return path


CONFIG = '[display]\ncontroller = "sh1106"\nbus = 32\naddress = 0x3D\n'


@pytest.mark.parametrize(("result", "pause_s"), [("success", [1.5]), (None, [])])
def test_the_display_is_switched_off_after_the_goodbye_could_be_read(
    result: str | None, pause_s: list[float], bus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a crash there is no goodbye, and no wait."""
    slept: list[float] = []
    chosen: list[tuple[int, int]] = []
    monkeypatch.setattr("time.sleep", slept.append)
    monkeypatch.setattr("fcntl.ioctl", lambda file, request, address: chosen.append((request, address)))
    if result is None:
        monkeypatch.delenv("SERVICE_RESULT", raising=False)
    else:
        monkeypatch.setenv("SERVICE_RESULT", result)
    (tmp_path / "config.toml").write_text(CONFIG)
    before = open_files()
    assert printed("blank", "--config", tmp_path / "config.toml") == ""
    assert bus.read_bytes() == b"\x00\xae"
    assert chosen == [(0x0703, 0x3D)]
    assert slept == pause_s
    assert open_files() == before


def test_a_box_that_is_ready_collects_garbage_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The start is quicker without; the box of a pub runs for months, and its memory would fill up."""
    collecting = threading.Event()
    for name in ("STATE_DIRECTORY", "RUNTIME_DIRECTORY"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    (tmp_path / "config.toml").write_text('[display]\ncontroller = "none"\n')

    def stop_once_ready() -> None:
        try:
            assert systemd.recv(100) == b"READY=1"
            until(gc.isenabled)
            collecting.set()
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    with SimulatedBox(9) as box, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(HANG_S)
        monkeypatch.setattr(gpio, "open_factory", lambda backend: box.factory)
        watcher = threading.Thread(target=stop_once_ready)
        watcher.start()
        assert main(["run", "--config", str(tmp_path / "config.toml")]) == 0
        watcher.join(HANG_S)
    assert collecting.is_set()
