"""An owner's stick and its helper: what it offers, what it saves and takes; nothing on it hurts the box."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Self

import pytest
from tests.support.fast import fast_among
from tests.support.kept import play_a_little
from tests.support.small_disk import small_disk
from tests.support.stick import Box, FolderVolume, helped

from shutthebox.adapters.store.backup import last_save
from shutthebox.adapters.store.contents import RESTORE_NAME
from shutthebox.adapters.store.database import STORE_FILE, Store
from shutthebox.adapters.store.open_store import open_or_set_aside
from shutthebox.adapters.store.schema import VERSION
from shutthebox.cli.main import main
from shutthebox.config.profiles import builtin
from shutthebox.files import MAX_NAMES
from shutthebox.game.facts import Began
from shutthebox.game.stick import StickJob, StickOutcome
from shutthebox.owner.stick import checking, contents, helper, saving, taking
from shutthebox.owner.stick.errors import JobError
from shutthebox.rules.match import begin

SAVED_FILES = {"memory.sqlite3", "results.csv", "statistics.html", "report.txt"}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    play_a_little(folder)
    return folder


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    folder = tmp_path / "stick"
    folder.mkdir()
    return folder


@pytest.fixture
def short_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """The doctor takes its time, and is tried once."""
    monkeypatch.setattr(saving, "report", lambda state: "report\n")


@pytest.mark.slow
def test_a_saved_folder_has_all_that_helps_by_mail(state: Path, stick: Path, tmp_path: Path) -> None:
    assert last_save(state) is None
    with helped(FolderVolume(stick), state, tmp_path) as box:
        after = box.done(StickJob.SAVE)
    assert after.outcome is StickOutcome.SAVED, after
    assert last_save(state) is not None
    (folder,) = stick.iterdir()
    assert folder.name == after.detail
    assert folder.name.startswith(f"shutthebox-{saving.box_name()}-2")
    assert {file.name for file in folder.iterdir()} == SAVED_FILES
    report = (folder / "report.txt").read_text()
    for heading in ("Doctor", "Statistics, levers and faults", "Journal"):
        assert f"\n{heading}\n=" in report
    assert "lever health" in report
    assert main(["stats", "--state", str(state)]) == 0
    with closing(sqlite3.connect(folder / "memory.sqlite3")) as db:
        assert db.execute("select count(*) from match").fetchone() == (1,)


@pytest.mark.usefixtures("short_report")
def test_results_open_in_a_spreadsheet(evening: Path, stick: Path, tmp_path: Path) -> None:
    with helped(FolderVolume(stick), evening, tmp_path) as box:
        box.done(StickJob.SAVE)
    (folder,) = stick.iterdir()
    # Excel opens this in columns whatever the decimal sign is, because the first line names the separator.
    with (folder / "results.csv").open(encoding="ascii", newline="") as file:
        assert file.readline() == "sep=;\r\n"
        rows = list(csv.DictReader(file, delimiter=";"))
    assert rows
    assert {"date", "game", "player", "initials", "score", "won"} == set(rows[0])
    assert any(row["won"] == "1" for row in rows)
    page = (folder / "statistics.html").read_text()
    assert rows[-1]["game"] in page
    assert "<script" not in page


@pytest.mark.parametrize(
    "name",
    [
        "=1+1",
        "+1",
        "-1",
        "@x",
        "\t=1",
        "\r=1",
        "\n=1",
        " =1",
        "＝1",
        "a;=1",
        "a\t=1",
        "a,=1",
        'a";=1',
        "a\n=1",
    ],
)
def test_no_name_is_a_formula_in_a_spreadsheet(name: str, evening: Path) -> None:
    """A memory that was taken over may have any; its owner opens the table of the next save."""
    with closing(sqlite3.connect(evening / STORE_FILE)) as played, closing(sqlite3.connect(":memory:")) as db:
        played.backup(db)
        db.execute("update match set profile = ?", (f"name = {json.dumps(name)}",))
        db.execute("update result set initials = ?", (name,))
        head, _, table = saving.results(db).partition("\n")
    assert head == "sep=;\r"
    for separator in ",;\t":
        cells = [cell for row in csv.reader(io.StringIO(table), delimiter=separator) for cell in row if cell]
        assert any("1" in cell or "x" in cell for cell in cells)
        assert all(cell[0].isalnum() or cell[0] == "'" for cell in cells), table


@pytest.mark.usefixtures("short_report")
def test_nothing_on_the_stick_is_overwritten(state: Path, stick: Path, tmp_path: Path) -> None:
    (stick / "holiday.jpg").write_bytes(b"sun")
    names = set()
    for _ in range(3):
        with helped(FolderVolume(stick), state, tmp_path) as box:
            names.add(box.done(StickJob.SAVE).detail)
    assert len(names) == 3
    assert {path.name for path in stick.iterdir()} == {"holiday.jpg", *names}
    assert (stick / "holiday.jpg").read_bytes() == b"sun"


@pytest.mark.usefixtures("short_report")
@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (errno.EROFS, StickOutcome.PROTECTED),
        (errno.ENOSPC, StickOutcome.FULL),
        (errno.EIO, StickOutcome.UNREADABLE),
        (errno.ENODEV, StickOutcome.PULLED_OUT),
    ],
)
def test_a_stick_that_cannot_be_written_is_one_line(
    error: int, outcome: StickOutcome, state: Path, stick: Path, tmp_path: Path
) -> None:
    volume = FolderVolume(stick)
    with helped(volume, state, tmp_path) as box:
        box.seen(lambda stick: StickJob.SAVE in stick.offers)
        volume.refuses = OSError(error, os.strerror(error))
        box.socket.ask(StickJob.SAVE)
        assert box.seen(lambda stick: stick.outcome is not None).outcome is outcome
    assert not list(stick.iterdir())


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "small", "16k") as folder:
        yield folder


@pytest.mark.usefixtures("short_report")
def test_a_full_stick_keeps_no_half_of_a_save(state: Path, small: Path, tmp_path: Path) -> None:
    with helped(FolderVolume(small), state, tmp_path) as box:
        after = box.done(StickJob.SAVE)
    assert after.outcome is StickOutcome.FULL
    assert last_save(state) is None
    assert not list(small.iterdir())


@pytest.mark.usefixtures("short_report")
def test_a_save_that_was_not_finished_is_no_memory(state: Path, stick: Path, tmp_path: Path) -> None:
    half = stick / "shutthebox-box-2026-01-01.part"
    half.mkdir()
    (half / "memory.sqlite3").write_bytes(b"SQLite format 3\0half")
    assert contents.look(stick).memory is None
    with helped(FolderVolume(stick), state, tmp_path) as box:
        assert box.seen().offers == (StickJob.SAVE,)


@pytest.mark.usefixtures("short_report")
def test_a_hidden_file_beside_a_memory_or_an_update_is_neither(stick: Path) -> None:
    """A Mac puts one beside every file on a stick."""
    for name in ("._box.sqlite3", "._shutthebox-9.0.raucb"):
        (stick / name).write_bytes(b"\0\5\x16\7")
    assert contents.look(stick) == contents.Contents()
    (stick / "box.sqlite3").write_bytes(b"SQLite")
    assert contents.look(stick).memory == stick / "box.sqlite3"


def test_a_saved_memory_is_taken_over_and_what_was_there_is_kept(
    state: Path, stick: Path, tmp_path: Path
) -> None:
    restarts: list[bool] = []
    with helped(FolderVolume(stick), state, tmp_path) as box:
        box.done(StickJob.SAVE)
    with closing(Store(state, lambda: 0.0)) as store:
        store.keep(Began(begin(builtin("pub"), 2)))
    with helped(FolderVolume(stick), state, tmp_path, lambda: restarts.append(True)) as box:
        after = box.done(StickJob.TAKE_OVER)
    assert after.outcome is StickOutcome.TAKEN_OVER, after
    assert restarts == [True]
    assert (state / RESTORE_NAME).exists()
    taken, _ = open_or_set_aside(state, lambda: 0.0, count_throws=True)
    assert taken is not None
    with closing(taken):
        assert taken.connection.execute("select count(*) from match").fetchone() == (1,)
    assert [path for path in state.iterdir() if path.name.startswith(f"{STORE_FILE}.")]


def database(*statements: str) -> bytes:
    """A database of SQLite that no box has made."""
    with closing(sqlite3.connect(":memory:")) as db:
        for statement in ("pragma user_version = 0", *statements, "vacuum"):
            db.execute(statement)
        return db.serialize()


HURTFUL = {
    "nothing": b"",
    "one byte": b"x",
    "less than a page": b"y" * 99,
    "the first words of a database": b"SQLite format 3\0",
    "an empty database": database(),
    "a database of something else": database("create table holiday (photo)"),
    "an empty database of our version": database(f"pragma user_version = {VERSION}"),
    "a database of something else of our version": database(
        "create table match (id)", f"pragma user_version = {VERSION}"
    ),
    "no database": b"hello" * 1000,
    "a head and no more": b"SQLite format 3\0" + bytes(84),
    "noise": bytes(range(256)) * 64,
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    fast_among(HURTFUL, ["a head and no more"]),
)
def test_a_memory_made_to_hurt_is_one_line(name: str, state: Path, stick: Path) -> None:
    file = stick / "memory.sqlite3"
    file.write_bytes(HURTFUL[name])
    with pytest.raises(JobError) as refused:
        taking.take_over(file, state)
    assert refused.value.outcome is StickOutcome.BAD_MEMORY
    assert "\n" not in str(refused.value)
    assert not (state / RESTORE_NAME).exists()


@pytest.mark.slow
def test_a_memory_that_would_fill_the_machines_is_given_up(state: Path, stick: Path) -> None:
    """All sticks together have a bound: beyond it the kernel would end their helpers."""
    file = stick / "memory.sqlite3"
    with closing(sqlite3.connect(state / STORE_FILE)) as db:
        db.execute("insert into fact values (99, 0, ?, 0)", ("x" * 50_000_000,))
        db.commit()
        file.write_bytes(db.serialize())
    with pytest.raises(JobError, match=checking.TOO_MUCH) as refused:
        taking.take_over(file, state)
    assert refused.value.outcome is StickOutcome.BAD_MEMORY


def test_a_memory_that_never_ends_is_not_opened(state: Path, stick: Path) -> None:
    folder = stick / "shutthebox-box-2026-11-23"
    folder.mkdir()
    with (folder / "memory.sqlite3").open("wb") as file:
        file.truncate(2 << 40)
    assert contents.look(stick).memory is None
    with pytest.raises(JobError, match="larger than 64 MiB"):
        taking.take_over(folder / "memory.sqlite3", state)


def test_a_link_is_not_followed(state: Path, stick: Path) -> None:
    """FAT has none; but a file system is what the stick says it is."""
    (stick / "memory.sqlite3").symlink_to(state / STORE_FILE)
    (stick / "shutthebox").symlink_to("/etc")
    assert contents.look(stick) == contents.Contents()
    with pytest.raises(OSError, match=r"link|symbolic"):
        taking.take_over(stick / "memory.sqlite3", state)


class EndlessFolder:
    """What `os.scandir` gives for a folder that goes round in a circle."""

    def __init__(self, entry: os.DirEntry[str]) -> None:
        self.entry, self.read = entry, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __iter__(self) -> Iterator[os.DirEntry[str]]:
        while True:
            self.read += 1
            yield self.entry


@pytest.mark.parametrize("name", fast_among(["", "shutthebox", "shutthebox/rules"], ["shutthebox"]))
def test_a_folder_without_an_end_is_not_read_to_its_end(
    name: str, state: Path, stick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (stick / "shutthebox/rules").mkdir(parents=True)
    (stick / "shutthebox/rules/friday.toml").write_text('like = "pub"\n')
    scandir, found = os.scandir, list[EndlessFolder]()

    def scan(path: str | Path) -> EndlessFolder | os._ScandirIterator[str]:
        if Path(path) != stick / name:
            return scandir(path)
        with scandir(path) as entries:
            found.append(EndlessFolder(next(entries)))
        return found[-1]

    monkeypatch.setattr(os, "scandir", scan)
    monkeypatch.setattr(os, "listdir", lambda path: pytest.fail(f"reads all of {path}"))
    with helped(FolderVolume(stick), state, tmp_path, kept=tmp_path / "kept") as box:
        assert box.done(StickJob.SETTINGS).outcome is not None
    assert found
    assert all(folder.read <= MAX_NAMES for folder in found)


def test_nothing_is_said_of_a_stick_that_is_pulled_out_before_it_is_offered(
    state: Path, stick: Path, tmp_path: Path
) -> None:
    """For a moment its device outlives it; what was said then stayed on the display."""
    volume, box = FolderVolume(stick), Box(tmp_path / "wire")
    volume.refuses = OSError(errno.ENOMEDIUM, os.strerror(errno.ENOMEDIUM))
    helper.Helper(volume, box.path, state, "en").serve()
    assert box.reports.empty()
    box.socket.close()


def test_a_box_that_starts_again_hears_of_the_stick_again(
    state: Path, stick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(helper, "LOOK_S", 0.02)
    volume = FolderVolume(stick)
    with helped(volume, state, tmp_path) as box:
        box.seen()
        box.socket.close()
        box.until(lambda stick: stick is None)
        again = Box(tmp_path / "wire")
        again.seen()
        again.socket.close()
