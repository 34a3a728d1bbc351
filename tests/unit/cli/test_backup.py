"""Backup and restore, while the box plays."""

import errno
import multiprocessing
import os
import shutil
import sqlite3
import stat
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

import pytest
from mock import Mock
from tests.support.command import command, printed, refused
from tests.support.kept import keep_an_evening, play_a_little
from tests.support.open_files import open_files
from tests.support.small_disk import small_disk
from tests.support.versions import take_next_version
from tests.support.waiting import HANG_S
from tests.support.writer import write

from shutthebox.adapters.store.contents import RESTORE_NAME
from shutthebox.adapters.store.database import STORE_FILE, Store
from shutthebox.adapters.store.open_store import open_or_set_aside
from shutthebox.adapters.store.queries import read
from shutthebox.adapters.store.records import kept_match
from shutthebox.adapters.store.schema import VERSION
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began, Chosen
from shutthebox.rules.actions import Thrown
from shutthebox.rules.match import begin


def told(receiver: Connection) -> list[str]:
    """The beginnings and actions that the writer has kept since the last time."""
    texts = []
    while receiver.poll(0):
        texts.append(receiver.recv())
    assert not any(text.startswith("refused") for text in texts)
    return [text for text in texts if text not in ("finish", "leave")]


def plays_on(receiver: Connection) -> bool:
    """Whether the writer comes to its next fact, once all that it has told has been read."""
    told(receiver)
    return receiver.poll(HANG_S)


@pytest.mark.parametrize("is_unplugged", [True, False], ids=["with a log", "closed cleanly"])
def test_a_memory_that_can_only_be_read_is_saved_whole(tmp_path: Path, is_unplugged: bool) -> None:
    """A failing card becomes read-only: that's when somebody wants a backup."""
    with small_disk(tmp_path / "disk", "4m") as disk:
        folder, as_it_was = disk / "state", tmp_path / "as-it-was"
        with closing(Store(folder, lambda: 0.0)) as store:
            store.keep(Began(begin(builtin("pub"), 2)))
            store.keep(Thrown((3, 5)))
            shutil.copytree(folder, as_it_was)
        if is_unplugged:
            shutil.rmtree(folder)
            shutil.copytree(as_it_was, folder, ignore=shutil.ignore_patterns("*-shm"))
        assert (folder / f"{STORE_FILE}-wal").exists() == is_unplugged
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        copy = tmp_path / "copy.sqlite3"
        assert printed("backup", copy, "--state", folder).startswith(f"{copy}: ")
        exported = printed("export", "--state", folder)
    assert '"die": 2, "value": 5, "count": 1' in exported, "the throw in the log, too"
    assert printed("export", "--state", copy) == exported


@contextmanager
def playing(folder: Path) -> Iterator[Connection]:
    """A process that plays into a store at full speed, without a pause."""
    processes = multiprocessing.get_context("forkserver")
    receiver, sender = processes.Pipe(duplex=False)
    child = processes.Process(target=write, args=(str(folder), 1, sender))
    child.start()
    sender.close()
    try:
        assert receiver.poll(HANG_S)
        yield receiver
        assert child.exitcode is None, "it has failed"
    finally:
        child.kill()
        child.join()
        receiver.close()


def history(folder: Path) -> list[str]:
    """All that a writer has told of the store there: beginnings and actions, in order."""
    with closing(sqlite3.connect(folder / STORE_FILE)) as db:
        found = []
        for (number,) in db.execute("select id from match order by id").fetchall():
            found.append("begin")
            found += [action.to_text() for action in kept_match(db, number, "test").actions]
        return found


@contextmanager
def opened(folder: Path) -> Iterator[Store]:
    """The store as a box finds it at its start, without a fault."""
    store, fault = open_or_set_aside(folder, lambda: 0.0)
    assert fault is None
    assert store is not None
    with closing(store):
        yield store


def is_there(path: Path) -> str:
    """The complaint about a name that is taken."""
    return f"shutthebox: {path}: File exists; use a new file"


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_backup_while_it_plays_is_what_it_was_at_one_instant(tmp_path: Path) -> None:
    state = tmp_path / "state"
    shown: list[str] = []
    with playing(state) as receiver:
        for number in range(8):
            assert receiver.poll(HANG_S)
            shown += told(receiver)
            file = tmp_path / f"copy {number}"
            printed("backup", file, "--state", state)
            before = len(shown)
            shown += told(receiver)
            copy = tmp_path / f"restored {number}"
            printed("restore", file, "--state", copy)
            with opened(copy):
                pass
            found = history(copy)
            assert before <= len(found) <= len(shown) + 1
            assert found[: len(shown)] == shown[: len(found)]
        assert plays_on(receiver)


