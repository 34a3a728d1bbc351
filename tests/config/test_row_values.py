"""The learned values of large rows, as they stand in their file."""

import pytest

from shutthebox.config.profiles import builtin
from shutthebox.config.row_values import row_of
from shutthebox.odds.large_rows import BestPlay
from shutthebox.rules.tiles import to_tiles


@pytest.mark.parametrize(
    ("name", "best_play"),
    [
        ("the-300", BestPlay(142.647143, exact=True)),
        ("double-eighteen", BestPlay(329.84, exact=False)),
        ("cards", BestPlay(752.82, exact=False)),
    ],
)
def test_the_score_of_best_play(name: str, best_play: BestPlay) -> None:
    row = row_of(builtin(name))
    assert row is not None
    assert row.best_play == best_play


def test_the_values_of_tiles_are_in_tenths_of_a_point() -> None:
    """With the tiles 1 to 8 open: the constant, and each tile's own."""
    row = row_of(builtin("the-300"))
    assert row is not None
    points = 17.9 + 0.8 + 0.7 + 1.3 + 1.5 + 1.4 + 1.5 + 1.7 + 2.0
    assert row.still_shut(to_tiles(range(1, 9))) == pytest.approx(points)


def test_other_games_have_none() -> None:
    assert row_of(builtin("traditional")) is None
