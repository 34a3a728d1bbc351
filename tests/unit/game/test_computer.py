"""The computer's seat and the hints: the odds are asked, and the game never waits for them."""

from dataclasses import replace

from tests.support.box import S
from tests.support.machine import SilentOdds, Table, facts, settings_for

from shutthebox.config.profiles import builtin
from shutthebox.game.mode import Mode
from shutthebox.game.modes.flipping import COMPUTER_THINKS_NS
from shutthebox.game.modes.ready import COMPUTER_NS
from shutthebox.game.screen import TileState
from shutthebox.odds.options import Advice, Option, Unit
from shutthebox.odds.questions import AnswerReady, AskAnswer, AskHint, HintReady
from shutthebox.rules.actions import Moved, Reopened
from shutthebox.rules.tiles import to_tiles


def thinking() -> tuple[Table, SilentOdds]:
    """The computer has thrown 3+5 and does not know yet what to shut."""
    odds = SilentOdds()
    table = Table(settings_for("pub", players=1, computers=(1,)), odds=odds)
    table.press()
    table.dice.throws.append((3, 5))
    table.wait(COMPUTER_NS)
    table.wait(S)
    assert table.mode is Mode.FLIPPING
    return table, odds


def test_while_the_odds_are_worked_out_the_screen_says_so_and_every_input_works() -> None:
    table, odds = thinking()
    assert any(isinstance(question, AskAnswer) for question in odds.asked)
    assert table.screen.prompt == "Thinking…"
    assert table.tiles(TileState.VIABLE) == []
    table.flip(9)
    assert table.verdict == "over 1"
    assert "1 over" in table.text
    table.lift(9)
    assert facts(table.press()) == []
    assert table.screen.alert == "Thinking…", "a press is heard, and says why nothing happens"
    table.hold_long()
    table.press()
    assert table.mode is Mode.ATTRACT, "nobody is caught in it"


def test_levers_set_by_chance_before_the_answer_count_when_it_comes() -> None:
    table, odds = thinking()
    asked = next(question for question in odds.asked if isinstance(question, AskAnswer))
    table.flip(8)
    assert (table.mode, table.verdict) == (Mode.FLIPPING, "complete")
    effects = table.give(AnswerReady(asked.match, to_tiles([8])), 0)
    assert facts(effects) == [Moved(to_tiles([8]))]


def test_a_computer_with_a_head_start_asks_for_a_tile_that_it_may_open() -> None:
    """Tiles 1 and 2 start shut for it, and stay shut: no answer without the odds may name them."""
    game = replace(builtin("open-one"), handicap=((1, 2),))
    table = Table(settings_for(game, players=1, computers=(1,)), odds=SilentOdds())
    table.press()
    table.stand([1, 2])
    for flips in ((3, 9), (4, 8), (5, 7), ()):
        table.dice.throws.append((6, 6))
        table.wait(COMPUTER_NS)
        table.wait(COMPUTER_THINKS_NS)
        table.flip(*flips)
    assert table.screen.prompt == "Lift 3"
    table.lift(3)
    assert facts(table.effects)[-1] == Reopened(3)
    assert table.mode is Mode.READY


def test_a_press_puts_a_hint_away_or_commits_the_move_that_is_right() -> None:
    odds = SilentOdds()
    table = Table(settings_for("pub", players=1, hints=True), odds=odds)
    table.press()
    table.throw(3, 5)
    hint = Advice((Option(to_tiles([8]), 0.0),), Unit.POINTS)

    def ask() -> None:
        table.hold()
        *_, asked = (question for question in odds.asked if isinstance(question, AskHint))
        table.give(HintReady(asked.match, hint), 0)
        assert table.screen.rows == ("8\tis best",)

    ask()
    assert (table.screen.prompt, table.screen.lit) == ("Press: back", True)
    table.press()
    assert (table.screen.prompt, table.screen.alert) == ("Make 8", ""), "no refusal"
    table.flip(8)
    ask()
    assert (table.screen.prompt, table.screen.lit) == ("Right! Press", True)
    table.dice.throws.append((1, 1))
    table.press()
    assert table.mode is Mode.ROLLING


def test_a_hint_shows_both_answers_where_another_one_wins_more_often() -> None:
    odds = SilentOdds()
    table = Table(settings_for("pub", players=2, hints=True), odds=odds)
    table.press()
    table.throw(6, 4)
    table.hold()
    (asked,) = [question for question in odds.asked if isinstance(question, AskHint)]
    points, win = (
        (Option(to_tiles([1, 9]), 0.0), Option(to_tiles([4, 6]), 1.0)),
        (
            Option(to_tiles([4, 6]), 0.0),
            Option(to_tiles([1, 9]), 0.1),
        ),
    )
    table.give(HintReady(asked.match, Advice(points, Unit.POINTS, win)), 0)
    assert table.screen.title == "Best for"
    assert table.screen.rows == ("1+9\tpoints", "4+6\tthe win")