@pytest.mark.timeout(180)
def test_readers_that_take_their_time_do_not_hold_it_up(tmp_path: Path) -> None:
    with playing(tmp_path) as receiver:
        with closing(sqlite3.connect(f"{(tmp_path / STORE_FILE).as_uri()}?mode=ro", uri=True)) as reader:
            reader.execute("begin")
            first = read(reader)
            assert plays_on(receiver)
            assert read(reader) == first, "it sees one instant"
        for command in ("stats", "export"):
            assert printed(command, "--state", tmp_path)
        assert plays_on(receiver)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """The memory of a box that has played a little."""
    play_a_little(tmp_path / "state")
    return tmp_path / "state"


@pytest.fixture
def medium(tmp_path: Path) -> Path:
    """An empty folder for a back-up."""
    folder = tmp_path / "medium"
    folder.mkdir()
    return folder


def test_a_backup_never_writes_over_anything_and_follows_no_link(state: Path, tmp_path: Path) -> None:
    letter, link = tmp_path / "letter", tmp_path / "link"
    letter.write_text("Dear brewery")
    for path in (link, tmp_path / "link.part"):
        path.symlink_to(letter)
    for taken in (letter, link):
        assert refused("backup", taken, "--state", state) == is_there(taken)
    assert letter.read_text() == "Dear brewery"
    assert link.is_symlink()
    refused("backup", tmp_path / "none" / "copy", "--state", state)
    refused("backup", tmp_path / "copy", "--state", tmp_path / "none", code=1)
    assert not (tmp_path / "copy").exists()


def test_a_backup_is_for_its_owner_and_touches_no_other_file(
    state: Path, medium: Path, tmp_path: Path
) -> None:
    (medium / "copy.part").write_text("Dear brewery")
    before, opened_before = os.umask(0), open_files()
    try:
        printed("backup", medium / "copy", "--state", state)
    finally:
        os.umask(before)
    assert (medium / "copy").read_bytes()[18:20] == b"\1\1", "no log is needed to read it"
    assert stat.S_IMODE((medium / "copy").stat().st_mode) == 0o600
    printed("restore", medium / "copy", "--state", tmp_path / "other")
    assert sorted(path.name for path in medium.iterdir()) == ["copy", "copy.part"]
    assert (medium / "copy.part").read_text() == "Dear brewery"
    assert open_files() == opened_before


