"""The computer's seat and the hints: the odds are asked, and the game never waits for them."""

from dataclasses import replace

from tests.support.box import S
from tests.support.machine import NoOdds, SilentOdds, Table, facts, settings_for

from shutthebox.config.profiles import builtin
from shutthebox.game.effects import Ask
from shutthebox.game.facts import Chosen
from shutthebox.game.inputs import AnswerCame, DiceCame, HintCame
from shutthebox.game.menu_items import STRENGTH, entries
from shutthebox.game.mode import Mode
from shutthebox.game.modes.flipping import COMPUTER_THINKS_NS
from shutthebox.game.modes.ready import COMPUTER_NS
from shutthebox.game.questions import AskAnswer, AskDice, AskHint
from shutthebox.game.screen import TileState
from shutthebox.odds.strengths import Strength, simple_dice
from shutthebox.odds.worths import Advice, Option, Unit
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
    assert "Thinking…" in table.text
    table.hold_long()
    table.press()
    assert table.mode is Mode.ATTRACT, "nobody is caught in it"


def test_the_answer_comes_late_and_is_what_counts() -> None:
    table, odds = thinking()
    asked = next(question for question in odds.asked if isinstance(question, AskAnswer))
    table.give(AnswerCame(asked.match, to_tiles([3, 5])), 0)
    assert table.screen.prompt == "Flip 3, 5"
    assert table.tiles(TileState.VIABLE) == [3, 5]
    table.flip(8)
    assert table.verdict == "dead-end", "legal, but not what the computer wants"
    table.stand([3, 5])
    assert Moved(to_tiles([3, 5])) in facts(table.effects)


def test_levers_set_by_chance_before_the_answer_count_when_it_comes() -> None:
    table, odds = thinking()
    asked = next(question for question in odds.asked if isinstance(question, AskAnswer))
    table.flip(8)
    assert (table.mode, table.verdict) == (Mode.FLIPPING, "complete")
    effects = table.give(AnswerCame(asked.match, to_tiles([8])), 0)
    assert facts(effects) == [Moved(to_tiles([8]))]


def test_who_thinks_too_long_plays_without_the_odds() -> None:
    table, odds = thinking()
    table.wait(COMPUTER_THINKS_NS)
    assert table.screen.prompt == "Flip 8"
    asked = next(question for question in odds.asked if isinstance(question, AskAnswer))
    before = table.screen
    assert table.give(AnswerCame(asked.match, to_tiles([3, 5])), 0) == [], "too late"
    assert table.screen == before


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


def test_a_computer_with_a_head_start_throws_as_many_dice_as_its_own_row_allows() -> None:
    """Only its row is low enough for one die."""
    game = replace(builtin("pub"), handicap=((7, 8, 9),))
    table = Table(
        settings_for(game, players=1, computers=(1,), strength=Strength.BEGINNER), odds=SilentOdds()
    )
    table.press()
    table.stand([7, 8, 9])
    match = table.match
    expected = simple_dice(match.rules, match.turn)
    table.dice.throws.append((1,) * expected)
    table.wait(COMPUTER_NS)
    assert table.dice.asked[-1] == (expected, 6)


def test_an_answer_to_another_throw_is_not_taken() -> None:
    table, odds = thinking()
    asked = next(question for question in odds.asked if isinstance(question, AskAnswer))
    elsewhere = asked.match.move(to_tiles([8])).throw((1, 1))
    assert table.give(AnswerCame(elsewhere, to_tiles([2])), 0) == []
    assert table.screen.prompt == "Thinking…"


def few_open(odds: SilentOdds | NoOdds, **settings: object) -> Table:
    """Tiles 1 to 6 are open: one die or two."""
    table = Table(settings_for("pub", players=1, **settings), odds=odds)
    table.press()
    match = table.match
    turn = match.turn
    turn = replace(turn, open=to_tiles(range(1, 7)), throws=3, moves=3)
    return Table(table.machine.settings, match=replace(match, rows=(turn,)), down=[7, 8, 9], odds=odds)


def test_the_computer_throws_as_many_dice_as_the_odds_say() -> None:
    odds = SilentOdds()
    table = few_open(odds, computers=(1,))
    (asked,) = [question for question in odds.asked if isinstance(question, AskDice)][-1:]
    table.give(DiceCame(asked.match, 1), 0)
    table.dice.throws.append((4,))
    table.wait(COMPUTER_NS)
    assert table.dice.asked == [(1, 6)]


