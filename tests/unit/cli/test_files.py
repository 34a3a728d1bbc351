"""Files that are none: every command that is given one says so in one line, and waits for nobody."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.box import config_with
from tests.support.command import command, refused
from tests.support.shows import plain_show

from shutthebox import files
from shutthebox.adapters.outbox import Outbox
from shutthebox.adapters.store.database import STORE_FILE as STORE
from shutthebox.adapters.store.database import open_to_read
from shutthebox.adapters.store.open_store import open_or_set_aside
from shutthebox.adapters.store.scores_file import ScoresWriter
from shutthebox.config import profiles
from shutthebox.config.settings_loader import broken_rules, settings_for
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.rules.reader import ProfileError
from shutthebox.simulator.scenario.recorder import create
from shutthebox.simulator.scenario.script import ScenarioError
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.web.scoreboard.folder import ScoreboardFolder
from shutthebox_uplink.spool import Spool

LONG = "x" * 300
KINDS = {
    "a pipe": "is a pipe; use a regular file",
    "a socket": "is a socket; use a regular file",
    "a device without end": "is a device; use a regular file",
    "a link to a pipe": "is a pipe; use a regular file",
    "a folder": "is a folder; use a regular file",
    "a name too long": "File name too long",
    "a name with a NUL": "a file name can't contain a NUL byte",
}
THERE = [kind for kind in KINDS if "name" not in kind]


def put(kind: str, path: Path) -> Path:
    """Makes what is no file; for names that can't be, what the path would be."""
    match kind:
        case "a pipe":
            os.mkfifo(path)
        case "a socket":
            with closing(socket.socket(socket.AF_UNIX)) as listener:
                listener.bind(str(path))
        case "a device without end":
            path.symlink_to("/dev/zero")
        case "a link to a pipe":
            os.mkfifo(path.with_name("pipe"))
            path.symlink_to(path.with_name("pipe"))
        case "a folder":
            path.mkdir()
        case "a name too long":
            return path.with_name(LONG + path.name)
        case "a name with a NUL":
            return path.with_name("\0" + path.name)
    return path


READING = (
    "check-config", "pins --config", "run --config", "sim --no-browser --port 0 --config", "blank --config",
    "doctor --config", "stats --config", "scoreboard --config", "profiles", "odds", "replay",
    "restore --state state",
)  # fmt: skip


@pytest.mark.parametrize(
    ("words", "kind"), [*((words, "a pipe") for words in READING), *(("odds", kind) for kind in KINDS)]
)
def test_a_file_to_read(words: str, kind: str, tmp_path: Path) -> None:
    file = put(kind, tmp_path / "file.toml")
    assert KINDS[kind] in refused(*words.split(), file)


@pytest.mark.parametrize("kind", [*THERE, "a name too long"])
def test_a_file_to_write(kind: str, tmp_path: Path) -> None:
    file = put(kind, tmp_path / "chart.svg")
    assert KINDS[kind] in refused("odds", "pub", "--plot", file)
    with pytest.raises(ScenarioError, match=KINDS[kind]):
        create(file)


@pytest.mark.parametrize("kind", THERE)
def test_house_rules_that_are_no_files_are_left_out(kind: str, tmp_path: Path) -> None:
    """The box starts, plays, and says what was left out."""
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "good.toml").write_text("dice = 1")
    put(kind, folder / "bad.toml")
    good, bad = profiles.house_rules(folder)
    assert [profile.name for profile in good] == ["good"]
    assert [str(error) for error in bad] == [f"{folder}/bad.toml: {KINDS[kind]}"]
    with pytest.raises(ProfileError, match=f"bad.toml: {KINDS[kind]}"):
        profiles.find("bad", folder)
    config = config_with(game__profile="pub", game__players=1, rules__folder=str(folder))
    assert [str(error) for error in broken_rules(config)] == [str(error) for error in bad]
    settings = settings_for(config, 9, "test")
    assert "good" in [profile.name for profile in settings.profiles]
    box = VirtualBox(config)
    box.press(100_000_000)
    box.close()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "a folder"])
def test_a_folder_of_house_rules_that_is_none(kind: str, tmp_path: Path) -> None:
    folder = put(kind, tmp_path / "rules")
    good, (bad,) = profiles.house_rules(folder)
    assert good == ()
    assert str(bad).endswith("; use a folder")
    assert str(bad).isprintable()
    assert files.shown_path(folder) in refused("profiles", "--folder", folder, "ours")


# -- folders -----------------------------------------------------------------------------------

WITH_A_FOLDER = (
    "stats --state", "export --state", "backup copy --state", "restore copy --state", "scoreboard --state",
    "replay {script} --state", "replay {script} --frames",
)  # fmt: skip