def test_a_backup_onto_a_stick_that_knows_no_links(
    state: Path, medium: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_links = PermissionError(errno.EPERM, os.strerror(errno.EPERM))
    monkeypatch.setattr(os, "link", Mock(side_effect=no_links))
    printed("backup", medium / "copy", "--state", state)
    refused("backup", medium / "copy", "--state", state)
    assert [path.name for path in medium.iterdir()] == ["copy"]
    (medium / "link").symlink_to(medium / "letter")
    refused("backup", medium / "link", "--state", state)
    assert sorted(path.name for path in medium.iterdir()) == ["copy", "link"]
    printed("restore", medium / "copy", "--state", tmp_path / "other")


def test_a_backup_that_cannot_be_written_leaves_nothing(
    state: Path, medium: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(os, "fsync", Mock(side_effect=full))
    assert "No space left on device" in refused("backup", medium / "copy", "--state", state)
    assert list(medium.iterdir()) == []


def test_a_damaged_store_is_not_backed_up(state: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(state / STORE_FILE)) as db:
        db.execute("update fact set text = 'throw 4+4' where text like 'throw%'")
        db.commit()
    for words in (["stats"], ["stats", "--json"], ["export"], ["backup", tmp_path / "copy"]):
        said = command(*words, "--state", state)
        assert (said.code, said.err) == (
            1,
            f"shutthebox: {state / STORE_FILE}: damaged: fact 3 was altered\n",
        )
        assert bool(said.out) == (words[0] != "backup"), "what can be read is shown"
    assert not (tmp_path / "copy").exists()


def test_restore_is_taken_over_at_the_next_start(state: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    play_a_little(tmp_path / "other", "digits")
    printed("backup", copy, "--state", tmp_path / "other")
    with opened(state) as running:
        assert "restores it at its next start" in printed("restore", copy, "--state", state)
        assert running.choices() == (Chosen("game.profile", "pub"),), "who plays is not disturbed"
        running.keep(Chosen("box.language", "fr"))
    with opened(state) as store:
        assert store.choices() == (Chosen("game.profile", "digits"),)
        kept = store.running_match()
        assert kept is not None
        assert kept[0].game.name == "digits"
        (fault,) = read(store.connection).faults
    (before,) = state.glob("*.replaced")
    assert "restored" in fault.text
    assert before.name in fault.text
    # And back again.
    printed("restore", before, "--state", state)
    with opened(state) as store:
        assert store.choices() == (Chosen("box.language", "fr"), Chosen("game.profile", "pub"))
    assert not (state / RESTORE_NAME).exists()


@pytest.mark.slow
def test_a_plug_pulled_while_it_is_taken_over(tmp_path: Path) -> None:
    """The files after each step: the one before is renamed, then its log, then the new one."""
    play_a_little(tmp_path / "other", "digits")
    printed("backup", tmp_path / "copy", "--state", tmp_path / "other")
    renames = [
        (STORE_FILE, f"{STORE_FILE}.x.replaced"),
        (f"{STORE_FILE}-wal", f"{STORE_FILE}.x.replaced-wal"),
        (f"{STORE_FILE}-mark", f"{STORE_FILE}.x.replaced-mark"),
        (RESTORE_NAME, STORE_FILE),
    ]
    for steps in range(5):
        folder = tmp_path / str(steps)
        play_a_little(folder, "pub")
        (folder / f"{STORE_FILE}-wal").write_bytes(b"")
        printed("restore", tmp_path / "copy", "--state", folder)
        for before, after in renames[:steps]:
            (folder / before).rename(folder / after)
        with opened(folder) as store:
            assert store.choices() == (Chosen("game.profile", "digits"),)


def test_a_store_of_an_earlier_version_is_restored_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "old"
    keep_an_evening(old, 2)
    take_next_version(monkeypatch)
    before = (old / STORE_FILE).read_bytes()
    said = command("stats", "--state", old)
    assert said.code == 1
    assert said.err.endswith(": of an earlier version; a box brings it up to date at its next start\n")
    assert "2 finished of 3 begun" in said.out
    assert "good, 3 matches" in printed("restore", old / STORE_FILE, "--state", tmp_path / "state")
    with opened(tmp_path / "state") as store:
        assert store.choices() == (Chosen("box.language", "fr"),)
        assert store.running_match() is not None
    assert (old / STORE_FILE).read_bytes() == before, "it is left as it was"


ENDLESS = "with recursive n(i) as (select 1 union all select i from n)"
NEWER = f"made by a newer version (99); {VERSION} is allowed"
OTHER = "not a box's store: it has other tables, views or triggers"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"shopping list: eggs, milk\n" * 100, "file is not a database"),
        (b"", "it is empty"),
        (b"x", "not a box's store: a single byte"),
        (None, "no such file"),
        ("create table a (b)", OTHER),
        ("pragma journal_mode = wal", "not a box's store: it has no tables"),
        ("pragma user_version = 99", NEWER),
        (f"create view v as {ENDLESS} select i from n", OTHER),
    ],
)
def test_what_is_no_store_is_not_restored(
    content: bytes | str | None, complaint: str, state: Path, tmp_path: Path
) -> None:
    file = tmp_path / "copy"
    if isinstance(content, bytes):
        file.write_bytes(content)
    elif content is not None:
        with closing(sqlite3.connect(file)) as db:
            db.executescript(content)
    assert refused("restore", file, "--state", state) == f"shutthebox: {file}: {complaint}"
    assert sorted(path.name for path in state.iterdir()) == [STORE_FILE, f"{STORE_FILE}-mark"]


ALL_GOOD = "the 3 facts and 1 matches that are good"


