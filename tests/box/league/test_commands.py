"""The owner's commands, as they are typed."""

import os
import shutil
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.support.league import LeagueBox, Place, played_record
from tests.support.syncs import spy_on_syncs

from shutthebox.config.card import read_card
from shutthebox.config.settings_loader import try_config
from shutthebox.rules.equal_dice import tournament_from_text
from shutthebox_league.main import League, main
from shutthebox_uplink.settings import read_enrolment


@pytest.fixture(scope="session")
def founded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a league that has just been founded."""
    folder = tmp_path_factory.mktemp("founded") / "league"
    assert run(folder, "found", "--url", "https://league.example/", "--zone", "Europe/London") == 0
    return folder


@pytest.fixture
def folder(founded: Path, tmp_path: Path) -> Path:
    return shutil.copytree(founded, tmp_path / "league")


def run(folder: Path, *args: str) -> int:
    return main(["--folder", str(folder), *args])


def test_enrol_prints_the_file_that_a_box_needs_and_revoke_ends_its_key(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(folder, "enrol", "red-lion", "--pub", "The Red Lion") == 0
    out, err = capsys.readouterr()
    path = tmp_path / "league.toml"
    path.write_text(out)
    found = read_enrolment(path)
    assert (found.name, found.url, found.ca) == ("red-lion.1", "https://league.example", None)
    assert "The key of The Red Lion for the page /owner: " in err
    assert "league.toml on the first partition" in err
    assert read_card(tmp_path, try_config).mistakes == (), "saved as it is, on a card or a stick"
    # The league keeps no private key of a box.
    secret = out.split("-----BEGIN PRIVATE KEY-----\\n")[1][:40]
    kept = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert secret.encode() not in kept
    assert run(folder, "revoke", "red-lion.1") == 0
    assert run(folder, "revoke", "red-lion.1") == 2


def test_enrol_writes_a_file_that_only_its_owner_can_read(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A redirection leaves the box's private key to everybody with an account."""
    path = tmp_path / "lion.toml"
    assert run(folder, "enrol", "red-lion", "--pub", "The Red Lion", "--to", str(path)) == 0
    assert capsys.readouterr().out == ""
    assert read_enrolment(path).name == "red-lion.1"
    assert path.stat().st_mode & 0o777 == 0o600
    assert run(folder, "enrol", "red-lion", "--pub", "The Red Lion", "--to", str(path)) == 2
    assert "exists; use a new file" in capsys.readouterr().err
    assert run(folder, "revoke", "red-lion.2") == 2, "no key was made that nobody has"


def test_a_thief_whose_key_has_sent_nothing_is_revoked_without_an_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, "enrol", "red-lion", "--pub", "The Red Lion") == 0
    assert run(folder, "revoke", "red-lion.1", "--from", "2026-11-20") == 0
    assert "No match came under it since 2026-11-20" in capsys.readouterr().out


def test_keys_are_for_their_owner_only(folder: Path) -> None:
    assert (folder / "keys").stat().st_mode & 0o777 == 0o700
    for path in (folder / "keys").iterdir():
        assert path.stat().st_mode & 0o077 == 0, path


def test_enrol_says_that_a_box_moves_to_another_pub(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A slip in a name would take another pub's box away."""
    for pub in ("The Red Lion", "The Red Lion", "The Anchor"):
        assert run(folder, "enrol", "lion", "--pub", pub) == 0
        said = capsys.readouterr().err
        assert ("The box lion moves from The Red Lion to The Anchor; " in said) == (pub == "The Anchor")


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["enrol", "Red Lion", "--pub", "x"], "use up to 40 of a-z, 0-9 and -"),
        (["enrol", "lion", "--pub", "\x07"], "--pub"),
        (["revoke", "x"], "'x' is not a valid key; use one that `list keys` shows"),
        (["owner", "x"], "'x' is not a pub of this league"),
        (["found", "--url", "https://x"], "there is a league already"),
        (["take"], "no socket was passed"),
        (["event", "Cup", "--format", "x", "--entrants", "ANN,BOB"], "use one of ladder"),
        (["event", "Cup", "--format", "swiss", "--entrants", "ANN,ANN"], "2 to 64 different initials"),
        (["event", "Cup", "--format", "swiss", "--entrants", "ANN,BOB", "--tiles", "11"], "no box offers"),
        (["event", "Cup", "--format", "swiss", "--entrants", "ANN,BOB", "--rounds", "0"], "no box offers"),
        (["event", " ", "--format", "swiss", "--entrants", "ANN,BOB"], "up to 60 characters"),
        (["event", "Cup", "--format", "swiss", "--entrants", "ANN,BOB", "--grace", "745"], "0 to 744"),
        (["tournament", " ", "--closes", "2030-01-01"], "up to 60 characters"),
        (["enrol", "lion", "--pub", "The Lion\u3164"], "characters that can be read"),
        (["enrol", "lion", "--pub", "Zalgo" + "\u0301" * 5], "characters that can be read"),
        (["enrol", "lion", "--pub", "\u202eThe Lion"], "up to 60 characters"),
        (["enrol", "lion", "--pub", "x" * 60_000], "up to 60 characters"),
        (["void", "--undo", "9" * 20], "use MATCH"),
        (["free", "ANN"], "ANN: not protected anywhere"),
        (["protect", "ANN", "B\0B"], "'B\\x00B' is not allowed"),
        (["serve"], "no socket was passed"),
        (["restore", "/nowhere"], "/nowhere: No such file or directory"),
        (["move", "sqlite://"], "use the whole path"),
        (["move", "sqlite:///new"], "use the whole path"),
        (["move", "mysql://x"], "use sqlite:///FILE or postgresql://"),
    ],
)
def test_wrong_use_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], args: list[str], complaint: str
) -> None:
    assert run(folder, *args) == 2
    err = capsys.readouterr().err
    assert complaint in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
