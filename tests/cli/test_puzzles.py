"""The puzzles command: lines, JSON, and errors."""

import json

import pytest

from shutthebox.cli.main import main
from shutthebox.config.profiles import builtin
from shutthebox.odds.puzzles import puzzle_from_text


def test_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["puzzles", "traditional", "golf", "--count", "5", "--seed", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    games = sorted(puzzle_from_text(line, builtin).profile.name for line in lines)
    assert games == ["golf", "golf", "golf", "traditional", "traditional"]


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["puzzles", "golf", "--count", "3", "--margin", "5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["seed"], found["margin"], len(found["puzzles"])) == (1, 5.0, 3)
    for puzzle in found["puzzles"]:
        assert list(puzzle) == ["profile", "open", "throw", "level", "missed_by", "answers"]
        assert puzzle["level"] == len(puzzle["missed_by"])
        assert "highest" in puzzle["missed_by"]
        best, second, *_ = puzzle["answers"]
        assert best["cost"] == 0
        assert second["cost"] >= 0.05 * 11
        assert set(best["tiles"]) <= set(puzzle["open"])


@pytest.mark.parametrize("margin", ["0", "100"])
def test_the_least_and_the_largest_margin(margin: str) -> None:
    assert main(["puzzles", "three-down", "--count", "1", "--margin", margin]) == 0


def test_a_game_with_fewer_gives_all_it_has(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["puzzles", "three-down", "--margin", "20"]) == 0
    assert len(capsys.readouterr().out.splitlines()) < 500


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["high-rollers"], "high-rollers has no puzzles: they are of one row, two dice and whole turns"),
        (["cards"], "cards has no puzzles"),
        (["tradtional"], "did you mean"),
        (["--count", "0"], "--count: 0 is not allowed; allowed are 1 to 100000"),
        (["--margin", "-1"], "--margin: -1 is not allowed; allowed are 0 to 100 per cent"),
        (["--margin", "nan"], "--margin: nan is not allowed"),
    ],
)
def test_bad_input(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["puzzles", *arguments]) == 2
    said = capsys.readouterr()
    assert complaint in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""