@pytest.mark.parametrize(
    ("damage", "found", "good"),
    [
        ("pragma user_version = 99", NEWER, ALL_GOOD),
        (f"create view v as {ENDLESS} select i from n", OTHER, ALL_GOOD),
        ("create trigger t after insert on fact begin delete from setting; end", OTHER, ALL_GOOD),
        ("alter table lever add column other integer default (0)", OTHER, ALL_GOOD),
        ("delete from match", "match 1 differs from the facts", ALL_GOOD),
        (
            "update fact set text = 'throw 6+6' where number = 3",
            "fact 3 was altered",
            "the 3 facts and 1 matches that are good, 1 facts are lost",
        ),
    ],
)
def test_what_is_good_of_a_damaged_store_is_restored_and_the_owner_is_told(
    damage: str, found: str, good: str, tmp_path: Path
) -> None:
    """Its facts only: no view or trigger that a stranger put there comes into the box."""
    file, state = tmp_path / "copy", tmp_path / "state"
    play_a_little(tmp_path / "other")
    (tmp_path / "other" / STORE_FILE).rename(file)
    with closing(sqlite3.connect(file)) as db:
        db.executescript(damage)
    assert printed("restore", file, "--state", state) == (
        f"{file}: {found}; the box restores {good}, at its next start\n"
    )
    with opened(state) as store:
        assert store.choices() == (Chosen("game.profile", "pub"),)
        assert kept_match(store.connection, 1, "test").actions == (
            () if "lost" in good else (Thrown((3, 5)),)
        )
        told = [fault.text for fault in read(store.connection).faults]
        assert f"{file}: {found}; restored with {good}" in told


def test_a_store_that_was_set_aside_is_read(state: Path) -> None:
    with closing(sqlite3.connect(state / STORE_FILE)) as db:
        db.executescript("pragma writable_schema = on; update sqlite_schema set sql = 'CREATF' || sql")
    store, fault = open_or_set_aside(state, lambda: 0.0)
    assert store is not None
    assert fault is not None
    store.close()
    (aside,) = state.glob("*.damaged")
    for name, shown in (("stats", "0 finished of 1 begun"), ("export", "throw 3+5")):
        said = command(name, "--state", aside)
        assert said.code == 1
        assert shown in said.out
        assert said.err.startswith(f"shutthebox: {aside}: ")
    assert 'name = "pub"' in command("export", "--record", "1", "--state", aside).out


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
@pytest.mark.timeout(60)
def test_root_restores_through_no_link(tmp_path: Path) -> None:
    """The service's user puts links to root's files under every name that is used, as fast as it can."""
    state, roots = tmp_path / "state", tmp_path / "roots"
    play_a_little(tmp_path / "other")
    printed("backup", tmp_path / "copy", "--state", tmp_path / "other")
    state.mkdir()
    os.chown(state, 12345, 12345)
    roots.mkdir()
    (roots / "secret").write_text("root's")
    (roots / "secret").chmod(0o600)
    ended = threading.Event()

    def links() -> None:
        for number in count():
            if ended.is_set():
                return
            for name in {RESTORE_NAME, STORE_FILE, *(path.name for path in state.iterdir())}:
                path = state / name
                with suppress(OSError):
                    if path.is_dir():
                        # A folder of root's goes at some moment, and one comes with a link in it.
                        if rng.random() < 0.97:
                            continue
                        path.rename(tmp_path / f"gone {number}")
                        path.mkdir()
                        (path / STORE_FILE).symlink_to(roots / "secret")
                    else:
                        # A link takes the name's place, also of what is being written.
                        (state / "link").symlink_to(roots / "secret")
                        (state / "link").rename(path)

    rng = Random(1)
    attacker = threading.Thread(target=links)
    attacker.start()
    try:
        for _ in range(40):
            said = command("restore", tmp_path / "copy", "--state", state)
            assert said.code in (0, 1)
            assert len(said.err) < 400
    finally:
        ended.set()
        attacker.join()
    secret = (roots / "secret").stat()
    assert (secret.st_uid, secret.st_gid, stat.S_IMODE(secret.st_mode)) == (0, 0, 0o600)
    assert (roots / "secret").read_text() == "root's"
    assert [path.name for path in roots.iterdir()] == ["secret"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_what_root_does_stays_the_services(state: Path, tmp_path: Path) -> None:
    """The owner says sudo; the daemon has to read and write afterwards what was made."""
    for path in (state, *state.iterdir()):
        os.chown(path, 12345, 12345)
    printed("backup", tmp_path / "copy", "--state", state)
    printed("restore", tmp_path / "copy", "--state", state)
    with closing(Store(state, lambda: 0.0)):
        printed("stats", "--state", state)
        assert len(list(state.iterdir())) == 6
        assert (state / "last-save").is_file()
        for path in state.iterdir():
            assert (path.stat().st_uid, path.stat().st_gid) == (12345, 12345), path
            assert stat.S_IMODE(path.stat().st_mode) & 0o600 == 0o600