@pytest.mark.parametrize(
    "words",
    [
        ("event", "Cup", "--format", "swiss", "--entrants", "ANN,BOB", "--first-night"),
        ("event", "Cup", "--format", "swiss", "--entrants", "ANN,BOB", "--last-night"),
        ("tournament", "Cup", "--closes"),
        ("revoke", "lion.1", "--from"),
        ("void", "lion.1", "--from"),
    ],
)
def test_a_day_of_another_age_breaks_no_page_and_no_list(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], day: str
) -> None:
    """Its event's page was an error for everybody, and `list` ended there."""
    with pytest.raises(SystemExit):
        run(folder, *words, day)
    assert "use a date such as" in capsys.readouterr().err


def test_a_league_that_is_not_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path / "none", "enrol", "lion", "--pub", "x") == 2
    assert "`shutthebox-league found` makes a league" in capsys.readouterr().err
    assert (
        main(["--folder", str(tmp_path / "n"), "found", "--url", "https://x", "--database", "mysql://x"]) == 2
    )
    assert "use sqlite:///FILE or postgresql://" in capsys.readouterr().err
    assert main(["--folder", str(tmp_path / "n"), "found", "--url", "https://x", "--zone", "Mars/Base"]) == 2
    assert "--zone: 'Mars/Base' is not known" in capsys.readouterr().err


def test_a_tournaments_file_is_what_the_box_reads(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "tournament", "Spring cup", "--closes", "2030-05-01") == 0
    out, err = capsys.readouterr()
    assert tournament_from_text(out, "x").commitment in err


@pytest.mark.slow
def test_a_back_up_is_taken_and_restored_while_the_league_runs(folder: Path, tmp_path: Path) -> None:
    league = League(folder)
    lion = LeagueBox(Place(tmp_path, league.authority, league.engine, 0))
    lion.play(played_record(1))
    reader = league.engine.connect().execution_options(reads=True)
    with reader:
        assert run(folder, "backup", str(tmp_path / "copy")) == 0
    assert run(folder, "backup", str(tmp_path / "copy")) == 2
    second = lion.box.play(played_record(2))
    lion.send(second)
    assert run(folder, "restore", str(tmp_path / "copy")) == 0
    # The open ledger goes on with what the copy has, and takes again what came after it.
    lion.send(second)
    assert lion.take(second).kind == "repeated"
    (tmp_path / "copy").write_bytes(b"noise" * 1000)
    assert run(folder, "restore", str(tmp_path / "copy")) == 2
    lion.play(played_record(3))
    league.engine.dispose()


