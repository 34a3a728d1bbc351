"""The puzzles command: lines, JSON, and errors."""

import json

import pytest

from shutthebox.cli.main import command_line, main
from shutthebox.config.profiles import builtin
from shutthebox.odds.puzzle_mining import MARGIN
from shutthebox.odds.puzzles import puzzle_from_text
from shutthebox.rules.tiles import to_numbers


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


def test_help_names_what_is_usual() -> None:
    _, commands = command_line(["puzzles"])
    usual = {"count": 500, "seed": 1, "margin": 100 * MARGIN}
    for action in commands["puzzles"].arguments:
        if action.dest in usual:
            assert action.default == usual[action.dest]
            assert str(action.help).endswith(f"({action.default:g})")


def test_another_seed_gives_other_puzzles(capsys: pytest.CaptureFixture[str]) -> None:
    def found(*words: str) -> str:
        assert main(["puzzles", "three-down", "--count", "2", *words]) == 0
        return capsys.readouterr().out

    assert found() == found("--seed", "1") != found("--seed", "2")


def test_a_puzzle_in_json_is_the_one_of_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["puzzles", "three-down", "--count", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert main(["puzzles", "three-down", "--count", "2", "--json"]) == 0
    puzzles = json.loads(capsys.readouterr().out)["puzzles"]
    for line, found in zip(lines, puzzles, strict=True):
        puzzle = puzzle_from_text(line, builtin)
        assert found["profile"] == "three-down"
        assert found["open"] == list(to_numbers(puzzle.open))
        assert found["throw"] == list(puzzle.throw)
        assert found["level"] == puzzle.level
        answers = [(list(to_numbers(each.tiles)), each.cost) for each in puzzle.answers]
        assert [each["tiles"] for each in found["answers"]] == [tiles for tiles, _ in answers]
        assert [each["cost"] for each in found["answers"]] == pytest.approx(
            [cost for _, cost in answers], abs=0.01
        )
        assert found["missed_by"] == sorted(found["missed_by"])


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
        (["--count", "100001"], "--count: 100001 is not allowed; allowed are 1 to 100000"),
        (["--margin", "100.5"], "--margin: 100.5 is not allowed; allowed are 0 to 100 per cent"),
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
