"""The review command: its JSON, its words in every language, and its errors."""

import json
from pathlib import Path

import pytest

from shutthebox.cli.main import main

RECORD = """shut-the-box record 2
profile traditional
players 2
1 6+4 4,6
1 6+6 5,7
1 4+3
1 blocked 23
2 6+3 9
2 5+5 2,8
2 6+6 5,7
2 1+1
2 blocked 14
scores 23 14
totals 23 14
winners 2
owes 1 -1
"""


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "match.txt"
    path.write_text(RECORD)
    return path


def test_json(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(record), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["profile", "players", "exact", "turning_point", "decisions"]
    assert found["exact"] is True
    first, second = found["players"]
    assert (first["points"]["final"], second["points"]["final"]) == (23, 14)
    assert (first["win"]["final"], second["win"]["final"]) == (0, 1)
    for player in (first, second):
        for balance in (player["win"], player["points"]):
            gained = balance["final"] - balance["initial"]
            assert gained == pytest.approx(balance["luck"] + balance["skill"], abs=1e-12)
    decision = found["decisions"][0]
    assert decision["throw"] == [6, 4]
    assert (decision["chosen"], decision["best"]) == ([4, 6], [1, 9])
    assert decision["cost_win"] > 0


def test_words(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(record)]) == 0
    said = capsys.readouterr().out
    assert "Player 1: accuracy" in said
    assert "Turning point: player" in said
    costs = said.partition("What cost most:\n")[2].splitlines()
    assert [line.split(";")[0].strip() for line in costs] == [
        "player 1, round 1, 1,2,3,5,7,8,9 open, 6+6: 5,7, 3,9 is better",
        "player 1, round 1, 1,2,3,4,5,6,7,8,9 open, 6+4: 4,6, 1,9 is better",
        "player 2, round 1, 1,2,3,4,5,6,7,8 open, 5+5: 2,8, 4,6 is better",
    ]
    assert "approximation" not in said, "the last round is exact"


def test_a_file_that_is_no_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "other.txt"
    for text, said in (("hello\n", "not a record"), (RECORD.replace("6+4 4,6", "6+4 4,7"), ":4:")):
        path.write_text(text)
        assert main(["review", str(path)]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert said in captured.err
        assert captured.err.count("\n") == 1
    path.write_text("shut-the-box record 2\nprofile the-300\nplayers 2\n1 6+6+6+6\n")
    assert main(["review", str(path)]) == 2
    assert "24 tiles" in capsys.readouterr().err


def test_a_review_needs_a_file_that_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", "/nowhere/match.txt"]) == 2
    assert "/nowhere/match.txt" in capsys.readouterr().err