def test_nobody_else_reads_the_database_or_a_back_up(folder: Path, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        (folder / "league.sqlite3").chmod(0o644)
        with closing(League(folder)) as league, league.engine.begin() as db:
            db.execute(text("delete from box"))
            modes = {path.name: path.stat().st_mode & 0o777 for path in folder.glob("league.sqlite3*")}
        assert run(folder, "backup", str(tmp_path / "copy")) == 0
    finally:
        os.umask(before)
    assert len(modes) == 3
    assert set(modes.values()) == {0o600}
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_a_back_up_takes_no_files_place_and_follows_no_link(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine")
    (tmp_path / "link").symlink_to(mine)
    (tmp_path / "dangling").symlink_to(tmp_path / "victim")
    (tmp_path / "mine.new").write_text("mine too")
    for name in ("mine", "link", "dangling", "."):
        assert run(folder, "backup", str(tmp_path / name)) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert (mine.read_text(), (tmp_path / "mine.new").read_text()) == ("mine", "mine too")
    assert not (tmp_path / "victim").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "dangling", "league", "link", "mine", "mine.new"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("head", "complaint"),
    [(b"", "not a league's database"), (b"SQLite format 3\0", "too full")],
)
def test_a_file_larger_than_the_disk_is_not_copied_before_it_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], head: bytes, complaint: str
) -> None:
    """The copy lies beside the database: it filled the league's disk."""
    with (tmp_path / "wrong").open("wb") as wrong:
        wrong.write(head)
        wrong.truncate(shutil.disk_usage(folder).free + 2**40)
    assert run(folder, "restore", str(tmp_path / "wrong")) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    "statement",
    [
        "create trigger t after insert on entry begin update key set revoked_s = null; end",
        "alter table pub add column more",
        "update alembic_version set version_num = '9999'",
        "drop table alembic_version",
    ],
)
def test_a_database_that_is_not_ours_is_not_restored(
    folder: Path, tmp_path: Path, statement: str, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy"
    assert run(folder, "backup", str(copy)) == 0
    with closing(sqlite3.connect(copy)) as db:
        db.execute(statement)
        db.commit()
    assert run(folder, "enrol", "lion", "--pub", "x") == 0
    capsys.readouterr()
    assert run(folder, "restore", str(copy)) == 2
    err = capsys.readouterr().err
    assert "use a file that `shutthebox-league backup` wrote" in err
    assert err.count("\n") == 1
    assert run(folder, "revoke", "lion.1") == 0, "the league has kept its own database"


@pytest.mark.slow
def test_a_restored_back_up_gives_no_name_twice_and_no_revoked_key_back(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert run(folder, "enrol", "lion", "--pub", "x") == 0
    assert run(folder, "backup", str(tmp_path / "copy")) == 0
    assert run(folder, "revoke", "lion.1") == 0
    assert run(folder, "enrol", "lion", "--pub", "x") == 0
    capsys.readouterr()
    assert run(folder, "restore", str(tmp_path / "copy")) == 0
    assert capsys.readouterr().out.splitlines() == [
        "lion.1 is revoked again",
        "lion.3 is not in the database; `shutthebox-league enrol` gives the box a new key",
    ]
    assert run(folder, "revoke", "lion.1") == 2
    assert run(folder, "enrol", "lion", "--pub", "x") == 0
    assert 'name = "lion.4"' in capsys.readouterr().out


@pytest.mark.slow
def test_pubs_in_every_script_have_pages_and_names_that_look_alike_are_refused(folder: Path) -> None:
    """A Cyrillic letter among Latin ones makes a second pub of the same name."""
    pubs = {"Müller": "muller", "Möller": "moller", "Пивная": "pub", "居酒屋": "pub-2", "Muller": "muller-2"}
    for number, pub in enumerate(pubs):
        assert run(folder, "enrol", f"box{number}", "--pub", pub) == 0
    for wrong in ("MÜLLER", "Mül ler!", "Тhe Red Lion", "Pub Пивная", "The Reԁ Lion", "Τhe Red Lion"):
        assert run(folder, "enrol", "x", "--pub", wrong) == 2
    with closing(League(folder)) as league, league.engine.begin() as db:
        assert dict(map(tuple, db.execute(text("select name, slug from pub")).all())) == pubs


@pytest.mark.parametrize(
    ("url", "ca"),
    [
        ("league.example", ""),
        ("http://league.example", ""),
        ("http://8.8.8.8", ""),
        ("https://me:secret@league.example", ""),
        ("https://league.example?x=1", ""),
        ("https://league.example", "../ca.pem"),
    ],
)
def test_an_address_that_no_box_would_use_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], url: str, ca: str
) -> None:
    assert run(tmp_path / "league", "found", "--url", url, "--ca", ca) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"shutthebox-league: --{'ca' if ca else 'url'}: not allowed; use ")
    assert err.count("\n") == 1
    assert not (tmp_path / "league").exists()


def test_a_league_with_an_authority_of_its_own_tells_its_boxes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "league"
    assert run(folder, "found", "--url", "https://192.168.1.5:8443", "--ca", "league.pem") == 0
    assert run(folder, "enrol", "lion", "--pub", "x", "--to", str(tmp_path / "lion.toml")) == 0
    (tmp_path / "league.pem").touch()
    found = read_enrolment(tmp_path / "lion.toml")
    assert (found.url, found.ca) == ("https://192.168.1.5:8443", tmp_path / "league.pem")


def test_a_port_that_is_taken_is_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for command in ("take", "serve"):
            assert run(folder, command, "--port", str(port)) == 2
            assert capsys.readouterr().err == f"shutthebox-league: --port: {port}: Address already in use\n"


def test_keys_settings_and_registers_survive_a_power_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without them, every box would have to be enrolled again."""
    folder = tmp_path / "league"
    steps = spy_on_syncs(folder, monkeypatch)

    def assert_durable(name: str) -> None:
        path = Path(name)
        renamed = f"{path.parent}/.shutthebox-*.part -> {name}"
        assert renamed in steps, name
        at = steps.index(renamed)
        assert steps[at - 1] == f"sync {path.parent}/.shutthebox-*.part"
        assert steps[at + 1] == f"sync {path.parent}"

    assert run(folder, "found", "--url", "https://league.example") == 0
    for path in sorted(folder.glob("*/*")):
        if path.stat().st_size:
            assert_durable(str(path.relative_to(folder)))
    del steps[:]
    assert run(folder, "enrol", "lion", "--pub", "The Red Lion") == 0
    at = steps.index("sync keys/register")
    assert steps[at + 1] == "sync keys", "the new name"
