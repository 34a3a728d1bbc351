"""Rules of printed sheets from elsewhere, case by case."""

import pytest
from tests.support.house import house

from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.tiles import to_tiles


@pytest.mark.parametrize(
    ("keys", "opened", "dice"),
    [
        ('one_die = "forced-sum"\none_die_at = 5', (1, 5), (2,)),
        ('one_die = "forced-sum"\none_die_at = 5', (2, 3), (1,)),
        ('one_die = "optional-high"\none_die_at = 5', (1, 6), (2,)),
        ('one_die = "optional-high"\none_die_at = 5', (1,), (2, 1)),
        ('one_die = "optional-high"\none_die_at = 9', (8, 9), (2, 1)),
        ('one_die = "optional-tiles"', (1, 2), (2,)),
        ('one_die = "optional-tiles"', (1,), (2, 1)),
        ('one_die = "forced-tiles"\none_die_at = 3', (7, 8, 9), (1,)),
        ('rows = 2\none_die = "forced-front"', (1, 5), (1,)),
        ('rows = 2\none_die = "forced-front"', (1, 6), (2,)),
    ],
)
def test_a_die_is_left_out_where_the_sheet_says(
    keys: str, opened: tuple[int, ...], dice: tuple[int, ...]
) -> None:
    assert dice_allowed(house(keys), to_tiles(opened)) == dice


def test_another_rule_for_one_die_does_not_inherit_the_limit() -> None:
    assert house('like = "below-six"').one_die_at == 5
    assert house('like = "below-six"\none_die = "optional-sum"').one_die_limit == 6