def test_without_an_answer_it_throws_them_all() -> None:
    table = few_open(SilentOdds(), computers=(1,))
    table.dice.throws.append((4, 4))
    table.wait(COMPUTER_NS)
    assert table.dice.asked == [(2, 6)]


def test_the_better_number_of_dice_is_shown_when_it_is_known() -> None:
    odds = SilentOdds()
    table = few_open(odds, hints=True)
    assert table.screen.big == "21 left"
    (asked,) = [question for question in odds.asked if isinstance(question, AskHint)]
    table.give(HintCame(asked.match, Advice((Option(1, 0.0), Option(2, 0.25)), Unit.POINTS)), 0)
    assert table.screen.big == "1 die is best"
    assert "2 dice cost 0.2" in table.screen.also


def test_a_hint_is_shown_when_it_comes_and_gone_with_the_next_input() -> None:
    odds = SilentOdds()
    table = Table(settings_for("pub", players=1, hints=True), odds=odds)
    table.press()
    table.throw(3, 5)
    assert "Hold: hint" in table.screen.also
    table.hold()
    assert table.screen.prompt == "Working it out…"
    (asked,) = [question for question in odds.asked if isinstance(question, AskHint)]
    hint = Advice((Option(to_tiles([8]), 0.0), Option(to_tiles([3, 5]), 1.5)), Unit.POINTS)
    table.give(HintCame(asked.match, hint), 0)
    assert table.screen.rows == ("8\tis best", "3+5\tcosts 1.5")
    assert table.screen.cursor == 0, "the best is marked"
    table.flip(8)
    assert table.verdict == "complete"
    assert "Right!" in table.text
    table.lift(8)
    before = table.screen
    table.give(HintCame(asked.match, hint), 0)
    assert table.screen == before, "nobody has asked again"


def test_a_press_puts_a_hint_away_or_commits_the_move_that_is_right() -> None:
    odds = SilentOdds()
    table = Table(settings_for("pub", players=1, hints=True), odds=odds)
    table.press()
    table.throw(3, 5)
    hint = Advice((Option(to_tiles([8]), 0.0),), Unit.POINTS)

    def ask() -> None:
        table.hold()
        *_, asked = (question for question in odds.asked if isinstance(question, AskHint))
        table.give(HintCame(asked.match, hint), 0)
        assert table.screen.rows == ("8\tis best",)

    ask()
    assert (table.screen.prompt, table.screen.lit) == ("Press: back", True)
    table.press()
    assert (table.screen.prompt, table.screen.alert) == ("Make 8", False), "no refusal"
    table.flip(8)
    ask()
    assert (table.screen.prompt, table.screen.lit) == ("Right! Press", True)
    table.dice.throws.append((1, 1))
    table.press()
    assert table.mode is Mode.ROLLING


def test_a_hint_that_nobody_waits_for_any_more_is_not_shown() -> None:
    odds = SilentOdds()
    table = Table(settings_for("pub", players=1, hints=True), odds=odds)
    table.press()
    table.throw(3, 5)
    table.hold()
    (asked,) = [question for question in odds.asked if isinstance(question, AskHint)]
    table.flip(8)
    assert table.give(HintCame(asked.match, None), 0) == []


def test_no_question_holds_up_an_effect() -> None:
    """Questions come with the effects of the input, before its show."""
    table, _ = thinking()
    asks = [i for i, effect in enumerate(table.effects) if isinstance(effect, Ask)]
    assert asks
    assert not isinstance(table.effects[-1], Ask)


def test_the_computer_is_as_good_as_the_owner_has_set() -> None:
    for strength in Strength:
        odds = SilentOdds()
        table = Table(settings_for("pub", players=1, computers=(1,), strength=strength), odds=odds)
        table.press()
        table.dice.throws.append((3, 5))
        table.wait(COMPUTER_NS)
        table.wait(S)
        (asked,) = [question for question in odds.asked if isinstance(question, AskAnswer)]
        assert asked.strength is strength


def test_the_menu_asks_how_good_the_computer_is_where_it_has_a_seat() -> None:
    alone = settings_for("pub")
    assert STRENGTH not in entries(alone)
    settings = settings_for("pub", computers=(2,))
    assert STRENGTH in entries(settings)
    for index, strength in enumerate(Strength):
        chosen, kept = STRENGTH.choose(settings, index)
        assert chosen.strength is strength
        assert kept == (Chosen("game.strength", strength.value),)


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
    table.give(HintCame(asked.match, Advice(points, Unit.POINTS, win)), 0)
    assert table.screen.title == "Best for"
    assert table.screen.rows == ("1+9\tpoints", "4+6\tthe win")
