"""The puzzle of the day: the levers are the answer, the first one counts, a streak is kept."""

import json
from dataclasses import replace

from tests.support.machine import Table, facts, settings_for

from shutthebox.config.profiles import builtin
from shutthebox.config.puzzles import puzzle_games, puzzle_of
from shutthebox.game.daily import Daily
from shutthebox.game.facts import Streak, remembered
from shutthebox.game.mode import Mode
from shutthebox.game.screen import TileState
from shutthebox.game.settings import Settings
from shutthebox.odds.puzzles import Puzzle, puzzle_from_text

# The second answer is the obvious one, and costs 1.12.
PUZZLE = puzzle_from_text("traditional 1,2,3,5,6,9 3+5 4 3,5:0.00 2,6:1.12 1,2,5:5.25", builtin)
ROW = (4, 7, 8)
TODAY = 700_000


class Puzzled(Table):
    """A table whose box has this puzzle, today."""

    def __init__(self, settings: Settings | None = None, puzzle: Puzzle = PUZZLE) -> None:
        self.day = TODAY
        super().__init__(settings, daily=lambda games: Daily(self.day, puzzle))


def test_the_puzzle_is_in_a_game_that_the_box_offers() -> None:
    """On twelve levers, Traditional is played with twelve tiles; its puzzles have nine."""
    offered = settings_for(builtin("ten").for_levers(12) or "ten", levers=12).games
    assert puzzle_games(offered) == ("digits",)
    assert {puzzle_of(day, puzzle_games(offered)).game.name for day in range(20)} == {"digits"}
    nine = puzzle_games(settings_for().games)
    assert all(puzzle_of(day, nine) == puzzle_of(day) for day in range(20)), "every usual box has the same"
    assert puzzle_of(3, puzzle_games(settings_for(out_of_play=(4,)).games)) == puzzle_of(3)


def test_the_first_answer_of_the_day_counts() -> None:
    table = Puzzled(settings_for("traditional", streak=Streak(TODAY, 0)))
    table.flip(*ROW, 3, 5)
    table.open_menu("Puzzle")
    assert "Not the best" in table.text
    effects = table.press()
    assert facts(effects) == []
    assert table.mode is Mode.ATTRACT
    table.day += 1
    table.open_menu("Puzzle")
    assert "Lift 3, 5" in table.text, "an answer is flipped after the row was set"
    assert table.tiles(TileState.WRONG) == [3, 5]
    assert facts(table.press()) == [], "it would have been the best answer"
    table.lift(3, 5)
    table.flip(3, 5)
    assert "Press: answer" in table.text
    assert facts(table.press()) == [Streak(TODAY + 1, 1)]


def test_levers_that_are_not_there_or_out_of_play() -> None:
    small = builtin("young").for_levers(7) or replace(builtin("golf"), tiles=(1, 2, 3, 4, 5, 6, 7))
    for settings, words in (
        (settings_for(out_of_play=(4,)), "Needs lever 4"),
        (settings_for(small, levers=7), "Needs lever 8, 9"),
    ):
        table = Puzzled(settings)
        table.open_menu("Puzzle")
        assert table.mode is Mode.MENU
        assert words in table.text


def test_a_day_without_an_answer_ends_a_streak() -> None:
    streak = Streak().after(10, solved=True).after(11, solved=True)
    assert streak == Streak(11, 2)
    assert streak.after(12, solved=True) == Streak(12, 3)
    assert streak.after(13, solved=True) == Streak(13, 1)
    assert streak.after(12, solved=False) == Streak(12, 0)


def test_a_streak_is_read_back() -> None:
    streak = Streak(739_000, 12)
    key, value = streak.entry
    assert remembered(key, json.loads(json.dumps(value))) == streak
    for kept in (None, [], [1], "x", [1, 2, 3], {"day": 1}, ["a", "b"]):
        assert not isinstance(remembered(key, kept), Streak)


def test_an_answer_as_good_as_the_best_is_right() -> None:
    tied = puzzle_from_text("traditional 1,2,3,5,6,9 3+5 4 3,5:0.00 2,6:0.00 1,2,5:5.25", builtin)
    table = Puzzled(puzzle=tied)
    table.open_menu("Puzzle")
    table.flip(*ROW)
    table.flip(2, 6)
    assert facts(table.press()) == [Streak(TODAY, 1)]
    assert "Solved!" in table.text
