"""The coach's words, as the page gets them."""

from typing import Any

import pytest

from shutthebox.config.profiles import builtin
from shutthebox.odds.coach import review
from shutthebox.rules.actions import Action, Moved, Thrown
from shutthebox.rules.match import begin
from shutthebox.rules.tiles import to_tiles
from shutthebox.simulator.page.coach_document import coach_document
from shutthebox.translations import translations

PUB = builtin("pub")


def moved(*tiles: int) -> Moved:
    return Moved(to_tiles(tiles))


def document(*actions: Action, language: str = "en") -> dict[str, Any]:
    found = review(begin(PUB, 2), actions, for_win=False)
    return coach_document(found, PUB, ("Ann", "Player 2"), translations()[language])


@pytest.mark.parametrize(
    ("last", "dice", "better", "cost", "text"),
    [
        ((4, 3), [0, 0], [], "", "2 dice are best"),
        ((4,), [0], [0, 0], "-1.0", "1 die, 2 dice are better; costs 0.96 points"),
    ],
)
def test_a_worse_choice_of_dice_shows_the_better_ones(
    last: tuple[int, ...], dice: list[int], better: list[int], cost: str, text: str
) -> None:
    actions = (Thrown((6, 3)), moved(9), Thrown((5, 3)), moved(8), Thrown((4, 3)), moved(7))
    *_, move = document(*actions, Thrown(last))["moves"]
    assert (move["dice"], move["better_dice"], move["cost"]) == (dice, better, cost)
    assert move["text"].partition(" open")[2].lstrip(",: ") == text
    assert move["row"] == [[tile, tile <= 6, False, False] for tile in range(1, 10)]
