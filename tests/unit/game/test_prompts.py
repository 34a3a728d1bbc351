"""The box's prompt for a throw names its legal answers."""

from fractions import Fraction

import pytest
from tests.support.machine import Table, settings_for
from tests.support.positions import with_rows

from shutthebox.game.mode import Mode
from shutthebox.game.wording import answer_line, luck_texts
from shutthebox.rules.profile import Profile, Stakes, Tie
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Outcome
from shutthebox.translations import finished_codes, translations


def thrown(profile: str, faces: tuple[int, ...], shut: tuple[int, ...]) -> Table:
    """A throw on the table, with these tiles shut before it."""
    table = Table(settings_for(profile, levers=54 if profile == "cards" else 12))
    table.press()
    turn = table.match.turn
    turn = turn._replace(open=turn.open & ~to_tiles(shut), throws=1, moves=1)
    match = with_rows(table.match, turn, turn)
    table = Table(table.machine.settings, match=match, down=shut)
    table.throw(*faces)
    return table


@pytest.mark.parametrize(
    ("profile", "faces", "shut", "prompt"),
    [
        ("pub", (3, 5), (), "Make 8"),
        ("trac", (3, 5), (3, 8), "Shut 5"),
        ("trac", (3, 5), (8,), "Shut 3+5"),
        ("trac", (3, 4), (), "Shut 7 or 3+4"),
        ("trac-free", (3, 4), (), "Shut 7, 4, 3…"),
        ("thai", (5, 3), (), "Shut 8, 5 or 3"),
        ("add-or-subtract", (6, 2), (), "Make 8 or 4"),
        ("add-or-subtract", (6, 2), (1, 2, 3, 5, 6, 7, 8), "Make 4"),
        ("four-operations", (6, 4), (), "Make 10, 2 or 24"),
        ("exact", (4, 4), (), "Shut 8"),
        ("cards", (6,) * 9, (), "Make 54"),
    ],
)
def test_the_prompt_names_what_can_be_shut(
    profile: str, faces: tuple[int, ...], shut: tuple[int, ...], prompt: str
) -> None:
    assert thrown(profile, faces, shut).screen.prompt == prompt


@pytest.mark.parametrize(("profile", "best"), [("pub", "best 39"), ("misere", "best 43")])
def test_the_score_to_beat_is_the_best_under_the_games_own_notion(profile: str, best: str) -> None:
    table = Table(settings_for(profile, players=3))
    table.press()
    for score in (43, 39):
        turn = table.match.turn._replace(throw=(1, 1), throws=1, outcome=Outcome.BLOCKED, score=score)
        match = table.match._with_turn(turn)
        table = Table(table.machine.settings, match=match.advance())
    assert (table.mode, table.screen.aside) == (Mode.READY, best)


@pytest.mark.parametrize(
    ("profile", "faces", "shut", "says"),
    [
        ("pub", (3, 5), (), "8 to go"),
        ("trac-free", (3, 4), (), "7, 4 or 3 to go"),
        ("trac-free", (3, 4), (3,), "7 or 4 to go"),
        ("add-or-subtract", (6, 2), (), "8 or 4 to go"),
        ("add-or-subtract", (6, 2), (1, 3, 5, 6, 7), "8 or 4 to go"),
        ("four-operations", (6, 4), (), "10, 2 or 24 to go"),
        ("thai", (5, 3), (3, 5), "8 to go"),
    ],
)
def test_a_press_too_soon_says_all_that_can_still_be_made(
    profile: str, faces: tuple[int, ...], shut: tuple[int, ...], says: str
) -> None:
    table = thrown(profile, faces, shut)
    to_do = table.screen.prompts
    table.press()
    assert table.screen.alert == says
    assert set(to_do) <= {says, *table.screen.prompts}


@pytest.mark.parametrize("language", finished_codes())
def test_decimals_have_the_sign_of_the_language(language: str) -> None:
    """So a voice reads them right, too; answers of several tiles have a space after each comma."""
    words, sign = translations()[language], "." if language == "en" else ","
    lucky, mistakes = luck_texts(settings_for("pub").profile, Fraction(-63, 10), Fraction(9, 4))
    assert lucky.localize(words).endswith(f"6{sign}3")
    assert mistakes.localize(words).endswith(f"2{sign}2")
    assert (
        answer_line(to_tiles([1, 7]), 5.675).localize(words)
        == f"1+7\t{words('costs {cost}').format(cost=f'5{sign}7')}"
    )


def test_what_is_left_counts_the_tiles_of_both_rows() -> None:
    table = Table(settings_for("double-row", players=1))
    table.press()
    table.throw(6, 3)
    table.flip(9)
    table.press()
    table.lift(9)
    assert table.screen.big == "81 left", "the 9 behind is open"
    table.throw(6, 3)
    table.flip(9)
    table.dice.throws.append((6, 2))
    table.press()
    table.press()
    table.flip(8)
    table.press()
    table.lift(8)
    assert table.screen.big == "64 left"


def test_a_turn_begins_with_the_pool_that_it_is_played_for_and_goes_on_with_its_strikes() -> None:
    table = Table(settings_for(Profile("friday", tie=Tie.CARRY, stakes=Stakes.POOL, strikes=2)))
    table.press()
    assert table.screen.aside == "pool 2"
    table.throw(1, 1)
    assert table.screen.aside == "strikes left 2"
