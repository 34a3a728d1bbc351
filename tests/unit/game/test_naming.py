"""Names for the evening, and the honours of winners who have one."""

import pytest
from tests.support.machine import Table, settings_for

from shutthebox.game.earlier_results import EarlierResults
from shutthebox.game.mode import Mode


def spell(table: Table, letters: str) -> None:
    """Gives three letters, with lever 2 and the button."""
    for letter in letters:
        for _ in range(ord(letter) - ord("A")):
            table.choose(2)
        table.press()


def named(players: int, computers: tuple[int, ...] = ()) -> Table:
    table = Table(settings_for(names=True, players=players, computers=computers))
    table.press()
    return table


def test_a_game_for_one_asks_one_name_whatever_the_players() -> None:
    table = Table(settings_for("ladder", names=True, players=3))
    table.press()
    assert table.screen.title == "Player 1"
    spell(table, "BEA")
    assert (table.mode, table.seats) == (Mode.READY, ("BEA",))


def test_names_last_until_attract() -> None:
    table = named(players=1)
    spell(table, "BEA")
    table.hold_long()
    table.press()
    assert (table.mode, table.seats) == (Mode.ATTRACT, ())


def won_by_bea(past: EarlierResults) -> Table:
    """BEA has played alone and scored 43 - 9 = 34."""
    table = Table(settings_for(names=True, players=1), past=lambda match, letters: past)
    table.press()
    spell(table, "BEA")
    table.throw(6, 3)
    table.flip(9)
    table.dice.throws.append((1, 1))
    table.press()
    table.press()
    table.flip(2)
    table.throw(1, 1)
    table.press()
    assert table.screen.mode is Mode.MATCH_OVER
    return table


@pytest.mark.parametrize(("best", "celebrates"), [(35, True), (34, False), (33, False), (None, False)])
def test_a_personal_best_is_celebrated(best: int | None, celebrates: bool) -> None:
    table = won_by_bea(EarlierResults(best=best))
    assert table.screen.celebrates is celebrates
    assert ("Best yet: 34" in table.text) is celebrates
