"""The owner's commands, as they are typed."""

import sqlite3
from pathlib import Path

import pytest
from tests.support.league import FakeBox, played_record

from shutthebox.rules.equal_dice import tournament_from_text
from shutthebox_league.database import open_database
from shutthebox_league.ledger import Ledger
from shutthebox_league.main import League, main
from shutthebox_uplink.settings import read_enrolment
from shutthebox_uplink.signing import sign_entry


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    folder = tmp_path / "league"
    assert (
        main(["--folder", str(folder), "found", "--host", "league.example", "--zone", "Europe/London"]) == 0
    )
    capsys.readouterr()
    return folder


def run(folder: Path, *args: str) -> int:
    return main(["--folder", str(folder), *args])


def test_enrol_prints_the_file_and_allows_the_box_at_the_broker(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(folder, "enrol", "red-lion", "--pub", "The Red Lion") == 0
    out, err = capsys.readouterr()
    path = tmp_path / "shutthebox-league.toml"
    path.write_text(out)
    found = read_enrolment(path)
    assert (found.name, found.host, found.port) == ("red-lion.1", "league.example", 8883)
    assert "The key of The Red Lion for the page /owner: " in err
    acl = (folder / "broker" / "acl").read_text()
    assert "user red-lion.1\ntopic write shutthebox/red-lion.1/entry\n" in acl
    # The league keeps no private key of a box.
    secret = out.split("-----BEGIN PRIVATE KEY-----\\n")[1][:40]
    kept = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert secret.encode() not in kept
    assert run(folder, "revoke", "red-lion.1") == 0
    assert "red-lion.1" not in (folder / "broker" / "acl").read_text()
    assert run(folder, "revoke", "red-lion.1") == 2


def test_keys_are_for_their_owner_only(folder: Path) -> None:
    assert (folder / "keys").stat().st_mode & 0o777 == 0o700
    for path in (folder / "keys").iterdir():
        assert path.stat().st_mode & 0o077 == 0, path
    for path in (folder / "broker").iterdir():
        assert path.stat().st_mode & 0o007 == 0, path


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (
            ["enrol", "Red Lion", "--pub", "x"],
            "'Red Lion' is not allowed; allowed are up to 40 of a-z, 0-9 and -",
        ),
        (["enrol", "lion", "--pub", "\x07"], "--pub"),
        (["revoke", "x"], "'x' is no key that holds; allowed are: none is enrolled"),
        (["owner", "x"], "'x' is no pub of this league"),
        (["found", "--host", "x"], "a league is there already"),
        (["event", "Cup", "--format", "x", "--entrants", "ANN,BOB"], "allowed are ladder"),
        (["event", "Cup", "--format", "swiss", "--entrants", "ANN,BO"], "--entrants: 'BO' is not allowed"),
        (["event", "Cup", "--format", "swiss", "--entrants", "ANN,ANN"], "2 to 64 different initials"),
        (["event", "Cup", "--format", "swiss", "--entrants", "ANN,BOB", "--game", "x"], "x"),
        (["tournament", " ", "--closes", "2030-01-01"], "NAME:2"),
        (["free", "ANN"], "ANN: not protected anywhere"),
        (["forget", ""], "allowed are 1 to 50 initials"),
        (["forget", "ANNA"], "'ANNA' is not allowed; allowed are three letters A-Z each"),
        (["protect", "ANN", "B\0B"], "'B\\x00B' is not allowed"),
        (["serve"], "no socket was passed"),
        (["restore", "/nowhere"], "/nowhere: not a file"),
    ],
)
def test_wrong_use_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], args: list[str], complaint: str
) -> None:
    assert run(folder, *args) == 2
    err = capsys.readouterr().err
    assert complaint in err
    assert err.count("\n") == 1


def test_a_league_that_is_not_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path / "none", "enrol", "lion", "--pub", "x") == 2
    assert "`shutthebox-league found` makes a league" in capsys.readouterr().err
    assert main(["--folder", str(tmp_path / "n"), "found", "--host", "x", "--database", "mysql://x"]) == 2
    assert "allowed are sqlite:///FILE and postgresql://" in capsys.readouterr().err
    assert main(["--folder", str(tmp_path / "n"), "found", "--host", "x", "--zone", "Mars/Base"]) == 2
    assert "--zone: 'Mars/Base' is not known" in capsys.readouterr().err


def test_a_tournaments_file_is_what_the_box_reads(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "tournament", "Spring cup", "--closes", "2030-05-01") == 0
    out, err = capsys.readouterr()
    assert tournament_from_text(out, "x").commitment in err


def test_a_back_up_is_taken_and_restored_while_the_league_runs(folder: Path, tmp_path: Path) -> None:
    league = League(folder)
    path = tmp_path / "lion.toml"
    from shutthebox_league.enrolment import enrol

    path.write_text(enrol(league.engine, league.authority, "lion", "The Lion").text)
    enrolment, box = read_enrolment(path), FakeBox("1" * 32)
    ledger = Ledger(league.engine, league.zone)

    def take(entry: bytes) -> str:
        return ledger.take("lion.1", sign_entry(entry, 1, "lion.1", enrolment.key)).kind

    assert take(box.play(played_record(1))) == "committed"
    reader = league.engine.connect().execution_options(reads=True)
    with reader:
        assert run(folder, "backup", str(tmp_path / "copy")) == 0
    assert run(folder, "backup", str(tmp_path / "copy")) == 2
    second = box.play(played_record(2))
    assert take(second) == "committed"
    assert run(folder, "restore", str(tmp_path / "copy")) == 0
    # The open ledger goes on with what the copy has, and takes again what came after it.
    assert take(second) == "committed"
    assert take(second) == "repeated"
    (tmp_path / "copy").write_bytes(b"noise" * 1000)
    assert run(folder, "restore", str(tmp_path / "copy")) == 2
    assert take(box.play(played_record(3))) == "committed"
    league.engine.dispose()


@pytest.mark.parametrize(
    "command", [("enrol", "lion", "--pub", "x"), ("backup", "{copy}"), ("owner", "no such pub")]
)
def test_a_command_leaves_no_database_open(command: tuple[str, ...], folder: Path, tmp_path: Path) -> None:
    run(folder, *(word.format(copy=tmp_path / "copy") for word in command))
    held = [str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    assert not [path for path in held if path.startswith(str(folder))]


def test_a_database_of_a_later_version_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect(folder / "league.sqlite3") as db:
        db.execute("update alembic_version set version_num = '9999'")
    db.close()
    assert run(folder, "enrol", "lion", "--pub", "x") == 2
    assert "9999" in capsys.readouterr().err


def test_the_tables_are_those_of_the_migrations(folder: Path) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from shutthebox_league.schema import METADATA

    engine = open_database(f"sqlite:///{folder}/league.sqlite3")
    with engine.connect() as db:
        assert compare_metadata(MigrationContext.configure(db), METADATA) == []
    engine.dispose()
