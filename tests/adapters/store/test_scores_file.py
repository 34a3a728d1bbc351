"""The file between the daemon and the scoreboard."""

import json
import os
import sqlite3
import stat
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from shutthebox.adapters.store.database import FILE_NAME as STORE
from shutthebox.adapters.store.queries import latest, open_to_read
from shutthebox.adapters.store.scores_file import FILE_NAME, MATCHES, ScoresWriter
from shutthebox.game.effects import Keep, Show
from shutthebox.game.facts import Chosen
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen

SHOW = Show(
    screen=Screen(Mode.FLIPPING),
    t_ns=0,
    mode=Mode.FLIPPING,
    player=2,
    open=(1, 2),
    throw=(3, 5),
    verdict="ok",
    scores=(15, None),
    totals=(15, 0),
    owes=(Fraction(0), Fraction(0)),
    winners=(),
)


def read(folder: Path) -> dict[str, object]:
    document = json.loads((folder / FILE_NAME).read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


def test_an_evening(evening: Path) -> None:
    scores = read(evening)
    assert scores["finished"] == 3
    assert scores["game"] == "traditional"
    assert [famous["initials"] for famous in scores["fame"]] == ["C&D", "<B>", "ANN"]  # type: ignore[attr-defined]
    with sqlite3.connect(evening / STORE) as db:
        results = db.execute("select match, score, won from result order by match desc, player").fetchall()
    db.close()
    shown = [
        (player["score"], player["won"])
        for match in scores["matches"]  # type: ignore[attr-defined]
        for player in match["players"]
    ]
    assert shown == [(score, bool(won)) for _, score, won in results]
    assert len(shown) == 6


def test_the_latest_matches_only(evening: Path) -> None:
    db = open_to_read(evening / STORE)
    assert [len(match.players) for match in latest(db, 2)] == [2, 2]
    assert latest(db, 2) == latest(db, MATCHES)[:2]
    db.close()


def test_the_match_on_the_table(tmp_path: Path) -> None:
    writer = ScoresWriter(tmp_path, None, "en")
    writer(SHOW, 0)
    assert read(tmp_path)["running"] == {
        "player": 2, "open": [1, 2], "scores": [15, None], "totals": [15, 0], "winners": []
    }  # fmt: skip
    writer(replace(SHOW, player=None), 1)
    assert read(tmp_path)["running"] is None


def test_the_throw_is_not_told(tmp_path: Path) -> None:
    """The page shows scores; what lies on the table is for those who stand there."""
    ScoresWriter(tmp_path, None, "en")(SHOW, 0)
    assert "throw" not in json.dumps(read(tmp_path))


def test_it_speaks_what_the_box_speaks(tmp_path: Path) -> None:
    writer = ScoresWriter(tmp_path, None, "en")
    writer(Keep(Chosen("box.language", "fr")), 0)
    writer(SHOW, 0)
    assert read(tmp_path)["language"] == "fr"


def test_it_is_written_only_when_it_changes(tmp_path: Path) -> None:
    writer = ScoresWriter(tmp_path, None, "en")
    writer(SHOW, 0)
    before = (tmp_path / FILE_NAME).stat().st_ino
    writer(replace(SHOW, verdict="missing 3", t_ns=5), 5)
    assert (tmp_path / FILE_NAME).stat().st_ino == before
    writer(replace(SHOW, totals=(15, 4)), 6)
    assert (tmp_path / FILE_NAME).stat().st_ino != before
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def test_everybody_may_read_it_and_only_we_write(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        ScoresWriter(tmp_path, None, "en")(SHOW, 0)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode) == 0o644


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / FILE_NAME).with_suffix(".new").symlink_to(victim)
    ScoresWriter(tmp_path, None, "en")(SHOW, 0)
    assert victim.read_text() == "mine"


def test_a_folder_that_is_gone_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    writer = ScoresWriter(tmp_path / "gone", None, "en")
    for total in range(3):
        writer(replace(SHOW, totals=(total, 0)), total)
    assert len(caplog.records) == 1
    assert "not up to date" in caplog.text
    (tmp_path / "gone").mkdir()
    writer(SHOW, 9)
    assert read(tmp_path / "gone")["running"]


@pytest.mark.parametrize("what", ["missing", "rubbish", "another's", "nonsense"])
def test_a_store_that_cannot_be_read_stops_nothing(what: str, tmp_path: Path, evening: Path) -> None:
    store = tmp_path / STORE
    match what:
        case "rubbish":
            store.write_bytes(b"\xff" * 5000)
        case "another's":
            sqlite3.connect(store).execute("create table match (id)").connection.close()
        case "nonsense":
            store.write_bytes((evening / STORE).read_bytes())
            with sqlite3.connect(store) as db:
                db.execute("update match set profile = 'no name'")
            db.close()
    ScoresWriter(tmp_path, lambda: open_to_read(store), "en")(SHOW, 0)
    scores = read(tmp_path)
    assert scores["running"]
    assert "matches" not in scores