@pytest.mark.parametrize("kind", ["a pipe", "a name too long", "a name with a NUL"])
@pytest.mark.parametrize("words", WITH_A_FOLDER)
def test_a_folder_that_is_none(words: str, kind: str, tmp_path: Path) -> None:
    script = tmp_path / "script.scn"
    script.write_text("wait 1\n")
    folder = put(kind, tmp_path / "folder")
    assert files.shown_path(folder) in refused(*words.format(script=script).split(), folder)


@pytest.mark.parametrize("kind", ["a pipe", "a folder"])
def test_a_store_that_is_no_file(kind: str, tmp_path: Path) -> None:
    put(kind, tmp_path / STORE)
    assert KINDS[kind] in refused("stats", "--state", tmp_path, code=1)
    config = tmp_path / "config.toml"
    config.write_text(f'[store]\nfolder = "{tmp_path}"\n[display]\ncontroller = "none"\n')
    assert KINDS[kind] in command("doctor", "--config", config).out


# -- the function itself -----------------------------------------------------------------------


def test_a_file_is_replaced_in_one_step_and_no_link_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "page.json"
    path.write_bytes(b"something longer")
    with path.open("rb") as reader:
        files.replace_file(path, b"short")
        assert reader.read() == b"something longer", "who reads has the whole old one"
    assert path.read_bytes() == b"short"
    assert [entry.name for entry in tmp_path.iterdir()] == ["page.json"]
    path.unlink()
    path.symlink_to("victim")
    files.replace_file(path, b"other")
    assert path.read_bytes() == b"other"
    assert not (tmp_path / "victim").exists()


def test_what_a_killed_writer_has_left_goes_and_what_is_being_written_stays(tmp_path: Path) -> None:
    """Such parts would fill a card over the years."""

    def content() -> Iterator[bytes]:
        yield b"half"
        files.remove_parts(tmp_path)
        yield b" and half"

    for name in ("file.part", ".other.part", ".shutthebox-0"):
        (tmp_path / name).touch()
    (tmp_path / ".shutthebox-0.part").symlink_to("file.part")
    others = set(tmp_path.iterdir())
    program = (
        "import os, sys; from pathlib import Path; from shutthebox.files import replace_file\n"
        "replace_file(Path(sys.argv[1]), (os.kill(os.getpid(), 9) for _ in range(1)))"
    )
    killed = subprocess.run([sys.executable, "-c", program, tmp_path / "file"], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(set(tmp_path.iterdir()) - others) == 1
    files.replace_file(tmp_path / "file", content())
    assert set(tmp_path.iterdir()) == {*others, tmp_path / "file"}
    assert (tmp_path / "file").read_bytes() == b"half and half"


@pytest.mark.parametrize("start", ["a box", "a box for a league", "a scoreboard", "an uplink"])
def test_the_next_start_removes_what_a_killed_writer_has_left(start: str, tmp_path: Path) -> None:
    part = tmp_path / ".shutthebox-0123.part"
    part.touch()
    match start:
        case "a box":
            store, _ = open_or_set_aside(tmp_path, lambda: 0.0)
            assert store is not None
            store.close()
        case "a box for a league":
            Outbox(tmp_path, tmp_path / "state", lambda: sqlite3.connect(":memory:"), lambda: 0.0)
        case "a scoreboard":
            ScoreboardFolder(tmp_path)
        case _:
            Spool(tmp_path)
    assert not part.exists()


def test_a_link_that_is_put_there_between_the_look_and_the_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, look = tmp_path / "file", os.stat
    file.touch()

    def swaps(path: Path, **how: bool) -> os.stat_result:
        found = look(path, **how)
        if path == file:
            file.rename(tmp_path / "secret")
            file.symlink_to("secret")
        return found

    monkeypatch.setattr(os, "stat", swaps)
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        files.open_to_read(file, follow_links=False)


def test_the_scores_wait_for_nobody(tmp_path: Path) -> None:
    """They are written in the main loop."""
    put("a pipe", tmp_path / "scores.json")
    ScoresWriter(tmp_path, None)(plain_show(Screen(Mode.READY)), 0)
    assert (tmp_path / "scores.json").read_text().startswith("{")


def test_a_look_at_a_store_costs_sqlite_no_lock(tmp_path: Path) -> None:
    """Any descriptor of its file that is closed drops all locks that this process holds on it."""
    with closing(sqlite3.connect(tmp_path / STORE, isolation_level=None)) as db:
        db.execute("create table match (id)")
        db.execute("begin immediate")
        assert _locks(tmp_path / STORE)
        open_to_read(tmp_path / STORE).close()
        assert _locks(tmp_path / STORE), "it still holds its locks"


def _locks(path: Path) -> str:
    number = str(path.stat().st_ino)
    held = Path("/proc/locks").read_text().splitlines()
    return "\n".join(line for line in held if f":{number} " in line)
