"""The puzzle of the day: the levers are the answer, the first one counts, a streak is kept."""

from dataclasses import replace

from tests.support.box import S
from tests.support.machine import Table, facts, settings_for, sounds

from shutthebox.config.profiles import builtin
from shutthebox.game.daily import Daily, Streak, streak_from
from shutthebox.game.effects import Sound
from shutthebox.game.facts import STREAK, Chosen
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
        super().__init__(settings, daily=lambda: Daily(self.day, puzzle))

    def open_puzzle(self) -> None:
        self.hold()
        while "Puzzle" not in (self.screen.rows or ("",))[self.screen.cursor or 0]:
            lever = self.machine.settings.levers - 1
            self.stand(self.down ^ {lever})
            self.stand(self.down ^ {lever})
        self.press()


def test_levers_are_judged_as_in_a_match() -> None:
    table = Puzzled()
    table.open_puzzle()
    assert table.mode is Mode.PUZZLE
    assert "Flip 4, 7, 8" in table.text
    assert not table.screen.alert
    assert not table.screen.lit
    table.flip(*ROW)
    assert (table.verdict, table.show.open, table.show.throw) == ("ok", (1, 2, 3, 5, 6, 9), (3, 5))
    assert "Best answer?" in table.text
    assert table.tiles(TileState.VIABLE) == [], "blinking tiles would be a hint"
    table.flip(2)
    assert "6 to go" in table.text
    table.flip(9)
    assert table.verdict == "over 3"
    assert table.screen.alert
    assert table.tiles(TileState.WRONG) == [2, 9]
    table.lift(2, 9)
    table.lift(7)
    assert "Flip 7" in table.text
    assert table.tiles(TileState.WRONG) == [7]


def test_an_answer_as_good_as_the_best_is_right() -> None:
    tied = puzzle_from_text("traditional 1,2,3,5,6,9 3+5 4 3,5:0.00 2,6:0.00 1,2,5:5.25", builtin)
    table = Puzzled(puzzle=tied)
    table.open_puzzle()
    table.flip(*ROW, 2, 6)
    assert facts(table.press()) == [Chosen(STREAK, (TODAY, 1))]
    assert "Solved!" in table.text


def test_the_best_answer_begins_a_streak() -> None:
    table = Puzzled()
    table.open_puzzle()
    table.flip(*ROW, 3, 5)
    assert table.tiles(TileState.FLIPPED) == [3, 5]
    assert table.screen.lit
    effects = table.press()
    assert facts(effects) == [Chosen(STREAK, (TODAY, 1))]
    assert sounds(effects) == [Sound.WIN]
    assert "Solved!" in table.text
    assert table.screen.rows == ("3+5\tis best", "2+6\tcosts 1.1", "1+2+5\tcosts 5.2")
    assert table.screen.cursor == 0
    assert table.screen.celebrates
    table.press()
    assert table.mode is Mode.ATTRACT


def test_a_wrong_answer_is_shown_beside_the_best_and_ends_the_streak() -> None:
    table = Puzzled(settings_for("traditional", streak=Streak(TODAY - 1, 6)))
    table.open_puzzle()
    table.flip(*ROW, 2, 6)
    effects = table.press()
    assert facts(effects) == [Chosen(STREAK, (TODAY, 0))]
    assert sounds(effects) == [Sound.BLOCKED]
    assert "Not the best" in table.text
    assert table.screen.cursor == 1
    assert not table.screen.celebrates


def test_the_first_answer_of_the_day_counts() -> None:
    table = Puzzled(settings_for("traditional", streak=Streak(TODAY, 0)))
    table.flip(*ROW, 3, 5)
    table.open_puzzle()
    assert "Not the best" in table.text
    effects = table.press()
    assert facts(effects) == []
    assert table.mode is Mode.ATTRACT
    table.day += 1
    table.open_puzzle()
    assert "Press: answer" in table.text
    assert facts(table.press()) == [Chosen(STREAK, (TODAY + 1, 1))]


def test_what_is_no_answer_is_refused_and_leaving_costs_nothing() -> None:
    table = Puzzled()
    table.open_puzzle()
    for levers, words in (((), "Put 4, 7, 8 back"), (ROW, "Best answer?"), ((*ROW, 1), "7 to go")):
        table.stand(levers)
        effects = table.press()
        assert (facts(effects), sounds(effects)) == ([], [Sound.REFUSED])
        assert words in table.text
    table.hold()
    assert table.mode is Mode.ATTRACT
    assert table.machine.settings.streak == Streak()


def test_nobody_there() -> None:
    table = Puzzled()
    table.open_puzzle()
    table.wait(601 * S)
    assert table.mode is Mode.ATTRACT


def test_the_owners_button_opens_service() -> None:
    table = Puzzled()
    table.open_puzzle()
    table.press_service()
    assert table.mode is Mode.SERVICE


def test_levers_that_are_not_there_or_out_of_play() -> None:
    small = builtin("young").for_levers(7) or replace(builtin("golf"), tiles=(1, 2, 3, 4, 5, 6, 7))
    for settings, words in (
        (settings_for(out=1 << 3), "Needs lever 4"),
        (settings_for(small, levers=7), "Needs lever 8, 9"),
    ):
        table = Puzzled(settings)
        table.open_puzzle()
        assert table.mode is Mode.MENU
        assert words in table.text


def test_a_box_without_puzzles() -> None:
    table = Puzzled()
    table.machine = Table().machine
    table.open_puzzle()
    assert table.mode is Mode.MENU
    assert "No puzzle today" in table.text


def test_a_day_without_an_answer_ends_a_streak() -> None:
    streak = Streak().after(10, solved=True).after(11, solved=True)
    assert streak == Streak(11, 2)
    assert streak.after(12, solved=True) == Streak(12, 3)
    assert streak.after(13, solved=True) == Streak(13, 1)
    assert streak.after(12, solved=False) == Streak(12, 0)


def test_a_streak_is_read_back() -> None:
    streak = Streak(739_000, 12)
    assert streak_from(list(streak.fact.value)) == streak  # type: ignore[arg-type]
    for kept in (None, [], [1], "x", [1, 2, 3], {"day": 1}, ["a", "b"]):
        assert streak_from(kept) == Streak()
